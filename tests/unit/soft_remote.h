/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process that posts requests, on command, to a queue pair of the test, and reports how they completed: for tests of
 * the target's objects, whose keys are checked by the initiator.
 */
#pragma once

#include "soft_rig.h"

struct remote {
	struct rig_end near; /* the target: the test's own end */
	pid_t child;
	int fd;
};

struct remote_request {
	uint32_t opcode; /* enum ibv_wr_opcode; REMOTE_CLOSE */
	uint32_t rkey;
	uint32_t invalidate;
	uint32_t length;
	uint64_t addr;
	uint64_t operand;   /* of atomics */
	uint8_t bytes[256]; /* sent, or returned by a read */
};

struct remote_answer {
	struct ibv_wc wc;
	uint8_t bytes[256];
};

#define REMOTE_CLOSE UINT32_MAX

static inline struct remote_answer remote_post(struct rig_end *end, struct remote_request *order)
{
	struct ibv_sge sge = {(uint64_t)(uintptr_t)end->buffer, order->length, end->mr->lkey};
	struct ibv_send_wr wr = {.wr_id = 5,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .opcode = (enum ibv_wr_opcode)order->opcode,
				 .send_flags = IBV_SEND_SIGNALED};
	struct remote_answer answer = {.wc = {.status = IBV_WC_GENERAL_ERR}};
	struct ibv_send_wr *bad;

	if (order->opcode == IBV_WR_SEND_WITH_INV) {
		wr.invalidate_rkey = order->invalidate;
	} else if (order->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = order->addr;
		wr.wr.atomic.rkey = order->rkey;
		wr.wr.atomic.compare_add = order->operand;
	} else {
		wr.wr.rdma.remote_addr = order->addr;
		wr.wr.rdma.rkey = order->rkey;
	}
	memcpy(end->buffer, order->bytes, sizeof(order->bytes));
	if (ibv_post_send(end->qp, &wr, &bad) == 0)
		answer.wc = rig_poll(end->send_cq);
	memcpy(answer.bytes, end->buffer, sizeof(answer.bytes));
	return answer;
}

static inline void remote_main(int fd, struct rig_options options)
{
	struct remote_request order;
	struct remote_answer answer;
	struct rig_end end;
	uint32_t qpn;

	rig_end_open(&end, &options);
	RIG_CHECK(write(fd, &end.qp->qp_num, sizeof(qpn)) == sizeof(qpn) && read(fd, &qpn, sizeof(qpn)) == sizeof(qpn));
	rig_end_connect(&end, qpn);
	RIG_CHECK(write(fd, "", 1) == 1);
	while (read(fd, &order, sizeof(order)) == (ssize_t)sizeof(order) && order.opcode != REMOTE_CLOSE) {
		answer = remote_post(&end, &order);
		RIG_CHECK(write(fd, &answer, sizeof(answer)) == (ssize_t)sizeof(answer));
	}
	rig_end_close(&end);
	_exit(0);
}

/* Starts the child before any device is open here. */
static inline void remote_start(struct remote *remote, struct rig_options options)
{
	int pair[2];
	uint32_t qpn;
	char ready;

	RIG_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	remote->child = fork();
	RIG_CHECK(remote->child >= 0);
	if (remote->child == 0) {
		close(pair[0]);
		remote_main(pair[1], options);
	}
	close(pair[1]);
	remote->fd = pair[0];
	rig_end_open(&remote->near, &options);
	RIG_CHECK(read(remote->fd, &qpn, sizeof(qpn)) == sizeof(qpn));
	RIG_CHECK(write(remote->fd, &remote->near.qp->qp_num, sizeof(qpn)) == sizeof(qpn));
	rig_end_connect(&remote->near, qpn);
	RIG_CHECK(read(remote->fd, &ready, 1) == 1);
}

static inline struct remote_answer remote_run(struct remote *remote, struct remote_request order)
{
	struct remote_answer answer;

	RIG_CHECK(write(remote->fd, &order, sizeof(order)) == (ssize_t)sizeof(order));
	RIG_CHECK(read(remote->fd, &answer, sizeof(answer)) == (ssize_t)sizeof(answer));
	return answer;
}

/* Only its status. */
static inline enum ibv_wc_status remote_status(struct remote *remote, struct remote_request order)
{
	return remote_run(remote, order).wc.status;
}

static inline void remote_end(struct remote *remote)
{
	struct remote_request order = {.opcode = REMOTE_CLOSE};
	int status;

	RIG_CHECK(write(remote->fd, &order, sizeof(order)) == (ssize_t)sizeof(order));
	RIG_CHECK(waitpid(remote->child, &status, 0) == remote->child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(remote->fd);
	rig_end_close(&remote->near);
}
