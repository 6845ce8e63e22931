# The loops layer.
noinst_LIBRARIES += src/loops/libloops.a
src_loops_libloops_a_SOURCES =
