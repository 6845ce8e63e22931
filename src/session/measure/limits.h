/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a result within the limits that the user gave? -w and -y for bandwidth, --max_lat and the like for latency. */
#ifndef SESSION_LIMITS_H
#define SESSION_LIMITS_H

#include "session/state.h"

#define LIMIT_TEXT_SIZE 48

/*
 * For each row of a whole result: all must pass. Names each limit that it misses; with --limit_peers, of which peer. A
 * timed row without a message fails without a limit.
 */
void session_check_limits(struct session *session, const struct report_row *row);
/* A row of nothing, as the last error says: the test goes on, and fails. */
void session_fail_as_empty(struct session *session);
/* --limit_intervals: for each row of a whole interval of all that is measured. */
void session_check_interval(struct session *session, const struct report_row *row);
/* ... and after the last: how many missed a limit, and the worst. */
void session_sum_up_intervals(struct session *session);

/* "-w", or with a share of what is possible "-w 90%". name: "limit_bw" or "limit_msgrate". Returns text. */
const char *session_limit_title(const char *name, const struct params *params, char text[LIMIT_TEXT_SIZE]);

/* A side without a row has nothing to compare. */
void session_note_limits(const struct session *session);

#endif
