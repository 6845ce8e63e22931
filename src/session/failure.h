/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What ended a loop early, as a message for both users. Called by loop.c, wait.c, warm_up.c and session.c. */
#pragma once

#include "loops/run.h"
#include "session/state.h"

/*
 * Warns of asynchronous events of the device that no error has reported: a link that went down explains what the peer
 * saw, and a figure that was measured nevertheless.
 */
void session_warn_of_events(struct session *session);

/* What the device reported by itself, for a message that then says it; "" and false: nothing. */
bool session_take_cause(struct session *session, char *text, size_t size);

/* retransmits_text() for both ports of dual port. Returns text. */
const char *session_retransmits_text(const struct session *session, char *text, size_t size);

/* If no answer arrives: reports whether the peer writes messages of another length into this side's memory. */
bool session_found_other_size(struct session *session, const struct run *run);

/* Reports what ended a loop: a completion with an error, a message of another length, or a failed call. */
void session_report_failure(struct session *session, const struct run *run, int error);
