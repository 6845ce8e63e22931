/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How does this process ask the one in a slot for something? See wire.h; soft/host/service.c answers. */
#ifndef SOFT_SLOT_ASK_H
#define SOFT_SLOT_ASK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/wire.h"

#define REPLY_FDS 2 /* descriptors that an answer has at the most */

/*
 * Is called every few milliseconds where this process waits for an answer, or for a lock of a thread that does, by the
 * thread that waits. True: that is the one that answers others.
 */
void soft_slot_set_waiting(bool (*waiting)(void));
/* The thread that answers others does not wait for one of ours that waits for them. */
void soft_slot_lock_take(pthread_mutex_t *lock);

/*
 * 0: the caller owns the connection and so many descriptors; instance 0: whatever process is there. -ETIMEDOUT: it is
 * stopped.
 */
int soft_slot_request(uint32_t slot, uint32_t instance, struct wire_request request, struct wire_reply *reply, int *fds,
		      unsigned int wanted, int *connection);
/* The same of a request that is a kind and a number. */
int soft_slot_ask(uint32_t slot, uint32_t instance, uint32_t kind, uint32_t number, struct wire_reply *reply, int *fds,
		  unsigned int wanted, int *connection);
/* The process in that slot, if it is that one, within half a second. One that is stopped does not. */
bool soft_slot_answers(uint32_t slot, uint32_t instance);

/*
 * The verbs have no word for it: to them a peer that can't be mapped is one that does not answer. What fails for
 * another reason is a peer that is not there, which a program learns by sending to it.
 */
void soft_slot_limit_say(uint32_t slot, int err);

#endif
