# The libcxi transport of cxi, and what its tests have instead of libcxi and its NIC.
src_cxi_libcxi_send_bw_a_SOURCES += \
	src/cxi/libcxi/cassini.h \
	src/cxi/libcxi/libcxi_abi.h \
	src/cxi/libcxi/libcxi_connect.c \
	src/cxi/libcxi/libcxi_library.c \
	src/cxi/libcxi/libcxi_link.h \
	src/cxi/libcxi/libcxi_open.c \
	src/cxi/libcxi/libcxi_ops.c \
	src/cxi/libcxi/libcxi_progress.c \
	src/cxi/libcxi/libcxi_resources.c \
	src/cxi/libcxi/libcxi_rings.c src/cxi/libcxi/libcxi_rings.h

# Shared libraries named libcxi.so.1 (-rpath makes them such), in folders of their own; nothing installs them.
STANDIN_SOURCES = tests/cxi/commands.c tests/cxi/events.c tests/cxi/other_events.h tests/cxi/standin.h \
	tests/cxi/transfers.c
STANDIN_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -shared -rpath /nowhere
check_LTLIBRARIES += tests/cxi/libcxi.la tests/cxi/old/libcxi.la tests/cxi/partial/libcxi.la
tests_cxi_libcxi_la_SOURCES = tests/cxi/calls.c $(STANDIN_SOURCES)
tests_cxi_libcxi_la_LDFLAGS = $(STANDIN_LDFLAGS)
tests_cxi_libcxi_la_LIBADD = -lpthread
tests_cxi_old_libcxi_la_SOURCES = tests/cxi/old/calls.c $(STANDIN_SOURCES)
tests_cxi_old_libcxi_la_LDFLAGS = $(STANDIN_LDFLAGS)
tests_cxi_old_libcxi_la_LIBADD = -lpthread
tests_cxi_partial_libcxi_la_SOURCES = tests/cxi/partial/calls.c $(STANDIN_SOURCES)
tests_cxi_partial_libcxi_la_LDFLAGS = $(STANDIN_LDFLAGS)
tests_cxi_partial_libcxi_la_LIBADD = -lpthread
EXTRA_DIST += tests/cxi/README.md
# HPE's program as a peer.
check_PROGRAMS += hpe_peer
hpe_peer_SOURCES = tests/cxi/hpe_peer.c
hpe_peer_LDADD = src/cxi/libcxi_send_bw.a tests/cxi/.libs/libcxi.so src/util/libutil.a
hpe_peer_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,$(abs_builddir)/tests/cxi/.libs
hpe_peer_DEPENDENCIES = src/cxi/libcxi_send_bw.a tests/cxi/libcxi.la src/util/libutil.a

if HAVE_CMOCKA
LIBCXI_LAYERS = src/cxi/libcxi_send_bw.a src/memory/libmemory.a src/util/libutil.a
check_PROGRAMS += test_cxi_abi test_libcxi_queue test_libcxi_events test_libcxi
test_cxi_abi_SOURCES = tests/unit/test_cxi_abi.c
test_cxi_abi_LDADD = $(CMOCKA_LIBS)
test_libcxi_queue_SOURCES = tests/unit/test_libcxi_queue.c
test_libcxi_queue_LDADD = $(LIBCXI_LAYERS) $(CMOCKA_LIBS)
test_libcxi_events_SOURCES = tests/unit/test_libcxi_events.c
test_libcxi_events_LDADD = $(LIBCXI_LAYERS) $(CMOCKA_LIBS)
# Linked with the stand-in, so that dlopen() finds it loaded.
test_libcxi_SOURCES = tests/unit/test_libcxi.c
test_libcxi_LDADD = $(LIBCXI_LAYERS) tests/cxi/.libs/libcxi.so $(CMOCKA_LIBS) -ldl -lpthread
test_libcxi_LDFLAGS = $(AM_LDFLAGS) -Wl,--no-as-needed -Wl,-rpath,$(abs_builddir)/tests/cxi/.libs
test_libcxi_DEPENDENCIES = $(LIBCXI_LAYERS) tests/cxi/libcxi.la
endif
