# The util layer: messages, limits of waits and of claims, signals, numbers as text. A leaf: libc only.
noinst_LIBRARIES += src/util/libutil.a
src_util_libutil_a_SOURCES = \
	src/util/claim.c src/util/claim.h \
	src/util/cpulist.c src/util/cpulist.h \
	src/util/deadline.c src/util/deadline.h \
	src/util/allowance.c src/util/allowance.h \
	src/util/arith.h src/util/device_identity.h src/util/endpoint.h src/util/output.h \
	src/util/file.c src/util/file.h \
	src/util/library.c src/util/library.h \
	src/util/log.c src/util/log.h \
	src/util/netdev.c src/util/netdev.h \
	src/util/nic_statistics.c src/util/nic_statistics.h \
	src/util/pcie.c src/util/pcie.h \
	src/util/run_id.c src/util/run_id.h \
	src/util/starter.c src/util/starter.h \
	src/util/process.c src/util/process.h \
	src/util/stop.c src/util/stop.h \
	src/util/sysfs.c src/util/sysfs.h \
	src/util/terminal.c src/util/terminal.h \
	src/util/units.c src/util/units.h \
	src/util/wait.c src/util/wait.h

if HAVE_CMOCKA
check_PROGRAMS += test_deadline test_log test_stop test_terminal test_units
test_deadline_SOURCES = tests/unit/test_deadline.c
test_deadline_LDADD = src/util/libutil.a $(CMOCKA_LIBS)
test_log_SOURCES = tests/unit/test_log.c
test_log_LDADD = src/util/libutil.a $(CMOCKA_LIBS)
test_stop_SOURCES = tests/unit/test_stop.c
test_stop_LDADD = src/util/libutil.a $(CMOCKA_LIBS)
test_terminal_SOURCES = tests/unit/test_terminal.c
test_terminal_LDADD = src/util/libutil.a $(CMOCKA_LIBS)
test_units_SOURCES = tests/unit/test_units.c
test_units_LDADD = src/util/libutil.a $(CMOCKA_LIBS)
endif
