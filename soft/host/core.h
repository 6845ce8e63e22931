/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does the core of the software device know of itself? The private halves of the objects in soft.h,
 * the process, and what its files call of each other. Internal functions return 0 or a negative errno.
 *
 * Order of locks: life (process.c) > connect, table (peer.c) | a queue pair's receive queue (posting) | its
 * send queue > soft_self.lock > list (retry_queue.c) > a shared receive queue lock > a CQ's local lock > a shared
 * CQ lock. A queue's lock is never taken with soft_self.lock held.
 */
#ifndef SOFT_CORE_H
#define SOFT_CORE_H

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#include "host/layout.h"
#include "host/lock.h"
#include "soft.h"

/* On data: read without a detour through the global offset table. */
#define SOFT_HIDDEN __attribute__((visibility("hidden")))

#define container_of_type(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

struct mr_backing;
struct soft_peer;
struct retry_queue;

/* One line on stderr: what, where, what to do. */
void soft_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct core_pd {
	struct soft_pd soft;
	uint32_t number;
	uint32_t users; /* regions, queue pairs and address handles */
};

struct core_mr {
	struct soft_mr soft;
	uint32_t index;
	struct mr_backing *backing; /* NULL in null mode and for zero length */
};

struct core_ah {
	struct soft_ah soft;
	struct ibv_ah_attr attr;
	union ibv_gid sgid;
};

struct core_channel {
	struct soft_channel soft;
	uint32_t number;		     /* index and use count, never 0 */
	struct core_cq *first_cq, **last_cq; /* its queues, whose event was read last at the end */
};

#define CHANNEL_COUNT		   4096u
#define CHANNEL_INDEX(number)	   (((number)&0xffff) - 1)
#define CHANNEL_NUMBER(index, use) ((uint32_t)(use) << 16 | ((index) + 1))

/* A completion of the send side, in the memory of the process that posted. */
struct sent {
	uint64_t wr_id;
	uint32_t *done;	   /* of the queue it was posted to: set to `position` when the program polls this */
	uint32_t position; /* requests posted up to and with this one */
	uint32_t byte_len;
	uint32_t qpn;
	uint16_t status;
	uint16_t opcode;
};

struct core_cq {
	struct soft_cq soft;
	struct local_lock lock;
	struct cq_row *row;
	struct cqe *ring;
	struct sent *sent;
	uint32_t sent_head;
	uint32_t sent_tail;
	uint32_t sent_mask;
	uint32_t capacity; /* of either ring: cqe as created */
	uint32_t head;	   /* of the shared ring */
	uint32_t mask;
	uint32_t index;
	uint32_t users; /* queues */
	/* Completions of our own making, of a time when a stopped process held the lock of the shared ring. */
	struct cqe *aside;
	uint32_t aside_head;
	uint32_t aside_count;
	bool is_abandoned;   /* destroyed while a stopped process held its lock */
	uint32_t idle_polls; /* since the last that found something; threads may lose a count */
	bool receives_first; /* the last poll was full of sends */
	uint32_t events_reported;
	uint32_t async_reported;
	struct core_cq *next_of_channel;
};

/* Receive requests, apart from the queue pair so that several may share one. */
struct receive_queue {
	struct rq_block *block;
	uint8_t *ring;
	uint32_t mask;
	uint32_t shift;
	uint32_t generation;
	uint32_t posted;
	uint32_t done;	/* whose completions were polled */
	uint32_t depth; /* requests that fit */
	uint32_t max_sge;
	struct local_lock lock;
};

#define QP_RC (1u << 0)
#define QP_UC (1u << 1)
#define QP_UD (1u << 2)

struct core_qp {
	struct soft_qp soft;
	struct local_lock lock; /* of the send queue */
	struct qp_row *row;
	/* The connected peer, from RTR on (RC, UC), or soft_nobody. */
	struct soft_peer *peer;
	struct qp_row *target;
	/* Send queue. A request's place is freed when a completion at or after it is polled. */
	uint32_t posted;
	uint32_t done;
	uint32_t depth;
	uint32_t max_sge;
	uint32_t max_inline;
	uint32_t type; /* one of QP_* */
	uint32_t pd;   /* number */
	bool all_signalled;
	bool waits; /* requests stand in `retries`: later ones queue behind them */
	struct core_cq *send_cq;
	struct core_cq *receive_cq;
	struct receive_queue rq;
	struct retry_queue *retries;
	struct soft_peer **datagram_peers; /* [SOFT_MAX_PROCESSES], UD, made on first use */
	uint32_t index;
	uint32_t async_reported;
	/* In the list of retry_queue.c, under its lock. */
	bool is_listed;
	bool is_advancing; /* off the list, being looked at */
	bool is_wanted;	   /* attended to again meanwhile */
	struct core_qp *next_listed;
	struct ibv_qp_attr attr; /* as modified; the state lives in row */
	struct ibv_qp_cap cap;
};

/* Which opcode needs what: execute.c's table. */
struct soft_operation {
	uint8_t types;	       /* QP_* */
	uint8_t completion;    /* enum ibv_wc_opcode */
	uint8_t remote_access; /* of the queue pair and of the region */
	uint8_t local_access;
	bool is_receiving; /* takes a receive request */
	bool has_memory;   /* names remote memory */
	bool has_immediate;
	bool reads; /* data comes from the peer */
	bool is_atomic;
};

/* This process, as attached to the host. */
struct soft_self {
	pthread_mutex_t lock; /* tables; taken on no data path */
	bool is_null;
	uint32_t slot;
	uint32_t instance;
	uint8_t *control;
	int control_fd;
	struct mr_row *mrs;	  /* in memory of our own: what a request of ours is checked against */
	struct mr_row *shown_mrs; /* in the control file */
	struct qp_row *qp_rows;
	struct cq_row *cq_rows;
	struct core_qp **qps; /* by index */
	struct core_cq **cqs;
	struct core_channel **channels;
	uint32_t mr_next, qp_next, cq_next; /* where the search for a free row begins */
	uint32_t qp_count;
};

extern struct soft_self soft_self SOFT_HIDDEN;

/* ring_alloc.c: rings in the control file, zeroed. Any lock may be held. */
int soft_ring_take(uint64_t bytes, uint64_t *offset);
void soft_ring_give(uint64_t offset, uint64_t bytes);
void soft_ring_reset(void);

/* shared_lock.c: soft_shared_lock_wait(), declared in lock.h */

/*
 * At the head of what takes a lock, or owns a descriptor for a while, and makes system calls meanwhile: a thread that
 * is cancelled ends at its next cancellation point outside.
 */
#define SOFT_UNCANCELLED int uncancelled __attribute__((cleanup(soft_cancel_restore), unused)) = soft_cancel_forbid()

static inline int soft_cancel_forbid(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void soft_cancel_restore(const int *before)
{
	int ignored;

	pthread_setcancelstate(*before, &ignored);
}

/* threads.c */
/* A thread of the library's own, deaf to the program's signals. 0 or a positive errno. */
int soft_thread_create(pthread_t *thread, void *(*start)(void *), void *argument);

/* cq.c */
void soft_cq_report_overrun(struct core_cq *cq);
/* False: the queue can't be had now, or its process is dead. One that is full takes it, and says so to its owner. */
bool soft_cqe_push(struct soft_peer *peer, uint32_t cq_index, const struct cqe *completion, bool is_solicited);
void soft_cqe_push_own(struct core_cq *cq, const struct cqe *completion); /* always; wakes every sleeper */
void soft_cq_purge(struct core_cq *cq, struct core_qp *qp); /* of its sends; receives go by their generation */
void soft_cq_carry_over(struct core_qp *qp, uint32_t before, uint32_t taken);
uint32_t soft_cq_received(struct core_qp *qp);		    /* receives of it that have completed, polled or not */
void soft_cq_repair(struct core_cq *cq, uint32_t instance); /* frees what a dead producer held, if it did */
void soft_cq_overrun(uint32_t index);
void soft_cq_free_abandoned(void); /* with the tables */

/* channel.c */
void soft_channel_notify(struct soft_peer *peer, struct cq_row *row, bool is_solicited);
void soft_channel_add(struct core_cq *cq); /* to its channel, and from it; soft_self.lock held */
void soft_channel_remove(struct core_cq *cq);
void soft_channel_rouse(struct core_cq *cq);
void soft_channel_rouse_pending(struct core_cq *cq); /* if there is something to poll */
void soft_channel_wake(uint32_t cq_index);	     /* writes an event that an initiator counted and could not write */

/* qp.c */
extern struct soft_peer soft_nobody SOFT_HIDDEN; /* where queue pairs are connected whose peer does not exist */
void soft_qp_error(struct core_qp *qp);		 /* to ERR, both queues flushed; send queue locked */
void soft_qp_send_error(struct core_qp *qp);	 /* a request failed: ERR, or SQE where only sending stops */
void soft_qp_notice(uint32_t qpn, uint32_t kind, uint32_t event); /* what an initiator did to ours */
void soft_qp_peer_died(struct soft_peer *peer);			  /* fails what is connected to it */

/* qp_state.c: 0 or -EINVAL */
int soft_qp_state_check(uint32_t type, enum ibv_qp_state from, enum ibv_qp_state to, int mask);
int soft_qp_attr_check(struct ibv_context *context, const struct ibv_qp_attr *attr, int mask);

/* receive_queue.c */
int soft_receive_open(struct core_qp *qp, uint32_t depth, uint32_t max_sge);
void soft_receive_close(struct receive_queue *queue);
bool soft_receive_settle(struct core_qp *qp); /* whoever was in it is out; false: he does not come out */
void soft_receive_cut(struct core_qp *qp);    /* goes on without him */
void soft_receive_clear(struct core_qp *qp);  /* what is posted is forgotten */
void soft_receive_flush(struct core_qp *qp);  /* what is posted completes with WR_FLUSH_ERR */
void soft_receive_repair(struct core_qp *qp, uint32_t instance); /* frees what a dead initiator held, if it did */

/* execute.c */
#define EXECUTE_WAIT_RECEIVE	(-1) /* receiver not ready */
#define EXECUTE_WAIT_CONNECTION (-2) /* nobody answers (yet) */
#define EXECUTE_HELD		(-3) /* the send queue is drained: nothing starts */
#define EXECUTE_WAIT_LOCK	(-4) /* a queue of the target's is in the hands of a process that does not go on */
#define SOFT_OPERATION_COUNT	(IBV_WR_ATOMIC_FETCH_AND_ADD + 1)
extern const struct soft_operation soft_operations[SOFT_OPERATION_COUNT] SOFT_HIDDEN; /* by opcode */
/* An enum ibv_wc_status or EXECUTE_WAIT_*; *byte_len is set on success. */
int soft_execute(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		 uint32_t *byte_len);

/* ud.c */
int soft_execute_datagram(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
			  uint32_t *byte_len);

/* retry_queue.c: requests that cannot be carried out yet, in order. The send queue is locked. */
int soft_retry_queue_add(struct core_qp *qp, const struct ibv_send_wr *wr, uint32_t position, int reason);
void soft_retry_queue_advance(struct core_qp *qp);
void soft_retry_queue_flush(struct core_qp *qp); /* they complete with WR_FLUSH_ERR */
void soft_retry_queue_drop(struct core_qp *qp);
void soft_retry_queue_free(struct core_qp *qp);
void soft_retry_queue_attend(struct core_qp *qp); /* have progress() look at it; no matter what is locked */
/* No queue locked: */
void soft_retry_queue_forget(struct core_qp *qp);
void soft_retry_queue_progress(void); /* of every queue pair that has some */
uint64_t soft_retry_queue_progress_count(void);
void soft_retry_queue_reset(void); /* in a forked child */
void soft_retry_queue_fork_prepare(void);
void soft_retry_queue_fork_parent(void);
extern uint32_t soft_retry_queue_count SOFT_HIDDEN; /* queue pairs that want progress() */

/* null.c */
int soft_null_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc);
int soft_null_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int soft_null_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

/* async.c */
void soft_async_raise_qp(struct core_qp *qp, enum ibv_event_type type);
void soft_async_raise_cq(struct core_cq *cq, enum ibv_event_type type);
void soft_async_raise_port(struct ibv_context *context, enum ibv_event_type type);
void soft_async_forget_qp(struct core_qp *qp); /* waits until events that were read are acknowledged */
void soft_async_forget_cq(struct core_cq *cq);

static inline struct core_qp *core_qp_of(struct ibv_qp *qp)
{
	return (struct core_qp *)qp;
}

static inline struct core_cq *core_cq_of(struct ibv_cq *cq)
{
	return (struct core_cq *)cq;
}

static inline uint32_t core_qp_number(const struct core_qp *qp)
{
	return qp->soft.base.qp_base.qp_num;
}

static inline enum ibv_qp_state core_qp_state(const struct core_qp *qp)
{
	return (enum ibv_qp_state)__atomic_load_n(&qp->row->state, __ATOMIC_ACQUIRE);
}

#endif
