/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How both ends agree on the parameters. Called by session.c. */
#ifndef SESSION_AGREE_H
#define SESSION_AGREE_H

#include "session/state.h"

/* Both ends greet, the client sends its parameters, and the server accepts or refuses them. 0 or -errno, reported. */
int session_agree(struct session *session);
/* Derives from the agreed parameters which side does what. */
void session_assign(struct session *session);

#endif
