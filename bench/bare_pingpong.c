// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latency of a word to another process by verbs: pingpong.c's work with inline RDMA WRITEs, and nothing else. Unlike
 * ib_write_lat, whose samples end there, it does not read the clock between an answer and the next message. bench/run
 * compares the software device itself with the ping-pong. Forks the other side; preload the device. Prints half round
 * trips in nanoseconds.
 */
#include <config.h>

#include <infiniband/verbs.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bare.h"

#define BLOCKS	     200
#define ROUND_TRIPS  1000 /* per block */
#define LIMIT_S	     60	  /* in total; otherwise it would wait forever for a dead partner */
#define PAGE	     4096U
#define SIGNAL_EVERY 32U

/* What each end must know of the other. */
struct place {
	uint32_t qpn, rkey;
	uint64_t addr;
};

struct end {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	volatile uint64_t *arrives;
	uint64_t leaves;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
};

/* fd: to the other side. The device stays open. */
static void bare_open(struct end *end, int fd)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	struct ibv_context *context = devices && devices[0] ? ibv_open_device(devices[0]) : NULL;
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .cap = {2 * SIGNAL_EVERY, 1, 1, 1, sizeof(uint64_t)}};
	struct place own, other;
	union ibv_gid gid;
	struct ibv_mr *mr;
	struct ibv_pd *pd;
	void *page;

	need(context != NULL, "no device");
	need((pd = ibv_alloc_pd(context)) != NULL, "ibv_alloc_pd");
	need((end->cq = ibv_create_cq(context, 2 * SIGNAL_EVERY, NULL, NULL, 0)) != NULL, "ibv_create_cq");
	init.send_cq = init.recv_cq = end->cq;
	need((end->qp = ibv_create_qp(pd, &init)) != NULL, "ibv_create_qp");
	need(posix_memalign(&page, PAGE, PAGE) == 0, "posix_memalign");
	memset(page, 0, PAGE);
	need((mr = ibv_reg_mr(pd, page, PAGE, BARE_ACCESS)) != NULL, "ibv_reg_mr");
	need(ibv_query_gid(context, 1, 0, &gid) == 0, "ibv_query_gid");
	own = (struct place){end->qp->qp_num, mr->rkey, (uintptr_t)page};
	need(write(fd, &own, sizeof(own)) == sizeof(own) && read(fd, &other, sizeof(other)) == sizeof(other), "peer");
	bare_connect(end->qp, other.qpn, &gid);
	need(write(fd, "", 1) == 1 && read(fd, &gid, 1) == 1, "peer");
	end->arrives = page;
	end->sge = (struct ibv_sge){(uintptr_t)&end->leaves, sizeof(end->leaves), 0};
	end->wr = (struct ibv_send_wr){.sg_list = &end->sge,
				       .num_sge = 1,
				       .opcode = IBV_WR_RDMA_WRITE,
				       .wr.rdma = {.remote_addr = other.addr, .rkey = other.rkey}};
	ibv_free_device_list(devices);
}

static void bare_store(struct end *end, uint64_t value)
{
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	end->leaves = value;
	end->wr.send_flags = IBV_SEND_INLINE | (value % SIGNAL_EVERY ? 0 : IBV_SEND_SIGNALED);
	need(ibv_post_send(end->qp, &end->wr, &bad) == 0, "ibv_post_send");
	if (value % SIGNAL_EVERY)
		return;
	while (ibv_poll_cq(end->cq, 1, &wc) != 1)
		;
	need(wc.status == IBV_WC_SUCCESS, ibv_wc_status_str(wc.status));
}

static void bare_await(const struct end *end, uint64_t value)
{
	while (*end->arrives != value)
		;
}

int main(void)
{
	static double half_ns[BLOCKS];
	struct end end;
	uint64_t value = 0;
	pid_t child;
	int pair[2];

	need(spread_cpu(1) >= 0, "two CPUs");
	need(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "socketpair");
	alarm(LIMIT_S);
	need((child = fork()) >= 0, "fork");
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		spread_pin(spread_cpu(1));
		bare_open(&end, pair[1]);
		for (;;) {
			bare_await(&end, ++value);
			bare_store(&end, value);
		}
	}
	spread_pin(spread_cpu(0));
	bare_open(&end, pair[0]);
	for (int block = -1; block < BLOCKS; block++) { /* block -1 warms up */
		double begin = spread_now_ns();

		for (int i = 0; i < ROUND_TRIPS; i++) {
			bare_store(&end, ++value);
			bare_await(&end, value);
		}
		if (block >= 0)
			half_ns[block] = (spread_now_ns() - begin) / (2.0 * ROUND_TRIPS);
	}
	kill(child, SIGKILL);
	spread_print("ns", half_ns, BLOCKS);
	return 0;
}
