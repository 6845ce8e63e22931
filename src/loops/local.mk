# The loops layer.
noinst_LIBRARIES += src/loops/libloops.a
src_loops_libloops_a_SOURCES = \
	src/loops/run.h src/loops/run.c \
	src/loops/bandwidth.c \
	src/loops/bw_work.h src/loops/bw_post.h src/loops/bw_reap.h \
	src/loops/burst.c \
	src/loops/echo.c \
	src/loops/forward.c \
	src/loops/lane.h \
	src/loops/latency.c src/loops/lat_exchange.h \
	src/loops/open_loop.c \
	src/loops/post.h src/loops/post.c \
	src/loops/poll_monitor.h src/loops/poll_monitor.c \
	src/loops/wr_api.h src/loops/wr_api.c

if HAVE_CMOCKA
LOOP_TEST_LIBS = src/loops/libloops.a src/verbs/libverbs.a src/frames/libframes.a src/stats/libstats.a src/util/libutil.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += test_bandwidth test_bursts test_credits test_forward test_latency_loops test_open_loop test_rate_limit test_receives test_run_sum test_sample_window test_wr_api
BANDWIDTH_RIG = tests/unit/bandwidth_rig.h tests/unit/fake_verbs.h
test_bandwidth_SOURCES = tests/unit/test_bandwidth.c $(BANDWIDTH_RIG)
test_bandwidth_LDADD = $(LOOP_TEST_LIBS)
test_credits_SOURCES = tests/unit/test_credits.c $(BANDWIDTH_RIG)
test_credits_LDADD = $(LOOP_TEST_LIBS)
test_rate_limit_SOURCES = tests/unit/test_rate_limit.c tests/unit/made_up_clock.h $(BANDWIDTH_RIG)
test_rate_limit_LDADD = $(LOOP_TEST_LIBS)
test_receives_SOURCES = tests/unit/test_receives.c $(BANDWIDTH_RIG)
test_receives_LDADD = $(LOOP_TEST_LIBS)
test_sample_window_SOURCES = tests/unit/test_sample_window.c tests/unit/made_up_clock.h $(BANDWIDTH_RIG)
test_sample_window_LDADD = $(LOOP_TEST_LIBS)
test_bursts_SOURCES = tests/unit/test_bursts.c tests/unit/fake_verbs.h
test_bursts_LDADD = $(LOOP_TEST_LIBS)
test_forward_SOURCES = tests/unit/test_forward.c tests/unit/fake_verbs.h
test_forward_LDADD = $(LOOP_TEST_LIBS)
test_latency_loops_SOURCES = tests/unit/test_latency_loops.c tests/unit/fake_verbs.h
test_latency_loops_LDADD = $(LOOP_TEST_LIBS)
test_open_loop_SOURCES = tests/unit/test_open_loop.c tests/unit/fake_verbs.h
test_open_loop_LDADD = $(LOOP_TEST_LIBS)
test_run_sum_SOURCES = tests/unit/test_run_sum.c
test_run_sum_LDADD = $(LOOP_TEST_LIBS) $(IBVERBS_LIBS)
test_wr_api_SOURCES = tests/unit/test_wr_api.c
test_wr_api_LDADD = $(LOOP_TEST_LIBS)
endif
