/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has a process in its hands that was stopped in the middle of a message? See in_hand.c. */
#ifndef SOFT_IN_HAND_H
#define SOFT_IN_HAND_H

#include "host/core.h"

/* A row that was left to its holder, and the request of it that he may complete. */
struct in_hand {
	struct receive_queue left; /* the row, in soft_self.rqs; its generation is 0, which no completion bears */
	struct receive_queue *of;  /* whose request it is; NULL: of a queue that has forgotten it */
	struct in_hand *next;	   /* of all; none leaves before the process lets go of the device */
	uint32_t holder;	   /* instance */
	uint32_t generation;	   /* what its completion bears ... */
	uint32_t position;	   /* ... and the request */
	uint32_t lost;		   /* what the row said when it was left */
	bool is_posted;		   /* there is such a request */
	bool is_shown;		   /* the program has polled its completion */
	bool is_revoked;	   /* its completion is of a queue pair that is out of action: not shown */
	bool is_over;		   /* its holder has let go of the row */
};

/* `of`, which another thread may forget meanwhile. */
static inline struct receive_queue *soft_in_hand_of(const struct in_hand *hand)
{
	return __atomic_load_n(&hand->of, __ATOMIC_RELAXED);
}

/* `of` goes on with another row. The row is shown to no peer any more. soft_self.lock and the queue's are held. */
void soft_in_hand_add(struct in_hand *hand, struct receive_queue *of);
/* Which queue does a completion of such a row count for? NULL: it is not shown. Once. */
struct receive_queue *soft_in_hand_show(const struct receive_queue *left, const struct cqe *cqe);
/* The queue has forgotten what was posted to it (the queue's lock is held), or ends (soft_self.lock is). */
void soft_in_hand_forget(const struct receive_queue *queue);
/* What peers of this queue pair bring of a shared queue is not shown any more; the requests are for others then. */
void soft_in_hand_revoke(const struct core_qp *qp);
/* Its holder has let go. soft_self.lock held. */
void soft_in_hand_end(struct in_hand *hand);
bool soft_in_hand_is_open(void);			       /* not all have */
struct in_hand *soft_in_hand_next(const struct in_hand *hand); /* NULL: the first; the oldest come first */
/* Its completions are of a queue that is cut off; of any other it is `queue` itself. */
struct receive_queue *soft_in_hand_owner(struct receive_queue *queue);
void soft_in_hand_free(void);  /* all; no thread polls any more */
void soft_in_hand_reset(void); /* in a forked child */

#endif
