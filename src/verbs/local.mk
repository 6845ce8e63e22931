# The verbs layer.
noinst_LIBRARIES += src/verbs/libverbs.a
src_verbs_libverbs_a_SOURCES =
