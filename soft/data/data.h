/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of data/ offer to others. */
#pragma once

#include "host/core.h"

/* --- receive_queue.c: receive queues --- */

/* Opened and closed with soft_self.lock held; closed after soft_receive_settle(). */
int soft_receive_open(struct receive_queue *queue, uint32_t depth, uint32_t max_sge, uint32_t pd, bool is_shared);
void soft_receive_close(struct receive_queue *queue);
/* Waits until the initiator that uses the queue is done, unless it is stopped. */
void soft_receive_settle(struct receive_queue *queue);
/* Releases the lock if a dead initiator held it; waits for another thread that does until then (soft_monotonic_ms). */
void soft_receive_repair(struct receive_queue *queue, uint32_t instance, int64_t until);
/* Drops all posted requests. The queue may have another index afterwards: a stopped process has kept its row. */
void soft_receive_clear(struct receive_queue *queue);
/*
 * Completes requests posted to the queue pair's own queue with WR_FLUSH_ERR. False: a process uses that queue or the
 * completion queue, perhaps a stopped one: the caller has to try again.
 */
bool soft_receive_flush(struct core_qp *qp);
bool soft_receive_flush_locked(struct core_qp *qp); /* the queue is locked, and its own */
/*
 * For a shared queue: an event is due once fewer requests than `limit` are posted; *is_reached: already now. 0: no
 * limit. -EBUSY, also of the next: a stopped process uses the queue.
 */
int soft_receive_limit(struct receive_queue *queue, uint32_t limit, bool *is_reached);
/* -EINVAL: more than `depth` are outstanding. */
int soft_receive_resize(struct receive_queue *queue, uint32_t depth);

static inline struct receive *soft_receive_entry(const struct receive_queue *queue, uint32_t index)
{
	return (struct receive *)(queue->ring + ((uint64_t)(index & queue->mask) << queue->shift));
}

/* --- retry_queue.c: requests that cannot be executed yet, in order. The send queue is locked. --- */

int soft_retry_queue_add(struct core_qp *qp, const struct ibv_send_wr *wr, uint32_t position, int reason);
/* The position of a request that lets the next one overtake it, once; NULL: none does. */
uint32_t *soft_retry_queue_yield(struct core_qp *qp);
void soft_retry_queue_advance(struct core_qp *qp); /* waiting requests may be ready */
void soft_retry_queue_flush(struct core_qp *qp);   /* they complete with WR_FLUSH_ERR */
void soft_retry_queue_drop(struct core_qp *qp);
void soft_retry_queue_free(struct core_qp *qp);
void soft_retry_queue_attend(struct core_qp *qp); /* any polling thread then lets it advance; any lock may be held */
/* No queue is locked: */
void soft_retry_queue_forget(struct core_qp *qp);
void soft_retry_queue_progress(void); /* for every queue pair that has some */
uint64_t soft_retry_queue_progress_count(void);
void soft_retry_queue_reset(void); /* in a forked child */
extern pthread_mutex_t soft_retry_queue_lock SOFT_HIDDEN;
extern uint32_t soft_retry_queue_count SOFT_HIDDEN; /* queue pairs that may advance */

/* --- destination.c: finds the destination of a request --- */

/* The queue pair that a request goes to, and the owner of the memory and receive requests that it uses. */
struct responder {
	struct soft_peer *peer; /* of the queue pair ... */
	struct qp_row *target;
	uint32_t qpn;
	uint32_t accepts; /* the initiator that it accepts for this request, as in its gate */
	struct soft_peer
		*owner;	    /* of the memory and the receives: differs from the queue pair's process only for XRC */
	const uint32_t *pd; /* read once the gate is known, like the following */
	const uint32_t *cq;
	const uint32_t *queue;	   /* index of its receive queue; likewise its completion queue */
	const struct srq_row *srq; /* for XRC, otherwise NULL */
	uint8_t sl;
};

#define DESTINATION_SILENT (-1) /* no answer (yet) */

/* Returns an enum ibv_wc_status, or DESTINATION_SILENT. The send queue is locked, and holds a reference to the peer. */
int soft_destination_find(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
			  struct responder *responder);

/* NULL: there is no process. Referenced by the queue pair, whose send queue is locked. */
struct soft_peer *soft_slot_peer(struct core_qp *qp, uint32_t slot);
void soft_slot_peers_release(struct core_qp *qp);

/* --- post.c: what stands in for posting and polling with a profile, which refuses some requests, and in null mode
 * (null.c) --- */

__typeof__(ibv_post_send) soft_profile_post_send, soft_null_post_send;
__typeof__(ibv_post_recv) soft_profile_post_recv, soft_null_post_recv;
__typeof__(ibv_poll_cq) soft_null_poll_cq;

/* --- mcast.c: finds the members of a multicast group --- */

struct soft_peer;

#define SOFT_MCAST_QPN 0xffffffu /* all members of the group in the address handle */

/* The next process at or after `slot` that may be in a group, or SOFT_MAX_PROCESSES. */
uint32_t soft_mcast_next_process(uint32_t slot);
/* That process, referenced by the queue pair; NULL: unreachable. */
struct soft_peer *soft_mcast_process(struct core_qp *qp, uint32_t slot);
/* The next queue pair of the process in the group, from row *row on, which is advanced; 0: no more. */
uint32_t soft_mcast_next_member(const struct soft_peer *peer, const union ibv_gid *group, uint32_t *row);
void soft_mcast_forget(void); /* closes the runtime directory, which this process leaves */
void soft_mcast_reset(void);  /* in a forked child */

/* --- mw.c: memory windows --- */

/* Executes IBV_WR_BIND_MW and IBV_WR_LOCAL_INV; returns an enum ibv_wc_status. */
int soft_mw_execute(struct core_qp *qp, const struct ibv_send_wr *wr);
/* Releases windows whose last binding a peer has invalidated. True: others are still bound. soft_self.lock is held. */
bool soft_mw_bound_to(struct core_mr *mr);

/* --- disturbance.c: loses, delays and reorders requests, for tests --- */

/* The operations of a new queue pair: those given or, if the run has such faults, wrappers around them. */
const struct qp_ops *soft_disturbance_ops(const struct qp_ops *ops);
bool soft_disturbance_is_wanted(void);
