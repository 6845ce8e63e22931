/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a loop calls while it runs: through the hooks of a struct run, which measure.c sets. Also called by loop.c. */
#ifndef SESSION_WAIT_H
#define SESSION_WAIT_H

#include "session/measure/run_progress.h"

/* On a terminal: the progress of the current size; seconds 0: it begins. */
void session_report_progress(const struct session *session, uint64_t size, double fraction, double seconds);
uint64_t session_tick(struct run *run, uint64_t now_cycles);
enum idle_answer session_idle(struct run *run);
/* Tells the peer how many messages this side has sent: once, and again if the user stops it. 0 or -errno, reported. */
int session_send_done(struct run_progress *progress, const struct run *run);
/* After the loop: removes what this side did after the other had ended early, as it is in no figure of both sides. */
void session_leave_out_alone(const struct run_progress *progress, struct run *run);
/* After a timed run without a side channel: was the peer silent at its end, though for less than --timeout? */
void session_warn_of_silence(const struct run_progress *progress, const struct run *run);

#endif
