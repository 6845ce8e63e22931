/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --verbose. Called by session.c and measure.c. */
#ifndef SESSION_VERBOSE_H
#define SESSION_VERBOSE_H

#include "session/measure/repeat.h"
#include "session/state.h"

/* With --verbose: prints what is settled once the queue pairs are connected. */
void session_print_choices(const struct session *session);
/* ... and the result of the last of several measurements of a size. */
void session_report_repeat(const struct session *session, const struct repeats *repeats, uint64_t size);

#endif
