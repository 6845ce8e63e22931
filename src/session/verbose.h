/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --verbose. Called by session.c. */
#ifndef SESSION_VERBOSE_H
#define SESSION_VERBOSE_H

#include "session/state.h"

/* With --verbose: what is settled once the queue pairs are connected. */
void session_tell_choices(const struct session *session);

#endif
