# qperf: a program beside those of session, over the same layers.
noinst_LIBRARIES += src/qperf/libqperf.a
src_qperf_libqperf_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
src_qperf_libqperf_a_SOURCES = \
	src/qperf/print/claim.c \
	src/qperf/control/classic.c \
	src/qperf/control/client.c \
	src/qperf/options/command.c src/qperf/options/command.h \
	src/qperf/control/conf.c \
	src/qperf/sockets/connections.c \
	src/qperf/control/control.c src/qperf/control/control.h \
	src/qperf/sockets/datagram.c \
	src/qperf/print/explanation.c \
	src/qperf/print/figures.c src/qperf/print/figures.h \
	src/qperf/print/limits.c \
	src/qperf/options/help.c src/qperf/control/memory_lock.c \
	src/qperf/print/meters.c src/qperf/print/meters.h \
	src/qperf/sockets/modes.c \
	src/qperf/options/options.c src/qperf/options/options.h \
	src/qperf/options/option_value.c \
	src/qperf/options/page.c \
	src/qperf/options/parameters.h \
	src/qperf/qperf.c src/qperf/qperf.h \
	src/qperf/rdma/ping.c \
	src/qperf/rdma/rdma.c src/qperf/rdma/rdma_kind.h \
	src/qperf/rdma/rdma_idle.c \
	src/qperf/rdma/rdma_setup.c \
	src/qperf/rdma/rdma_test.h \
	src/qperf/refusal.c \
	src/qperf/print/report.c src/qperf/print/report.h \
	src/qperf/options/rules.c \
	src/qperf/control/serve.c \
	src/qperf/control/server.c \
	src/qperf/control/session.c src/qperf/control/session.h \
	src/qperf/sockets/socket.c src/qperf/sockets/socket.h \
	src/qperf/sockets/socket_path.c \
	src/qperf/options/spelling.c \
	src/qperf/sockets/stream.c \
	src/qperf/options/tests.c src/qperf/options/tests.h \
	src/qperf/print/text.c src/qperf/print/text.h \
	src/qperf/rdma/verify.c \
	src/qperf/control/wire.c src/qperf/control/wire.h

bin_PROGRAMS += qperf
qperf_SOURCES = src/main/qperf.c src/main/commit.c
QPERF_LAYERS = src/qperf/libqperf.a src/life/liblife.a src/loops/libloops.a src/explain/libexplain.a src/doctor/libdoctor.a src/report/libreport.a src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a \
	src/params/libparams.a src/traffic/libtraffic.a src/stats/libstats.a src/net/libnet.a src/util/libutil.a
qperf_LDADD = $(QPERF_LAYERS) $(SYSTEM_LIBS)

if HAVE_CMOCKA
QPERF_TEST_LIBS = $(QPERF_LAYERS) $(CMOCKA_LIBS) $(SYSTEM_LIBS)
check_PROGRAMS += test_qperf_verify test_qperf_claim test_qperf_command test_qperf_datagram test_qperf_meeting test_qperf_path test_qperf_session test_qperf_text test_qperf_wire
test_qperf_verify_SOURCES = tests/unit/test_qperf_verify.c
test_qperf_verify_LDADD = $(QPERF_TEST_LIBS)
test_qperf_claim_SOURCES = tests/unit/test_qperf_claim.c
test_qperf_claim_LDADD = $(QPERF_TEST_LIBS)
test_qperf_command_SOURCES = tests/unit/test_qperf_command.c
test_qperf_command_LDADD = $(QPERF_TEST_LIBS)
test_qperf_datagram_SOURCES = tests/unit/test_qperf_datagram.c
test_qperf_datagram_LDADD = $(QPERF_TEST_LIBS)
test_qperf_meeting_SOURCES = tests/unit/test_qperf_meeting.c
test_qperf_meeting_LDADD = $(QPERF_TEST_LIBS)
test_qperf_meeting_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=wait_fds,--wrap=conn_over
test_qperf_path_SOURCES = tests/unit/test_qperf_path.c
test_qperf_path_LDADD = $(QPERF_TEST_LIBS)
test_qperf_session_SOURCES = tests/unit/test_qperf_session.c
test_qperf_session_LDADD = $(QPERF_TEST_LIBS)
test_qperf_text_SOURCES = tests/unit/test_qperf_text.c
test_qperf_text_LDADD = $(QPERF_TEST_LIBS)
test_qperf_wire_SOURCES = tests/unit/test_qperf_wire.c tests/fuzz/fuzz_qperf.c tests/fuzz/fuzz.h tests/fuzz/corpus.h
test_qperf_wire_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -DTOP_SRCDIR='"$(abs_top_srcdir)"'
test_qperf_wire_LDADD = $(QPERF_TEST_LIBS)
endif

# `make fuzz_qperf && ./fuzz_qperf -max_total_time=60`; libFuzzer comes with clang only.
fuzz_qperf: tests/fuzz/fuzz_qperf.c src/qperf/control/wire.c src/net/codec.c src/net/message.c
	$(AM_V_CC)$(FUZZ_CC) $(FUZZ_CFLAGS) \
		-I$(top_srcdir)/src -I$(top_srcdir)/tests -o $@ $^ -lm
CLEANFILES += fuzz_qperf
EXTRA_DIST += tests/fuzz/corpus/fuzz_qperf
