// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Waits that end in time in any case. See wait.h; called by every layer that waits for the peer. */
#include "config.h" /* ppoll() */

#include "util/wait.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "util/log.h"
#include "util/stop.h"

#define NS_PER_S 1000000000

int wait_once(struct pollfd *fds, unsigned num_fds, int64_t limit_ns)
{
	const struct timespec limit = {.tv_sec = limit_ns / NS_PER_S, .tv_nsec = limit_ns % NS_PER_S};
	sigset_t stops, before, open;
	int ready = -1, error = EINTR;

	/* Signals are unblocked only in ppoll(), so none is lost between checking the flag and waiting. */
	sigemptyset(&stops);
	stop_add_to(&stops);
	pthread_sigmask(SIG_BLOCK, &stops, &before);
	open = before;
	stop_remove_from(&open);
	if (!stop_requested()) {
		ready = ppoll(fds, num_fds, limit_ns < 0 ? NULL : &limit, &open);
		error = errno;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (stop_requested())
		return -EINTR;
	if (ready >= 0)
		return ready;
	return error == EINTR ? 0 : -error;
}

int wait_fds(struct pollfd *fds, unsigned num_fds, struct deadline deadline)
{
	for (;;) {
		const int ready = wait_once(fds, num_fds, deadline_left_ns(deadline));

		if (ready)
			return ready < 0 ? ready : 0;
		if (deadline_passed(deadline))
			return -ETIMEDOUT;
	}
}

int wait_fds_after_stop(struct pollfd *fds, unsigned num_fds, struct deadline deadline)
{
	for (;;) {
		const int ready = poll(fds, num_fds, deadline_poll_ms(deadline));

		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (deadline_passed(deadline))
			return -ETIMEDOUT;
	}
}

void wait_report(const char *what, struct deadline deadline)
{
	const int left_ms = deadline_poll_ms(deadline);

	if (left_ms < 0)
		log_human("%s", what);
	else
		log_human("%s; giving up in %d s (--timeout)", what, left_ms / 1000 + (left_ms % 1000 > 0));
}

int wait_fds_reporting(struct pollfd *fds, unsigned num_fds, struct deadline deadline, const char *what)
{
	const struct deadline quiet = deadline_in_ms(WAIT_QUIET_MS);
	int rc;

	if (quiet.at_ns >= deadline.at_ns)
		return wait_fds(fds, num_fds, deadline);
	rc = wait_fds(fds, num_fds, quiet);
	if (rc != -ETIMEDOUT)
		return rc;
	wait_report(what, deadline);
	return wait_fds(fds, num_fds, deadline);
}
