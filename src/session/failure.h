/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What ended a loop early, in words for both users. Called by loop.c, wait.c, warm_up.c and session.c. */
#ifndef SESSION_FAILURE_H
#define SESSION_FAILURE_H

#include "loops/run.h"
#include "session/state.h"

/*
 * What the device reported by itself meanwhile, as a warning where no error has said it: a link that went down explains
 * what the peer saw, and a figure that came out all the same.
 */
void session_warn_of_events(struct session *session);

/* As retransmits_text(), of both ports of dual port. Returns text. */
const char *session_retransmits_text(const struct session *session, char *text, size_t size);

/* No answer comes: does a peer write messages of another length into the memory that this side polls? Then it is said.
 */
bool session_found_other_size(struct session *session, const struct run *run);

/* What ended a loop: a completion with an error, a message of another length, or a call that the device refused. */
void session_report_failure(struct session *session, const struct run *run, int error);

#endif
