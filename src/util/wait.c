// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How does a wait end in time, whatever happens? See wait.h; every layer that waits for the peer calls it. */
#include "config.h" /* ppoll() */

#include "util/wait.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "util/log.h"
#include "util/stop.h"

int wait_fds(struct pollfd *fds, unsigned num_fds, struct deadline deadline)
{
	sigset_t stops, before;
	int rc;

	/* Signals are let in only inside ppoll(), so none falls between the look at the flag and the wait. */
	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	sigprocmask(SIG_BLOCK, &stops, &before);
	for (;;) {
		if (stop_requested()) {
			rc = -EINTR;
			break;
		}

		int ms = deadline_poll_ms(deadline);
		struct timespec limit = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
		int ready = ppoll(fds, num_fds, ms < 0 ? NULL : &limit, &before);

		if (ready > 0) {
			rc = 0;
			break;
		}
		if (ready == 0 && deadline_passed(deadline)) {
			rc = -ETIMEDOUT;
			break;
		}
		if (ready < 0 && errno != EINTR) {
			rc = -errno;
			break;
		}
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

void wait_tell(const char *what, struct deadline deadline)
{
	const int left_ms = deadline_poll_ms(deadline);

	if (left_ms < 0)
		log_human("%s", what);
	else
		log_human("%s; giving up in %d s (--timeout)", what, left_ms / 1000 + (left_ms % 1000 > 0));
}

int wait_fds_telling(struct pollfd *fds, unsigned num_fds, struct deadline deadline, const char *what)
{
	const struct deadline quiet = deadline_in_ms(WAIT_QUIET_MS);
	int rc;

	if (quiet.at_ns >= deadline.at_ns)
		return wait_fds(fds, num_fds, deadline);
	rc = wait_fds(fds, num_fds, quiet);
	if (rc != -ETIMEDOUT)
		return rc;
	wait_tell(what, deadline);
	return wait_fds(fds, num_fds, deadline);
}
