// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The minimum cost of a bandwidth loop: the work of `ib_write_bw` and the like for small messages and nothing else.
 * Queue pairs are served in turn, each filled up to its depth, with one completion for every -Q messages, one poll of
 * the completion queue between two rounds, and messages that advance by cache lines over a page. No options, no peak,
 * no time limit, one transport: as short as possible over plain verbs. bench/run compares the programs' cost with it,
 * on the null device (requests complete at once and the queue pair, which is connected to itself, needs no peer).
 *
 * bench_bare_loop write|send|read|atomic [-w] [-s SIZE] [-n MESSAGES] [-Q CQ_MOD] [-l POST_LIST] [-t TX_DEPTH] [-q QPS]
 * -w: with the ibv_wr_*() calls instead of ibv_post_send().
 * -n is per queue pair and a multiple of -Q; -l is also a multiple of -Q, or 1.
 */
#include <config.h>

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "bare.h"

#define PAGE  4096U
#define LINE  64U
#define BATCH 16 /* completions per poll */

struct flow {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;	/* with -w */
	struct ibv_send_wr *wr; /* post_list of them, chained */
	uint64_t base;		/* of the page over which small messages advance */
	uint32_t offset;	/* in that page */
	uint32_t room;		/* messages that may still be posted before one completes */
	uint32_t until_signal;	/* messages until the next signalled one */
	uint64_t left;		/* messages to post */
};

static const struct verb {
	const char *name;
	enum ibv_wr_opcode opcode;
	uint64_t operation; /* for ibv_create_qp_ex() */
} verbs[] = {
	{"write", IBV_WR_RDMA_WRITE, IBV_QP_EX_WITH_RDMA_WRITE},
	{"send", IBV_WR_SEND, IBV_QP_EX_WITH_SEND},
	{"read", IBV_WR_RDMA_READ, IBV_QP_EX_WITH_RDMA_READ},
	{"atomic", IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD},
};

static const struct verb *verb;
static bool by_calls; /* -w */
static uint64_t size = 8, messages = 1000000;
static uint32_t cq_mod = 100, post_list = 1, tx_depth = 128, num_qps = 1;

static struct ibv_cq *cq;
static struct flow *flows;

static void options_read(int argc, char **argv)
{
	int c;

	for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(argv[1], verbs[i].name) == 0)
			verb = &verbs[i];
	}
	if (!verb)
		goto usage;
	while ((c = getopt(argc - 1, argv + 1, "ws:n:Q:l:t:q:")) != -1) {
		uint64_t value = c == 'w' ? 1 : c == '?' ? 0 : strtoull(optarg, NULL, 10);

		if (!value)
			goto usage;
		switch (c) {
		case 'w':
			by_calls = true;
			break;
		case 's':
			size = value;
			break;
		case 'n':
			messages = value;
			break;
		case 'Q':
			cq_mod = (uint32_t)value;
			break;
		case 'l':
			post_list = (uint32_t)value;
			break;
		case 't':
			tx_depth = (uint32_t)value;
			break;
		case 'q':
			num_qps = (uint32_t)value;
			break;
		}
	}
	if (messages % cq_mod || cq_mod > tx_depth || (post_list > 1 && (post_list % cq_mod || messages % post_list)))
		goto usage;
	return;
usage:
	fprintf(stderr, "usage: bench_bare_loop write|send|read|atomic [-w] [-s SIZE] [-n MESSAGES] [-Q CQ_MOD] "
			"[-l POST_LIST] [-t TX_DEPTH] [-q QPS]; -n and -l are multiples of -Q\n");
	exit(2);
}

static void flow_open(struct flow *flow, uint32_t index, struct ibv_pd *pd, const union ibv_gid *gid)
{
	size_t length = size > PAGE ? size : PAGE;
	struct ibv_qp_init_attr_ex init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {.max_send_wr = tx_depth, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD | (by_calls ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0U),
		.pd = pd,
		.send_ops_flags = verb->operation,
	};
	struct ibv_sge *sge = calloc(post_list, sizeof(*sge));
	struct ibv_mr *mr;
	void *buffer;

	need(!posix_memalign(&buffer, PAGE, length), "posix_memalign");
	memset(buffer, 1, length);
	flow->wr = calloc(post_list, sizeof(*flow->wr));
	need(sge && flow->wr, "calloc");
	mr = ibv_reg_mr(pd, buffer, length, BARE_ACCESS);
	need(mr, "ibv_reg_mr");
	flow->qp = ibv_create_qp_ex(pd->context, &init);
	need(flow->qp, "ibv_create_qp_ex");
	flow->qpx = by_calls ? ibv_qp_to_qp_ex(flow->qp) : NULL;
	bare_connect(flow->qp, flow->qp->qp_num, gid);

	flow->base = (uintptr_t)buffer;
	flow->room = tx_depth;
	flow->until_signal = cq_mod;
	flow->left = messages;
	for (uint32_t i = 0; i < post_list; i++) {
		uint64_t address = flow->base + (size <= PAGE / 2 ? i * LINE % PAGE : 0);

		sge[i] = (struct ibv_sge){.addr = address, .length = (uint32_t)size, .lkey = mr->lkey};
		flow->wr[i] = (struct ibv_send_wr){
			.wr_id = index,
			.next = i + 1 < post_list ? &flow->wr[i + 1] : NULL,
			.sg_list = &sge[i],
			.num_sge = 1,
			.opcode = verb->opcode,
			.send_flags = (i + 1) % cq_mod ? 0 : IBV_SEND_SIGNALED,
			.wr.rdma = {.remote_addr = address, .rkey = mr->rkey},
		};
		if (verb->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
			flow->wr[i].wr.atomic.compare_add = 1;
			flow->wr[i].wr.atomic.rkey = mr->rkey;
		}
	}
}

/* Polls the completion queue once; returns how many messages that completes. */
static inline uint32_t completions_take(void)
{
	struct ibv_wc wc[BATCH];
	int n = ibv_poll_cq(cq, BATCH, wc);

	need(n >= 0, "ibv_poll_cq");
	for (int i = 0; i < n; i++) {
		if (wc[i].status != IBV_WC_SUCCESS) {
			fprintf(stderr, "bare_loop: %s\n", ibv_wc_status_str(wc[i].status));
			exit(1);
		}
		flows[wc[i].wr_id].room += cq_mod;
	}
	return (uint32_t)n * cq_mod;
}

/* The loop, instantiated below for each way to post. */
#define LOOP_SINGLE(name, first, post)                                                                                 \
	static void name(void)                                                                                         \
	{                                                                                                              \
		uint32_t step = size <= PAGE / 2 ? LINE : 0;                                                           \
		uint64_t pending = messages * num_qps;                                                                 \
                                                                                                                       \
		while (pending) {                                                                                      \
			for (struct flow *flow = flows; flow < flows + num_qps; flow++) {                              \
				struct ibv_send_wr *wr = flow->wr;                                                     \
				struct ibv_qp_ex *qpx = flow->qpx;                                                     \
				uint32_t n = flow->room < flow->left ? flow->room : (uint32_t)flow->left;              \
				uint32_t offset = flow->offset, until_signal = flow->until_signal;                     \
                                                                                                                       \
				flow->room -= n;                                                                       \
				flow->left -= n;                                                                       \
				first;                                                                                 \
				for (; n; n--) {                                                                       \
					unsigned send_flags = 0;                                                       \
                                                                                                                       \
					if (--until_signal == 0) {                                                     \
						send_flags = IBV_SEND_SIGNALED;                                        \
						until_signal = cq_mod;                                                 \
					}                                                                              \
					post;                                                                          \
					offset = (offset + step) % PAGE;                                               \
				}                                                                                      \
				flow->offset = offset;                                                                 \
				flow->until_signal = until_signal;                                                     \
			}                                                                                              \
			pending -= completions_take();                                                                 \
		}                                                                                                      \
	}

/* One message per call. */
static inline void post_one(struct flow *flow, struct ibv_send_wr *wr, unsigned send_flags, uint64_t offset)
{
	struct ibv_send_wr *bad;

	wr->send_flags = send_flags;
	wr->sg_list->addr = flow->base + offset;
	wr->wr.rdma.remote_addr = flow->base + offset;
	need(!ibv_post_send(flow->qp, wr, &bad), "ibv_post_send");
}

LOOP_SINGLE(loop_single, (void)qpx, post_one(flow, wr, send_flags, offset))

/* The same, with the ibv_wr_*() calls of one operation. */
static inline void call_begin(struct ibv_qp_ex *qpx, unsigned send_flags)
{
	qpx->wr_flags = send_flags;
	ibv_wr_start(qpx);
}

static inline void call_end(struct flow *flow, const struct ibv_send_wr *wr, uint64_t offset)
{
	ibv_wr_set_sge(flow->qpx, wr->sg_list->lkey, flow->base + offset, (uint32_t)size);
	need(!ibv_wr_complete(flow->qpx), "ibv_wr_complete");
}

#define CALLS(operation)                                                                                               \
	call_begin(qpx, send_flags);                                                                                   \
	operation;                                                                                                     \
	call_end(flow, wr, offset)

LOOP_SINGLE(calls_write, qpx->wr_id = wr->wr_id, CALLS(ibv_wr_rdma_write(qpx, wr->wr.rdma.rkey, flow->base + offset)))
LOOP_SINGLE(calls_send, qpx->wr_id = wr->wr_id, CALLS(ibv_wr_send(qpx)))
LOOP_SINGLE(calls_read, qpx->wr_id = wr->wr_id, CALLS(ibv_wr_rdma_read(qpx, wr->wr.rdma.rkey, flow->base + offset)))
LOOP_SINGLE(calls_atomic, qpx->wr_id = wr->wr_id,
	    CALLS(ibv_wr_atomic_fetch_add(qpx, wr->wr.atomic.rkey, flow->base + offset, 1)))

/* post_list messages per call; flags and addresses were set once. */
#define LOOP_LISTS(name, post)                                                                                         \
	static void name(void)                                                                                         \
	{                                                                                                              \
		uint64_t pending = messages * num_qps;                                                                 \
                                                                                                                       \
		while (pending) {                                                                                      \
			for (struct flow *flow = flows; flow < flows + num_qps; flow++) {                              \
				while (flow->room >= post_list && flow->left) {                                        \
					post;                                                                          \
					flow->room -= post_list;                                                       \
					flow->left -= post_list;                                                       \
				}                                                                                      \
			}                                                                                              \
			pending -= completions_take();                                                                 \
		}                                                                                                      \
	}

static inline void post_chain(struct flow *flow)
{
	struct ibv_send_wr *bad;

	need(!ibv_post_send(flow->qp, flow->wr, &bad), "ibv_post_send");
}

LOOP_LISTS(loop_lists, post_chain(flow))

#define CALL_LIST(operation)                                                                                           \
	struct ibv_qp_ex *qpx = flow->qpx;                                                                             \
                                                                                                                       \
	ibv_wr_start(qpx);                                                                                             \
	for (const struct ibv_send_wr *wr = flow->wr; wr; wr = wr->next) {                                             \
		qpx->wr_id = wr->wr_id;                                                                                \
		qpx->wr_flags = wr->send_flags;                                                                        \
		operation;                                                                                             \
		ibv_wr_set_sge(qpx, wr->sg_list->lkey, wr->sg_list->addr, wr->sg_list->length);                        \
	}                                                                                                              \
	need(!ibv_wr_complete(qpx), "ibv_wr_complete")

LOOP_LISTS(lists_write, CALL_LIST(ibv_wr_rdma_write(qpx, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr)))
LOOP_LISTS(lists_send, CALL_LIST(ibv_wr_send(qpx)))
LOOP_LISTS(lists_read, CALL_LIST(ibv_wr_rdma_read(qpx, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr)))
LOOP_LISTS(lists_atomic, CALL_LIST(ibv_wr_atomic_fetch_add(qpx, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
							   wr->wr.atomic.compare_add)))

static void loop(void)
{
	static void (*const singles[])(void) = {calls_write, calls_send, calls_read, calls_atomic};
	static void (*const lists[])(void) = {lists_write, lists_send, lists_read, lists_atomic};

	if (by_calls)
		(post_list > 1 ? lists : singles)[verb - verbs]();
	else if (post_list > 1)
		loop_lists();
	else
		loop_single();
}

int main(int argc, char **argv)
{
	struct ibv_device **devices;
	struct ibv_context *context;
	struct ibv_pd *pd;
	union ibv_gid gid;
	double begin, ns;

	options_read(argc, argv);
	devices = ibv_get_device_list(NULL);
	need(devices && devices[0], "ibv_get_device_list");
	context = ibv_open_device(devices[0]);
	need(context, "ibv_open_device");
	need(!ibv_query_gid(context, 1, 0, &gid), "ibv_query_gid");
	pd = ibv_alloc_pd(context);
	need(pd, "ibv_alloc_pd");
	cq = ibv_create_cq(context, (int)(tx_depth * num_qps), NULL, NULL, 0);
	need(cq, "ibv_create_cq");
	flows = calloc(num_qps, sizeof(*flows));
	need(flows, "calloc");
	for (uint32_t i = 0; i < num_qps; i++)
		flow_open(&flows[i], i, pd, &gid);
	spread_pin(spread_cpu(0));

	begin = spread_now_ns();
	loop();
	ns = (spread_now_ns() - begin) / (double)(messages * num_qps);
	printf("{\"ns_per_message\": %.4f}\n", ns);
	return 0; /* open objects are freed when the process exits */
}
