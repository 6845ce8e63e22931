/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a result within the limits that its user gave? -w and -y of bandwidth, --max_lat and the like of latency. */
#ifndef SESSION_LIMITS_H
#define SESSION_LIMITS_H

#include "session/state.h"

/* Of each row of a whole result, not of intervals: every one must pass. One that does not is named with the limit. */
void session_check_limits(struct session *session, const struct report_row *row);

/* A side that has no row has nothing to compare. */
void session_note_limits(const struct session *session);

#endif
