# The memory layer.
noinst_LIBRARIES += src/memory/libmemory.a
src_memory_libmemory_a_SOURCES = \
	src/memory/available.c \
	src/memory/device_memory.c \
	src/memory/memory_config.h src/memory/gpu.h src/memory/gpu.c src/memory/gpu_amd.c src/memory/gpu_habana.c src/memory/gpu_intel.c \
	src/memory/gpu_driver.c src/memory/gpu_mlu.c src/memory/gpu_musa.c \
	src/memory/gpu_neuron.c src/memory/gpu_nvidia.c \
	src/memory/gpu_opencl.c \
	src/memory/memory.h src/memory/memory.c src/memory/kinds.h \
	src/memory/host.c \
	src/memory/hugepages.c \
	src/memory/mapped_file.c \
	src/memory/pattern.h src/memory/pattern.c \
	src/memory/payload.c

if HAVE_CMOCKA
check_PROGRAMS += test_available test_device_memory test_hugepages test_payload test_pattern
test_available_SOURCES = tests/unit/test_available.c
test_available_LDADD = src/memory/libmemory.a src/util/libutil.a $(CMOCKA_LIBS)
test_device_memory_SOURCES = tests/unit/test_device_memory.c
test_device_memory_LDADD = src/memory/libmemory.a src/util/libutil.a $(IBVERBS_LIBS) $(CMOCKA_LIBS)
test_hugepages_SOURCES = tests/unit/test_hugepages.c
test_hugepages_LDADD = src/memory/libmemory.a src/util/libutil.a $(CMOCKA_LIBS)
test_payload_SOURCES = tests/unit/test_payload.c
test_payload_LDADD = src/memory/libmemory.a src/util/libutil.a $(CMOCKA_LIBS)
test_pattern_SOURCES = tests/unit/test_pattern.c
test_pattern_LDADD = src/memory/libmemory.a src/util/libutil.a $(CMOCKA_LIBS)
endif
