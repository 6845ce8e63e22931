/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a result within the limits that the user gave? -w and -y for bandwidth, --max_lat and the like for latency. */
#ifndef SESSION_LIMITS_H
#define SESSION_LIMITS_H

#include "session/state.h"

/*
 * For each row of a whole result, not of intervals: all must pass. Names the first that does not, with its limit. A
 * timed row without a message fails without a limit.
 */
void session_check_limits(struct session *session, const struct report_row *row);

/* A side without a row has nothing to compare. */
void session_note_limits(const struct session *session);

#endif
