/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of intervals. Called by wait.c, plan.c and measure.c. */
#ifndef SESSION_INTERVALS_H
#define SESSION_INTERVALS_H

#include "session/run_progress.h"

void session_start_intervals(struct run_progress *progress, uint64_t now_cycles);
/* Does one end now? The last one of a run by time does not, it ends behind the loop. */
bool session_interval_is_due(struct run_progress *progress, uint64_t now_cycles);
/* One ends now; those that were missed meanwhile are part of it. 0 or -errno, reported, as all of these. */
int session_end_interval(struct run_progress *progress, struct run *run, uint64_t now_cycles);
/* The rows that the peer's word is there for. */
int session_print_sums(struct run_progress *progress, const struct run *run);
/* The last interval, which ends with the loop. With -b it has its row when the peer has said that it has ended, too: */
int session_end_intervals(struct run_progress *progress, struct run *run, bool failed);
int session_end_sums(struct run_progress *progress, const struct run *run);
/* The stamp of the next tick. */
uint64_t session_next_tick(const struct run_progress *progress, uint64_t now_cycles);
/* Messages as this side counts them. */
uint64_t session_messages_so_far(const struct run_progress *progress, const struct run *run);

#endif
