// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does the guard end a call that does not return, and only such a call? */
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "cxi/fabric/fabric_guard.h"
#include "util/stop.h"

static _Atomic int reported;

static void report(void *context, int error)
{
	assert_ptr_equal(context, &reported);
	reported = error;
}

static int spin(void)
{
	while (!reported)
		;
	return 0;
}

static int answer(void)
{
	return 42;
}

/* Returns the error that was reported, or what the call has returned. */
static int guarded(struct fabric_guard *guard, int (*call)(void))
{
	int ret;

	fabric_guard_enter(guard);
	ret = fabric_guard_leave(guard, call());
	return reported ? reported : ret;
}

static void start(struct fabric_guard *guard, int64_t limit_ms, int peer_fd)
{
	reported = 0;
	*guard = (struct fabric_guard){.peer_fd = peer_fd, .stuck = report, .context = &reported, .end_fd = -1};
	fabric_guard_start(guard, limit_ms);
	assert_true(guard->end_fd >= 0);
}

TEST(a_call_without_end_is_reported)
{
	struct fabric_guard guard;

	start(&guard, 1, -1);
	assert_int_equal(guarded(&guard, spin), -ETIMEDOUT);
	fabric_guard_stop(&guard);
	assert_true(guard.end_fd < 0);
}

TEST(calls_that_return_are_not_reported)
{
	struct fabric_guard guard;

	start(&guard, 60000, -1);
	for (unsigned i = 0; i < 1000000; i++)
		assert_int_equal(guarded(&guard, answer), 42);
	fabric_guard_stop(&guard);
	fabric_guard_stop(&guard);
	assert_int_equal(reported, 0);
}

TEST(ctrl_c_ends_a_call_without_end)
{
	struct fabric_guard guard;

	assert_int_equal(stop_install(), 0);
	start(&guard, 600000, -1);
	raise(SIGINT);
	assert_int_equal(guarded(&guard, spin), -EINTR);
	fabric_guard_stop(&guard);
	stop_flag = 0;
}

TEST(a_call_without_end_is_reported_when_the_peer_is_gone)
{
	struct fabric_guard guard;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	start(&guard, 600000, ends[0]);
	assert_int_equal(guarded(&guard, answer), 42);
	/* bytes that were not read yet don't hide it */
	assert_int_equal(send(ends[1], "x", 1, 0), 1);
	close(ends[1]);
	assert_int_equal(guarded(&guard, answer), 42);
	assert_int_equal(guarded(&guard, spin), -ECONNRESET);
	fabric_guard_stop(&guard);
	close(ends[0]);
}

TEST_MAIN(NULL, NULL)
