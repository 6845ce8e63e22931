/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sockets that systemd or `perftest serve` has opened for this process: LISTEN_FDS of them from descriptor 3 on, if
 * LISTEN_PID is its number (sd_listen_fds(3)). Called by listener.c.
 */
#pragma once

#include <stdbool.h>

#define PASSED_FIRST_FD 3

/* Have any been passed on, and not been taken yet? */
bool passed_has(void);
/*
 * Takes them: TCP sockets that listen, or one that is connected. They no longer block, and end with an exec. Returns
 * their number, 0: there are none, or -errno, reported.
 */
int passed_take(int *fds, unsigned most, bool *connected);
