/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The header of the report. Called by session.c. */
#ifndef SESSION_RUN_INFO_H
#define SESSION_RUN_INFO_H

#include "session/state.h"

int session_report_info(struct session *session);

#endif
