/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages before the first measurement. Called by measure.c. */
#ifndef SESSION_WARM_UP_H
#define SESSION_WARM_UP_H

#include "session/measure/run_progress.h"

/* Before the first measurement, with receives posted: messages that are not counted. 0 or -errno, reported. */
int session_warm_up(struct session *session, struct run *run, struct run_progress *progress);

#endif
