/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lock of a receive queue's row, which a stopped or dead process may hold. See receive_cut.c. */
#pragma once

#include "host/core.h"

/* False: its holder is stopped. */
bool soft_receive_lock(struct receive_queue *queue);
/* The queue's lock is held: the queue keeps this row until it is unlocked. -ENOMEM: a stopped process still has it. */
int soft_receive_lock_or_cut(struct receive_queue *queue);
/* Waits until a peer has left the row; if the peer is stopped, the queue continues with another row. */
void soft_receive_settle(struct receive_queue *queue);
/* The same, for an initiator's notice that it cannot get the lock: cuts the queue off if the holder is stopped. */
void soft_receive_unblock(uint32_t index);
/* Releases the lock if a dead initiator held it; waits for another thread that does until then (soft_monotonic_ms). */
void soft_receive_repair(struct receive_queue *queue, uint32_t instance, int64_t until);
/* The queue pair receives nothing more: what stopped processes still deliver to it is not returned to the program. */
void soft_receive_forget_held(const struct core_qp *qp);
/* The queue is closed: nothing of the rows that it has left is. soft_self.lock is held. */
void soft_receive_forget_left(const struct receive_queue *queue);
