# cmtime: a program beside those of session, over the same doctor, explain, report, net, params, stats and util.
noinst_LIBRARIES += src/cmtime/libcmtime.a
src_cmtime_libcmtime_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
src_cmtime_libcmtime_a_SOURCES = \
	src/cmtime/client.c \
	src/cmtime/clients.c src/cmtime/clients.h \
	src/cmtime/cmtime.c src/cmtime/cmtime.h \
	src/cmtime/engine.c src/cmtime/engine.h \
	src/cmtime/explanation.c src/cmtime/explanation.h \
	src/cmtime/conn_stats.c src/cmtime/conn_stats.h \
	src/cmtime/conn_steps.c \
	src/cmtime/frame.c src/cmtime/frame.h \
	src/cmtime/controller.c \
	src/cmtime/link.c src/cmtime/link.h \
	src/cmtime/local.c \
	src/cmtime/manual.c \
	src/cmtime/rendezvous.c src/cmtime/rendezvous.h \
	src/cmtime/members.c src/cmtime/members.h \
	src/cmtime/options.c \
	src/cmtime/parameters.c src/cmtime/parameters.h \
	src/cmtime/report.c src/cmtime/report.h \
	src/cmtime/server.c \
	src/cmtime/transport.h src/cmtime/transport_rdma.c src/cmtime/transport_sockets.c

bin_PROGRAMS += cmtime
cmtime_SOURCES = src/main/cmtime.c src/main/commit.c
cmtime_LDADD = src/cmtime/libcmtime.a src/life/liblife.a src/explain/libexplain.a src/doctor/libdoctor.a src/report/libreport.a src/verbs/libverbs.a src/frames/libframes.a src/memory/libmemory.a \
	src/params/libparams.a src/traffic/libtraffic.a src/stats/libstats.a \
	src/net/libnet.a src/util/libutil.a $(SYSTEM_LIBS)

EXTRA_DIST += docs/cmtime.md

if HAVE_CMOCKA
CMTIME_TEST_LIBS = src/cmtime/libcmtime.a src/verbs/libverbs.a src/frames/libframes.a src/params/libparams.a src/traffic/libtraffic.a src/stats/libstats.a \
	src/net/libnet.a src/util/libutil.a $(CMOCKA_LIBS) -lpthread -lm
check_PROGRAMS += test_option_merge test_engine test_conn_stats test_frame test_link test_rendezvous
test_option_merge_SOURCES = tests/unit/test_option_merge.c
test_option_merge_LDADD = $(CMTIME_TEST_LIBS)
# The test brings its own rdma_cm, verbs and link.
test_engine_SOURCES = tests/unit/test_engine.c tests/unit/fake_rdmacm.c tests/unit/fake_rdmacm.h
test_engine_LDADD = $(CMTIME_TEST_LIBS)
test_conn_stats_SOURCES = tests/unit/test_conn_stats.c
test_conn_stats_LDADD = $(CMTIME_TEST_LIBS)
test_frame_SOURCES = tests/unit/test_frame.c tests/fuzz/fuzz_frame.c tests/fuzz/fuzz.h
test_frame_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -DTOP_SRCDIR='"$(abs_top_srcdir)"'
test_frame_LDADD = $(CMTIME_TEST_LIBS)
test_link_SOURCES = tests/unit/test_link.c tests/fuzz/fuzz_link.c tests/fuzz/fuzz.h tests/fuzz/corpus.h \
	tests/fuzz/story.h
test_link_CPPFLAGS = $(test_frame_CPPFLAGS)
test_link_LDADD = $(CMTIME_TEST_LIBS) $(SYSTEM_LIBS)
test_rendezvous_SOURCES = tests/unit/test_rendezvous.c tests/fuzz/fuzz_rendezvous.c tests/fuzz/fuzz.h \
	tests/fuzz/corpus.h tests/fuzz/story.h
test_rendezvous_CPPFLAGS = $(test_frame_CPPFLAGS)
test_rendezvous_LDADD = $(CMTIME_TEST_LIBS)
endif

# `make fuzz_frame && ./fuzz_frame -max_total_time=60`; libFuzzer comes with clang only.
fuzz_frame: tests/fuzz/fuzz_frame.c src/cmtime/frame.c src/stats/histogram.c src/stats/latency.c \
		$(src_net_libnet_a_SOURCES) $(src_util_libutil_a_SOURCES)
	$(AM_V_CC)$(FUZZ_CC) $(FUZZ_CFLAGS) \
		-I. -I$(top_srcdir)/src -I$(top_srcdir)/tests -o $@ $(filter %.c,$^) -lpthread -lm
CLEANFILES += fuzz_frame

# Whole conversations; as above.
CMTIME_FUZZED = src/cmtime/conn_stats.c \
	src/cmtime/frame.c src/cmtime/controller.c src/cmtime/link.c src/cmtime/rendezvous.c src/cmtime/members.c \
	src/cmtime/options.c src/cmtime/parameters.c src/params/engine/host.c src/params/engine/checks.c src/params/engine/limits.c \
	src/traffic/sweep.c \
	src/params/engine/opt.c src/params/engine/opt_name.c src/params/engine/opt_exchange.c src/params/engine/opt_value.c $(src_stats_libstats_a_SOURCES) \
	$(src_net_libnet_a_SOURCES) $(src_util_libutil_a_SOURCES)
fuzz_link fuzz_rendezvous: %: tests/fuzz/%.c $(CMTIME_FUZZED)
	$(AM_V_CC)$(FUZZ_CC) $(FUZZ_CFLAGS) \
		-I. -I$(top_srcdir)/src -I$(top_srcdir)/tests -o $@ $(filter %.c,$^) -lpthread -lm
CLEANFILES += fuzz_link fuzz_rendezvous
EXTRA_DIST += tests/fuzz/corpus/fuzz_link tests/fuzz/corpus/fuzz_rendezvous
