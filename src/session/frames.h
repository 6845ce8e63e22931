/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Raw Ethernet: what do the options say of the frames? configure.c and session.c call. */
#ifndef SESSION_FRAMES_H
#define SESSION_FRAMES_H

#include "params/perftest_parameters.h"
#include "session/state.h"

/* Of parameters that keep the rules. */
void session_configure_frames(const struct params *params, struct frame_config *frames);
/* Is there room for the headers? Brings session->largest between the shortest and the longest frame. 0 or -EMSGSIZE,
 * reported. */
int session_fit_frames(struct session *session);
/* Prints what goes and what comes. */
void session_report_frames(struct session *session);

#endif
