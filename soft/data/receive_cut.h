/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lock of a receive queue's row, which a stopped or dead process may hold. See receive_cut.c. */
#ifndef SOFT_RECEIVE_CUT_H
#define SOFT_RECEIVE_CUT_H

#include "host/core.h"

/* False: its holder is stopped. */
bool soft_receive_lock(struct receive_queue *queue);
/* The queue's lock is held: the queue keeps this row until it is unlocked. -ENOMEM: a stopped process still has it. */
int soft_receive_lock_or_cut(struct receive_queue *queue);
/* Waits until a peer has left the row; if the peer is stopped, the queue continues with another row: in_hand.c. */
void soft_receive_settle(struct receive_queue *queue);
/* The same, for an initiator's notice that it cannot get the lock: cuts the queue off if the holder is stopped. */
void soft_receive_unblock(uint32_t index);
/* Releases the lock if a dead initiator held it; waits for another thread that does until then (soft_monotonic_ms). */
void soft_receive_repair(struct receive_queue *queue, uint32_t instance, int64_t until);
/* Checks which holders have released their requests, or are dead. True: some have not. Called by the service thread. */
bool soft_receive_in_hand_settle(void);

#endif
