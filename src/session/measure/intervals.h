/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Interval rows. Called by wait.c, plan.c and measure.c. */
#ifndef SESSION_INTERVALS_H
#define SESSION_INTERVALS_H

#include "session/measure/run_progress.h"

void session_start_intervals(struct run_progress *progress, uint64_t now_cycles);
/* Does an interval end now? The last one of a run by time does not: it ends after the loop. */
bool session_interval_is_due(struct run_progress *progress, uint64_t now_cycles);
/* Ends an interval, which includes those that were missed. 0 or -errno, reported, as for all of these. */
int session_end_interval(struct run_progress *progress, struct run *run, uint64_t now_cycles);
/* Prints the rows for which the peer's report has arrived. */
int session_print_sums(struct run_progress *progress, const struct run *run);
/* The last interval, which ends with the loop. With -b its row is also printed only after the peer has ended: */
int session_end_intervals(struct run_progress *progress, struct run *run, bool failed);
int session_end_sums(struct run_progress *progress, const struct run *run);
/* The stamp of the next tick. */
uint64_t session_next_tick(const struct run_progress *progress, uint64_t now_cycles);
/* Messages as this side counts them. */
uint64_t session_messages_so_far(const struct run_progress *progress, const struct run *run);

#endif
