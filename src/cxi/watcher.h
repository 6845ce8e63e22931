/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A second thread that checks something regularly until it is told to end. It blocks all signals. Called by pulse.c and
 * fabric_guard.c.
 */
#ifndef CXI_WATCHER_H
#define CXI_WATCHER_H

#include <pthread.h>
#include <stdbool.h>

struct cxi_watcher {
	pthread_t thread;
	int end_fd; /* an eventfd(2), readable when the thread must end; -1: there is no thread */
};

/* If there are no resources for a thread, it is not created. */
void cxi_watcher_start(struct cxi_watcher *watcher, void *(*watch)(void *), void *argument);
/* Does nothing if there is no thread. */
void cxi_watcher_stop(struct cxi_watcher *watcher);
/* Called by the thread: waits until the next check. False: the thread must end. */
bool cxi_watcher_pause(const struct cxi_watcher *watcher);

static inline bool cxi_watcher_is_on(const struct cxi_watcher *watcher)
{
	return watcher->end_fd >= 0;
}

#endif
