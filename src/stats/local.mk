# The stats layer: clock, histogram, moments, peak. A leaf: libc only.
noinst_LIBRARIES += src/stats/libstats.a
src_stats_libstats_a_SOURCES = \
	src/stats/clock.c src/stats/clock.h src/stats/clock_arch.h \
	src/stats/confidence.c src/stats/confidence.h \
	src/stats/histogram.c src/stats/histogram.h \
	src/stats/latency.c src/stats/latency.h \
	src/stats/paired.c src/stats/paired.h \
	src/stats/schedule.c src/stats/schedule.h src/stats/splitmix.h \
	src/stats/series.c src/stats/series.h \
	src/stats/spans.c src/stats/spans.h \
	src/stats/window.c src/stats/window.h

if HAVE_CMOCKA
check_PROGRAMS += test_clock test_confidence test_histogram test_latency test_paired test_schedule test_window
test_clock_SOURCES = tests/unit/test_clock.c
test_clock_LDADD = src/stats/libstats.a $(CMOCKA_LIBS)
test_confidence_SOURCES = tests/unit/test_confidence.c tests/unit/random_numbers.h
test_confidence_LDADD = src/stats/libstats.a $(CMOCKA_LIBS) -lm
test_histogram_SOURCES = tests/unit/test_histogram.c tests/unit/random_numbers.h
test_histogram_LDADD = src/stats/libstats.a $(CMOCKA_LIBS) -lm
test_latency_SOURCES = tests/unit/test_latency.c tests/unit/random_numbers.h
test_latency_LDADD = src/stats/libstats.a $(CMOCKA_LIBS) -lm
test_paired_SOURCES = tests/unit/test_paired.c tests/unit/random_numbers.h
test_paired_LDADD = src/stats/libstats.a $(CMOCKA_LIBS) -lm
test_schedule_SOURCES = tests/unit/test_schedule.c
test_schedule_LDADD = src/stats/libstats.a $(CMOCKA_LIBS) -lm
test_window_SOURCES = tests/unit/test_window.c tests/unit/random_numbers.h
test_window_LDADD = src/stats/libstats.a $(CMOCKA_LIBS)
endif
