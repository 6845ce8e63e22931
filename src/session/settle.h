/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What of the request the device, the transport and the peer allow: the sizes of messages, the depths of the queues,
 * and how many messages share a completion. Settled once, for header, document, rules and loops. Called by session.c.
 */
#ifndef SESSION_SETTLE_H
#define SESSION_SETTLE_H

#include "session/state.h"

/* Once both sides have agreed and the device is known, before its objects are created. 0 or -errno, reported. */
int session_settle(struct session *session);
/* By the limits of the created objects, and again once they are connected: on UD the smaller MTU limits a message. */
void session_settle_limits(struct session *session);

#endif
