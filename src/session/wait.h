/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a loop calls while it runs. Called through the hooks of a struct run, which measure.c sets, and by loop.c. */
#ifndef SESSION_WAIT_H
#define SESSION_WAIT_H

#include "session/run_progress.h"

/* At a terminal: how far the run of one size is, and of which; seconds 0: it begins. */
void session_tell_progress(const struct session *session, uint64_t size, double fraction, double seconds);
uint64_t session_tick(struct run *run, uint64_t now_cycles);
enum idle_answer session_idle(struct run *run);
/*
 * Tells the peer how many messages this side has sent: once, and once more where the user stops it behind that. 0 or
 * -errno, reported.
 */
int session_send_done(struct run_progress *progress, const struct run *run);
/* Behind the loop: what this side did when the other one had ended early is in no figure of both directions. */
void session_leave_out_alone(const struct run_progress *progress, struct run *run);

#endif
