// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See watcher.h. */
#include "config.h"

#include "cxi/watcher.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LOOK_MS 100 /* between two checks */

void cxi_watcher_start(struct cxi_watcher *watcher, void *(*watch)(void *), void *argument)
{
	sigset_t all, saved;

	watcher->end_fd = eventfd(0, EFD_CLOEXEC);
	if (watcher->end_fd < 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	if (pthread_create(&watcher->thread, NULL, watch, argument)) {
		close(watcher->end_fd);
		watcher->end_fd = -1;
	}
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

void cxi_watcher_stop(struct cxi_watcher *watcher)
{
	if (!cxi_watcher_is_on(watcher))
		return;
	(void)eventfd_write(watcher->end_fd, 1);
	pthread_join(watcher->thread, NULL);
	close(watcher->end_fd);
	watcher->end_fd = -1;
}

bool cxi_watcher_pause(const struct cxi_watcher *watcher)
{
	struct pollfd fd = {.fd = watcher->end_fd, .events = POLLIN};

	return poll(&fd, 1, LOOK_MS) == 0;
}
