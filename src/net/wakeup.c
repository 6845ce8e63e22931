// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Waits that another thread can end. See wakeup.h. */
#include "config.h" /* ppoll() */

#include "net/wakeup.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "util/stop.h"
#include "util/wait.h"

#define NS_PER_S 1000000000

int wakeup_open(struct wakeup *wakeup)
{
	wakeup->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return wakeup->fd < 0 ? -errno : 0;
}

void wakeup_close(struct wakeup *wakeup)
{
	if (wakeup->fd >= 0)
		close(wakeup->fd);
	wakeup->fd = -1;
}

void wakeup_ring(const struct wakeup *wakeup)
{
	const uint64_t one = 1;

	/* It can only fail if it is ringing already. */
	if (write(wakeup->fd, &one, sizeof(one)) < 0)
		return;
}

/* Puts the bell at the front, and silences it afterwards. */
static void poll_fds_begin(const struct wakeup *wakeup, struct pollfd *fds, unsigned num_fds)
{
	fds[0] = (struct pollfd){.fd = wakeup->fd, .events = POLLIN};
	for (unsigned i = 1; i <= num_fds; i++)
		fds[i].revents = 0;
}

static void poll_fds_end(const struct wakeup *wakeup, const struct pollfd *fds)
{
	uint64_t rung;

	if (fds[0].revents && read(wakeup->fd, &rung, sizeof(rung)) < 0)
		return;
}

int wakeup_wait(const struct wakeup *wakeup, struct pollfd *fds, unsigned num_fds, int64_t limit_ns)
{
	int ready;

	poll_fds_begin(wakeup, fds, num_fds);
	ready = wait_once(fds, num_fds + 1, limit_ns);
	if (ready > 0)
		poll_fds_end(wakeup, fds);
	return ready == -EINTR ? -EINTR : 0;
}

void wakeup_wait_thread(const struct wakeup *wakeup, struct pollfd *fds, unsigned num_fds, int64_t limit_ns)
{
	const struct timespec limit = {.tv_sec = limit_ns / NS_PER_S, .tv_nsec = limit_ns % NS_PER_S};

	poll_fds_begin(wakeup, fds, num_fds);
	if (ppoll(fds, num_fds + 1, limit_ns < 0 ? NULL : &limit, NULL /* signals stay out */) > 0)
		poll_fds_end(wakeup, fds);
}

void wakeup_block_signals(void)
{
	sigset_t stops;

	sigemptyset(&stops);
	stop_add_to(&stops);
	pthread_sigmask(SIG_BLOCK, &stops, NULL);
}
