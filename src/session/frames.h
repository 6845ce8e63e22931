/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Raw Ethernet: the frames that the options describe. Called by session.c. */
#ifndef SESSION_FRAMES_H
#define SESSION_FRAMES_H

#include "params/perftest_parameters.h"
#include "session/state.h"

/* For parameters that satisfy the rules. */
void session_complete_frames(struct params *params);
/* Checks that the headers fit, and limits session->largest to valid frame sizes. 0 or -EMSGSIZE, reported. */
int session_fit_frames(struct session *session);
/* Prints the frames that are sent and received. */
void session_report_frames(struct session *session);

#endif
