/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A wait that another thread can end: for sockets, for a bell that any thread may ring, for the user's stop, and never
 * without a limit unless that is asked for.
 */
#ifndef NET_WAKEUP_H
#define NET_WAKEUP_H

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
 * Until the bell rings, one of the other descriptors is ready, a signal comes, or so much time has passed.
 * fds: room for one more in front, which is the bell's. 0, or -EINTR: the user wants to stop.
 */
int wakeup_wait(const struct wakeup *wakeup, struct pollfd *fds, unsigned num_fds, int64_t limit_ns);

/* The same for another thread, which has no part in signals. */
void wakeup_wait_thread(const struct wakeup *wakeup, struct pollfd *fds, unsigned num_fds, int64_t limit_ns);

/* Threads that are made from here on have no part in signals; the main thread lets them in where it waits. */
void wakeup_block_signals(void);

#endif
