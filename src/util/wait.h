/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waiting for file descriptors with a limit, so that the user's stop is heard. */
#ifndef UTIL_WAIT_H
#define UTIL_WAIT_H

#include <poll.h>

#include "util/deadline.h"

/*
 * Waits for one of the events. 0, -ETIMEDOUT, or -EINTR when the user stopped, be it just before the
 * wait. Nothing is reported.
 */
int wait_fds(struct pollfd *fds, unsigned num_fds, struct deadline deadline);

#endif
