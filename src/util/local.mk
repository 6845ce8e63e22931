# The util layer.
noinst_LIBRARIES += src/util/libutil.a
src_util_libutil_a_SOURCES =
