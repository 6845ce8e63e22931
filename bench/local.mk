# Measurements of the suite itself: ratios in one run, and the gate on instructions; nothing is installed.
# `make bench` prints one table; bench/run measures a part of it or with more rounds, see its --help.
noinst_PROGRAMS += bench_bare_loop bench_bare_pingpong bench_many_instances bench_measure bench_memcpy bench_pair_time bench_pingpong bench_register
noinst_LTLIBRARIES = bench/libidle_thread.la bench/libpost_delay.la # -rpath makes them ones that can be preloaded
EXTRA_DIST += bench/causes bench/compare bench/cxi bench/gate bench/figures.json bench/matrix_trials bench/qperf bench/run bench/setup

bench_bare_loop_SOURCES = bench/bare_loop.c bench/bare.h bench/spread.h
bench_bare_loop_LDADD = $(IBVERBS_LIBS)
bench_bare_pingpong_SOURCES = bench/bare_pingpong.c bench/bare.h bench/spread.h
bench_bare_pingpong_LDADD = $(IBVERBS_LIBS)
bench_libidle_thread_la_SOURCES = bench/idle_thread.c
bench_libidle_thread_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere
bench_libidle_thread_la_LIBADD = -lpthread
bench_libpost_delay_la_SOURCES = bench/post_delay.c
bench_libpost_delay_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere
bench_libpost_delay_la_LIBADD = -ldl
bench_many_instances_SOURCES = bench/many_instances.c
bench_many_instances_LDADD = src/front/libfront.a src/report/libreport.a src/net/libnet.a src/util/libutil.a $(JANSSON_LIBS) -lm
bench_measure_SOURCES = bench/measure.c bench/spread.h
bench_memcpy_SOURCES = bench/memcpy.c bench/spread.h
bench_pair_time_SOURCES = bench/pair_time.c
bench_pingpong_SOURCES = bench/pingpong.c bench/spread.h
bench_register_SOURCES = bench/register.c bench/spread.h
bench_register_LDADD = $(IBVERBS_LIBS)

if HAVE_LIBFABRIC
noinst_PROGRAMS += bench_fabric_loop
bench_fabric_loop_SOURCES = bench/fabric_loop.c
bench_fabric_loop_CPPFLAGS = $(AM_CPPFLAGS) $(LIBFABRIC_CFLAGS)
bench_fabric_loop_LDADD = $(LIBFABRIC_LIBS)
else
EXTRA_DIST += bench/fabric_loop.c
endif

.PHONY: bench
bench: all
	$(srcdir)/bench/run --build $(builddir) all
