/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows that this side prints. Called by measure.c. */
#ifndef SESSION_RESULT_H
#define SESSION_RESULT_H

#include "session/state.h"

/* The row of both directions. */
struct report_row session_sum_of_both(const struct session *session, const struct report_row *local,
				      const struct report_row *remote, const struct report_repeats *repeats);
/* Does it print its own figures rather than the peer's? */
bool session_prints_own(const struct session *session);
/* Does it print the sum of both? */
bool session_prints_both(const struct session *session);
/* Prints this side's rows for one size. The rows are complete; repeats: of the sum of both. 0 or -errno, reported. */
int session_print_rows(struct session *session, const struct report_row *local, const struct report_row *remote,
		       const struct report_repeats *repeats);
/* After a loop has failed: prints what was measured until then, if anything, marked as partial. */
void session_print_partial(struct session *session, const struct run *run);

#endif
