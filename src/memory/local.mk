# The memory layer.
noinst_LIBRARIES += src/memory/libmemory.a
src_memory_libmemory_a_SOURCES = \
	src/memory/available.h src/memory/available.c \
	src/memory/gpu.h src/memory/gpu.c src/memory/gpu_amd.c src/memory/gpu_intel.c src/memory/gpu_nvidia.c \
	src/memory/memory.h src/memory/memory.c \
	src/memory/host.h src/memory/host.c \
	src/memory/hugepages.c \
	src/memory/pattern.h src/memory/pattern.c \
	src/memory/payload.h src/memory/payload.c

if HAVE_CMOCKA
check_PROGRAMS += test_available test_payload test_pattern
test_available_SOURCES = tests/unit/test_available.c
test_available_LDADD = src/memory/libmemory.a src/util/libutil.a $(CMOCKA_LIBS)
test_payload_SOURCES = tests/unit/test_payload.c
test_payload_LDADD = src/memory/libmemory.a src/util/libutil.a $(CMOCKA_LIBS)
test_pattern_SOURCES = tests/unit/test_pattern.c
test_pattern_LDADD = src/memory/libmemory.a src/util/libutil.a $(CMOCKA_LIBS)
endif
