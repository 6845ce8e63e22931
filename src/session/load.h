/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loads of an open loop (--rate): one rate, or shares of a maximum that is measured first, one after the other.
 * Both sides go through them together; how fast requests leave is known to the side that asks alone.
 */
#ifndef SESSION_LOAD_H
#define SESSION_LOAD_H

#include "session/run_progress.h"

/* Without --rate these do nothing: there is one load. 0 or -errno, reported. */
int session_load_open(struct session *session);
void session_load_close(struct session *session);

/* Is there a maximum to be measured first? From here on measurements are of that, until it is told. */
bool session_load_seeks_maximum(struct session *session);
/* 0, or -ENODATA, reported: nothing was answered. */
int session_load_take_maximum(struct session *session, const struct run *run);
/* Moves on to the next load; false: there is none. */
bool session_load_next(struct session *session);

/* Which share of the maximum is measured, in percent; 0: the load is none. */
unsigned session_load_share(const struct session *session);

/* May its requests be so far apart that who answers them would miss them? Known to the side that asks. */
bool session_load_is_slow(const struct session *session);
/* Of a run, before it begins: its pace, and where its requests are noted. */
void session_load_fill(const struct session *session, struct run *run);
/* When a measurement of the maximum begins and ends; others are as the options say. */
void session_load_bound(const struct session *session, struct run *run, uint64_t now);
/* What a row says of it: of the run, or of what came behind `before`, in row->seconds. */
void session_load_row(const struct session *session, const struct run *run, const struct run_result *before,
		      struct report_row *row);

#endif
