/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A side's loop. Called by measure.c, validate_rounds.c and warm_up.c. */
#ifndef SESSION_LOOP_H
#define SESSION_LOOP_H

#include "session/run_progress.h"

/* This side's loop, whatever role it has; tells the peer when it is over. 0 or -errno, reported. */
int session_run_loop(struct session *session, struct run *run, struct run_progress *progress);

/*
 * Without a side channel who only answers, or counts, can't know when the other side begins: waits for its first
 * message, for as long as that takes, and counts it. 0, also when the user stopped (result.stopped); or -errno,
 * reported.
 */
int session_await_first(struct session *session, struct run *run, struct run_progress *progress);

#endif
