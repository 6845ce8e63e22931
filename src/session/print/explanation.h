/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --explain: what this side and its peer saw while the test ran, and what that says about its figures. */
#ifndef SESSION_EXPLANATION_H
#define SESSION_EXPLANATION_H

#include "session/state.h"

/* Once the queue pairs are connected. 0 or -errno, reported. Without --explain the three do nothing. */
int session_begin_explanation(struct session *session);
/* Of a row that is printed: the last one is that of the largest size. */
void session_explain_row(struct session *session, const struct report_row *row);
/* After the last row: asks the peer, and gives the report what was found. 0 or -errno, reported. */
int session_end_explanation(struct session *session);

#endif
