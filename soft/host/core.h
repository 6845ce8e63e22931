/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internals of the core: the private halves of the objects in soft.h, the state of the process, and the functions that
 * its files share. Internal functions return 0 or a negative errno.
 *
 * Lock order: life (process.c) > list (inherited.c) > connect, table (peer.c) | a queue pair's receive queue (posting)
 * | its send queue > soft_self.lock > list (retry_queue.c) > a shared receive queue lock > a CQ's local lock > a shared
 * CQ lock. A queue's lock is never taken with soft_self.lock held.
 */
#pragma once

#include "host/clock.h"
#include "host/descriptor.h"
#include "host/layout.h"

/* For variables: read without going through the global offset table. */
#define SOFT_HIDDEN __attribute__((visibility("hidden")))

#define container_of_type(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

struct mr_backing;
struct soft_peer;
struct retry_queue;
struct core_qp;
struct soft_operation;
struct soft_rss;

/* One line on stderr: what, where, what to do. */
void soft_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct core_pd {
	struct ibv_pd base;
	uint32_t number;
	uint32_t users; /* its objects and parent domains */
	bool is_parent; /* the beginning of a parent domain (abi/parent_domain.c) */
};

struct core_mr {
	struct ibv_mr base;
	uint32_t index;
	struct mr_backing **demanded; /* of an implicit region: the ranges that peers use */
	uint32_t demanded_count;
	uint32_t *holders;	    /* for memory that is not the program's: number of regions that hold it; or NULL */
	bool is_fixed;		    /* not the program's memory: cannot be reregistered */
	struct core_mw *first_mw;   /* bound to it; under soft_self.lock */
	struct mr_backing *backing; /* NULL in null mode and for zero length */
};

struct core_mw {
	struct ibv_mw base;
	uint32_t index;
	uint32_t bindings;
	struct core_mr *mr; /* bound to, also after a peer invalidated it; under soft_self.lock, as the rest */
	struct core_mw *next_of_mr;
};

struct core_ah {
	struct ibv_ah base;
	struct ibv_ah_attr attr;
	union ibv_gid sgid;
};

struct core_channel {
	struct ibv_comp_channel base;
	uint32_t number;		     /* index and use count, never 0 */
	struct core_cq *first_cq, **last_cq; /* its queues; the one whose event was read last is last */
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
	uint64_t *sent_times; /* soft_clock_now() of each completion; NULL: not requested */
	uint32_t sent_head;
	uint32_t sent_tail;
	uint32_t sent_mask;
	uint32_t capacity; /* of either ring: cqe as created */
	uint32_t head;	   /* of the shared ring */
	uint32_t mask;
	uint32_t index;
	uint32_t users;		   /* queues */
	struct lock_holder holder; /* of the row's lock; `tail` shows its progress */
	bool is_abandoned;	   /* destroyed while a stopped process held its lock */
	uint32_t idle_polls;	   /* since the last poll that found something; threads may lose a count */
	bool receives_first;	   /* the last poll was filled by sends */
	uint32_t events_reported;
	uint32_t async_reported;
	struct core_cq *next_of_channel;
};

/* A receive queue: separate from the queue pair, so that several can share one. */
struct receive_queue {
	struct rq_row *row;
	uint32_t index; /* of the row */
	uint32_t pd;	/* number */
	uint8_t *ring;
	uint32_t mask;
	uint32_t shift;
	uint32_t generation;
	uint32_t posted;
	uint32_t done;	/* requests whose completions were polled; by any thread if the queue is shared */
	uint32_t lost;	/* how many of the row's `lost` are included in `done` */
	uint32_t depth; /* requests that fit */
	uint32_t max_sge;
	bool is_shared;
	struct lock_holder holder; /* of the row's lock; `head` shows its progress */
	struct local_lock lock;
};

struct core_xrcd {
	struct ibv_xrcd base;
	struct xrcd_name name;
	uint32_t users; /* queue pairs and shared receive queues */
};

struct core_srq {
	struct ibv_srq base;
	struct receive_queue rq;
	uint32_t index;
	uint32_t number;
	struct core_xrcd *xrcd; /* of XRC; or NULL */
	struct core_cq *cq;	/* likewise */
	uint32_t users;		/* queue pairs */
	uint32_t async_reported;
};

#define QP_RC	    (1u << 0)
#define QP_UC	    (1u << 1)
#define QP_UD	    (1u << 2)
#define QP_XRC_SEND (1u << 3)
#define QP_XRC_RECV (1u << 4)
#define QP_XRC	    (QP_XRC_SEND | QP_XRC_RECV)
#define QP_RAW	    (1u << 5) /* raw packets ... */
#define QP_RSS	    (1u << 6) /* ... distributed to work queues */
#define QP_SRD	    (1u << 7)
#define QP_DCI	    (1u << 8)
#define QP_DCT	    (1u << 9)
#define QP_DC	    (QP_DCI | QP_DCT)

struct core_qp {
	struct soft_qp soft;
	struct local_lock lock; /* of the send queue */
	struct qp_row *row;
	/* The connected peer, from RTR on (RC, UC), or soft_nobody. */
	struct soft_peer *peer;
	struct qp_row *target;
	/* Send queue. A request's slot is freed when a completion at or after it is polled. */
	uint32_t posted;
	uint32_t done;
	uint32_t depth;
	uint32_t max_sge;
	uint32_t max_inline;
	uint32_t type; /* one of QP_* */
	const struct qp_ops *ops;
	uint32_t pd; /* number */
	bool all_signalled;
	bool was_reset;	    /* since it was created */
	bool writes_inline; /* of SRD: WRITEs may have inline data, and requests are twice as long */
	bool waits;	    /* `retries` has requests: later ones queue after them */
	uint32_t rnr_timer; /* encoded, of the responder that last had no receive request */
	struct core_cq *send_cq;
	struct core_cq *receive_cq;
	struct receive_queue *rq; /* own_rq, a shared one, or NULL for XRC */
	struct receive_queue own_rq;
	struct retry_queue *retries;
	struct soft_peer **slot_peers; /* of the requests' destinations, allocated on first use */
	struct core_xrcd *xrcd;	       /* of a receiving queue pair of XRC */
	uint64_t dc_key;	       /* of a DCT */
	struct core_srq *srq;
	uint32_t flows;		 /* steering rules that target it; steering.c */
	uint32_t frames_lost_at; /* requests consumed, plus 1, when a frame was lost because none was posted; steering.c
				  */
	struct soft_rss *rss;	 /* of QP_RSS */
	uint32_t groups;	 /* multicast groups that it is attached to; under soft_self.lock */
	uint32_t index;
	uint32_t async_reported;
	/* In the list of retry_queue.c, under its lock. */
	bool is_listed;
	bool is_advancing; /* off the list while progress is attempted */
	bool is_wanted;	   /* needs another attempt after this one */
	struct core_qp *next_listed;
	struct ibv_qp_attr attr; /* as modified; the state is in row */
	uint32_t epoch;		 /* of the gate */
	struct ibv_qp_cap cap;
};

#define ACK_TIMEOUT_UNIT 4096ull /* ns, doubled `timeout` times (IBA 9.7.6.1.3) */

#define DIRECT_WRITE  (1u << 0)
#define DIRECT_READ   (1u << 1)
#define DIRECT_SEND   (1u << 2)
#define DIRECT_ATOMIC (1u << 3)

/* Operations and properties of a queue pair type; the table is in qp.c. */
struct qp_ops {
	uint32_t type; /* QP_* */
	bool is_reliable;
	uint32_t direct; /* DIRECT_*: requests that direct.h may also execute */
	uint32_t named;	 /* ACCEPTS_* of the queue pairs that its requests name; 0: they name none */
	/*
	 * Executes a request. Returns an enum ibv_wc_status or EXECUTE_WAIT_*; *byte_len is set on success. Send queue
	 * locked.
	 */
	int (*execute)(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		       uint32_t *byte_len);
	/* INIT to RTR, with the attributes stored: finds the peer. Returns the accepted initiators, as in the row. */
	uint32_t (*connect)(struct core_qp *qp);
	/* A request failed. The send queue is locked. */
	void (*send_error)(struct core_qp *qp);
};

/* Requirements of an opcode; the table is in execute.c. */
struct soft_operation {
	uint16_t types;	       /* QP_* */
	uint8_t completion;    /* enum ibv_wc_opcode */
	uint8_t remote_access; /* of the queue pair and of the region */
	uint8_t local_access;
	uint8_t wc_flags;  /* of the receive: enum ibv_wc_flags */
	bool is_receiving; /* consumes a receive request */
	bool has_memory;   /* names remote memory */
	bool reads;	   /* data comes from the peer */
	bool is_special;   /* atomic, or about keys of this process */
	bool is_atomic;
};

/* This process, as attached to the host. */
struct soft_self {
	pthread_mutex_t lock; /* protects the tables; never taken on the data path */
	bool is_null;
	char interface[16]; /* IFNAMSIZ: carries raw packets; empty: none */
	uint8_t ports;	    /* of each device; 0 means one */
	uint32_t slot;
	uint32_t instance;
	union {
		uint8_t *control;
		struct control_header *header;
	};
	int control_fd;
	struct mr_row *mrs;	  /* in private memory: our own requests are checked against these */
	struct mr_row *shown_mrs; /* in the control file */
	struct mw_row *mws, *shown_mws;
	struct qp_row *qp_rows;
	struct cq_row *cq_rows;
	struct rq_row *rq_rows;
	struct srq_row *srq_rows;
	struct mcast_row *mcast_rows;
	struct core_qp **qps; /* by index */
	struct core_cq **cqs;
	struct receive_queue **rqs;
	struct core_srq **srqs;
	struct core_channel **channels;
	uint32_t mr_next, mw_next, qp_next, cq_next, rq_next, srq_next; /* where the search for a free row starts */
};

extern struct soft_self soft_self SOFT_HIDDEN;

/* ring_alloc.c: rings in the control file, zeroed. The caller may hold any lock. */
int soft_ring_take(uint64_t bytes, uint64_t *offset);
void soft_ring_give(uint64_t offset, uint64_t bytes);
void soft_ring_reset(void); /* no block is in use */
void soft_ring_reset_in_child(void);

/* Of the kernel, or of the clock before it has any. */
uint32_t soft_random(void);

/*
 * An unused index of a table of pointers, from `first` on: round robin, so that numbers are not reused soon. *next:
 * where the search starts. soft_self.lock is held. 0 or -ENOMEM.
 */
int soft_index_find(const void *table, uint32_t first, uint32_t count, uint32_t *next, uint32_t *index);

/*
 * An array of `count` entries with room for one more: its capacity is the next power of two above the count. NULL: no
 * memory, and the array is as it was.
 */
void *soft_array_grow(void *array, size_t count, size_t size);

static inline struct core_qp *core_qp_of(struct ibv_qp *qp)
{
	return (struct core_qp *)qp;
}

static inline struct core_cq *core_cq_of(struct ibv_cq *cq)
{
	return (struct core_cq *)cq;
}

static inline uint64_t core_list_length(const struct ibv_sge *list, int count)
{
	uint64_t length = 0;

	for (int i = 0; i < count; i++)
		length += list[i].length;
	return length;
}

/* log2, rounded up. */
static inline uint32_t core_shift(uint64_t value)
{
	uint32_t shift = 0;

	while (1ull << shift < value)
		shift++;
	return shift;
}

/* Bytes. */
static inline uint32_t core_mtu(enum ibv_mtu mtu)
{
	return 128u << mtu;
}

static inline uint32_t core_qp_number(const struct core_qp *qp)
{
	return qp->soft.base.qp_base.qp_num;
}

static inline enum ibv_qp_state core_qp_state(const struct core_qp *qp)
{
	return (enum ibv_qp_state)GATE_STATE(__atomic_load_n(&qp->row->gate, __ATOMIC_ACQUIRE));
}
