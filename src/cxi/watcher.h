/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A second thread that looks at something now and then, until it is told to end. Signals are for the thread that works.
 * Called by pulse.c and fabric_guard.c.
 */
#ifndef CXI_WATCHER_H
#define CXI_WATCHER_H

#include <pthread.h>
#include <stdbool.h>

struct cxi_watcher {
	pthread_t thread;
	int end_fd; /* of eventfd(2): readable when the thread has to end; -1: there is none */
};

/* Without a thread or a descriptor for it there is none. */
void cxi_watcher_start(struct cxi_watcher *watcher, void *(*watch)(void *), void *argument);
/* Takes one that there is not, and leaves one that there is not. */
void cxi_watcher_stop(struct cxi_watcher *watcher);
/* In the thread: until the next look. False: it has to end. */
bool cxi_watcher_pause(const struct cxi_watcher *watcher);

static inline bool cxi_watcher_is_on(const struct cxi_watcher *watcher)
{
	return watcher->end_fd >= 0;
}

#endif
