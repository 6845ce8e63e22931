/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a test ended: the program's exit status, and the text for its document. Called by session.c and group.c. */
#ifndef SESSION_VERDICT_H
#define SESSION_VERDICT_H

#include "session/state.h"

/* ret: 0 or the -errno that ended it. */
enum exit_status session_status(const struct session *session, int ret);
/* Ends the report, if there is one, and returns the exit status. */
enum exit_status session_conclude(struct session *session, int ret);

#endif
