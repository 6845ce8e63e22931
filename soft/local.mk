# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The software device: one library to preload into, or to link ahead of libibverbs in, any verbs program.
# It is not linked with libibverbs: it finds the real functions at run time, behind itself.
pkglib_LTLIBRARIES += soft/libperftest_soft.la
soft_libperftest_soft_la_CPPFLAGS = -I$(top_srcdir)/soft
soft_libperftest_soft_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -pthread
# nodelete: its threads and signal handlers would go on behind a dlclose().
soft_libperftest_soft_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/$(SOFT_MAP) $(SOFT_DIRECT_NODES)
soft_libperftest_soft_la_LIBADD = -ldl -lpthread
# For programs that are linked with it, and find it in the build folder.
SOFT_FILE = soft/.libs/libperftest_soft.so $(SOFT_RPATH)
soft/.libs/libperftest_soft.so: soft/libperftest_soft.la
	@touch $@ # libtool writes the other one later
EXTRA_soft_libperftest_soft_la_DEPENDENCIES = $(SOFT_MAP) $(SOFT_DIRECT_MAP)
EXTRA_DIST += $(SOFT_MAP) $(SOFT_DIRECT_MAP)
dist_bin_SCRIPTS += scripts/run_soft
dist_man_MANS += man/run_soft.1

soft_libperftest_soft_la_SOURCES = soft/soft.h

# Each node is of a function that is there: lld refuses one that is not.
SOFT_MAP = soft/abi/libperftest_soft.map
SOFT_DIRECT_MAP = soft/abi/direct.map
if HAVE_DIRECT_VERBS
SOFT_DIRECT_NODES = -Wl,--version-script=$(top_srcdir)/$(SOFT_DIRECT_MAP)
endif

# The interface: symbols, versions, static answers.
soft_libperftest_soft_la_SOURCES += \
	soft/abi/abi.h \
	soft/abi/ah_from_wc.c \
	soft/abi/buf.c \
	soft/abi/cq_ex.c \
	soft/abi/device.c \
	soft/abi/device_list.c \
	soft/abi/device_node.c \
	soft/abi/dm.c \
	soft/abi/export.c \
	soft/abi/libibverbs.c \
	soft/abi/open.c \
	soft/abi/parent_domain.c \
	soft/abi/verbs_later.h \
	soft/abi/qp_ex.c

# What libefa and libmlx5 make, where their headers are.
SOFT_DIRECT = soft/abi/direct.c
if HAVE_DIRECT_VERBS
soft_libperftest_soft_la_SOURCES += $(SOFT_DIRECT)
else
EXTRA_DIST += $(SOFT_DIRECT)
endif

# Protection domains, regions, queues and what else a program creates, and the events of them.
soft_libperftest_soft_la_SOURCES += \
	soft/objects/channel.c \
	soft/objects/context.c \
	soft/objects/cq.c \
	soft/objects/inherited.c \
	soft/objects/mcast.c \
	soft/objects/mr.c \
	soft/objects/objects.h \
	soft/objects/pd.c \
	soft/objects/process.c \
	soft/objects/qp.c \
	soft/objects/qp_modify.c \
	soft/objects/qp_state.c \
	soft/objects/qp_type.c \
	soft/objects/remote.c \
	soft/objects/srq.c \
	soft/objects/wq.c \
	soft/objects/xrcd.c

# The path of a message: post, execute, complete, wait.
soft_libperftest_soft_la_SOURCES += \
	soft/data/complete.h \
	soft/data/copy.c \
	soft/data/copy.h \
	soft/data/cqe.c \
	soft/data/cqe.h \
	soft/data/data.h \
	soft/data/direct.h \
	soft/data/destination.c \
	soft/data/disturbance.c \
	soft/data/execute.c \
	soft/data/execute.h \
	soft/data/mcast.c \
	soft/data/mw.c \
	soft/data/null.c \
	soft/data/poll_cq.c \
	soft/data/post.c \
	soft/data/receive_queue.c \
	soft/data/retry_queue.c \
	soft/data/ud.c

# The program's memory becomes memory that peers can map.
soft_libperftest_soft_la_SOURCES += \
	soft/memory/file_backed.c \
	soft/memory/fork_pages.c \
	soft/memory/guard.c \
	soft/memory/pages.h \
	soft/memory/mr_backing.c \
	soft/memory/mover.c \
	soft/memory/page_move.c \
	soft/memory/proc_maps.c \
	soft/memory/raw.h \
	soft/memory/tasks.c

# The process and its peers: what they share, and how they find and outlive each other.
soft_libperftest_soft_la_SOURCES += \
	soft/host/async.c \
	soft/host/async.h \
	soft/host/clock.h \
	soft/host/core.c \
	soft/host/core.h \
	soft/host/descriptor.h \
	soft/host/fault.c \
	soft/host/fault.h \
	soft/host/identity.c \
	soft/host/identity.h \
	soft/host/layout.h \
	soft/host/liveness.c \
	soft/host/liveness.h \
	soft/host/lock.h \
	soft/host/mapping.h \
	soft/host/next.h \
	soft/host/demand.c \
	soft/host/pass_on.h \
	soft/host/peer.c \
	soft/host/peer.h \
	soft/host/peer_file.c \
	soft/host/peer_memory.c \
	soft/host/profile.c \
	soft/host/profile.h \
	soft/host/ring_alloc.c \
	soft/host/runtime_dir.c \
	soft/host/runtime_dir.h \
	soft/host/service.c \
	soft/host/service.h \
	soft/host/shared_lock.c \
	soft/host/threads.c \
	soft/host/threads.h \
	soft/host/valgrind.h \
	soft/host/wire.c \
	soft/host/wire.h

# rdma_cm, by answering for its device file.
soft_libperftest_soft_la_SOURCES += \
	soft/cm/address.c \
	soft/cm/backlog.c \
	soft/cm/cm.h \
	soft/cm/command.c \
	soft/cm/connect.c \
	soft/cm/event.c \
	soft/cm/id.c \
	soft/cm/link.c \
	soft/cm/node.c \
	soft/cm/qp_attr.c \
	soft/cm/resolve.c \
	soft/cm/thread.c

# Raw packets, by a network interface.
soft_libperftest_soft_la_SOURCES += \
	soft/packet/frame.c \
	soft/packet/frame.h \
	soft/packet/interface.c \
	soft/packet/interface.h \
	soft/packet/raw_packet.h \
	soft/packet/rss.c \
	soft/packet/rss.h \
	soft/packet/rule.c \
	soft/packet/rule.h \
	soft/packet/send.c \
	soft/packet/steering.c

# Its tests are linked with it ahead of libibverbs, as a plain file: libtool warns of linking with a module.
if HAVE_CMOCKA
check_PROGRAMS += test_soft_cm test_soft_cm_commands test_soft_data test_soft_deaths test_soft_events test_soft_faults test_soft_forward test_soft_killed test_soft_mcast test_soft_memory test_soft_moves test_soft_packet test_soft_raw test_soft_stopped test_soft_symbols test_soft_turns test_soft_verbs
check_PROGRAMS += test_soft_askers test_soft_files test_soft_forks test_soft_hostile test_soft_interface test_soft_liars test_soft_locks test_soft_objects test_soft_profiles test_soft_remains test_soft_reset test_soft_srq test_soft_stacks test_soft_steps test_soft_windows test_soft_words
SOFT_AHEAD = $(SOFT_FILE) $(IBVERBS_LIBS) $(CMOCKA_LIBS) -ldl -lpthread
test_soft_cm_SOURCES = tests/unit/test_soft_cm.c
test_soft_cm_LDADD = $(SOFT_FILE) $(RDMACM_LIBS) $(IBVERBS_LIBS) $(CMOCKA_LIBS) -ldl -lpthread
test_soft_cm_commands_SOURCES = tests/unit/test_soft_cm_commands.c
test_soft_cm_commands_LDADD = $(SOFT_AHEAD)
test_soft_askers_SOURCES = tests/unit/test_soft_askers.c tests/unit/soft_rig.h tests/unit/soft_wire.h
test_soft_askers_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_askers_LDADD = $(SOFT_AHEAD)
test_soft_data_SOURCES = tests/unit/test_soft_data.c tests/unit/soft_rig.h
test_soft_data_LDADD = $(SOFT_AHEAD)
test_soft_deaths_SOURCES = tests/unit/test_soft_deaths.c tests/unit/soft_rig.h
test_soft_deaths_LDADD = $(SOFT_AHEAD)
test_soft_events_SOURCES = tests/unit/test_soft_events.c tests/unit/soft_rig.h
test_soft_events_LDADD = $(SOFT_AHEAD)
test_soft_hostile_SOURCES = tests/unit/test_soft_hostile.c tests/unit/soft_rig.h tests/unit/soft_wire.h
test_soft_hostile_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_hostile_LDADD = $(SOFT_AHEAD)
test_soft_files_SOURCES = tests/unit/test_soft_files.c tests/unit/soft_rig.h
test_soft_files_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_files_LDADD = $(SOFT_AHEAD)
test_soft_interface_SOURCES = tests/unit/test_soft_interface.c soft/packet/interface.c
test_soft_interface_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_interface_LDADD = $(CMOCKA_LIBS) -ldl -lpthread
test_soft_locks_SOURCES = tests/unit/test_soft_locks.c soft/host/threads.c
test_soft_locks_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_locks_LDADD = $(CMOCKA_LIBS) -ldl -lpthread
test_soft_liars_SOURCES = tests/unit/test_soft_liars.c tests/unit/soft_rig.h tests/unit/soft_wire.h
test_soft_liars_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_liars_LDADD = $(SOFT_AHEAD)
test_soft_mcast_SOURCES = tests/unit/test_soft_mcast.c tests/unit/soft_rig.h
test_soft_mcast_LDADD = $(SOFT_AHEAD)
test_soft_memory_SOURCES = tests/unit/test_soft_memory.c tests/unit/soft_rig.h
test_soft_memory_LDADD = $(SOFT_AHEAD)
test_soft_killed_SOURCES = tests/unit/test_soft_killed.c tests/unit/soft_rig.h
test_soft_killed_LDADD = $(SOFT_AHEAD)
SOFT_MOVES_RIG = tests/unit/soft_moves_rig.h tests/unit/soft_rig.h
test_soft_forks_SOURCES = tests/unit/test_soft_forks.c $(SOFT_MOVES_RIG)
test_soft_forks_LDADD = $(SOFT_AHEAD)
test_soft_moves_SOURCES = tests/unit/test_soft_moves.c $(SOFT_MOVES_RIG)
test_soft_moves_LDADD = $(SOFT_AHEAD)
test_soft_stacks_SOURCES = tests/unit/test_soft_stacks.c $(SOFT_MOVES_RIG)
test_soft_stacks_LDADD = $(SOFT_AHEAD)
test_soft_packet_SOURCES = tests/unit/test_soft_packet.c soft/packet/frame.c soft/packet/rule.c soft/packet/rss.c
test_soft_packet_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_packet_LDADD = $(CMOCKA_LIBS)
test_soft_raw_SOURCES = tests/unit/test_soft_raw.c
test_soft_raw_LDADD = $(SOFT_AHEAD)
test_soft_symbols_SOURCES = tests/unit/test_soft_symbols.c
test_soft_symbols_CPPFLAGS = -DSOFT_MAP='"$(abs_top_srcdir)/$(SOFT_MAP)"' \
	-DSOFT_DIRECT_MAP='"$(abs_top_srcdir)/$(SOFT_DIRECT_MAP)"'
test_soft_symbols_LDADD = $(SOFT_AHEAD)
test_soft_faults_SOURCES = tests/unit/test_soft_faults.c tests/unit/soft_rig.h
test_soft_faults_LDADD = $(SOFT_AHEAD)
test_soft_reset_SOURCES = tests/unit/test_soft_reset.c tests/unit/soft_led.h tests/unit/soft_rig.h
test_soft_reset_LDADD = $(SOFT_AHEAD)
test_soft_steps_SOURCES = tests/unit/test_soft_steps.c tests/unit/soft_led.h tests/unit/soft_rig.h
test_soft_steps_LDADD = $(SOFT_AHEAD)
test_soft_stopped_SOURCES = tests/unit/test_soft_stopped.c tests/unit/soft_rig.h
test_soft_stopped_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_stopped_LDADD = $(SOFT_AHEAD)
test_soft_turns_SOURCES = tests/unit/test_soft_turns.c tests/unit/soft_rig.h
test_soft_turns_LDADD = $(SOFT_AHEAD)
test_soft_verbs_SOURCES = tests/unit/test_soft_verbs.c
test_soft_verbs_CPPFLAGS = -I$(top_srcdir)/soft -I$(top_srcdir)/src
test_soft_verbs_LDADD = src/verbs/libverbs.a src/util/libutil.a $(SOFT_AHEAD)
test_soft_objects_SOURCES = tests/unit/test_soft_objects.c tests/unit/soft_remote.h tests/unit/soft_rig.h
test_soft_objects_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_objects_LDADD = $(SOFT_AHEAD)
test_soft_profiles_SOURCES = tests/unit/test_soft_profiles.c tests/unit/soft_rig.h
test_soft_profiles_LDADD = $(SOFT_AHEAD)
test_soft_remains_SOURCES = tests/unit/test_soft_remains.c tests/unit/soft_rig.h tests/unit/soft_wire.h
test_soft_remains_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_remains_LDADD = $(SOFT_AHEAD)
test_soft_srq_SOURCES = tests/unit/test_soft_srq.c tests/unit/soft_rig.h
test_soft_srq_LDADD = $(SOFT_AHEAD)
test_soft_windows_SOURCES = tests/unit/test_soft_windows.c tests/unit/soft_remote.h tests/unit/soft_rig.h
test_soft_windows_LDADD = $(SOFT_AHEAD)
test_soft_words_SOURCES = tests/unit/test_soft_words.c
test_soft_words_LDADD = $(SOFT_AHEAD)
if HAVE_DIRECT_VERBS
check_PROGRAMS += test_soft_direct
test_soft_direct_SOURCES = tests/unit/test_soft_direct.c tests/unit/soft_rig.h
test_soft_direct_LDADD = $(SOFT_AHEAD)
endif
# A stand-in for libibverbs, a shared library (-rpath makes it one) with libibverbs' version nodes.
check_LTLIBRARIES += tests/unit/libfake_ibverbs.la
tests_unit_libfake_ibverbs_la_SOURCES = tests/unit/fake_ibverbs.c tests/unit/fake_ibverbs.h
tests_unit_libfake_ibverbs_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere \
	-Wl,--version-script=$(top_srcdir)/tests/unit/fake_ibverbs.map
EXTRA_DIST += tests/unit/fake_ibverbs.map
test_soft_forward_SOURCES = tests/unit/test_soft_forward.c tests/unit/fake_ibverbs.h
test_soft_forward_CPPFLAGS = -I$(top_srcdir)/soft
test_soft_forward_LDADD = $(SOFT_FILE) tests/unit/.libs/libfake_ibverbs.so $(CMOCKA_LIBS)
test_soft_forward_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,$(abs_builddir)/tests/unit/.libs
test_soft_forward_DEPENDENCIES = soft/libperftest_soft.la tests/unit/libfake_ibverbs.la
endif
