/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A row from a run. Called by measure.c and failure.c. */
#ifndef SESSION_ROWS_H
#define SESSION_ROWS_H

#include "session/state.h"

/* The row of a whole run, or of the interval since progress->interval_begin. */
void session_row(const struct session *session, const struct run *run, struct report_row *row);

#endif
