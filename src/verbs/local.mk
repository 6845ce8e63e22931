# The verbs layer.
noinst_LIBRARIES += src/verbs/libverbs.a
src_verbs_libverbs_a_SOURCES = \
	src/verbs/perftest_resources.h src/verbs/perftest_resources.c \
	src/verbs/flow.h \
	src/verbs/device.c \
	src/verbs/gid.h src/verbs/gid.c \
	src/verbs/mtu.h \
	src/verbs/mr.h src/verbs/mr.c \
	src/verbs/cq.h src/verbs/cq.c \
	src/verbs/qp.h src/verbs/qp.c \
	src/verbs/rate.h src/verbs/rate.c \
	src/verbs/wr.h src/verbs/wr.c
