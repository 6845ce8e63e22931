# The report layer: everything that reaches stdout and the JSON file.
noinst_LIBRARIES += src/report/libreport.a
src_report_libreport_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
src_report_libreport_a_SOURCES = \
	src/report/report.c src/report/report.h \
	src/report/column.c src/report/columns.c src/report/columns.h \
	src/report/load_columns.h \
	src/report/header.c src/report/header.h \
	src/report/text.c src/report/text.h \
	src/report/csv.c src/report/csv.h \
	src/report/document.c src/report/document.h \
	src/report/precision.c src/report/precision.h \
	src/report/provenance.c src/report/provenance.h \
	src/report/envelope.c src/report/envelope.h \
	src/report/metrics.c src/report/metrics.h \
	src/report/output_file.c src/report/output_file.h \
	src/report/payload_share.c src/report/payload_share.h \
	src/report/results.c src/report/results.h \
	src/report/report_config.h src/report/row.h \
	src/report/table.c src/report/table.h \
	src/report/host.c src/report/host.h \
	src/report/judge.c src/report/judge.h \
	src/report/counters.c src/report/counters.h \
	src/report/counter_class.c src/report/counter_class.h \
	src/report/progress.c src/report/progress.h

EXTRA_DIST += docs/schema.json tests/validate_json

if HAVE_CMOCKA
REPORT_TEST_LIBS = src/report/libreport.a src/params/libparams.a src/traffic/libtraffic.a src/stats/libstats.a src/util/libutil.a \
	$(CMOCKA_LIBS) $(JANSSON_LIBS) -lm
check_PROGRAMS += test_payload_share test_columns test_report test_report_formats test_document test_counters test_retransmits test_cpu test_progress
test_payload_share_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
test_payload_share_SOURCES = tests/unit/test_payload_share.c tests/unit/report_rig.h tests/unit/report_fixture.h tests/unit/terminal.h
test_payload_share_LDADD = $(REPORT_TEST_LIBS)
test_columns_SOURCES = tests/unit/test_columns.c tests/unit/report_fixture.h
test_columns_LDADD = $(REPORT_TEST_LIBS)
test_report_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
test_report_SOURCES = tests/unit/test_report.c tests/unit/report_rig.h tests/unit/report_fixture.h tests/unit/terminal.h
test_report_LDADD = $(REPORT_TEST_LIBS)
test_report_formats_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
test_report_formats_SOURCES = tests/unit/test_report_formats.c tests/unit/random_numbers.h tests/unit/report_rig.h tests/unit/report_fixture.h
test_report_formats_LDADD = $(REPORT_TEST_LIBS)
test_document_SOURCES = tests/unit/test_document.c tests/unit/report_fixture.h
test_document_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) -DTOP_SRCDIR='"$(abs_top_srcdir)"'
test_document_LDADD = $(REPORT_TEST_LIBS)
test_counters_SOURCES = tests/unit/test_counters.c tests/unit/fake_ports.h
test_counters_LDADD = $(REPORT_TEST_LIBS)
test_retransmits_SOURCES = tests/unit/test_retransmits.c
test_retransmits_LDADD = $(REPORT_TEST_LIBS)
test_cpu_SOURCES = tests/unit/test_cpu.c
test_cpu_LDADD = $(REPORT_TEST_LIBS)
test_progress_SOURCES = tests/unit/test_progress.c tests/unit/terminal.h
test_progress_LDADD = $(REPORT_TEST_LIBS)
endif
