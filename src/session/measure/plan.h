/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The plan of a run: its clock, and its messages. Called wherever a loop is run, and by wait.c. */
#ifndef SESSION_PLAN_H
#define SESSION_PLAN_H

#include "session/measure/run_progress.h"

/* Fills in all of the plan that does not depend on when the run begins. */
void session_fill_run(const struct session *session, uint64_t size, struct run *run);

/* Stamps that depend on when the run begins; called right before the loop, and by a tick if awaits_peer. */
void session_start_clock(struct run_progress *progress, struct run *run, uint64_t now_cycles);

/*
 * After the loop of a side that receives by time, with a rate limit: the sender's bursts fill its sample window, so
 * this side's rate is that of everything that arrived in its own window, which may have begun slightly later.
 */
void session_take_window(const struct session *session, struct run *run);

/*
 * The messages of a latency run for this many samples. The first exchange is no sample; if the sides take turns, a
 * sample needs three messages.
 */
uint64_t session_messages(const struct session *session, uint64_t samples);
uint64_t session_samples(const struct session *session, uint64_t messages);
/*
 * Messages of a queue pair that must arrive before a run by number may end. Without a side channel it is unknown
 * whether the peer makes the exchange that is no sample: linux-rdma perftest does not.
 */
uint64_t session_messages_due(const struct session *session, const struct run *run);
/* Is a peak measured? Several threads have no common one. */
bool session_has_peak(const struct session *session);
/* How many times the other side receives each message: once per queue pair that is in the multicast group. */
uint64_t session_copies(const struct session *session);
/* Number of samples kept for -H and -U, if requested: otherwise memory must not grow with -n. */
size_t session_raw_samples(const struct session *session, uint64_t samples);
/* With --latency_gap. A classic peer expects strict ping-pongs, and not a message more than -n. */
bool session_takes_turns(const struct session *session);
/*
 * Without a side channel the sides cannot take turns: with --latency_gap the side that begins waits and measures; this
 * side answers at once and has no figures, as the other side's wait would be in them.
 */
bool session_only_answers(const struct session *session);

#endif
