/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface between the two halves of the software device. The ABI side (abi/: device.c, export.c, ...) provides
 * the symbols and versions, answers queries of fixed attributes, and forwards to the real libibverbs; the core, which
 * this header declares, moves the data. Nothing outside soft/ includes this file, and soft/ includes nothing of src/.
 *
 * The initiator executes. A work request is executed entirely inside post_send(), by the posting thread: it reads the
 * target's tables, checks keys, bounds, access rights and states, copies directly to or from the target's registered
 * memory, consumes the target's receive request, and stores the completions. While both sides poll, no system call and
 * no helper thread is involved.
 *
 * Each process owns two memory files (memfd):
 *  - the data file, sparse, 2^47 bytes, whose offset IS the virtual address. Registering memory moves its pages into
 *    that file in place (mr_backing.c), so a page in several registrations moves once, and a peer maps offset =
 * address. Memory that cannot move (hugetlb, SysV and file mappings, which are shared already) is offered through its
 * own descriptor or SysV id.
 *  - the control file: tables of memory regions, queue pairs and completion queues, and the rings of receive requests
 *    and of completions of the receive side (layout.h). Its owner writes it; peers read it, and write only what an
 *    initiator has to.
 *
 * There is no host-wide table. A process claims a slot (0..SOFT_MAX_PROCESSES-1) by binding the UNIX socket of that
 * name in the user's runtime directory under flock; a queue pair number is (slot << 16 | index), so the number alone
 * identifies the socket to ask for the descriptors. A socket that refuses connections belonged to a dead process and is
 * removed: liveness comes from the kernel, not from process ids, and no state outlives its process.
 *
 * One service thread per process sleeps on that socket. It hands out descriptors, detects dead peers by the end of
 * their connections (then breaks the locks that they held and fails the queue pairs connected to them), and retries
 * waiting requests while the program is not polling. It is not part of the data path.
 *
 * Functions return what their ibv_ namesakes return (a pointer or NULL with errno, or 0 or a positive errno;
 * soft_post_*() likewise, with *bad_wr).
 *
 * Nearly every file of the device needs these headers of the C library, and gets them from here.
 */
#pragma once

#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/lock.h"

#define SOFT_DOMAIN_UNPROTECTED (1u << 2) /* ..._ALLOW_CC_UNPROTECTED_ALLOC, since rdma-core 65 */

#define SOFT_VENDOR_ID 0x504654 /* "PFT", without a profile; of its ECE options */

/* Limits: query_device() reports them, the core enforces them. */
#define SOFT_MAX_PROCESSES     256   /* of one user on one host, at a time */
#define SOFT_MAX_QP	       65533 /* per process, as all of the following */
#define SOFT_MAX_QP_WR	       65536 /* per queue */
#define SOFT_MAX_SGE	       32    /* per request */
#define SOFT_MAX_INLINE	       1024  /* bytes per request */
#define SOFT_MAX_CQ	       65535
#define SOFT_MAX_CQE	       (4 << 20) /* per queue; memory is touched as entries are used */
#define SOFT_MAX_MR	       131071
#define SOFT_MAX_MR_SIZE       (1ull << 46)
#define SOFT_MAX_DEMANDED      65536u	  /* ranges of an implicit region that peers use */
#define SOFT_MAX_DM_SIZE       (1u << 20) /* bytes of device memory */
#define SOFT_MAX_MW	       32767
#define SOFT_MAX_SRQ	       65535
#define SOFT_MAX_SRQ_WR	       65536
#define SOFT_MAX_PD	       65535
#define SOFT_MAX_AH	       65535
#define SOFT_MAX_RWQ_TABLE_LOG 12	  /* log2 of the work queues in a table */
#define SOFT_MAX_MCAST	       4096	  /* attachments of queue pairs to multicast groups */
#define SOFT_MAX_RD_ATOMIC     128	  /* per queue pair, as initiator and as responder */
#define SOFT_MAX_MSG_SIZE      (1u << 31) /* bytes, connected types; a datagram ends at the path MTU */
#define SOFT_UD_MTU	       4096	  /* bytes; IBV_MTU_4096 is the port's active and maximal MTU */
#define SOFT_ACK_DELAY	       0	  /* local_ca_ack_delay: no request is in flight when post_send() returns */
#define SOFT_PAGE_SIZE_CAP     (~0xfffull)
#define SOFT_COMP_VECTORS      1
#define SOFT_GID_COUNT	       2 /* filled entries of a GID table: 0 and 1 */
#define SOFT_PKEY	       0xffff

/* Header fields that RSS can hash. */
#define SOFT_RSS_FIELDS                                                                                                \
	(IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 | IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6 |                   \
	 IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_TCP | IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP)

/* How a call fails that returns a pointer. */
static inline void *soft_refuse(int err)
{
	errno = err;
	return NULL;
}

/* The clock of completions: CLOCK_MONOTONIC_RAW, in ns. */
uint64_t soft_clock_now(void);

struct soft_core_context; /* core: async events, process attachment */

/*
 * An open device. The interface allocates it zeroed, fills verbs.sz, verbs.context.device, .abi_compat,
 * .cmd_fd (-1), the mutex and every operation but four, then calls soft_context_init().
 */
struct soft_context {
	struct soft_core_context *core; /* owned by the core */
	unsigned int device_number;	/* 0 for soft0, set by the interface */
	bool is_inherited;		/* the core's: opened by this process's parent, before fork() */
	struct soft_context *next;	/* the core's: list of all open contexts */
	struct verbs_context verbs;	/* last: it ends in struct ibv_context */
};

static inline struct soft_context *soft_context_of(const struct ibv_context *context)
{
	return (struct soft_context *)((uintptr_t)context - offsetof(struct soft_context, verbs.context));
}

/* The public heads of objects that the core allocates. */
struct soft_cq {
	struct ibv_cq_ex base;	   /* begins as struct ibv_cq does; function pointers filled by the interface */
	struct ibv_wc entry;	   /* the interface's: current entry of start_poll()/next_poll() */
	uint64_t time;		   /* soft_clock_now() of the completion polled last, if times are kept */
	struct local_lock reading; /* the interface's: held from start_poll to end_poll: one thread reads an entry */
	bool reads_alone;	   /* returned when that was taken */
};

struct soft_qp {
	struct ibv_qp_ex base; /* qp_base first; wr_* are filled by the interface if send_ops_flags requested them */
	uint32_t ece_without;  /* the interface's: ECE options that were not adopted */
	bool blocks_own_multicast; /* the interface's: IBV_QP_CREATE_BLOCK_SELF_MCAST_LB */
	bool is_built;		   /* the interface's: the requests being posted carry a struct soft_address */
	void *adapter;		   /* the interface's: its ibv_wr_*() calls, or NULL */
	void *direct;		   /* the interface's: what mlx5dv returns for it, or NULL */
};

/*
 * Destination of a request that names both a destination and remote memory (SRD, DC). It shares its storage with the
 * memory window to bind, which these queue pairs do not support: struct ibv_send_wr has no room for both.
 */
struct soft_address {
	struct ibv_ah *ah;
	uint64_t key; /* Q_Key of SRD, access key of DC */
	uint32_t number;
};

static inline void soft_address_set(struct ibv_send_wr *wr, const struct soft_address *address)
{
	_Static_assert(sizeof(wr->bind_mw) >= sizeof(*address), "it has the room of a window");

	memcpy(&wr->bind_mw, address, sizeof(*address));
}

static inline struct soft_address soft_address_of(const struct ibv_send_wr *wr)
{
	struct soft_address address;

	memcpy(&address, &wr->bind_mw, sizeof(address));
	return address;
}

/*
 * Attaches the process to the host (the first context claims a slot and starts the service thread), opens async_fd,
 * sets num_comp_vectors and ops.post_send, .post_recv, .poll_cq and .req_notify_cq (others in null mode,
 * PERFTEST_SOFT=null). Returns 0 or a positive errno, reported on stderr in one line.
 */
int soft_context_init(struct soft_context *context);
void soft_context_fini(struct soft_context *context); /* also accepts a zeroed core */

/* Verbs that are declared as in verbs.h. */
#define SOFT_VERB(name) __typeof__(ibv_##name) soft_##name;
/*
 * What is used cannot be destroyed (EBUSY): a domain, a shared receive queue and an XRC domain by their objects, a
 * region by windows bound to it, a work queue by a table, that by a queue pair, and a queue pair by a multicast group
 * or a flow. Creating writes the actual values into attr->cap and attr->attr. Raw packets have steering, work queues
 * and tables.
 *
 * Call those that post, poll and arm through context->ops: null mode and fault injection replace them.
 */
/* clang-format off */
SOFT_VERB(get_async_event) SOFT_VERB(ack_async_event) SOFT_VERB(alloc_pd) SOFT_VERB(dealloc_pd) SOFT_VERB(create_ah)
SOFT_VERB(destroy_ah) SOFT_VERB(rereg_mr) SOFT_VERB(dereg_mr) SOFT_VERB(alloc_null_mr) SOFT_VERB(advise_mr)
SOFT_VERB(alloc_mw) SOFT_VERB(dealloc_mw) SOFT_VERB(bind_mw)
SOFT_VERB(create_comp_channel) SOFT_VERB(destroy_comp_channel) SOFT_VERB(get_cq_event) SOFT_VERB(ack_cq_events)
SOFT_VERB(create_cq) SOFT_VERB(resize_cq) SOFT_VERB(destroy_cq) SOFT_VERB(poll_cq) SOFT_VERB(req_notify_cq)
SOFT_VERB(create_srq) SOFT_VERB(create_srq_ex) SOFT_VERB(modify_srq) SOFT_VERB(query_srq) SOFT_VERB(destroy_srq)
SOFT_VERB(get_srq_num) SOFT_VERB(post_srq_recv) SOFT_VERB(open_xrcd) SOFT_VERB(close_xrcd)
SOFT_VERB(create_qp) SOFT_VERB(query_qp) SOFT_VERB(modify_qp) SOFT_VERB(destroy_qp) SOFT_VERB(post_send)
SOFT_VERB(post_recv) SOFT_VERB(attach_mcast) SOFT_VERB(detach_mcast)
SOFT_VERB(create_flow) SOFT_VERB(destroy_flow) SOFT_VERB(create_wq) SOFT_VERB(modify_wq) SOFT_VERB(destroy_wq)
SOFT_VERB(create_rwq_ind_table) SOFT_VERB(destroy_rwq_ind_table)

/* iova is the address of the first byte in work requests: addr itself for plain ibv_reg_mr(). */
struct ibv_mr *soft_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access);
/* clang-format on */
/*
 * Registers memory that is not the program's: it cannot be reregistered, and *holders counts it until it is
 * deregistered.
 */
struct ibv_mr *soft_reg_counted_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access,
				   uint32_t *holders);
/* Completions carry a timestamp from now on. 0 or ENOMEM. */
int soft_cq_keep_times(struct ibv_cq *cq);

struct ibv_qp *soft_create_xrc_recv_qp(struct ibv_context *context, struct ibv_xrcd *xrcd,
				       struct ibv_qp_init_attr *attr);
/* Queue pairs created by provider libraries: EFA's SRD, and both halves of DC. key: of a DCT. */
enum soft_direct { SOFT_SRD, SOFT_DCI, SOFT_DCT };
struct ibv_qp *soft_create_direct_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, enum soft_direct type,
				     uint64_t key);
/* Are there ibv_wr_*() calls of it? Also true of those that there are none of: they are refused as such. */
bool soft_qp_type_has_calls(enum ibv_qp_type type);
/* Of a new RC queue pair: the last packet of a WRITE or READ is placed first from now on. */
void soft_qp_give_up_order(struct ibv_qp *qp);
/* Has no queues of its own: its frames go to the work queues of an indirection table. */
struct ibv_qp *soft_create_rss_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, struct ibv_rwq_ind_table *table,
				  const struct ibv_rx_hash_conf *hash);
bool soft_is_multicast(const union ibv_gid *gid);

/*
 * The core also defines pthread_create(), exported without a version: it records that the process has more than one
 * thread, then calls the C library's. Until then locks need no atomic instruction (lock.h).
 */
