/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests to the process in another slot. See wire.h; soft/host/service.c answers. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/wire.h"

#define REPLY_FDS 2 /* maximum number of descriptors in an answer */

/*
 * `waiting` is called every few milliseconds by a thread that waits for an answer, or for the lock of a thread that
 * does. It returns true if that thread is the one that answers other processes.
 */
void soft_slot_set_waiting(bool (*waiting)(void));
/* Takes the lock; the thread that answers others keeps answering while it waits. */
void soft_slot_lock_take(pthread_mutex_t *lock);

/*
 * 0: the caller owns `wanted` descriptors and the connection, which is closed if that is NULL. instance 0: any process.
 * -ETIMEDOUT: it is stopped.
 */
int soft_slot_request(uint32_t slot, uint32_t instance, struct wire_request request, struct wire_reply *reply, int *fds,
		      unsigned int wanted, int *connection);

/*
 * Reports on stderr that a resource limit keeps us from mapping a peer: verbs cannot express this, and only show a peer
 * that does not respond. Other errors mean that the peer does not exist, which a program learns by sending to it.
 */
void soft_slot_limit_report(uint32_t slot, int err);
