// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Do signals set the flag, and only that? */
#include <unistd.h>

#include "cmocka_all.h"
#include "util/stop.h"

TEST(a_signal_sets_the_flag)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

	signal(SIGHUP, SIG_DFL); /* below nohup(1), and a timeout(1) that leaves it so, it would be ignored */
	assert_int_equal(stop_install(), 0);
	for (int i = 0; i < 3; i++) {
		struct sigaction action;

		stop_flag = 0;
		assert_false(stop_requested());
		assert_int_equal(raise(numbers[i]), 0);
		assert_true(stop_requested());
		assert_int_equal(stop_flag, numbers[i]);

		assert_int_equal(sigaction(numbers[i], NULL, &action), 0);
		assert_int_equal(action.sa_flags & SA_RESTART, 0); /* a blocking call must come back */
	}
}

TEST(nohup_is_respected)
{
	signal(SIGHUP, SIG_IGN);
	assert_int_equal(stop_install(), 0);
	stop_flag = 0;
	assert_int_equal(raise(SIGHUP), 0);
	assert_false(stop_requested());
	signal(SIGHUP, SIG_DFL);
}

TEST(a_signal_that_was_blocked_gets_through)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, NULL), 0);
	stop_flag = 0;
	assert_int_equal(raise(SIGTERM), 0);
	assert_false(stop_requested());
	assert_int_equal(stop_install(), 0);
	assert_true(stop_requested());
}

TEST(all_of_them_are_blocked_and_unblocked)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	stop_add_to(&set);
	for (int i = 0; i < 3; i++)
		assert_int_equal(sigismember(&set, numbers[i]), 1);
	stop_remove_from(&set);
	for (int i = 0; i < 3; i++)
		assert_int_equal(sigismember(&set, numbers[i]), 0);
	assert_int_equal(sigismember(&set, SIGCHLD), 1);
}

TEST(a_broken_pipe_is_an_error_code_only)
{
	int fds[2];

	assert_int_equal(stop_install(), 0);
	stop_flag = 0;
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	assert_int_equal(write(fds[1], "x", 1), -1); /* and we are still here */
	close(fds[1]);
	assert_false(stop_requested());
}

TEST_MAIN(NULL, NULL)
