/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waiting for file descriptors with a limit, so that the user's stop is heard. */
#ifndef UTIL_WAIT_H
#define UTIL_WAIT_H

#include <poll.h>
#include <stdint.h>

#include "util/deadline.h"

/*
 * Waits for one of the events. 0, -ETIMEDOUT, or -EINTR when the user stopped, be it just before the
 * wait. Nothing is reported.
 */
int wait_fds(struct pollfd *fds, unsigned num_fds, struct deadline deadline);

/* The same, but for -EINTR: the user has stopped, and what the run came to is still to be had, or ends by itself. */
int wait_fds_after_stop(struct pollfd *fds, unsigned num_fds, struct deadline deadline);

/*
 * Once, in which SIGINT and SIGTERM are let in though the thread may keep them out: until an event, a signal, or so
 * much time (< 0: no limit). The number of descriptors with events, 0, or -EINTR when the user stopped.
 */
int wait_once(struct pollfd *fds, unsigned num_fds, int64_t limit_ns);

#define WAIT_QUIET_MS 1000 /* for this long a human does not wonder */

/* For a human at a terminal: "WHAT; giving up in 59 s (--timeout)". */
void wait_tell(const char *what, struct deadline deadline);

/* wait_fds(), and wait_tell(what) once it has lasted WAIT_QUIET_MS. */
int wait_fds_telling(struct pollfd *fds, unsigned num_fds, struct deadline deadline, const char *what);

#endif
