# qperf: a program beside those of session, over the same layers.
noinst_LIBRARIES += src/qperf/libqperf.a
src_qperf_libqperf_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
src_qperf_libqperf_a_SOURCES = \
	src/qperf/access.c src/qperf/access.h \
	src/qperf/arrival.c \
	src/qperf/claim.c src/qperf/claim.h \
	src/qperf/client.c src/qperf/client.h \
	src/qperf/columns.c src/qperf/columns.h \
	src/qperf/command.c src/qperf/command.h \
	src/qperf/conf.c src/qperf/conf.h \
	src/qperf/connections.c \
	src/qperf/control.c src/qperf/control.h \
	src/qperf/datagram.c \
	src/qperf/explanation.c src/qperf/explanation.h \
	src/qperf/figures.c src/qperf/figures.h \
	src/qperf/help.c src/qperf/help.h src/qperf/lend.c src/qperf/lend.h \
	src/qperf/loop.c src/qperf/loop.h \
	src/qperf/modes.c \
	src/qperf/ops.c \
	src/qperf/options.c src/qperf/options.h \
	src/qperf/option_value.c \
	src/qperf/page.c src/qperf/page.h \
	src/qperf/parameters.h \
	src/qperf/protocol.h \
	src/qperf/qperf.c src/qperf/qperf.h \
	src/qperf/rdma.c src/qperf/rdma.h src/qperf/rdma_kind.h \
	src/qperf/rdma_classic.c src/qperf/rdma_classic.h \
	src/qperf/rdma_idle.c \
	src/qperf/rdma_setup.c \
	src/qperf/rdma_test.h \
	src/qperf/refusal.c src/qperf/refusal.h \
	src/qperf/report.c src/qperf/report.h \
	src/qperf/rules.c src/qperf/rules.h \
	src/qperf/serve.c src/qperf/serve.h \
	src/qperf/server.c src/qperf/server.h \
	src/qperf/session.c src/qperf/session.h \
	src/qperf/socket.c src/qperf/socket.h \
	src/qperf/spelling.c \
	src/qperf/stream.c \
	src/qperf/tests.c src/qperf/tests.h \
	src/qperf/text.c src/qperf/text.h \
	src/qperf/unreliable.c src/qperf/unreliable.h \
	src/qperf/values.c src/qperf/values.h \
	src/qperf/verify.c src/qperf/verify.h \
	src/qperf/wire.c src/qperf/wire.h

bin_PROGRAMS += qperf
qperf_SOURCES = src/main/qperf.c src/main/commit.c
QPERF_LAYERS = src/qperf/libqperf.a src/loops/libloops.a src/explain/libexplain.a src/report/libreport.a src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a \
	src/params/libparams.a src/traffic/libtraffic.a src/stats/libstats.a src/net/libnet.a src/util/libutil.a
qperf_LDADD = $(QPERF_LAYERS) $(SYSTEM_LIBS)

if HAVE_CMOCKA
QPERF_TEST_LIBS = $(QPERF_LAYERS) $(CMOCKA_LIBS) $(SYSTEM_LIBS)
check_PROGRAMS += test_qperf_verify test_qperf_claim test_qperf_command test_qperf_datagram test_qperf_meeting test_qperf_session test_qperf_text test_qperf_wire
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
test_qperf_session_SOURCES = tests/unit/test_qperf_session.c
test_qperf_session_LDADD = $(QPERF_TEST_LIBS)
test_qperf_text_SOURCES = tests/unit/test_qperf_text.c
test_qperf_text_LDADD = $(QPERF_TEST_LIBS)
test_qperf_wire_SOURCES = tests/unit/test_qperf_wire.c tests/fuzz/fuzz_qperf.c tests/fuzz/fuzz.h tests/fuzz/corpus.h
test_qperf_wire_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -DTOP_SRCDIR='"$(abs_top_srcdir)"'
test_qperf_wire_LDADD = $(QPERF_TEST_LIBS)
endif

# `make fuzz_qperf && ./fuzz_qperf -max_total_time=60`; libFuzzer comes with clang only.
fuzz_qperf: tests/fuzz/fuzz_qperf.c src/qperf/wire.c src/net/codec.c src/net/message.c
	$(AM_V_CC)$(FUZZ_CC) $(FUZZ_CFLAGS) \
		-I$(top_srcdir)/src -I$(top_srcdir)/tests -o $@ $^ -lm
CLEANFILES += fuzz_qperf
EXTRA_DIST += tests/fuzz/corpus/fuzz_qperf
