/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long does the device take for a steering rule? raw_ethernet_fs_rate's measurement, in place of measure.h's. */
#ifndef SESSION_STEERING_H
#define SESSION_STEERING_H

#include "session/state.h"

/* Makes -n rules for each queue pair and takes them back; with -D again until the time is over. 0 or -errno, reported.
 */
int session_measure_steering(struct session *session);

#endif
