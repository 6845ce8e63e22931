/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The plan of a run: its clock, and its messages. Called by all that run a loop, and by wait.c. */
#ifndef SESSION_PLAN_H
#define SESSION_PLAN_H

#include "session/run_progress.h"

/* All of the plan that does not depend on when the run begins. */
void session_fill_run(const struct session *session, uint64_t size, struct run *run);

/* Stamps that depend on when the run begins; called right before the loop, and by a tick where awaits_peer. */
void session_start_clock(struct run_progress *progress, struct run *run, uint64_t now_cycles);

/*
 * Behind the loop of a side that receives by time, at a rate limit: the sender's bursts fill its sample window, and so
 * this side's rate is that of all that came in its own, which may have begun a little later.
 */
void session_take_window(const struct session *session, struct run *run);

/*
 * A latency run's messages and samples. The first exchange is no sample; where the sides take turns a sample costs
 * three messages.
 */
uint64_t session_messages(const struct session *session, uint64_t samples);
uint64_t session_samples(const struct session *session, uint64_t messages);
/*
 * Messages of a queue pair that must come before a run by number may end. Without a side channel it is not known
 * whether a peer makes the exchange that is no sample: linux-rdma perftest does not.
 */
uint64_t session_messages_due(const struct session *session, const struct run *run);
/* Is the rate of the fastest moment taken? Several threads have no common one. */
bool session_has_peak(const struct session *session);
/* A message is received so many times by the other side: by all of its queue pairs that are in the group. */
uint64_t session_copies(const struct session *session);
/* Samples that are kept for -H and -U, where they are asked for: memory must not grow with -n otherwise. */
size_t session_raw_samples(const struct session *session, uint64_t samples);
/* With --latency_gap. A classic peer counts on strict ping-pongs, and on no message more than -n. */
bool session_takes_turns(const struct session *session);
/*
 * Without a side channel the sides can't take turns: with --latency_gap who begins waits and measures, and this side
 * answers at once and has no figures, as the other one's wait would be in them.
 */
bool session_only_answers(const struct session *session);

#endif
