/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A row from a run. Called by measure.c, sides.c, result.c and failure.c. */
#ifndef SESSION_ROWS_H
#define SESSION_ROWS_H

#include "session/state.h"

/* The row of a whole run. */
void session_row(const struct session *session, const struct run *run, struct report_row *row);
/* The peak of two directions' sum, given each one's messages; 0: one was not measured, or nothing moved. */
double session_add_peaks(double own, uint64_t own_messages, double peer, uint64_t peer_messages);
/* With -b, where messages may be lost: is a direction's row of those that arrived? */
bool session_rates_arrivals(const struct session *session);

#endif
