# The loops layer.
noinst_LIBRARIES += src/loops/libloops.a
src_loops_libloops_a_SOURCES = \
	src/loops/run.h \
	src/loops/bandwidth.h src/loops/bandwidth.c \
	src/loops/latency.c \
	src/loops/nap.h src/loops/nap.c \
	src/loops/post.h src/loops/post.c \
	src/loops/watch.h src/loops/watch.c
