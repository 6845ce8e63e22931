/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lock of a receive queue's row, which a process may hold that is stopped or dead. See receive_cut.c. */
#ifndef SOFT_RECEIVE_CUT_H
#define SOFT_RECEIVE_CUT_H

#include "host/core.h"

/* False: its holder is stopped. */
bool soft_receive_lock(struct receive_queue *queue);
/* The queue's lock is held: the row stays the queue's until it is unlocked. -ENOMEM: a stopped process has it still. */
int soft_receive_lock_or_cut(struct receive_queue *queue);
/* The peer that was in it is out, or, where he is stopped, it goes on without him, with another row: in_hand.c. */
void soft_receive_settle(struct receive_queue *queue);
/* The latter where an initiator says that it can't get the lock, if he is stopped: others wait for him. */
void soft_receive_unblock(uint32_t index);
/* Frees what a dead initiator held, if it did. */
void soft_receive_repair(struct receive_queue *queue, uint32_t instance);
/* Looks who has let go of what it had in hand, or is dead. True: others have not. Called by the service thread. */
bool soft_receive_in_hand_settle(void);

#endif
