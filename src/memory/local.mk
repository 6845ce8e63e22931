# The memory layer.
noinst_LIBRARIES += src/memory/libmemory.a
src_memory_libmemory_a_SOURCES =
