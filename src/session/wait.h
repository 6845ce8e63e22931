/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a loop calls while it runs. Called through the hooks of a struct run, which measure.c sets, and by loop.c. */
#ifndef SESSION_WAIT_H
#define SESSION_WAIT_H

#include "session/run_progress.h"

/* At a terminal: how far the run of one size is, and of which; seconds 0: it begins. */
void session_tell_progress(const struct session *session, uint64_t size, double fraction, double seconds);
uint64_t session_tick(struct run *run, uint64_t now_cycles);
enum idle_answer session_idle(struct run *run);
/* Tells the peer, once, how many messages this side has sent. 0 or -errno, reported. */
int session_send_done(struct run_progress *progress, const struct run *run);

#endif
