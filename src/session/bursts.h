/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the loops of bursts are told, and what of their messages was lost. measure.c calls. */
#ifndef SESSION_BURSTS_H
#define SESSION_BURSTS_H

#include "session/state.h"

/* 0 or -ENOMEM, reported; nothing where messages are in no bursts. */
int session_open_bursts(const struct session *session, struct run *run, struct burst_plan *burst);
void session_close_bursts(struct burst_plan *burst);
/* Behind the loop: warns. */
void session_tell_lost_of_bursts(const struct session *session, const struct run *run);

#endif
