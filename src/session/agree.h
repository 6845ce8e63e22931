/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How do both ends come to the same parameters? Called by session.c. */
#ifndef SESSION_AGREE_H
#define SESSION_AGREE_H

#include "session/state.h"

/* Both ends greet, the client's parameters reach the server, the server agrees or refuses. 0 or -errno, reported. */
int session_agree(struct session *session);
/* From the agreed parameters: which side does what. */
void session_assign(struct session *session);

#endif
