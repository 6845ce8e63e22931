// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What must a bandwidth loop cost? The work of `ib_write_bw` or `ib_send_bw` for small messages and nothing
 * else: queue pairs served in turn, each filled up to its depth, one completion for every -Q messages, one
 * poll of the completion queue between two rounds, messages walking over a page by cache lines. No options,
 * no peak, no time limit, one transport: as short as it can be written over plain verbs. bench/run sets the
 * programs' cost beside it, over the null device (the requests complete at once and the queue pair, which
 * is connected to itself, needs no peer).
 *
 * bench_bare_loop write|send [-s SIZE] [-n MESSAGES] [-Q CQ_MOD] [-l POST_LIST] [-t TX_DEPTH] [-q QPS]
 * -n is per queue pair and a multiple of -Q; -l a multiple of -Q, too, or 1.
 */
#include <config.h>

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "spread.h"

#define PAGE  4096U
#define LINE  64U
#define BATCH 16 /* completions asked for at once */

struct flow {
	struct ibv_qp *qp;
	struct ibv_send_wr *wr; /* post_list of them, chained */
	uint64_t base;		/* of the page that small messages walk over */
	uint32_t offset;	/* in that page */
	uint32_t room;		/* messages that may still be posted before one completes */
	uint32_t until_signal;	/* messages to the next one that is signalled */
	uint64_t left;		/* messages to post */
};

static enum ibv_wr_opcode opcode;
static uint64_t size = 8, messages = 1000000;
static uint32_t cq_mod = 100, post_list = 1, tx_depth = 128, num_qps = 1;

static struct ibv_cq *cq;
static struct flow *flows;

static void need(bool ok, const char *what)
{
	if (!ok)
		spread_die(what);
}

static void options_read(int argc, char **argv)
{
	int c;

	if (argc < 2 || (strcmp(argv[1], "write") && strcmp(argv[1], "send")))
		goto usage;
	opcode = strcmp(argv[1], "write") ? IBV_WR_SEND : IBV_WR_RDMA_WRITE;
	while ((c = getopt(argc - 1, argv + 1, "s:n:Q:l:t:q:")) != -1) {
		uint64_t value = c == '?' ? 0 : strtoull(optarg, NULL, 10);

		if (!value)
			goto usage;
		switch (c) {
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
	fprintf(stderr, "usage: bench_bare_loop write|send [-s SIZE] [-n MESSAGES] [-Q CQ_MOD] [-l POST_LIST] "
			"[-t TX_DEPTH] [-q QPS]; -n and -l are multiples of -Q\n");
	exit(2);
}

/* RESET to RTS, with itself for a peer. */
static void qp_connect(struct ibv_qp *qp, const union ibv_gid *gid)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};

	need(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "INIT");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = qp->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = {.is_global = 1, .grh = {.dgid = *gid, .hop_limit = 64}, .port_num = 1},
	};
	need(!ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
	     "RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	need(!ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				    IBV_QP_MAX_QP_RD_ATOMIC),
	     "RTS");
}

static void flow_open(struct flow *flow, uint32_t index, struct ibv_pd *pd, const union ibv_gid *gid)
{
	size_t length = size > PAGE ? size : PAGE;
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {.max_send_wr = tx_depth, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_sge *sge = calloc(post_list, sizeof(*sge));
	struct ibv_mr *mr;
	void *buffer;

	need(!posix_memalign(&buffer, PAGE, length), "posix_memalign");
	memset(buffer, 1, length);
	flow->wr = calloc(post_list, sizeof(*flow->wr));
	need(sge && flow->wr, "calloc");
	mr = ibv_reg_mr(pd, buffer, length, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	need(mr, "ibv_reg_mr");
	flow->qp = ibv_create_qp(pd, &init);
	need(flow->qp, "ibv_create_qp");
	qp_connect(flow->qp, gid);

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
			.opcode = opcode,
			.send_flags = (i + 1) % cq_mod ? 0 : IBV_SEND_SIGNALED,
			.wr.rdma = {.remote_addr = address, .rkey = mr->rkey},
		};
	}
}

/* One look at the completion queue; returns how many messages that completes. */
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

/* One message a call. */
static void loop_single(void)
{
	uint32_t step = size <= PAGE / 2 ? LINE : 0;
	uint64_t pending = messages * num_qps;
	struct ibv_send_wr *bad;

	while (pending) {
		for (struct flow *flow = flows; flow < flows + num_qps; flow++) {
			struct ibv_send_wr *wr = flow->wr;

			uint32_t n = flow->room < flow->left ? flow->room : (uint32_t)flow->left;
			uint32_t offset = flow->offset, until_signal = flow->until_signal;

			flow->room -= n;
			flow->left -= n;
			for (; n; n--) {
				wr->send_flags = 0;
				if (--until_signal == 0) {
					wr->send_flags = IBV_SEND_SIGNALED;
					until_signal = cq_mod;
				}
				wr->sg_list->addr = flow->base + offset;
				wr->wr.rdma.remote_addr = flow->base + offset;
				offset = (offset + step) % PAGE;
				need(!ibv_post_send(flow->qp, wr, &bad), "ibv_post_send");
			}
			flow->offset = offset;
			flow->until_signal = until_signal;
		}
		pending -= completions_take();
	}
}

/* post_list messages a call; signals and addresses were set once. */
static void loop_lists(void)
{
	uint64_t pending = messages * num_qps;
	struct ibv_send_wr *bad;

	while (pending) {
		for (struct flow *flow = flows; flow < flows + num_qps; flow++) {
			while (flow->room >= post_list && flow->left) {
				need(!ibv_post_send(flow->qp, flow->wr, &bad), "ibv_post_send");
				flow->room -= post_list;
				flow->left -= post_list;
			}
		}
		pending -= completions_take();
	}
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
	if (post_list > 1)
		loop_lists();
	else
		loop_single();
	ns = (spread_now_ns() - begin) / (double)(messages * num_qps);
	printf("{\"ns_per_message\": %.4f}\n", ns);
	return 0; /* what was opened ends with the process */
}
