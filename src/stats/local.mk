# The stats layer: clock, histogram, moments, peak. A leaf: libc only.
noinst_LIBRARIES += src/stats/libstats.a
src_stats_libstats_a_SOURCES = \
	src/stats/clock.c src/stats/clock.h src/stats/clock_arch.h \
	src/stats/histogram.c src/stats/histogram.h \
	src/stats/latency.c src/stats/latency.h \
	src/stats/wide.h \
	src/stats/window.c src/stats/window.h

if HAVE_CMOCKA
check_PROGRAMS += test_clock test_histogram test_latency test_window
test_clock_SOURCES = tests/unit/test_clock.c
test_clock_LDADD = src/stats/libstats.a $(CMOCKA_LIBS)
test_histogram_SOURCES = tests/unit/test_histogram.c
test_histogram_LDADD = src/stats/libstats.a $(CMOCKA_LIBS) -lm
test_latency_SOURCES = tests/unit/test_latency.c
test_latency_LDADD = src/stats/libstats.a $(CMOCKA_LIBS) -lm
test_window_SOURCES = tests/unit/test_window.c
test_window_LDADD = src/stats/libstats.a $(CMOCKA_LIBS)
endif
