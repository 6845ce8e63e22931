# Stand-ins for the libraries of GPU vendors (-rpath makes them shared libraries); nothing installs them.
GPU_STAND_INS = \
	tests/gpu/libamdhip64.la \
	tests/gpu/libcuda.la \
	tests/gpu/libhsa-runtime64.la \
	tests/gpu/libze_loader.la \
	tests/gpu/libmusa.la \
	tests/gpu/libcndrv.la \
	tests/gpu/libhl-thunk.la \
	tests/gpu/libnrt.la \
	tests/gpu/libOpenCL.la
check_LTLIBRARIES += $(GPU_STAND_INS) tests/gpu/libmlx5.la tests/gpu/libdmabuf.la
tests_gpu_libamdhip64_la_SOURCES = tests/gpu/device.h tests/gpu/hip.c
tests_gpu_libamdhip64_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere
tests_gpu_libcuda_la_SOURCES = tests/gpu/device.h tests/gpu/driver.h tests/gpu/cuda.c tests/gpu/cuda_kernel.c
tests_gpu_libcuda_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere
tests_gpu_libhsa_runtime64_la_SOURCES = tests/gpu/device.h tests/gpu/hsa.c
tests_gpu_libhsa_runtime64_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere
tests_gpu_libze_loader_la_SOURCES = tests/gpu/device.h tests/gpu/ze.c
tests_gpu_libze_loader_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere
tests_gpu_libmusa_la_SOURCES = tests/gpu/device.h tests/gpu/driver.h tests/gpu/musa.c
tests_gpu_libmusa_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere
tests_gpu_libcndrv_la_SOURCES = tests/gpu/device.h tests/gpu/driver.h tests/gpu/cndrv.c
tests_gpu_libcndrv_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere
tests_gpu_libhl_thunk_la_SOURCES = tests/gpu/device.h tests/gpu/hlthunk.c
tests_gpu_libhl_thunk_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere
tests_gpu_libnrt_la_SOURCES = tests/gpu/device.h tests/gpu/nrt.c
tests_gpu_libnrt_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere
tests_gpu_libOpenCL_la_SOURCES = tests/gpu/device.h tests/gpu/opencl.c
tests_gpu_libOpenCL_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere
# One for libmlx5, and what is preloaded in front of the software device: their symbols have versions.
tests_gpu_libmlx5_la_SOURCES = tests/gpu/mlx5.c
tests_gpu_libmlx5_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere \
	-Wl,--version-script=$(srcdir)/tests/gpu/mlx5.map
EXTRA_tests_gpu_libmlx5_la_DEPENDENCIES = tests/gpu/mlx5.map
EXTRA_tests_gpu_libdmabuf_la_DEPENDENCIES = tests/gpu/dmabuf.map
EXTRA_DIST += tests/gpu/mlx5.map tests/gpu/dmabuf.map
tests_gpu_libdmabuf_la_SOURCES = tests/gpu/dmabuf.c
tests_gpu_libdmabuf_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere \
	-Wl,--version-script=$(srcdir)/tests/gpu/dmabuf.map

# On a real GPU: tests/gpu/run.
EXTRA_DIST += tests/gpu/run
check_PROGRAMS += gpu_memory
gpu_memory_SOURCES = tests/gpu/memory.c
gpu_memory_LDADD = src/memory/libmemory.a src/util/libutil.a -ldl -lpthread

if HAVE_CMOCKA
# By its own path dlopen() finds them.
check_PROGRAMS += test_gpu
test_gpu_SOURCES = tests/unit/test_gpu.c
test_gpu_LDADD = src/memory/libmemory.a src/util/libutil.a $(CMOCKA_LIBS) -ldl -lpthread
# DT_RPATH, not DT_RUNPATH: the latter is not heeded where a sanitizer's runtime calls dlopen() in the program's place.
test_gpu_LDFLAGS = $(AM_LDFLAGS) -Wl,--disable-new-dtags -Wl,-rpath,$(abs_builddir)/tests/gpu/.libs
test_gpu_DEPENDENCIES = src/memory/libmemory.a src/util/libutil.a $(GPU_STAND_INS)
endif
