/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows that this side prints. Called by measure.c. */
#ifndef SESSION_RESULT_H
#define SESSION_RESULT_H

#include "session/state.h"

/* The row of both directions. */
struct report_row session_sum_of_both(const struct session *session, const struct report_row *local,
				      const struct report_row *remote, const struct report_repeats *repeats);
/* Its own figures, and not the peer's? */
bool session_prints_own(const struct session *session);
/* The sum of both? */
bool session_prints_both(const struct session *session);
/* What this side prints for one size. The rows are complete; repeats: of the sum of both. 0 or -errno, reported. */
int session_print_rows(struct session *session, const struct report_row *local, const struct report_row *remote,
		       const struct report_repeats *repeats);
/* The loop failed half way: what was measured until then, marked, if it was anything. */
void session_print_partial(struct session *session, const struct run *run);

#endif
