/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs a side's loop. Called by measure.c, validate_rounds.c and warm_up.c. */
#ifndef SESSION_LOOP_H
#define SESSION_LOOP_H

#include "session/measure/run_progress.h"

/* Runs this side's loop, whatever its role, and tells the peer when it is over. 0 or -errno, reported. */
int session_run_loop(struct session *session, struct run *run, struct run_progress *progress);

/*
 * Without a side channel, a side that only answers or counts cannot know when the other side begins: it waits for the
 * first message, without a limit, and counts it. 0, also when the user stopped it (result.stopped); or -errno,
 * reported.
 */
int session_await_first(struct session *session, struct run *run, struct run_progress *progress);

#endif
