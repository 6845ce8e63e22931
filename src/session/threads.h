/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --threads: this side's loop, run by several threads at once. Each has a set of queues, with completion queues of its
 * own, and a run of its own; they share nothing while they run. The first is the program's own thread: it alone asks
 * what a loop asks (the hooks: ticks, the peer, the user's limits), for all, and what the others have counted they tell
 * about once a millisecond. What ends one of them, but its last message, ends all.
 *
 * The run that the rest of session knows is that of all: its queues are everyone's, its result the sum. Called by
 * measure.c, loop.c and warm_up.c.
 */
#ifndef SESSION_THREADS_H
#define SESSION_THREADS_H

#include "session/run_progress.h"

/*
 * Once the queue pairs are connected: chooses the CPUs. session.threads stays NULL where one thread is enough, or this
 * side has no loop. 0 or -errno, reported.
 */
int session_open_threads(struct session *session);
void session_close_threads(struct session *session);

/*
 * Before the clock of a run starts: until all threads are there, each on its CPU. session_run_threads() must follow.
 * Nothing to do without threads. 0 or -errno, reported.
 */
int session_gather_threads(struct session *session);

/* session.loop in all of them; run is that of all. As a loop_fn. */
int session_run_threads(struct session *session, struct run *run);

/*
 * A row of each thread: its messages in the time of all, so that they add up to the row that session_row() makes of the
 * run. partial: as that row is. Nothing without threads. 0 or -errno, reported.
 */
int session_report_threads(struct session *session, const struct run *run, bool partial);

#endif
