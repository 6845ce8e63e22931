/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --threads: runs this side's loop in several threads at once. Each has a set of queues with completion queues of their
 * own, and a run of its own; they share nothing while they run. The first is the program's own thread: only it calls
 * the hooks (ticks, the peer, the user's limits), for all; the others publish their counts about once a millisecond.
 * Whatever ends one of them, other than its last message, ends all. The first calls them until the last loop is over;
 * the other threads are created before the clock of a run starts, and end after it.
 *
 * The run that the rest of session sees is that of all: its queues are those of all threads, its result the sum. Called
 * by measure.c, loop.c and warm_up.c.
 */
#ifndef SESSION_THREADS_H
#define SESSION_THREADS_H

#include "session/measure/run_progress.h"

/*
 * Once the queue pairs are connected: chooses the CPUs. session.threads stays NULL if one thread is enough, or this
 * side has no loop. 0 or -errno, reported.
 */
int session_open_threads(struct session *session);
void session_close_threads(struct session *session);

/*
 * Before the clock of a run starts: waits until all threads are ready, each on its CPU. session_run_threads() must
 * follow. Does nothing without threads. 0 or -errno, reported.
 */
int session_gather_threads(struct session *session);

/* Runs session.loop in all of them; run is that of all. As a loop_fn. */
int session_run_threads(struct session *session, struct run *run);

/*
 * Prints a row per thread: its messages over the common time, so that they add up to the row that session_row() makes
 * of the run. partial: as in that row. Does nothing without threads. 0 or -errno, reported.
 */
int session_report_threads(struct session *session, const struct run *run, bool partial);

#endif
