/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receive requests held by a process that was stopped in the middle of a message. See in_hand.c. */
#ifndef SOFT_IN_HAND_H
#define SOFT_IN_HAND_H

#include "host/core.h"

/* A row that was left to its holder, and its request that the holder may complete. */
struct in_hand {
	struct receive_queue left; /* the row, in soft_self.rqs; its generation is 0, which no completion has */
	struct receive_queue *of;  /* queue of the request; NULL: the queue has dropped it */
	struct in_hand *next;	   /* list of all; entries stay until the process detaches from the device */
	uint32_t holder;	   /* instance */
	uint32_t generation;	   /* generation of its completion ... */
	uint32_t position;	   /* ... and the request */
	uint32_t lost;		   /* value in the row when it was left */
	int is_shown;		   /* 1: the program has polled its completion */
	bool is_posted;		   /* there is such a request */
	bool is_revoked;	   /* its queue pair is in an error state: its completion is not returned */
	bool is_over;		   /* its holder has released the row */
};

/* Reads `of`, which another thread may clear at any time. */
static inline struct receive_queue *soft_in_hand_of(const struct in_hand *hand)
{
	return __atomic_load_n(&hand->of, __ATOMIC_RELAXED);
}

/* `of` continues with another row. Peers can no longer find this row. soft_self.lock and the queue's are held. */
void soft_in_hand_add(struct in_hand *hand, struct receive_queue *of);
/* The queue that a completion of such a row counts for; NULL: not returned to the program. Only once per completion. */
struct receive_queue *soft_in_hand_show(const struct receive_queue *left, const struct cqe *cqe);
/* The queue has dropped its posted requests (the queue's lock is held), or is destroyed (soft_self.lock is). */
void soft_in_hand_forget(const struct receive_queue *queue);
/*
 * Completions of a shared queue that this queue pair's peers still deliver are dropped; the requests are then free for
 * others.
 */
void soft_in_hand_revoke(const struct core_qp *qp);
/* Its holder has released it. soft_self.lock is held. */
void soft_in_hand_end(struct in_hand *hand);
bool soft_in_hand_is_open(void);			       /* some are not over */
struct in_hand *soft_in_hand_next(const struct in_hand *hand); /* NULL: the first; oldest first */
/* The owner of completions of a cut-off queue; for any other queue, `queue` itself. */
struct receive_queue *soft_in_hand_owner(struct receive_queue *queue);
void soft_in_hand_free(void);  /* frees all; no thread polls any more */
void soft_in_hand_reset(void); /* in a forked child */

#endif
