/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What ended a loop early, in words for both users. Called by loop.c, warm_up.c and session.c. */
#ifndef SESSION_FAILURE_H
#define SESSION_FAILURE_H

#include "loops/run.h"
#include "session/state.h"

/*
 * What the device reported by itself meanwhile, as a warning where no error has said it: a link that went down explains
 * what the peer saw, and a figure that came out all the same.
 */
void session_warn_of_events(struct session *session);

/* What ended a loop: a completion with an error, a message of another length, or a call that the device refused. */
void session_report_failure(struct session *session, const struct run *run, int error);

#endif
