# The session layer: the order of a test.
noinst_LIBRARIES += src/session/libsession.a
src_session_libsession_a_SOURCES = \
	src/session/affinity.c \
	src/session/agree.c \
	src/session/print/run_info.c \
	src/session/print/explanation.c \
	src/session/failure.c \
	src/session/frames.c \
	src/session/group/group.c src/session/group/group.h \
	src/session/group/group_process.c \
	src/session/group/group_row.c \
	src/session/measure/intervals.c \
	src/session/measure/lengths.c \
	src/session/measure/limits.c \
	src/session/measure/load.c \
	src/session/measure/loop.c \
	src/session/measure/measure.c src/session/measure/measurement.h \
	src/session/group/member.c src/session/group/member.h \
	src/session/memory_kind.c \
	src/session/print/memory_list.c \
	src/session/payload_path.c \
	src/session/measure/plan.c \
	src/session/measure/repeat.c \
	src/session/print/result.c \
	src/session/print/rows.c \
	src/session/session.c src/session/session.h src/session/steps.h src/session/print/print.h \
	src/session/group/sides.c \
	src/session/state.h \
	src/session/steering.c \
	src/session/measure/validate_check.c \
	src/session/measure/validate_rounds.c \
	src/session/measure/threads.c \
	src/session/print/verbose.c \
	src/session/measure/wait.c

if HAVE_CMOCKA
check_PROGRAMS += test_intervals
test_intervals_SOURCES = tests/unit/test_intervals.c
test_intervals_LDADD = $(LAYERS) $(CMOCKA_LIBS) $(SYSTEM_LIBS)
check_PROGRAMS += test_limits test_group_row test_member
test_limits_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
test_limits_SOURCES = tests/unit/test_limits.c
test_limits_LDADD = $(LAYERS) $(CMOCKA_LIBS) $(SYSTEM_LIBS)
test_group_row_SOURCES = tests/unit/test_group_row.c
test_group_row_LDADD = $(LAYERS) $(CMOCKA_LIBS) $(SYSTEM_LIBS)
test_member_SOURCES = tests/unit/test_member.c
test_member_LDADD = $(LAYERS) $(CMOCKA_LIBS) $(SYSTEM_LIBS)
check_PROGRAMS += test_repeat
test_repeat_SOURCES = tests/unit/test_repeat.c tests/unit/random_numbers.h
test_repeat_LDADD = $(LAYERS) $(CMOCKA_LIBS) $(SYSTEM_LIBS)
check_PROGRAMS += test_affinity
test_affinity_SOURCES = tests/unit/test_affinity.c
test_affinity_LDADD = src/session/libsession.a src/util/libutil.a $(CMOCKA_LIBS)
endif
