/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows that this side prints. Called by measure.c. */
#ifndef SESSION_RESULT_H
#define SESSION_RESULT_H

#include "session/state.h"

/*
 * The row of both directions of one measurement: the sum of their rates; if they hardly ran at the same time, what both
 * moved over the time from the first start to the last end. results: what the sides reported, by enum report_side.
 */
struct report_row session_sum_of_both(const struct session *session, const struct report_row *local,
				      const struct report_row *remote, const struct comm_result results[2]);
/* Warns if the parts of a row hardly ran together, or if it is not known well. */
void session_warn_of_overlap(const struct report_row *row, const char *parts, const char *clocks);
/* Does it print its own figures rather than the peer's? */
bool session_prints_own(const struct session *session);
/* Does it print the sum of both? */
bool session_prints_both(const struct session *session);
/* Prints this side's rows for one size. The rows are complete; total: the sum of both. 0 or -errno, reported. */
int session_print_rows(struct session *session, const struct report_row *local, const struct report_row *remote,
		       const struct report_row *total);
/* After a loop has failed: prints what was measured until then, if anything, marked as partial. */
void session_print_partial(struct session *session, const struct run *run);

#endif
