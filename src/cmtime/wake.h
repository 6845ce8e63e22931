/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How does the main thread wait, for threads of its own, for sockets, for a signal, and never for ever?
 * One eventfd that any thread may ring, and one ppoll() in which signals are let in.
 */
#ifndef CMTIME_WAKE_H
#define CMTIME_WAKE_H

#include <poll.h>
#include <stdint.h>

struct wake {
	int fd; /* an eventfd */
};

/* 0 or -errno, not reported. */
int wake_open(struct wake *wake);
void wake_close(struct wake *wake);
/* From any thread. */
void wake_ring(const struct wake *wake);
/*
 * Until the bell rings, one of the other descriptors is ready, a signal comes, or so much time has passed.
 * fds: room for one more in front, which is the bell's. 0, or -EINTR: the user wants to stop.
 */
int wake_wait(const struct wake *wake, struct pollfd *fds, unsigned num_fds, int64_t limit_ns);

/* The same for another thread, which has no part in signals. */
void wake_wait_thread(const struct wake *wake, struct pollfd *fds, unsigned num_fds, int64_t limit_ns);

/* Threads that are made from here on have no part in signals; the main thread lets them in where it waits. */
void wake_block_signals(void);

#endif
