/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long the device takes to create a steering rule: raw_ethernet_fs_rate's measurement, in place of measure.h's. */
#ifndef SESSION_STEERING_H
#define SESSION_STEERING_H

#include "session/state.h"

/* Creates and destroys -n rules for each queue pair; with -D until the time is over. 0 or -errno, reported. */
int session_measure_steering(struct session *session);

#endif
