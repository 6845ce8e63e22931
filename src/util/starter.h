/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What this program and that which has started it say to each other. */
#pragma once

/*
 * A start in common: what has started this program (`perftest matrix`) holds it just before it measures, and releases
 * those of many hosts at the same time. PERFTEST_START_FD in the environment is one end of a socket pair: this program
 * sends a byte when it is ready, waits for one or for the other end to close, and sends another when it goes on.
 */
#define START_GATE_VARIABLE "PERFTEST_START_FD"
#define START_GATE_READY    'r'
#define START_GATE_BEGAN    'b'

/* Once in a process: later calls, and those of a process that is not held, return at once. 0 or -EINTR. */
int start_gate_pass(void);

/*
 * A server is ready: READY=1 to the socket NOTIFY_SOCKET (sd_notify(3)) of systemd or whatever else has started it, if
 * there is one; no process of this one finds it then.
 */
void ready_notify(void);
