/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queues that the loops post to and poll. A queue pair has a send queue, a tx_queue; receives wait in an rx_queue, that
 * of a queue pair or one that several share (SRQ). Both have their work requests, built once per message size: a loop
 * only sets the signalled flag and, for small messages, moves the addresses on. A queue_set is what one thread drives.
 */
#ifndef VERBS_QUEUE_H
#define VERBS_QUEUE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Every queue pair of a latency test has room for at least so many sends, however small -t is:
 * the loops then reap completions now and then, while they wait, and not after every message.
 */
#define TX_MIN_LATENCY_DEPTH 64

/*
 * Small messages walk over one page so that they do not all hit one cache line:
 * address = base + ((n * step) & (span - 1)). step 0 and span 1: every message at base.
 * Messages of a list (-l) have their slots in the list and stay there, but with --data_validation.
 */

/* Bytes between what two threads write to: at least a cache line, and not the one that is fetched along with it. */
#define QUEUE_APART 128

struct buffer; /* memory/memory.h */
struct credit; /* verbs/credit.h */

/* Where a request goes whose queue pair a provider has made; set() tells it to the request that is being built. */
struct wr_address {
	void (*set)(struct ibv_qp_ex *qpx, const struct wr_address *address);
	struct ibv_ah *ah;
	void *extension; /* what the provider has of the queue pair beside qpx; NULL */
	uint64_t key;
	uint32_t *stream; /* counts requests: each goes to the next stream; NULL: there are none */
	uint32_t number;
	uint32_t stream_mask;
};

/* It stands in the request in the room of a window to bind, which is built by no loop. */
static inline void wr_address_put(struct ibv_send_wr *wr, const struct wr_address *address)
{
	_Static_assert(sizeof(wr->bind_mw) >= sizeof(*address), "it has the room of a window");

	memcpy(&wr->bind_mw, address, sizeof(*address));
}

static inline void wr_address_tell(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)
{
	struct wr_address address;

	memcpy(&address, &wr->bind_mw, sizeof(address));
	address.set(qpx, &address);
}

struct tx_queue {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx; /* for ibv_wr_*; NULL with ibv_post_send() */
	void *extension;       /* what a provider has of it beside qpx; NULL */
	struct ibv_ah *ah;     /* where requests name their destination */
	uint32_t remote_qpn;   /* datagrams */
	uint32_t remote_qkey;  /* datagrams */
	uint32_t stream;       /* of the next request, where they go to streams */
	struct credit *credit; /* flow control of SENDs, of both directions; NULL: none */

	struct ibv_send_wr *wr; /* post_list of them, chained; wr_id is the index of the tx_queue in its set */
	struct ibv_sge *sge;	/* one per wr */
	uint64_t local_base;
	uint64_t remote_base; /* one-sided operations */
	uint32_t step;	      /* a power of two, or 0 */
	uint32_t span;	      /* bytes, a power of two, at least step */

	/* write latency: the byte that the peer writes last, and the one that we send last */
	volatile uint8_t *poll_byte;
	volatile uint8_t *post_byte;
	/* How they are read and written where the CPU can't do it by their address; NULL: it can. */
	uint8_t (*load)(const struct tx_queue *tx, const volatile uint8_t *byte);
	void (*store)(const struct tx_queue *tx, volatile uint8_t *byte, uint8_t value);
	const struct buffer *buffer; /* in which they are */
};

struct rx_queue {
	struct ibv_qp *qp;   /* its own receive queue, or */
	struct ibv_srq *srq; /* one that queue pairs share; NULL: it is qp's */

	struct ibv_recv_wr *wr; /* recv_post_list of them, chained; wr_id is the index of the rx_queue in its set, or of
				   one that is shared, with --data_validation, the offset from base */
	struct ibv_sge *sge;	/* one per wr */
	uint64_t base;
	uint32_t step; /* a power of two, or 0 */
	uint32_t span; /* bytes, a power of two, at least step */

	/*
	 * Receives that wait in the queue: the loops keep count, from one message size to the next.
	 * All are long enough for the largest message of the run, so that what is left over of one
	 * size (messages that were lost) serves the next.
	 */
	uint32_t posted;
	uint32_t offset; /* where the next receive goes, by step and span */
	uint32_t left;	 /* --data_validation: receives of this run that are not posted yet */
	/* The next one may be another thread's, whose cache lines are not to be taken with each message. */
	char apart[QUEUE_APART + 68];
};

_Static_assert(sizeof(struct rx_queue) == 256, "a power of two, so that a loop shifts an index");

/* One thread posts to these queues, and polls these completion queues. */
struct queue_set {
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;		       /* NULL when nothing is received */
	struct ibv_comp_channel *send_channel; /* events (-e): sleep when a poll finds nothing; NULL: spin */
	struct ibv_comp_channel *recv_channel;
	/* Dual port with two devices: the same of the second half of the queue pairs; otherwise NULL. */
	struct ibv_cq *second_send_cq;
	struct ibv_cq *second_recv_cq;
	struct ibv_comp_channel *second_send_channel;
	struct ibv_comp_channel *second_recv_channel;
	struct tx_queue *tx; /* one per queue pair */
	struct rx_queue *rx; /* one per queue pair; or one that they share */
	unsigned num_tx;
	unsigned num_rx;
	/* Where they share, or a completion is of no receive: the queue pairs of the set by number, a hash table. */
	struct queue_number {
		uint32_t qp_num;
		uint32_t tx; /* index + 1; 0: vacant */
	} * numbers;
	uint32_t numbers_mask;
};

/* Posts a chain of receives. shared: there is an srq, which a hot loop knows beforehand. 0 or a positive errno. */
static inline int rx_queue_post(const struct rx_queue *rx, const bool shared)
{
	struct ibv_recv_wr *bad;

	if (shared)
		return ibv_post_srq_recv(rx->srq, rx->wr, &bad);
	return ibv_post_recv(rx->qp, rx->wr, &bad);
}

/*
 * The queue pair, as an index into tx, to which a receive's completion belongs. Where queue pairs share receives only
 * the number in the completion says it. One that is not of the set: 0. A completion is believed no further: what it
 * says may stand in memory that a peer writes to.
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

/* Of several sets, whose tx_queues are one array in order: that of the queue pair with this index in all. */
struct queue_set *queue_set_of(struct queue_set *sets, unsigned index);

/*
 * Once the queue pairs are there: what queue_set_arrival() needs. targets: at which messages arrive, one per tx_queue;
 * NULL: at the tx_queues' own. always: also where they share no receives. 0 or -ENOMEM.
 */
int queue_set_number(struct queue_set *set, struct ibv_qp *const *targets, bool always);
void queue_set_forget(struct queue_set *set);

#endif
