// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How does a wait end in time, whatever happens? See wait.h; every layer that waits for the peer calls it. */
#include "config.h" /* ppoll() */

#include "util/wait.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

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
