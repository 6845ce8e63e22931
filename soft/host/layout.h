/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layout of a process's control file, and the writer of each cache line. Peers with the same layout version map the
 * whole file; the version is compared when descriptors are handed over (wire.h), so that a process of another build is
 * refused instead of misread.
 *
 * Owner: the process whose file it is. Initiators: its peers, and itself. Each 64-byte line has one writer, because a
 * line that two CPUs write is transferred between them on every message.
 */
#pragma once

#include "soft.h"

#define LAYOUT_VERSION 17u
#define LAYOUT_LINE    64ull
#define LAYOUT_ALIGN   16ull /* of everything that an offset refers to */

/* Queue pair numbers: slot of the process, index in its table. Index 0 is not used (QP0 and QP1). */
#define QPN_INDEX_BITS	   16
#define QPN_SLOT(qpn)	   ((qpn) >> QPN_INDEX_BITS)
#define QPN_INDEX(qpn)	   ((qpn) & ((1u << QPN_INDEX_BITS) - 1))
#define QPN(slot, index)   ((slot) << QPN_INDEX_BITS | (index))
#define LAYOUT_QP_COUNT	   (1u << QPN_INDEX_BITS)
#define LAYOUT_CQ_COUNT	   (1u << 16)
#define LAYOUT_MR_COUNT	   (1u << 17)
#define LAYOUT_SRQ_COUNT   (1u << 16)
#define LAYOUT_MCAST_COUNT ((uint32_t)SOFT_MAX_MCAST)
#define LAYOUT_RQ_COUNT	   (1u << 17) /* one per queue pair, shared ones, and those left to stopped processes */

/*
 * Keys of regions: 0, a count of the row's uses (so that an old key fails), slot, index. Key 0 is invalid.
 * Reregistering under the same key consumes all of its uses at once.
 */
#define KEY_INDEX_BITS	      17
#define KEY_SLOT_BITS	      8
#define KEY_USE_BITS	      6
#define KEY_INDEX(key)	      ((key) & ((1u << KEY_INDEX_BITS) - 1))
#define MR_ID(use, key)	      ((uint64_t)(use) << 32 | (key)) /* use: registrations in this row so far */
#define MR_KEY(id)	      ((uint32_t)(id))		      /* lkey and rkey */
#define KEY_USE(use)	      ((use) & ((1u << KEY_USE_BITS) - 1))
#define KEY(use, slot, index) (KEY_USE(use) << (KEY_INDEX_BITS + KEY_SLOT_BITS) | (slot) << KEY_INDEX_BITS | (index))

/* Keys of windows: 1, index, slot, and the tag in the low eight bits, where ibv_inc_rkey() counts. */
#define LAYOUT_MW_COUNT	     (1u << MW_INDEX_BITS)
#define MW_INDEX_BITS	     15
#define MW_TAG_BITS	     8
#define MW_TAG_MASK	     ((1u << MW_TAG_BITS) - 1)
#define MW_INDEX(key)	     (((key) >> (MW_TAG_BITS + KEY_SLOT_BITS)) & (LAYOUT_MW_COUNT - 1))
#define KEY_IS_MW(key)	     ((key) >> 31)
#define MW_KEY(slot, index)  (1u << 31 | (index) << (MW_TAG_BITS + KEY_SLOT_BITS) | (slot) << MW_TAG_BITS)
#define MW_ID(bindings, key) ((uint64_t)(bindings) << 32 | (key)) /* bindings: of this row so far */

#define LAYOUT_MR_OFFSET    (1ull << 20)
#define LAYOUT_QP_OFFSET    (LAYOUT_MR_OFFSET + LAYOUT_MR_COUNT * sizeof(struct mr_row))
#define LAYOUT_CQ_OFFSET    (LAYOUT_QP_OFFSET + LAYOUT_QP_COUNT * sizeof(struct qp_row))
#define LAYOUT_MW_OFFSET    (LAYOUT_CQ_OFFSET + LAYOUT_CQ_COUNT * sizeof(struct cq_row))
#define LAYOUT_RQ_OFFSET    (LAYOUT_MW_OFFSET + LAYOUT_MW_COUNT * sizeof(struct mw_row))
#define LAYOUT_SRQ_OFFSET   (LAYOUT_RQ_OFFSET + LAYOUT_RQ_COUNT * sizeof(struct rq_row))
#define LAYOUT_MCAST_OFFSET (LAYOUT_SRQ_OFFSET + LAYOUT_SRQ_COUNT * sizeof(struct srq_row))
#define LAYOUT_HEAP_OFFSET  (LAYOUT_MCAST_OFFSET + LAYOUT_MCAST_COUNT * sizeof(struct mcast_row))
#define LAYOUT_SIZE	    (32ull << 30) /* address space only: the file is sparse; a power of two */
#define LAYOUT_DATA_SIZE    (1ull << 47)  /* of the data file: more than every user address */
#define LAYOUT_MARGIN	    4096ull	  /* mapped after it in each process, longer than any entry */

/* accepts_from: which initiators a queue pair answers, when it is not a single queue pair number. */
#define ACCEPTS_NOBODY	 0xffffffffu
#define ACCEPTS_DATAGRAM 0xfffffffeu
#define ACCEPTS_FRAMES	 0xfffffffdu /* of its own process only: raw packets */
#define ACCEPTS_SRD	 0xfffffffcu
#define ACCEPTS_DC	 0xfffffffbu

enum mr_kind {
	MR_SHARED_IN_PLACE, /* in the data file, offset = addr */
	MR_FILE_BACKED,	    /* in a file or SysV segment of the program: ask its owner for it */
	MR_IMPLICIT,	    /* the whole address space, in the data file page by page: see demand.c. Its length is 0 */
	MR_NULL,	    /* no memory: see demand.c. Its length is 0 */
};

/* One registration. Written by the owner; the id is written last on registration and first on deregistration. */
struct mr_row {
	uint64_t id;   /* MR_ID(): never reused; 0: no registration */
	uint64_t iova; /* how requests name the first byte */
	uint64_t length;
	uint64_t addr;	 /* the owner's virtual address of the first byte */
	uint32_t access; /* enum ibv_access_flags */
	uint32_t pd;
	uint32_t kind; /* enum mr_kind */
} __attribute__((aligned(LAYOUT_LINE)));

/* The binding of a window. Written by the owner, the id last; an initiator's SEND_WITH_INV writes 0 to the id. */
struct mw_row {
	uint64_t id;   /* MW_ID(): never reused; 0: not bound */
	uint64_t iova; /* how requests name the first byte */
	uint64_t length;
	uint64_t addr;	 /* address of the first byte, as used with the region's key */
	uint32_t access; /* enum ibv_access_flags */
	uint32_t pd;
	uint32_t qpn;	 /* the only queue pair that accepts requests (type 2), 0: any in the domain (type 1) */
	uint32_t region; /* key */
} __attribute__((aligned(LAYOUT_LINE)));

/* A receive request in its ring. Written by the owner, `stamp` last: its index + 1. */
struct receive {
	uint64_t wr_id;
	uint32_t stamp;
	uint32_t sge_count;
	struct ibv_sge sge[];
};

/*
 * A receive queue, of one queue pair or shared. Written by initiators under `lock`, and by the owner under `lock` when
 * it flushes. If the owner must end its use but cannot get the lock, because the holder is stopped, it leaves the row
 * and its ring to the holder permanently.
 */
struct rq_row {
	uint32_t lock; /* instance of the process that holds it, or 0 */
	uint32_t head; /* next request to consume */
	/* Owner, once. */
	uint32_t mask;	     /* entries - 1, entries a power of two */
	uint32_t shift;	     /* log2 of the bytes from one entry to the next */
	uint32_t generation; /* also in completions: one with another generation is of a queue that no longer exists */
	uint32_t pd;	     /* protection domain of its requests' memory */
	uint64_t ring;	     /* offset in the control file */
	uint32_t is_shared;  /* an SRQ: it has a limit */
	/*
	 * Written by the initiator that holds the lock: index of the completion queue that it stores to, see
	 * soft_receive_repair().
	 */
	uint32_t cq;
	uint32_t lost;	 /* likewise: requests consumed so far whose completions found that queue full */
	uint64_t losing; /* likewise: RQ_LOSING(), new head and lost, before the two change; 0: nothing is being lost */
	/*
	 * Set by the owner while there is a limit; an initiator that finds fewer requests clears it and sends a notice.
	 */
	uint32_t limit __attribute__((aligned(LAYOUT_LINE)));
	uint32_t posted; /* at least the number of stamped entries */
} __attribute__((aligned(LAYOUT_LINE)));

#define RQ_LOSING(head, lost) ((uint64_t)(head) << 32 | (lost))

/* Identifies an XRC domain: device and inode of its file; a domain without a file has no device. All zeroes: none. */
struct xrcd_name {
	uint64_t device;
	uint64_t inode;
};

/* A shared receive queue that requests name by number, as in XRC. Written by the owner, `number` last. */
struct srq_row {
	uint32_t number; /* built like a queue pair number; 0: none, or not XRC */
	uint32_t receive_queue;
	uint32_t cq; /* index */
	uint32_t pd;
	struct xrcd_name xrcd;
} __attribute__((aligned(LAYOUT_LINE)));

/*
 * A queue pair that is attached to a multicast group. Written by the owner, `qpn` last when it is attached and first
 * when it is detached; `use` counts both, so that no sender mistakes a queue pair of one group for one of another.
 */
struct mcast_row {
	uint32_t use;
	uint32_t qpn; /* 0: none */
	union ibv_gid group;
} __attribute__((aligned(LAYOUT_LINE)));

/*
 * Everything that initiators check in a queue pair, in one word, so that it changes atomically without a lock: an
 * initiator that found an error moves it to ERR unless the owner has changed the word since.
 */
#define GATE(accepts_from, epoch, state) ((uint64_t)(accepts_from) << 32 | (uint32_t)(epoch) << 4 | (uint32_t)(state))
#define GATE_ACCEPTS(gate)		 ((uint32_t)((gate) >> 32)) /* number of the connected peer, or ACCEPTS_* */
#define GATE_EPOCH(gate)		 ((uint32_t)(gate) >> 4) /* counts RESETs, to tell one connection from the next */
#define GATE_STATE(gate)		 ((uint32_t)(gate)&15)	 /* enum ibv_qp_state */

struct qp_row {
	uint64_t gate; /* written by the owner, and by an initiator that finds an error */
	/* Written by the owner when the state changes. */
	uint32_t pd;
	uint32_t access; /* qp_access_flags */
	uint32_t qkey;
	uint32_t receive_cq;	/* index */
	uint32_t receive_queue; /* index */
	uint32_t rnr_timer;	/* min_rnr_timer, encoded */
	uint32_t max_dest_rd_atomic;
	uint32_t established; /* IBV_EVENT_COMM_EST was raised, or is not needed */
	union {
		struct xrcd_name xrcd; /* of an XRC receive queue pair */
		uint64_t dc_key;       /* of a DCT, once it accepts */
	};
} __attribute__((aligned(LAYOUT_LINE)));

/* A completion of the receive side. Written by initiators under the queue's lock, `stamp` last. */
struct cqe {
	uint64_t wr_id;
	uint32_t stamp; /* its index + 1 */
	uint32_t qpn;
	uint32_t byte_len;
	__be32 imm_data;
	uint32_t src_qp;
	uint32_t flags; /* enum ibv_wc_flags */
	uint16_t status;
	uint16_t opcode;
	uint8_t sl;
	uint32_t generation; /* of the receive queue that the request came from ... */
	uint32_t queue;	     /* ... its index ... */
	uint32_t position;   /* ... and the request in it */
	uint64_t time;	     /* soft_clock_now() when it was stored, if the row requests it */
} __attribute__((aligned(LAYOUT_LINE)));

enum cq_armed { CQ_ARMED_NOT, CQ_ARMED_SOLICITED, CQ_ARMED_ANY };

struct cq_row {
	/* Owner, once. */
	uint32_t channel; /* number of the completion channel (index and use count), 0: none */
	/* Producers, under `lock`. */
	uint32_t lock __attribute__((aligned(LAYOUT_LINE))); /* instance of the holder, or 0 */
	uint32_t tail;
	uint32_t head_seen; /* at or before head: head is read again only when the ring looks full */
	uint32_t mask;	    /* entries - 1 */
	uint32_t capacity;  /* cqe as created, at most entries */
	uint32_t overrun;
	uint32_t has_times; /* completions carry a timestamp */
	uint64_t ring;	    /* offset in the control file */
	/* Consumer. */
	uint32_t head __attribute__((aligned(LAYOUT_LINE)));
	/* Both, if there is a channel. */
	uint32_t armed __attribute__((aligned(LAYOUT_LINE))); /* enum cq_armed */
	uint32_t events;				      /* written to the channel, not yet read from it */
} __attribute__((aligned(LAYOUT_LINE)));

struct control_header {
	uint64_t magic;
	uint32_t version;
	uint32_t instance;
	uint32_t departed;   /* the process exited in order: its connections close without an error */
	uint32_t mcast_used; /* number of multicast rows ever in use */
	uint32_t handles;    /* number of address handles */
};
