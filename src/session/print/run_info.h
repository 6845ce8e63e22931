/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The report of a test and its header. Called by session.c and group.c. */
#ifndef SESSION_RUN_INFO_H
#define SESSION_RUN_INFO_H

#include "session/state.h"

/* Once both sides have agreed. 0 or -errno, reported. */
int session_open_report(struct session *session);
int session_report_info(struct session *session);

#endif
