/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A wait that another thread can end: for sockets, for a bell that any thread may ring, for the user's stop, and never
 * without a limit unless requested.
 */
#pragma once

#include <poll.h>
#include <stdint.h>

struct wakeup {
	int fd; /* an eventfd */
};

/* 0 or -errno, not reported. */
int wakeup_open(struct wakeup *wakeup);
void wakeup_close(struct wakeup *wakeup);
/* From any thread. */
void wakeup_ring(const struct wakeup *wakeup);
/*
 * Waits until the bell rings, one of the other descriptors is ready, a signal arrives, or limit_ns has passed. fds:
 * with room for one more at the front, for the bell. 0, or -EINTR: the user wants to stop.
 */
int wakeup_wait(const struct wakeup *wakeup, struct pollfd *fds, unsigned num_fds, int64_t limit_ns);

/* The same for another thread, which handles no signals. */
void wakeup_wait_thread(const struct wakeup *wakeup, struct pollfd *fds, unsigned num_fds, int64_t limit_ns);

/* Threads created from here on handle no signals; the main thread unblocks them while it waits. */
void wakeup_block_signals(void);
