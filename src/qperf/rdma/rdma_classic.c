// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See rdma_classic.h. Messages: wire.h. */
#include "qperf/rdma/rdma_classic.h"

#include <errno.h>

#include "loops/post.h"
#include "stats/clock.h"
#include "util/log.h"
#include "verbs/qp/cq_poll.h"

#define CLIENT_BYTE  0x55
#define SERVER_BYTE  0xaa
#define LOOK_PERIOD  4096 /* polls of the memory between two checks of the clock */
#define SIGNAL_EVERY 32	  /* messages; the queue has room for two such groups */

static int exchange_nodes(struct qperf_session *session, struct resources *resources)
{
	const struct endpoint *local = &resources->local[0];
	struct endpoint *remote = &resources->remote[0];
	struct classic_node node = {
		.vaddr = local->vaddr, .qpn = local->qpn, .psn = local->psn, .rkey = local->rkey, .rd_atomic = 1};
	int ret = control_send_frame(session->control, FRAME_ENDPOINT, &node);

	if (!ret)
		ret = control_receive_frame(session->control, FRAME_ENDPOINT, &node);
	if (ret)
		return ret;
	remote->vaddr = node.vaddr;
	remote->rkey = node.rkey;
	return 0;
}

int classic_connect(struct qperf_session *session, struct resources *resources)
{
	uint32_t port = 0;
	int ret = session->client ? session_receive_port(session, &port)
				  : session_send_port(session, resources->local[0].cm_port);

	if (!ret)
		ret = resources_connect_early(resources, 0 /* rdma_cm knows the MTU */, (uint16_t)port);
	return ret ? ret : exchange_nodes(session, resources);
}

/* --- ping-pong --- */

static int rdma_classic_reap(struct run *run, bool *signalled)
{
	struct ibv_wc wc;
	const int n = cq_poll(run->queues.send_cq, 1, &wc);

	if (n <= 0)
		return n;
	*signalled = false;
	if (wc.status == IBV_WC_SUCCESS)
		return 0;
	run->result.failure =
		(struct wc_failure){.status = wc.status, .qp_num = wc.qp_num, .vendor_err = wc.vendor_err};
	return -EIO;
}

/* Called occasionally while nothing arrives. 0, or -errno; sets stopped at the end. */
static int rdma_classic_look(struct run *run, bool *signalled)
{
	const uint64_t now = clock_cycles();

	if (now >= run->plan.end_cycles || run->hooks.idle(run) != IDLE_WAIT)
		run->result.stopped = true;
	else if (now >= run->hooks.next_tick_cycles)
		run->hooks.next_tick_cycles = run->hooks.tick(run, now);
	return rdma_classic_reap(run, signalled); /* a failed message completes */
}

static int rdma_classic_post(struct run *run, bool *signalled)
{
	struct tx_queue *tx = &run->queues.tx[0];
	struct ibv_send_wr *bad;
	int ret = 0;

	tx->wr->send_flags = run->plan.inline_data ? IBV_SEND_INLINE : 0;
	if (run->result.posted % SIGNAL_EVERY == 0) {
		while (!ret && *signalled && !run->result.stopped)
			ret = rdma_classic_look(run, signalled);
		tx->wr->send_flags |= IBV_SEND_SIGNALED;
		*signalled = true;
	}
	if (!ret)
		ret = post_refusal(ibv_post_send(tx->qp, tx->wr, &bad));
	run->result.posted += !ret;
	return ret;
}

int classic_poll_ping(struct run *run, bool client, volatile uint8_t *received)
{
	const uint8_t own = client ? CLIENT_BYTE : SERVER_BYTE, other = client ? SERVER_BYTE : CLIENT_BYTE;
	const uint64_t last = run->plan.size - 1;
	volatile uint8_t *sent = (volatile uint8_t *)(uintptr_t)run->queues.tx[0].sge[0].addr;
	uint64_t before = clock_cycles(), now;
	bool sends = client, signalled = false;
	int ret = 0;

	run->result.begin_cycles = before;
	sent[0] = own;
	sent[last] = own;
	while (!ret && !run->result.stopped) {
		if (sends)
			ret = rdma_classic_post(run, &signalled);
		for (uint32_t n = 1; !ret && !run->result.stopped; n++) {
			if (received[0] == other && received[last] == other)
				break;
			if (n % LOOK_PERIOD == 0)
				ret = rdma_classic_look(run, &signalled);
		}
		if (ret || run->result.stopped)
			break;
		received[0] = own;
		received[last] = own;
		now = clock_cycles();
		if (sends)
			latency_record_between(run->plan.latency, before, now);
		before = now;
		sends = true;
		run->result.received++;
		run->result.completed++;
		run->result.sampled++;
		run->result.last_cycles = now;
		if (now >= run->plan.end_cycles)
			break;
	}
	run->result.finish_cycles = clock_cycles();
	return ret;
}
