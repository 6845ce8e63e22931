// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is a call that does not return abandoned, and only such a call? */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "cxi/fabric_guard.h"
#include "util/stop.h"

static volatile bool never;

static int spin(void)
{
	while (!never)
		;
	return 0;
}

static int answer(void)
{
	return 42;
}

static int guarded(struct fabric_guard *guard, int (*call)(void))
{
	int ret;

	if (guard->is_stuck)
		return fabric_guard_left(guard);
	if (sigsetjmp(guard->way_out, 0))
		return fabric_guard_left(guard);
	fabric_guard_enter(guard);
	ret = call();
	fabric_guard_leave(guard);
	return ret;
}

static void a_call_that_spins_is_left(void **state)
{
	struct fabric_guard guard = {.watcher.end_fd = -1};

	(void)state;
	fabric_guard_start(&guard, 1, -1);
	assert_true(fabric_guard_is_on(&guard));
	assert_int_equal(guarded(&guard, spin), -ETIMEDOUT);
	/* and none is made any more */
	assert_int_equal(guarded(&guard, answer), -ETIMEDOUT);
	fabric_guard_stop(&guard);
	assert_false(fabric_guard_is_on(&guard));
}

static void calls_that_return_are_as_they_were(void **state)
{
	struct fabric_guard guard = {.watcher.end_fd = -1};

	(void)state;
	fabric_guard_start(&guard, 60000, -1);
	/* before the first call, and behind one: a signal that is not the guard's */
	raise(SIGURG);
	for (unsigned i = 0; i < 1000000; i++)
		assert_int_equal(guarded(&guard, answer), 42);
	raise(SIGURG);
	assert_int_equal(guarded(&guard, answer), 42);
	fabric_guard_stop(&guard);
	fabric_guard_stop(&guard);
}

static void ctrl_c_ends_a_call_that_spins(void **state)
{
	struct fabric_guard guard = {.watcher.end_fd = -1};

	(void)state;
	assert_int_equal(stop_install(), 0);
	fabric_guard_start(&guard, 600000, -1);
	raise(SIGINT);
	assert_int_equal(guarded(&guard, spin), -EINTR);
	fabric_guard_stop(&guard);
	stop_flag = 0;
}

static void a_call_that_spins_is_left_when_the_peer_is_gone(void **state)
{
	struct fabric_guard guard = {.watcher.end_fd = -1};
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	fabric_guard_start(&guard, 600000, ends[0]);
	assert_int_equal(guarded(&guard, answer), 42);
	/* bytes that were not read yet don't hide it */
	assert_int_equal(send(ends[1], "x", 1, 0), 1);
	close(ends[1]);
	assert_int_equal(guarded(&guard, answer), 42);
	assert_int_equal(guarded(&guard, spin), -ECONNRESET);
	fabric_guard_stop(&guard);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_that_spins_is_left),
		cmocka_unit_test(calls_that_return_are_as_they_were),
		cmocka_unit_test(ctrl_c_ends_a_call_that_spins),
		cmocka_unit_test(a_call_that_spins_is_left_when_the_peer_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
