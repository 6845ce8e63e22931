/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The burst plan of a run, and the warning about lost messages. Called by measure.c. */
#ifndef SESSION_BURSTS_H
#define SESSION_BURSTS_H

#include "session/state.h"

/* 0 or -ENOMEM, reported; does nothing without bursts. */
int session_open_bursts(const struct session *session, struct run *run, struct burst_plan *burst);
void session_close_bursts(struct burst_plan *burst);
/* After the loop: warns if messages were lost. */
void session_report_lost_of_bursts(const struct session *session, const struct run *run);

#endif
