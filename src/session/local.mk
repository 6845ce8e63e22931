# The session layer: the order of a test.
noinst_LIBRARIES += src/session/libsession.a
src_session_libsession_a_SOURCES = \
	src/session/affinity.c src/session/affinity.h \
	src/session/agree.c src/session/agree.h \
	src/session/bursts.c src/session/bursts.h \
	src/session/run_info.c src/session/run_info.h \
	src/session/explanation.c src/session/explanation.h \
	src/session/failure.c src/session/failure.h \
	src/session/frames.c src/session/frames.h \
	src/session/group.c src/session/group.h \
	src/session/group_process.c src/session/group_process.h \
	src/session/group_row.c src/session/group_row.h \
	src/session/intervals.c src/session/intervals.h \
	src/session/limits.c src/session/limits.h \
	src/session/load.c src/session/load.h \
	src/session/loop.c src/session/loop.h \
	src/session/measure.c src/session/measure.h \
	src/session/member.c src/session/member.h \
	src/session/memory_kind.c src/session/memory_kind.h \
	src/session/memory_list.c src/session/memory_list.h \
	src/session/payload_path.c src/session/payload_path.h \
	src/session/plan.c src/session/plan.h \
	src/session/repeat.c src/session/repeat.h \
	src/session/result.c src/session/result.h \
	src/session/rows.c src/session/rows.h \
	src/session/run_progress.h \
	src/session/session.c src/session/session.h \
	src/session/settle.c src/session/settle.h \
	src/session/sides.c src/session/sides.h \
	src/session/state.h \
	src/session/steering.c src/session/steering.h \
	src/session/validate_check.c src/session/validate_check.h \
	src/session/validate_rounds.c src/session/validate_rounds.h \
	src/session/threads.c src/session/threads.h \
	src/session/verbose.c src/session/verbose.h \
	src/session/verdict.c src/session/verdict.h \
	src/session/wait.c src/session/wait.h \
	src/session/warm_up.c src/session/warm_up.h

if HAVE_CMOCKA
check_PROGRAMS += test_intervals
test_intervals_SOURCES = tests/unit/test_intervals.c
test_intervals_LDADD = $(LAYERS) $(CMOCKA_LIBS) $(SYSTEM_LIBS)
check_PROGRAMS += test_limits test_group_row test_member
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
