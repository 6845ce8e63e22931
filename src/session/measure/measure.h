/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The measurement. Called by session.c. */
#ifndef SESSION_MEASURE_H
#define SESSION_MEASURE_H

#include "session/state.h"

/* Measures all message sizes, one after the other, and prints their rows. 0 or -errno, reported. */
int session_measure(struct session *session);

#endif
