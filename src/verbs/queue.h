/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queues that the loops post to and poll. Each QP has a send queue, a tx_queue; receives are posted to an rx_queue,
 * which belongs to one QP or is shared by several (SRQ). Both have their work requests, built once per message size: a
 * loop only sets the signalled flag and, for small messages, advances the addresses. A queue_set is what one thread
 * drives.
 */
#pragma once

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Minimum send depth of a QP in a latency test, however small -t is: the loops then reap completions occasionally,
 * while they wait, and not after every message.
 */
#define TX_MIN_LATENCY_DEPTH 64

/*
 * Small messages cycle over one page so that they do not all use one cache line: address = base + ((n * step) & (span -
 * 1)). step 0 and span 1: every message is at base. Messages of a list (-l) keep the slots that they have in the list,
 * except with --data_validation.
 */

/* Distance of what two threads write: at least a cache line, and not the adjacent one, which is prefetched with it. */
#define QUEUE_APART 128

struct buffer; /* memory/memory.h */
struct credit; /* verbs/qp/credit.h */

/*
 * The destination of all requests on a QP that a provider has created, whose qp_context it is; set() adds it to the
 * request that is being built.
 */
struct wr_address {
	void (*set)(struct ibv_qp_ex *qpx, struct wr_address *address);
	struct ibv_ah *ah;
	void *extension; /* the provider's counterpart of qpx; NULL: none */
	uint64_t key;
	uint32_t number;
	uint32_t stream;  /* of the next request, modulo `streams` */
	uint32_t streams; /* a power of two; 0: no streams */
};

struct tx_queue {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx; /* for ibv_wr_*; NULL: ibv_post_send() is used */
	struct ibv_ah *ah;     /* if requests carry their destination */
	uint32_t remote_qpn;   /* datagrams */
	uint32_t remote_qkey;  /* datagrams */
	struct credit *credit; /* flow control of SENDs, for both directions; NULL: none */

	struct ibv_send_wr *wr; /* post_list of them, chained; wr_id is the index of the tx_queue in its set */
	struct ibv_sge *sge;	/* one per wr */
	uint64_t local_base;
	uint64_t remote_base; /* one-sided operations */
	uint32_t step;	      /* a power of two, or 0 */
	uint32_t span;	      /* bytes, a power of two, at least step */

	/* write latency: the byte that the peer writes last, and the last one of our message */
	volatile uint8_t *poll_byte;
	volatile uint8_t *post_byte;

	struct wr_address address; /* of a QP that a provider has created */
};

struct rx_queue {
	struct ibv_qp *qp;   /* with its own receive queue, or */
	struct ibv_srq *srq; /* shared by several QPs; NULL: qp's queue is used */

	struct ibv_recv_wr *wr; /* recv_post_list of them, chained; wr_id is the index of the rx_queue in its set, or,
				   if shared with --data_validation, the offset from base */
	struct ibv_sge *sge;	/* one per wr */
	uint64_t base;
	uint32_t step; /* a power of two, or 0 */
	uint32_t span; /* bytes, a power of two, at least step */

	/*
	 * Posted receives that are not consumed; the loops keep count, across message sizes. All have room for the
	 * largest message of the run, so that those left over from one size (after lost messages) serve the next.
	 */
	uint32_t posted;
	uint32_t offset; /* of the next receive, see step and span */
	uint32_t left;	 /* --data_validation: receives of this run that are still to be posted */
	/* The next element may be another thread's: keeps the threads' cache lines apart. */
	char apart[QUEUE_APART + 68];
};

_Static_assert(sizeof(struct rx_queue) == 256, "a power of two, so that a loop shifts an index");

/* One thread posts to these queues and polls these CQs. */
struct queue_set {
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;		       /* NULL if nothing is received */
	struct ibv_comp_channel *send_channel; /* for events (-e): sleep when a poll finds nothing; NULL: spin */
	struct ibv_comp_channel *recv_channel;
	/* Dual port with two devices: those of the second half of the QPs; otherwise NULL. */
	struct ibv_cq *second_send_cq;
	struct ibv_cq *second_recv_cq;
	struct ibv_comp_channel *second_send_channel;
	struct ibv_comp_channel *second_recv_channel;
	struct tx_queue *tx; /* one per queue pair */
	struct rx_queue *rx; /* one per QP; or a single shared one */
	unsigned num_tx;
	unsigned num_rx;
	/* A hash table of the set's QPs by number, if receives are shared or completions may have no receive. */
	struct queue_number {
		uint32_t qp_num;
		uint32_t tx; /* index + 1; 0: vacant */
	} * numbers;
	uint32_t numbers_mask;
};

/* Posts a chain of receives. shared: there is an SRQ, constant in hot loops. 0 or a positive errno. */
static inline int rx_queue_post(const struct rx_queue *rx, const bool shared)
{
	struct ibv_recv_wr *bad;

	if (shared)
		return ibv_post_srq_recv(rx->srq, rx->wr, &bad);
	return ibv_post_recv(rx->qp, rx->wr, &bad);
}

/*
 * The QP, as an index into tx, to which a receive completion belongs. If receives are shared, only the QP number in the
 * completion identifies it; 0 if that is not in the set. Nothing else in the completion is trusted: it may be in memory
 * that a peer can write.
 */
static inline unsigned queue_set_arrival(const struct queue_set *set, const struct ibv_wc *wc)
{
	if (!set->numbers)
		return wc->wr_id < set->num_rx ? (unsigned)wc->wr_id : 0;
	for (uint32_t i = wc->qp_num;; i++) {
		const struct queue_number *number = &set->numbers[i & set->numbers_mask];

		if (!number->tx)
			return 0;
		if (number->qp_num == wc->qp_num)
			return number->tx - 1;
	}
}

/* The set that contains the QP with this index; the tx_queues of all sets are one array. */
struct queue_set *queue_set_of(struct queue_set *sets, unsigned index);

/*
 * Fills the table for queue_set_arrival(), once the QPs exist. targets: the QPs that receive the messages, one per
 * tx_queue; NULL: those of the tx_queues. always: even if no receives are shared. 0 or -ENOMEM.
 */
int queue_set_number(struct queue_set *set, struct ibv_qp *const *targets, bool always);
void queue_set_forget(struct queue_set *set);

/* --- polling, with a check that the provider does not return more completions than requested --- */

/* 0 to room; -EIO: the library failed; -EPROTO: it claims more completions than there is room for. */
static inline int cq_poll(struct ibv_cq *cq, int room, struct ibv_wc *wc)
{
	const int found = ibv_poll_cq(cq, room, wc);

	if (__builtin_expect((unsigned)found > (unsigned)room, 0))
		return found < 0 ? -EIO : -EPROTO;
	return found;
}
