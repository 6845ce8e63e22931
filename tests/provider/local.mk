# The rig for the distribution's own provider libraries (rig.h); preloaded by tests/provider/run, never installed.
EXTRA_DIST += tests/provider/run
if HAVE_DIRECT_VERBS
check_LTLIBRARIES += tests/provider/librig.la
tests_provider_librig_la_SOURCES = tests/provider/rig.h tests/provider/files.c tests/provider/commands.c \
	tests/provider/engine.c tests/provider/states.c tests/provider/wire.c tests/provider/trace.c tests/provider/trap.c tests/provider/pieces.c \
	tests/provider/mlx5.c tests/provider/mlx5_firmware.c tests/provider/efa.c tests/provider/bnxt_re.c tests/provider/irdma.c \
	tests/provider/hns.c tests/provider/mana.c tests/provider/erdma.c tests/provider/qedr.c tests/provider/cxgb4.c \
	tests/provider/ionic.c tests/provider/netlink.c
tests_provider_librig_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere
tests_provider_librig_la_LIBADD = -lpthread
check_LTLIBRARIES += tests/provider/librig_cm.la
tests_provider_librig_cm_la_SOURCES = tests/provider/rig.h tests/provider/rdma_cm.c
tests_provider_librig_cm_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared -rpath /nowhere
tests_provider_librig_cm_la_LIBADD = $(IBVERBS_LIBS)
endif
