# The comm layer.
noinst_LIBRARIES += src/comm/libcomm.a
src_comm_libcomm_a_SOURCES =
