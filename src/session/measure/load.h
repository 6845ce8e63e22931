/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loads of an open loop (--rate): one rate, or shares of a maximum that is measured first, one after the other.
 * Both sides go through them together; only the asking side knows the rate of requests.
 */
#ifndef SESSION_LOAD_H
#define SESSION_LOAD_H

#include "session/measure/run_progress.h"

/* Without --rate these do nothing, and there is one load. 0 or -errno, reported. */
int session_load_open(struct session *session);
void session_load_close(struct session *session);

/* Has a maximum to be measured first? If so, that is measured until session_load_take_maximum(). */
bool session_load_seeks_maximum(struct session *session);
/* 0, or -ENODATA, reported: nothing was answered. */
int session_load_take_maximum(struct session *session, const struct run *run);
/* Moves on to the next load; false: there is none. */
bool session_load_next(struct session *session);

/* The share of the maximum that is measured, in percent; 0: the load is not a share. */
unsigned session_load_share(const struct session *session);

/* May its requests be so far apart that the answering side would take it for an outage? Known on the asking side. */
bool session_load_is_slow(const struct session *session);
/* Sets the pace of a run before it begins, and where its requests are recorded. */
void session_load_fill(const struct session *session, struct run *run);
/* Sets the start and end of a measurement of the maximum; the options determine those of other measurements. */
void session_load_bound(const struct session *session, struct run *run, uint64_t now);
/* Fills in the load of a row: of the whole run, or of what happened after `before`, in row->seconds. */
void session_load_row(const struct session *session, const struct run *run, const struct run_result *before,
		      struct report_row *row);

#endif
