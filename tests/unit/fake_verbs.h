/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A device for the tests of the loops: queue pairs and completion queues whose post and poll functions are here, so
 * that a test sees every request and decides every completion. Signalled requests complete in order; a poll returns a
 * few at a time and sometimes none. One device, fake, reset by fake_reset().
 */
#pragma once

#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "loops/run.h"
#include "stats/clock.h"
#include "traffic/traffic.h"
#include "util/stop.h"
#include "verbs/queue.h"

#define FAKE_MAX_QPS	4
#define FAKE_MAX_LIST	16
#define FAKE_MAX_READY	4096
#define FAKE_SPAN	4096
#define FAKE_SLOTS	1024 /* --data_validation: of a queue pair, FAKE_STEP apart */
#define FAKE_STEP	64
#define FAKE_LOCAL(i)	(0x100000U * ((i) + 1))
#define FAKE_REMOTE(i)	(0x10000000U + FAKE_LOCAL(i))
#define FAKE_RECEIVE(i) (0x20000000U + FAKE_LOCAL(i))

struct fake_qp {
	struct ibv_qp_ex qpx; /* its first member is the struct ibv_qp */
	uint64_t posted;
	uint64_t freed; /* requests whose slot in the queue is free again */
	uint64_t signalled;
	bool last_signalled;
	uint64_t receives; /* waiting */
	uint64_t max_receives;
	uint64_t arrivals; /* still to come */
	/* ibv_wr_*: the request being built */
	enum ibv_wr_opcode opcode;
	uint64_t remote_addr;
};

struct fake_ready {
	struct fake_qp *qp;
	uint64_t wr_id;
	uint64_t frees;
};

struct fake {
	struct ibv_context context;
	struct ibv_cq send_cq;
	struct ibv_cq recv_cq;
	struct ibv_srq srq; /* with fake_share() */
	struct ibv_comp_channel send_channel;
	struct ibv_comp_channel recv_channel;
	bool armed[2]; /* send, receive */
	unsigned unacked;
	struct fake_qp qps[FAKE_MAX_QPS];
	struct tx_queue tx[FAKE_MAX_QPS];
	struct rx_queue rx[FAKE_MAX_QPS];
	struct ibv_send_wr send_wr[FAKE_MAX_QPS][FAKE_MAX_LIST];
	struct ibv_sge send_sge[FAKE_MAX_QPS][FAKE_MAX_LIST];
	struct ibv_recv_wr recv_wr[FAKE_MAX_QPS][FAKE_MAX_LIST];
	struct ibv_sge recv_sge[FAKE_MAX_QPS][FAKE_MAX_LIST];
	struct fake_ready ready[FAKE_MAX_READY];
	size_t first_ready;
	size_t num_ready;

	bool shares;		  /* all queue pairs use the srq, */
	uint64_t shared_receives; /* in which this number is posted */
	uint64_t max_shared_receives;

	/* behaviour of the device */
	uint32_t depth;		   /* sends that a queue accepts */
	bool refuses_unsignalled;  /* as EFA does */
	bool refuses_below_zero;   /* as siw's library, which returns -errno */
	uint64_t refuse_at;	   /* the post of this number is refused; 0: none */
	uint64_t fail_at;	   /* the signalled request of this number completes with an error; 0: none */
	uint64_t silent_after;	   /* number of completions before it stops; 0: no limit */
	int arrivals_a_poll;	   /* at most; 0: no limit */
	bool whole_polls;	   /* a poll returns all completions, up to the requested number */
	uint32_t byte_len;	   /* of every arrival */
	uint64_t stray;		   /* added to the number of each completed receive */
	uint64_t stray_send;	   /* ... of each completed send */
	int poll_boasts;	   /* added to the result of a poll that finds something */
	void (*polled)(void);	   /* called after the sends were polled; independent of the above */
	uint64_t held;		   /* signalled requests that are not completed yet, the latest ones; for polled() */
	uint64_t stop_at;	   /* the user stops at this post; 0: never */
	bool empty_arrival;	   /* the next message has no bytes */
	void (*posted)(void *arg); /* a message was posted */
	void *posted_arg;

	/* what the device saw */
	uint64_t hash; /* of every request in order */
	uint64_t posts;
	uint64_t posts_since_poll;
	uint64_t most_posts_between_polls;
	uint64_t completions;
	uint64_t polls;
	uint64_t empty_posts; /* without a byte */
	uint64_t empty_inline_posts;
	/* how often something was sent from a slot, went to it, and was received in it */
	uint16_t sent_from[FAKE_MAX_QPS][FAKE_SLOTS];
	uint16_t sent_to[FAKE_MAX_QPS][FAKE_SLOTS];
	uint16_t received_in[FAKE_MAX_QPS][FAKE_SLOTS];
	bool overflowed;
	bool slept_unarmed;
	unsigned idle_calls;
};

static struct fake fake;

static inline void fake_mix(uint64_t value)
{
	fake.hash = (fake.hash ^ value) * 0x100000001b3ULL;
}

static inline void fake_announce(unsigned queue)
{
	const uint64_t one = 1;
	struct ibv_comp_channel *channel = queue ? &fake.recv_channel : &fake.send_channel;

	if (!fake.armed[queue])
		return;
	fake.armed[queue] = false;
	if (write(channel->fd, &one, sizeof(one)) != sizeof(one))
		abort();
}

static inline void fake_count_slot(uint16_t *slots, uint64_t addr, uint64_t base)
{
	if (addr >= base && addr < base + FAKE_SLOTS * FAKE_STEP)
		slots[(addr - base) / FAKE_STEP]++;
}

/* One request reaches the queue. 0 or a positive errno, as from verbs. */
static inline int fake_take(struct fake_qp *qp, uint64_t wr_id, unsigned flags, enum ibv_wr_opcode opcode,
			    uint64_t addr, uint64_t remote_addr)
{
	if (++fake.posts == fake.refuse_at)
		return fake.refuses_below_zero ? -ENOMEM : ENOMEM;
	if (fake.refuses_unsignalled && !(flags & IBV_SEND_SIGNALED))
		return EINVAL;
	if (qp->posted - qp->freed >= fake.depth) {
		fake.overflowed = true;
		return ENOMEM;
	}
	if (fake.posts == fake.stop_at)
		stop_flag = SIGINT;
	fake.posts_since_poll++;
	fake_mix((uint64_t)(qp - fake.qps));
	fake_mix(wr_id);
	fake_mix(flags & (IBV_SEND_SIGNALED | IBV_SEND_INLINE));
	fake_mix(opcode);
	fake_mix(addr);
	fake_mix(remote_addr);
	fake_count_slot(fake.sent_from[qp - fake.qps], addr, FAKE_LOCAL(qp - fake.qps));
	fake_count_slot(fake.sent_to[qp - fake.qps], remote_addr, FAKE_REMOTE(qp - fake.qps));
	qp->posted++;
	qp->last_signalled = flags & IBV_SEND_SIGNALED;
	if (qp->last_signalled) {
		qp->signalled++;
		if (fake.first_ready + fake.num_ready >= FAKE_MAX_READY) {
			memmove(fake.ready, fake.ready + fake.first_ready, fake.num_ready * sizeof(fake.ready[0]));
			fake.first_ready = 0;
		}
		fake.ready[fake.first_ready + fake.num_ready++] = (struct fake_ready){qp, wr_id, qp->posted};
		fake_announce(0);
	}
	if (fake.posted)
		fake.posted(fake.posted_arg);
	return 0;
}

static inline int fake_post_send(struct ibv_qp *ibv_qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct fake_qp *qp = (struct fake_qp *)ibv_qp;

	for (; wr; wr = wr->next) {
		const bool one_sided = traffic_opcode_is_one_sided(wr->opcode);
		int err;

		fake.empty_posts += !wr->num_sge;
		fake.empty_inline_posts += !wr->num_sge && (wr->send_flags & IBV_SEND_INLINE);
		err = fake_take(qp, wr->wr_id, wr->send_flags, wr->opcode, wr->sg_list->addr,
				one_sided ? wr->wr.rdma.remote_addr : 0);

		if (err) {
			*bad = wr;
			return err;
		}
	}
	return 0;
}

static inline int fake_post_recv(struct ibv_qp *ibv_qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct fake_qp *qp = (struct fake_qp *)ibv_qp;

	for (; wr; wr = wr->next) {
		qp->receives++;
		fake_mix(wr->sg_list->addr);
		fake_count_slot(fake.received_in[qp - fake.qps], wr->sg_list->addr, FAKE_RECEIVE(qp - fake.qps));
	}
	if (qp->receives > qp->max_receives)
		qp->max_receives = qp->receives;
	return 0;
}

static inline int fake_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	for (; wr; wr = wr->next) {
		fake.shared_receives++;
		fake_mix(wr->sg_list->addr);
		fake_count_slot(fake.received_in[0], wr->sg_list->addr, FAKE_RECEIVE(0));
	}
	if (fake.shared_receives > fake.max_shared_receives)
		fake.max_shared_receives = fake.shared_receives;
	return 0;
}

static inline int fake_fill_wc(struct ibv_wc *wc, uint64_t wr_id, const struct fake_qp *qp)
{
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = wr_id;
	wc->qp_num = qp->qpx.qp_base.qp_num;
	wc->status = IBV_WC_SUCCESS;
	return 1;
}

static inline int fake_poll_sends(int entries, struct ibv_wc *wc)
{
	int found = 0;

	while (found < entries && fake.num_ready > fake.held) {
		const struct fake_ready *ready = &fake.ready[fake.first_ready];

		if (fake.silent_after && fake.completions >= fake.silent_after)
			break;
		fake_fill_wc(&wc[found], ready->wr_id + fake.stray_send, ready->qp);
		if (++fake.completions == fake.fail_at) {
			wc[found].status = IBV_WC_RETRY_EXC_ERR;
			wc[found].vendor_err = 0x81;
		}
		ready->qp->freed = ready->frees;
		fake.first_ready++;
		fake.num_ready--;
		found++;
	}
	if (fake.polled)
		fake.polled();
	return found;
}

static inline int fake_poll_receives(int entries, struct ibv_wc *wc)
{
	int found = 0;
	bool more = true;

	if (fake.arrivals_a_poll && entries > fake.arrivals_a_poll)
		entries = fake.arrivals_a_poll;
	while (more && found < entries) {
		more = false;
		for (unsigned i = 0; i < FAKE_MAX_QPS && found < entries; i++) {
			struct fake_qp *qp = &fake.qps[i];

			uint64_t *receives = fake.shares ? &fake.shared_receives : &qp->receives;

			if (!qp->arrivals || !*receives)
				continue;
			qp->arrivals--;
			--*receives;
			found += fake_fill_wc(&wc[found], fake.shares ? 0 : i, qp);
			wc[found - 1].byte_len = fake.empty_arrival ? 0 : fake.byte_len;
			fake.empty_arrival = false;
			wc[found - 1].wr_id += fake.stray;
			if (++fake.completions == fake.fail_at)
				wc[found - 1].status = IBV_WC_LOC_LEN_ERR;
			more = true;
		}
	}
	return found;
}

/* Sometimes nothing, never twice in a row; otherwise up to a few. */
static inline int fake_poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	static const int generosity[] = {3, 1, 16, 0, 5};
	int most = generosity[fake.polls++ % 5];
	int found;

	if (fake.posts_since_poll > fake.most_posts_between_polls)
		fake.most_posts_between_polls = fake.posts_since_poll;
	fake.posts_since_poll = 0;
	if (entries > most && !fake.whole_polls)
		entries = most;
	found = cq == &fake.send_cq ? fake_poll_sends(entries, wc) : fake_poll_receives(entries, wc);
	return found ? found + fake.poll_boasts : 0;
}

/* --- ibv_wr_* --- */

static inline void fake_wr_start(struct ibv_qp_ex *qpx)
{
}

static inline int fake_wr_complete(struct ibv_qp_ex *qpx)
{
	return (int)qpx->comp_mask; /* fake_wr_end() leaves its error there */
}

static inline void fake_wr_begin(struct ibv_qp_ex *qpx, enum ibv_wr_opcode opcode, uint64_t remote_addr)
{
	struct fake_qp *qp = (struct fake_qp *)qpx;

	qp->opcode = opcode;
	qp->remote_addr = remote_addr;
}

static inline void fake_wr_send(struct ibv_qp_ex *qpx)
{
	fake_wr_begin(qpx, IBV_WR_SEND, 0);
}

static inline void fake_wr_rdma_write(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote_addr)
{
	fake_wr_begin(qpx, IBV_WR_RDMA_WRITE, remote_addr);
}

static inline void fake_wr_rdma_read(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote_addr)
{
	fake_wr_begin(qpx, IBV_WR_RDMA_READ, remote_addr);
}

static inline void fake_wr_atomic_fetch_add(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote_addr, uint64_t add)
{
	fake_wr_begin(qpx, IBV_WR_ATOMIC_FETCH_AND_ADD, remote_addr);
}

static inline void fake_wr_end(struct ibv_qp_ex *qpx, uint64_t addr, unsigned inline_flag)
{
	struct fake_qp *qp = (struct fake_qp *)qpx;

	qpx->comp_mask =
		(uint64_t)fake_take(qp, qpx->wr_id, qpx->wr_flags | inline_flag, qp->opcode, addr, qp->remote_addr);
}

static inline void fake_wr_set_sge(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t addr, uint32_t length)
{
	fake_wr_end(qpx, addr, 0);
}

static inline void fake_wr_set_sge_list(struct ibv_qp_ex *qpx, size_t num_sge, const struct ibv_sge *sges)
{
	fake.empty_posts += !num_sge;
	fake.empty_inline_posts += !num_sge && (qpx->wr_flags & IBV_SEND_INLINE);
	fake_wr_end(qpx, sges->addr, 0);
}

static inline void fake_wr_set_inline_data(struct ibv_qp_ex *qpx, void *addr, size_t length)
{
	fake_wr_end(qpx, (uintptr_t)addr, IBV_SEND_INLINE);
}

/* --- events: replace the functions of libibverbs, which the tests do not link --- */

static inline int fake_req_notify(struct ibv_cq *cq, int solicited)
{
	fake.armed[cq == &fake.recv_cq] = true;
	return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	uint64_t count;

	if (read(channel->fd, &count, sizeof(count)) != sizeof(count))
		return -1;
	*cq = channel == &fake.recv_channel ? &fake.recv_cq : &fake.send_cq;
	*context = NULL;
	fake.unacked += (unsigned)count;
	return 0;
}

/* Checks that a thread only sleeps on a queue that will wake it. */
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *signals)
{
	for (nfds_t i = 0; i < count; i++) {
		const bool armed = fake.armed[fds[i].fd == fake.recv_channel.fd];
		int ready = poll(&fds[i], 1, 0);

		if (!armed && ready != 1)
			fake.slept_unarmed = true;
	}
	return poll(fds, count, 0);
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
	if (count > fake.unacked)
		abort();
	fake.unacked -= count;
}

/* --- setup --- */

static inline enum idle_answer fake_idle_wait(struct run *run)
{
	fake.idle_calls++;
	return IDLE_WAIT;
}

static inline enum idle_answer fake_idle_drain(struct run *run)
{
	fake.idle_calls++;
	return IDLE_DRAIN;
}

static inline enum idle_answer fake_idle_abort(struct run *run)
{
	fake.idle_calls++;
	return IDLE_ABORT;
}

static inline void fake_close(void)
{
	if (fake.send_channel.fd)
		close(fake.send_channel.fd);
	if (fake.recv_channel.fd)
		close(fake.recv_channel.fd);
	memset(&fake, 0, sizeof(fake));
	stop_flag = 0;
}

/* For a group of tests. */
static inline int fake_teardown(void **state)
{
	fake_close();
	return 0;
}

static inline void fake_open_queue(unsigned i, const struct run *run)
{
	struct fake_qp *qp = &fake.qps[i];

	qp->qpx.qp_base.context = &fake.context;
	qp->qpx.qp_base.qp_num = 0x100 + i;
	qp->qpx.qp_base.qp_type = IBV_QPT_RC;
	qp->qpx.wr_start = fake_wr_start;
	qp->qpx.wr_complete = fake_wr_complete;
	qp->qpx.wr_send = fake_wr_send;
	qp->qpx.wr_rdma_write = fake_wr_rdma_write;
	qp->qpx.wr_rdma_read = fake_wr_rdma_read;
	qp->qpx.wr_atomic_fetch_add = fake_wr_atomic_fetch_add;
	qp->qpx.wr_set_sge = fake_wr_set_sge;
	qp->qpx.wr_set_sge_list = fake_wr_set_sge_list;
	qp->qpx.wr_set_inline_data = fake_wr_set_inline_data;
	fake.tx[i] = (struct tx_queue){
		.qp = &qp->qpx.qp_base,
		.wr = fake.send_wr[i],
		.sge = fake.send_sge[i],
		.local_base = FAKE_LOCAL(i),
		.remote_base = FAKE_REMOTE(i),
		.step = 64,
		.span = FAKE_SPAN,
	};
	fake.rx[i] = (struct rx_queue){
		.qp = &qp->qpx.qp_base,
		.wr = fake.recv_wr[i],
		.sge = fake.recv_sge[i],
		.base = FAKE_RECEIVE(i),
		.step = 64,
		.span = FAKE_SPAN,
	};
	for (unsigned j = 0; j < FAKE_MAX_LIST; j++) {
		fake.send_sge[i][j].addr = FAKE_LOCAL(i) + 64 * j;
		fake.send_wr[i][j] = (struct ibv_send_wr){
			.wr_id = i,
			.next = j + 1 < run->plan.post_list ? &fake.send_wr[i][j + 1] : NULL,
			.sg_list = &fake.send_sge[i][j],
			.num_sge = 1,
			.opcode = run->plan.opcode,
			.wr.rdma.remote_addr = FAKE_REMOTE(i) + 64 * j,
		};
		fake.recv_wr[i][j] = (struct ibv_recv_wr){
			.wr_id = i,
			.next = j + 1 < run->plan.recv_post_list ? &fake.recv_wr[i][j + 1] : NULL,
			.sg_list = &fake.recv_sge[i][j],
			.num_sge = 1,
		};
	}
}

/* Creates run's queues on a new device; run has their number and types. */
static inline void fake_reset(struct run *run, bool wr_api, bool events)
{
	fake_close();
	fake.context.ops.post_send = fake_post_send;
	fake.context.ops.post_recv = fake_post_recv;
	fake.context.ops.poll_cq = fake_poll_cq;
	fake.context.ops.req_notify_cq = fake_req_notify;
	fake.send_cq.context = &fake.context;
	fake.recv_cq.context = &fake.context;
	fake.depth = run->plan.tx_depth;
	for (unsigned i = 0; i < run->queues.num_tx; i++) {
		fake_open_queue(i, run);
		if (wr_api)
			fake.tx[i].qpx = &fake.qps[i].qpx;
	}
	run->queues.tx = fake.tx;
	run->queues.rx = fake.rx;
	run->queues.num_rx = run->queues.num_tx;
	run->queues.send_cq = &fake.send_cq;
	run->queues.recv_cq = &fake.recv_cq;
	if (!events)
		return;
	fake.send_channel.fd = eventfd(0, EFD_SEMAPHORE);
	fake.recv_channel.fd = eventfd(0, EFD_SEMAPHORE);
	run->queues.send_channel = &fake.send_channel;
	run->queues.recv_channel = &fake.recv_channel;
}

/* After fake_reset(): all queue pairs use one shared receive queue. */
static inline void fake_share(struct run *run)
{
	fake.context.ops.post_srq_recv = fake_post_srq_recv;
	fake.srq.context = &fake.context;
	fake.shares = true;
	fake.rx[0].srq = &fake.srq;
	run->queues.num_rx = 1;
}
