# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The software device: one library to preload into, or to link ahead of libibverbs in, any verbs program.
# It is not linked with libibverbs: it finds the real functions at run time, behind itself.
pkglib_LTLIBRARIES += soft/libperftest_soft.la
soft_libperftest_soft_la_CPPFLAGS = -I$(top_srcdir)/soft
soft_libperftest_soft_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -pthread
soft_libperftest_soft_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-Wl,--version-script=$(top_srcdir)/soft/libperftest_soft.map
soft_libperftest_soft_la_LIBADD = -ldl -lpthread
EXTRA_soft_libperftest_soft_la_DEPENDENCIES = soft/libperftest_soft.map
EXTRA_DIST += soft/libperftest_soft.map
dist_bin_SCRIPTS += scripts/run_soft
dist_man_MANS += man/run_soft.1

# The interface: symbols, versions, static answers.
soft_libperftest_soft_la_SOURCES = \
	soft/soft.h \
	soft/abi.h \
	soft/ah_from_wc.c \
	soft/buf.c \
	soft/open.c \
	soft/cq_ex.c \
	soft/device.c \
	soft/device_list.c \
	soft/dlopen.c \
	soft/domain.c \
	soft/export.c \
	soft/real.c \
	soft/verbs_later.h \
	soft/wr_api.c

# The core: shared memory, queues, the data path.
soft_libperftest_soft_la_SOURCES += \
	soft/async.c \
	soft/async.h \
	soft/ah.c \
	soft/channel.c \
	soft/complete.h \
	soft/context.c \
	soft/copy.c \
	soft/copy.h \
	soft/core.h \
	soft/cq.c \
	soft/execute.c \
	soft/execute.h \
	soft/fault.c \
	soft/fault.h \
	soft/foreign.c \
	soft/foreign.h \
	soft/fork_pages.c \
	soft/fork_pages.h \
	soft/guard.c \
	soft/guard.h \
	soft/heap.c \
	soft/layout.h \
	soft/lock.h \
	soft/mapping.h \
	soft/maps.c \
	soft/maps.h \
	soft/move.c \
	soft/move.h \
	soft/mr.c \
	soft/mr.h \
	soft/null.c \
	soft/peer.c \
	soft/peer.h \
	soft/post_send.c \
	soft/process.c \
	soft/process.h \
	soft/qp.c \
	soft/qp_state.c \
	soft/raw.h \
	soft/receive_queue.c \
	soft/region.c \
	soft/region.h \
	soft/runtime_dir.c \
	soft/runtime_dir.h \
	soft/service.c \
	soft/service.h \
	soft/shared_lock.c \
	soft/tasks.c \
	soft/tasks.h \
	soft/threads.c \
	soft/ud.c \
	soft/waiting.c \
	soft/wire.h

# rdma_cm, by answering for its device file.
soft_libperftest_soft_la_SOURCES += \
	soft/cm/address.c \
	soft/cm/cm.h \
	soft/cm/command.c \
	soft/cm/connect.c \
	soft/cm/event.c \
	soft/cm/id.c \
	soft/cm/link.c \
	soft/cm/link.h \
	soft/cm/node.c \
	soft/cm/node.h \
	soft/cm/qp_attr.c \
	soft/cm/thread.c

# Its tests are linked with it ahead of libibverbs, as a plain file: libtool warns of linking with a module.
if HAVE_CMOCKA
check_PROGRAMS += test_soft_cm test_soft_data test_soft_deaths test_soft_events test_soft_forward test_soft_killed test_soft_memory test_soft_moves test_soft_symbols test_soft_turns test_soft_verbs
check_PROGRAMS += test_soft_hostile test_soft_liars
SOFT_AHEAD = soft/.libs/libperftest_soft.so $(IBVERBS_LIBS) $(CMOCKA_LIBS) -ldl -lpthread
SOFT_AHEAD_PATH = $(AM_LDFLAGS) -Wl,-rpath,$(abs_builddir)/soft/.libs
test_soft_cm_SOURCES = tests/unit/test_soft_cm.c
test_soft_cm_LDADD = soft/.libs/libperftest_soft.so $(RDMACM_LIBS) $(IBVERBS_LIBS) $(CMOCKA_LIBS) -ldl -lpthread
test_soft_cm_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_cm_DEPENDENCIES = soft/libperftest_soft.la
test_soft_data_SOURCES = tests/unit/test_soft_data.c tests/unit/soft_rig.h
test_soft_data_LDADD = $(SOFT_AHEAD)
test_soft_data_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_data_DEPENDENCIES = soft/libperftest_soft.la
test_soft_deaths_SOURCES = tests/unit/test_soft_deaths.c tests/unit/soft_rig.h
test_soft_deaths_LDADD = $(SOFT_AHEAD)
test_soft_deaths_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_deaths_DEPENDENCIES = soft/libperftest_soft.la
test_soft_events_SOURCES = tests/unit/test_soft_events.c tests/unit/soft_rig.h
test_soft_events_LDADD = $(SOFT_AHEAD)
test_soft_events_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_events_DEPENDENCIES = soft/libperftest_soft.la
test_soft_hostile_SOURCES = tests/unit/test_soft_hostile.c tests/unit/soft_rig.h
test_soft_hostile_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_hostile_LDADD = $(SOFT_AHEAD)
test_soft_hostile_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_hostile_DEPENDENCIES = soft/libperftest_soft.la
test_soft_liars_SOURCES = tests/unit/test_soft_liars.c tests/unit/soft_rig.h
test_soft_liars_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_liars_LDADD = $(SOFT_AHEAD)
test_soft_liars_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_liars_DEPENDENCIES = soft/libperftest_soft.la
test_soft_memory_SOURCES = tests/unit/test_soft_memory.c tests/unit/soft_rig.h
test_soft_memory_LDADD = $(SOFT_AHEAD)
test_soft_memory_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_memory_DEPENDENCIES = soft/libperftest_soft.la
test_soft_killed_SOURCES = tests/unit/test_soft_killed.c tests/unit/soft_rig.h
test_soft_killed_LDADD = $(SOFT_AHEAD)
test_soft_killed_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_killed_DEPENDENCIES = soft/libperftest_soft.la
test_soft_moves_SOURCES = tests/unit/test_soft_moves.c tests/unit/soft_rig.h
test_soft_moves_LDADD = $(SOFT_AHEAD)
test_soft_moves_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_moves_DEPENDENCIES = soft/libperftest_soft.la
test_soft_symbols_SOURCES = tests/unit/test_soft_symbols.c
test_soft_symbols_CPPFLAGS = -DSOFT_MAP='"$(abs_top_srcdir)/soft/libperftest_soft.map"'
test_soft_symbols_LDADD = $(SOFT_AHEAD)
test_soft_symbols_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_symbols_DEPENDENCIES = soft/libperftest_soft.la
test_soft_turns_SOURCES = tests/unit/test_soft_turns.c tests/unit/soft_rig.h
test_soft_turns_LDADD = $(SOFT_AHEAD)
test_soft_turns_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_turns_DEPENDENCIES = soft/libperftest_soft.la
test_soft_verbs_SOURCES = tests/unit/test_soft_verbs.c
test_soft_verbs_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_verbs_LDADD = $(SOFT_AHEAD)
test_soft_verbs_LDFLAGS = $(SOFT_AHEAD_PATH)
test_soft_verbs_DEPENDENCIES = soft/libperftest_soft.la
# A stand-in for libibverbs, a shared library (-rpath makes it one) with libibverbs' version nodes.
check_LTLIBRARIES = tests/unit/libfake_ibverbs.la
tests_unit_libfake_ibverbs_la_SOURCES = tests/unit/fake_ibverbs.c tests/unit/fake_ibverbs.h
tests_unit_libfake_ibverbs_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere \
	-Wl,--version-script=$(top_srcdir)/soft/libperftest_soft.map
test_soft_forward_SOURCES = tests/unit/test_soft_forward.c tests/unit/fake_ibverbs.h
test_soft_forward_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_forward_LDADD = soft/.libs/libperftest_soft.so tests/unit/.libs/libfake_ibverbs.so $(CMOCKA_LIBS)
test_soft_forward_LDFLAGS = $(SOFT_AHEAD_PATH) -Wl,-rpath,$(abs_builddir)/tests/unit/.libs
test_soft_forward_DEPENDENCIES = soft/libperftest_soft.la tests/unit/libfake_ibverbs.la
endif
