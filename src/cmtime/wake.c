// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The main thread's waits. See wake.h. */
#include "config.h" /* ppoll() */

#include "cmtime/wake.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "util/stop.h"

#define NS_PER_S 1000000000

int wake_open(struct wake *wake)
{
	wake->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return wake->fd < 0 ? -errno : 0;
}

void wake_close(struct wake *wake)
{
	if (wake->fd >= 0)
		close(wake->fd);
	wake->fd = -1;
}

void wake_ring(const struct wake *wake)
{
	const uint64_t one = 1;

	/* It can only fail when it is ringing already. */
	if (write(wake->fd, &one, sizeof(one)) < 0)
		return;
}

static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

/* mask: the signals that are kept out; NULL: those that the thread keeps out anyway. */
static void wait_with(const struct wake *wake, struct pollfd *fds, unsigned num_fds, int64_t limit_ns,
		      const sigset_t *mask)
{
	const struct timespec limit = {.tv_sec = limit_ns / NS_PER_S, .tv_nsec = limit_ns % NS_PER_S};
	uint64_t rung;

	fds[0] = (struct pollfd){.fd = wake->fd, .events = POLLIN};
	for (unsigned i = 0; i <= num_fds; i++)
		fds[i].revents = 0;
	if (ppoll(fds, num_fds + 1, limit_ns < 0 ? NULL : &limit, mask) > 0 && fds[0].revents &&
	    read(wake->fd, &rung, sizeof(rung)) < 0)
		rung = 0;
}

int wake_wait(const struct wake *wake, struct pollfd *fds, unsigned num_fds, int64_t limit_ns)
{
	sigset_t stops, before, open;

	/* Let in only inside ppoll(), so that no signal falls between the look at the flag and the wait. */
	stop_signals(&stops);
	pthread_sigmask(SIG_BLOCK, &stops, &before);
	open = before;
	sigdelset(&open, SIGINT);
	sigdelset(&open, SIGTERM);
	if (!stop_requested())
		wait_with(wake, fds, num_fds, limit_ns, &open);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return stop_requested() ? -EINTR : 0;
}

void wake_wait_thread(const struct wake *wake, struct pollfd *fds, unsigned num_fds, int64_t limit_ns)
{
	wait_with(wake, fds, num_fds, limit_ns, NULL);
}

void wake_block_signals(void)
{
	sigset_t stops;

	stop_signals(&stops);
	pthread_sigmask(SIG_BLOCK, &stops, NULL);
}
