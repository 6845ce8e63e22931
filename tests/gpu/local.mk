# Stand-ins for the libraries of GPU vendors (-rpath makes them shared libraries); nothing installs them.
check_LTLIBRARIES += tests/gpu/libamdhip64.la tests/gpu/libcuda.la tests/gpu/libhsa-runtime64.la tests/gpu/libze_loader.la
tests_gpu_libamdhip64_la_SOURCES = tests/gpu/device.h tests/gpu/hip.c
tests_gpu_libamdhip64_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere
tests_gpu_libcuda_la_SOURCES = tests/gpu/device.h tests/gpu/cuda.c
tests_gpu_libcuda_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere
tests_gpu_libhsa_runtime64_la_SOURCES = tests/gpu/device.h tests/gpu/hsa.c
tests_gpu_libhsa_runtime64_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere
tests_gpu_libze_loader_la_SOURCES = tests/gpu/device.h tests/gpu/ze.c
tests_gpu_libze_loader_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere

if HAVE_CMOCKA
# By its own path dlopen() finds them.
check_PROGRAMS += test_gpu
test_gpu_SOURCES = tests/unit/test_gpu.c
test_gpu_LDADD = src/memory/libmemory.a src/util/libutil.a $(CMOCKA_LIBS) -ldl
# DT_RPATH, not DT_RUNPATH: the latter is not heeded where a sanitizer's runtime calls dlopen() in the program's place.
test_gpu_LDFLAGS = $(AM_LDFLAGS) -Wl,--disable-new-dtags -Wl,-rpath,$(abs_builddir)/tests/gpu/.libs
test_gpu_DEPENDENCIES = src/memory/libmemory.a src/util/libutil.a tests/gpu/libamdhip64.la tests/gpu/libcuda.la \
	tests/gpu/libhsa-runtime64.la tests/gpu/libze_loader.la
endif
