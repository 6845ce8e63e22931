/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waiting for file descriptors with a limit, and until the user stops the program. */
#pragma once

#include <poll.h>
#include <stdint.h>

#include "util/deadline.h"

/* Waits for one of the events. 0, -ETIMEDOUT, or -EINTR if the user stopped, even just before. Reports nothing. */
int wait_fds(struct pollfd *fds, unsigned num_fds, struct deadline deadline);

/*
 * The same without -EINTR: the user has stopped the run, but its result is still awaited, or the wait ends by itself.
 */
int wait_fds_after_stop(struct pollfd *fds, unsigned num_fds, struct deadline deadline);

/*
 * Waits once, with the signals of stop.h unblocked even if the thread blocks them: until an event, a signal, or
 * limit_ns
 * (< 0: no limit). Returns the number of descriptors with events, 0, or -EINTR if the user stopped the program.
 */
int wait_once(struct pollfd *fds, unsigned num_fds, int64_t limit_ns);

#define WAIT_QUIET_MS 1000 /* a wait this long needs no explanation */

/* For a user at a terminal: "WHAT; giving up in 59 s (--timeout)". */
void wait_report(const char *what, struct deadline deadline);

/* wait_fds(), with wait_report(what) after WAIT_QUIET_MS. */
int wait_fds_reporting(struct pollfd *fds, unsigned num_fds, struct deadline deadline, const char *what);
