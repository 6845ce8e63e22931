// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive queues, and XRC, which names them: several queue pairs on one queue, and senders that die or stop in
 * the middle of a message. One process is both sides unless a test says otherwise.
 */
#include "config.h"

#include <fcntl.h>
#include <sys/prctl.h>

#include "soft_rig.h"

#define PAIRS  4
#define DEPTH  64
#define LENGTH 64
#define SLOW   120 /* s: a test that hangs ends with a signal */

struct pair {
	struct ibv_qp *sender, *receiver;
};

struct table {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *send_cq;
	struct ibv_cq *cqs[2]; /* of the receivers, in turn */
	struct ibv_srq *srq;
	struct pair pairs[PAIRS];
	uint8_t *buffer;
};

/* --- the harness --- */

static struct ibv_srq *srq_make(const struct table *table, uint32_t depth)
{
	struct ibv_srq_init_attr attr = {.attr = {.max_wr = depth, .max_sge = 4}};

	return ibv_create_srq(table->pd, &attr);
}

static void qp_init(struct ibv_qp *qp, bool is_datagram)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = RIG_ACCESS, .qkey = RIG_QKEY};

	assert_int_equal(ibv_modify_qp(qp, &attr,
				       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					       (is_datagram ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)),
			 0);
}

/* As programs do for every connected type: each half of XRC is given what is the other's, too. */
static void qp_connect(struct ibv_qp *qp, uint32_t number, uint8_t rnr_retry)
{
	const bool is_uc = qp->qp_type == IBV_QPT_UC;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR,
				   .path_mtu = IBV_MTU_4096,
				   .dest_qp_num = number,
				   .max_dest_rd_atomic = 1,
				   .min_rnr_timer = 1,
				   .ah_attr = {.port_num = 1, .is_global = 1}};

	assert_int_equal(ibv_modify_qp(qp, &attr,
				       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					       (is_uc ? 0 : IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)),
			 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 8, .retry_cnt = 1, .rnr_retry = rnr_retry, .max_rd_atomic = 1};
	assert_int_equal(ibv_modify_qp(qp, &attr,
				       IBV_QP_STATE | IBV_QP_SQ_PSN |
					       (is_uc ? 0
						      : IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
								IBV_QP_MAX_QP_RD_ATOMIC)),
			 0);
}

static struct ibv_qp *qp_make(const struct table *table, enum ibv_qp_type type, struct ibv_cq *receive_cq,
			      struct ibv_srq *srq)
{
	struct ibv_qp_init_attr init = {.qp_type = type,
					.send_cq = table->send_cq,
					.recv_cq = receive_cq,
					.srq = srq,
					.cap = {DEPTH, DEPTH, 4, 4, 64},
					.sq_sig_all = 1};
	struct ibv_qp *qp = ibv_create_qp(table->pd, &init);

	assert_non_null(qp);
	qp_init(qp, type == IBV_QPT_UD);
	return qp;
}

static void pair_make(const struct table *table, struct pair *pair, enum ibv_qp_type type, struct ibv_cq *cq)
{
	pair->sender = qp_make(table, type, table->send_cq, NULL);
	pair->receiver = qp_make(table, type, cq, table->srq);
	qp_connect(pair->sender, pair->receiver->qp_num, 0);
	qp_connect(pair->receiver, pair->sender->qp_num, 0);
}

static void context_open(struct table *table)
{
	*table = (struct table){.context = rig_open_device()};
	assert_non_null(table->pd = ibv_alloc_pd(table->context));
	table->buffer = mmap(NULL, RIG_BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(table->buffer != MAP_FAILED);
	assert_non_null(table->mr = ibv_reg_mr(table->pd, table->buffer, RIG_BUFFER, RIG_ACCESS));
	assert_non_null(table->send_cq = ibv_create_cq(table->context, 4 * DEPTH, NULL, NULL, 0));
	for (int i = 0; i < 2; i++)
		assert_non_null(table->cqs[i] = ibv_create_cq(table->context, 4 * DEPTH, NULL, NULL, 0));
}

static void context_close(struct table *table)
{
	assert_int_equal(ibv_destroy_cq(table->send_cq), 0);
	assert_int_equal(ibv_destroy_cq(table->cqs[0]), 0);
	assert_int_equal(ibv_destroy_cq(table->cqs[1]), 0);
	assert_int_equal(ibv_dereg_mr(table->mr), 0);
	assert_int_equal(ibv_dealloc_pd(table->pd), 0);
	assert_int_equal(ibv_close_device(table->context), 0);
	munmap(table->buffer, RIG_BUFFER);
}

static void table_open(struct table *table, enum ibv_qp_type type)
{
	context_open(table);
	assert_non_null(table->srq = srq_make(table, DEPTH));
	for (int i = 0; i < PAIRS; i++)
		pair_make(table, &table->pairs[i], type, table->cqs[i % 2]);
}

static void table_close(struct table *table)
{
	for (int i = 0; i < PAIRS; i++) {
		if (table->pairs[i].sender)
			assert_int_equal(ibv_destroy_qp(table->pairs[i].sender), 0);
		if (table->pairs[i].receiver)
			assert_int_equal(ibv_destroy_qp(table->pairs[i].receiver), 0);
	}
	assert_int_equal(ibv_destroy_srq(table->srq), 0);
	context_close(table);
}

static int receive_post(const struct table *table, struct ibv_srq *srq, uint64_t wr_id, uint32_t length)
{
	struct ibv_sge sge = {(uintptr_t)table->buffer + RIG_BUFFER / 2 + wr_id % DEPTH * 256, length, table->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1}, *bad;

	return ibv_post_srq_recv(srq, &wr, &bad);
}

static const uint8_t *received(const struct table *table, uint64_t wr_id)
{
	return table->buffer + RIG_BUFFER / 2 + wr_id % DEPTH * 256;
}

/* One byte pattern, `length` bytes; the status of its completion. */
static enum ibv_wc_status message_send(const struct table *table, struct ibv_qp *qp, uint8_t fill, uint32_t length,
				       uint32_t srqn)
{
	struct ibv_sge sge = {(uintptr_t)table->buffer, length, table->mr->lkey};
	struct ibv_send_wr wr = {.wr_id = 5, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;

	memset(table->buffer, fill, length);
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.qp_type.xrc.remote_srqn = srqn;
	assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
	return rig_poll(table->send_cq).status;
}

/* The next event of the context, acknowledged; -1: none is there. */
static int event_now(const struct table *table)
{
	struct pollfd ready = {.fd = table->context->async_fd, .events = POLLIN};
	struct ibv_async_event event;

	if (poll(&ready, 1, 0) != 1)
		return -1;
	assert_int_equal(ibv_get_async_event(table->context, &event), 0);
	ibv_ack_async_event(&event);
	return (int)event.event_type;
}

/* --- one queue, several queue pairs --- */

/* Requests are taken in order of posting whoever takes them, and complete where he says. */
static void queue_serves_all(enum ibv_qp_type type)
{
	struct table table;

	table_open(&table, type);
	for (uint64_t i = 0; i < DEPTH; i++)
		assert_int_equal(receive_post(&table, table.srq, i, LENGTH), 0);
	for (uint64_t i = 0; i < DEPTH; i++) {
		const struct pair *pair = &table.pairs[i % PAIRS];
		struct ibv_wc wc;

		assert_int_equal(message_send(&table, pair->sender, (uint8_t)(i + 1), LENGTH, 0), IBV_WC_SUCCESS);
		wc = rig_poll(table.cqs[i % PAIRS % 2]);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(wc.qp_num, pair->receiver->qp_num);
		assert_int_equal(wc.byte_len, LENGTH);
		assert_int_equal(received(&table, i)[LENGTH - 1], i + 1);
		assert_true(rig_is_empty(table.cqs[0]) && rig_is_empty(table.cqs[1]));
	}
	table_close(&table);
}

TEST(queue_serves_all_rc)
{
	queue_serves_all(IBV_QPT_RC);
}

TEST(queue_serves_all_uc)
{
	queue_serves_all(IBV_QPT_UC);
}

TEST(queue_serves_datagrams)
{
	struct ibv_ah_attr path = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = 1}};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};
	struct ibv_sge sge;
	struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;
	struct ibv_qp *qps[3];
	struct table table;
	struct ibv_ah *ah;

	context_open(&table);
	assert_non_null(table.srq = srq_make(&table, DEPTH));
	assert_int_equal(ibv_query_gid(table.context, 1, 1, &path.grh.dgid), 0);
	assert_non_null(ah = ibv_create_ah(table.pd, &path));
	for (int i = 0; i < 3; i++) {
		qps[i] = qp_make(&table, IBV_QPT_UD, table.cqs[0], i ? table.srq : NULL);
		attr.qp_state = IBV_QPS_RTR;
		assert_int_equal(ibv_modify_qp(qps[i], &attr, IBV_QP_STATE), 0);
		attr.qp_state = IBV_QPS_RTS;
		assert_int_equal(ibv_modify_qp(qps[i], &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
	}
	sge = (struct ibv_sge){(uintptr_t)table.buffer, LENGTH, table.mr->lkey};
	memset(table.buffer, 0x5a, LENGTH);
	for (uint64_t i = 0; i < 6; i++) {
		struct ibv_wc wc;

		assert_int_equal(receive_post(&table, table.srq, i, 40 + LENGTH), 0);
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = qps[1 + i % 2]->qp_num;
		wr.wr.ud.remote_qkey = RIG_QKEY;
		assert_int_equal(ibv_post_send(qps[0], &wr, &bad), 0);
		wc = rig_poll(table.cqs[0]);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(wc.qp_num, qps[1 + i % 2]->qp_num);
		assert_int_equal(wc.byte_len, 40 + LENGTH);
		assert_int_equal(received(&table, i)[40 + LENGTH - 1], 0x5a);
		rig_poll(table.send_cq);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(ibv_destroy_qp(qps[i]), 0);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	assert_int_equal(ibv_destroy_srq(table.srq), 0);
	context_close(&table);
}

/* Not ready, too small, of a key that does not hold: as with a queue of one's own. */
TEST(errors_are_the_queue_pairs)
{
	struct ibv_recv_wr wr = {.wr_id = 3, .num_sge = 1}, *bad;
	struct ibv_sge sge;
	struct table table;
	struct ibv_wc wc;

	table_open(&table, IBV_QPT_RC);
	assert_int_equal(message_send(&table, table.pairs[0].sender, 1, LENGTH, 0), IBV_WC_RNR_RETRY_EXC_ERR);
	assert_int_equal(receive_post(&table, table.srq, 1, LENGTH / 2), 0);
	assert_int_equal(message_send(&table, table.pairs[1].sender, 1, LENGTH, 0), IBV_WC_REM_INV_REQ_ERR);
	wc = rig_poll(table.cqs[1]);
	assert_int_equal(wc.status, IBV_WC_LOC_LEN_ERR);
	assert_int_equal(wc.qp_num, table.pairs[1].receiver->qp_num);
	assert_int_equal(event_now(&table), IBV_EVENT_QP_LAST_WQE_REACHED);
	sge = (struct ibv_sge){(uintptr_t)table.buffer, LENGTH, table.mr->lkey + 1};
	wr.sg_list = &sge;
	assert_int_equal(ibv_post_srq_recv(table.srq, &wr, &bad), 0);
	assert_int_equal(message_send(&table, table.pairs[2].sender, 1, LENGTH, 0), IBV_WC_REM_OP_ERR);
	assert_int_equal(rig_poll(table.cqs[0]).status, IBV_WC_LOC_PROT_ERR);
	/* The queue itself is as it was. */
	assert_int_equal(receive_post(&table, table.srq, 7, LENGTH), 0);
	assert_int_equal(message_send(&table, table.pairs[3].sender, 1, LENGTH, 0), IBV_WC_SUCCESS);
	assert_int_equal(rig_poll(table.cqs[1]).wr_id, 7);
	table_close(&table);
}

/* A queue pair in ERR says that it takes no more; what is posted stays for the others. */
TEST(last_request_is_reported)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
	struct table table;

	table_open(&table, IBV_QPT_RC);
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(receive_post(&table, table.srq, i, LENGTH), 0);
	assert_int_equal(event_now(&table), -1);
	assert_int_equal(ibv_modify_qp(table.pairs[0].receiver, &attr, IBV_QP_STATE), 0);
	assert_int_equal(event_now(&table), IBV_EVENT_QP_LAST_WQE_REACHED);
	assert_int_equal(ibv_modify_qp(table.pairs[0].receiver, &attr, IBV_QP_STATE), 0);
	assert_int_equal(event_now(&table), -1);
	assert_true(rig_is_empty(table.cqs[0]));
	assert_int_equal(message_send(&table, table.pairs[1].sender, 9, LENGTH, 0), IBV_WC_SUCCESS);
	assert_int_equal(rig_poll(table.cqs[1]).wr_id, 0);
	table_close(&table);
}

TEST(limit_is_reported_once)
{
	struct ibv_srq_attr attr = {.srq_limit = 3};
	struct table table;

	table_open(&table, IBV_QPT_RC);
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(receive_post(&table, table.srq, i, LENGTH), 0);
	assert_int_equal(ibv_modify_srq(table.srq, &attr, IBV_SRQ_LIMIT), 0);
	assert_int_equal(ibv_query_srq(table.srq, &attr), 0);
	assert_int_equal(attr.srq_limit, 3);
	assert_int_equal(attr.max_wr, DEPTH);
	assert_int_equal(receive_post(&table, table.srq, 4, LENGTH), 0);
	message_send(&table, table.pairs[0].sender, 1, LENGTH, 0);
	message_send(&table, table.pairs[1].sender, 1, LENGTH, 0);
	assert_int_equal(event_now(&table), -1); /* three are left */
	message_send(&table, table.pairs[2].sender, 1, LENGTH, 0);
	assert_int_equal(event_now(&table), IBV_EVENT_SRQ_LIMIT_REACHED);
	assert_int_equal(ibv_query_srq(table.srq, &attr), 0);
	assert_int_equal(attr.srq_limit, 0);
	message_send(&table, table.pairs[3].sender, 1, LENGTH, 0);
	assert_int_equal(event_now(&table), -1);
	/* Armed for more than there are: at once. */
	attr.srq_limit = 2;
	assert_int_equal(ibv_modify_srq(table.srq, &attr, IBV_SRQ_LIMIT), 0);
	assert_int_equal(event_now(&table), IBV_EVENT_SRQ_LIMIT_REACHED);
	attr.srq_limit = DEPTH + 1;
	assert_int_equal(ibv_modify_srq(table.srq, &attr, IBV_SRQ_LIMIT), EINVAL);
	table_close(&table);
}

/* What was taken makes room once it is polled, or once the queue pair that took it is no more. */
TEST(room_comes_back)
{
	struct table table;
	uint64_t next = 0;

	table_open(&table, IBV_QPT_RC);
	while (next < DEPTH)
		assert_int_equal(receive_post(&table, table.srq, next++, LENGTH), 0);
	assert_int_equal(receive_post(&table, table.srq, next, LENGTH), ENOMEM);
	for (int i = 0; i < 3; i++)
		assert_int_equal(message_send(&table, table.pairs[0].sender, 1, LENGTH, 0), IBV_WC_SUCCESS);
	assert_int_equal(message_send(&table, table.pairs[2].sender, 1, LENGTH, 0), IBV_WC_SUCCESS);
	assert_int_equal(receive_post(&table, table.srq, next, LENGTH), ENOMEM);
	rig_poll(table.cqs[0]);
	assert_int_equal(receive_post(&table, table.srq, next++, LENGTH), 0);
	assert_int_equal(receive_post(&table, table.srq, next, LENGTH), ENOMEM);
	assert_int_equal(ibv_destroy_qp(table.pairs[0].receiver), 0);
	table.pairs[0].receiver = NULL;
	for (int i = 0; i < 2; i++)
		assert_int_equal(receive_post(&table, table.srq, next++, LENGTH), 0);
	assert_int_equal(receive_post(&table, table.srq, next, LENGTH), ENOMEM);
	assert_int_equal(rig_poll(table.cqs[0]).qp_num, table.pairs[2].receiver->qp_num);
	assert_true(rig_is_empty(table.cqs[0]));
	table_close(&table);
}

/*
 * Completions that found their queue full are never polled; their requests give their places back all the same, or the
 * queue would take nothing any more. The completion queue is filled by one pair, and lost are those of the next.
 */
TEST(lost_completions_make_room)
{
	struct ibv_recv_wr wr = {.num_sge = 0}, *bad;
	struct table table;
	struct ibv_cq *full;
	struct pair own;

	table_open(&table, IBV_QPT_RC);
	assert_non_null(full = ibv_create_cq(table.context, 1, NULL, NULL, 0));
	own.sender = qp_make(&table, IBV_QPT_RC, table.send_cq, NULL);
	own.receiver = qp_make(&table, IBV_QPT_RC, full, NULL);
	qp_connect(own.sender, own.receiver->qp_num, 0);
	qp_connect(own.receiver, own.sender->qp_num, 0);
	for (int round = 0; round < 3; round++) {
		while (ibv_post_recv(own.receiver, &wr, &bad) == 0)
			wr.wr_id++;
		assert_int_equal(wr.wr_id, (round + 1) * DEPTH);
		for (int i = 0; i < DEPTH; i++)
			assert_int_equal(message_send(&table, own.sender, 1, 0, 0), IBV_WC_SUCCESS);
		if (round == 0)
			assert_int_equal(event_now(&table), IBV_EVENT_CQ_ERR);
		assert_int_equal(event_now(&table), -1);
		assert_int_equal(rig_poll(full).wr_id, round * DEPTH);
		assert_true(rig_is_empty(full));
	}
	assert_int_equal(ibv_destroy_qp(own.sender), 0);
	assert_int_equal(ibv_destroy_qp(own.receiver), 0);
	assert_int_equal(ibv_destroy_cq(full), 0);
	table_close(&table);
}

/* The same of a send queue: the first of its sends are polled later than the last were lost, or none was stored. */
TEST(lost_sends_make_room)
{
	struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE, .num_sge = 0}, *bad;
	struct table table;
	struct ibv_cq *full, *send_cq;
	struct pair pairs[2];
	struct ibv_wc wc[2];

	table_open(&table, IBV_QPT_RC);
	assert_non_null(full = ibv_create_cq(table.context, 2, NULL, NULL, 0));
	send_cq = table.send_cq;
	table.send_cq = full;
	for (int i = 0; i < 2; i++) {
		pairs[i].sender = qp_make(&table, IBV_QPT_RC, send_cq, NULL);
		pairs[i].receiver = qp_make(&table, IBV_QPT_RC, send_cq, NULL);
		qp_connect(pairs[i].sender, pairs[i].receiver->qp_num, 0);
		qp_connect(pairs[i].receiver, pairs[i].sender->qp_num, 0);
	}
	for (int i = 0; i < DEPTH; i++)
		assert_int_equal(ibv_post_send(pairs[0].sender, &wr, &bad), 0);
	assert_int_equal(ibv_post_send(pairs[0].sender, &wr, &bad), ENOMEM);
	for (int i = 0; i < 2 * DEPTH; i++)
		assert_int_equal(ibv_post_send(pairs[1].sender, &wr, &bad), 0);
	assert_int_equal(event_now(&table), IBV_EVENT_CQ_ERR);
	assert_int_equal(ibv_poll_cq(full, 2, wc), 2);
	for (int i = 0; i < DEPTH; i++)
		assert_int_equal(ibv_post_send(pairs[0].sender, &wr, &bad), 0);
	table.send_cq = send_cq;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ibv_destroy_qp(pairs[i].sender), 0);
		assert_int_equal(ibv_destroy_qp(pairs[i].receiver), 0);
	}
	assert_int_equal(ibv_destroy_cq(full), 0);
	table_close(&table);
}

TEST(queue_is_resized)
{
	struct ibv_srq_attr attr = {.max_wr = 4 * DEPTH};
	struct table table;

	table_open(&table, IBV_QPT_RC);
	for (uint64_t i = 0; i < DEPTH; i++)
		assert_int_equal(receive_post(&table, table.srq, i, LENGTH), 0);
	for (uint64_t i = 0; i < 10; i++) { /* the ring does not begin at its beginning any more */
		message_send(&table, table.pairs[0].sender, 1, LENGTH, 0);
		assert_int_equal(rig_poll(table.cqs[0]).wr_id, i);
		assert_int_equal(receive_post(&table, table.srq, DEPTH + i, LENGTH), 0);
	}
	assert_int_equal(ibv_modify_srq(table.srq, &attr, IBV_SRQ_MAX_WR), 0);
	assert_int_equal(receive_post(&table, table.srq, DEPTH + 10, LENGTH), 0);
	attr.max_wr = DEPTH;
	assert_int_equal(ibv_modify_srq(table.srq, &attr, IBV_SRQ_MAX_WR), EINVAL);
	assert_int_equal(ibv_query_srq(table.srq, &attr), 0);
	assert_int_equal(attr.max_wr, 4 * DEPTH);
	for (uint64_t i = 10; i < DEPTH + 11; i++) {
		assert_int_equal(message_send(&table, table.pairs[i % PAIRS].sender, 1, LENGTH, 0), IBV_WC_SUCCESS);
		assert_int_equal(rig_poll(table.cqs[i % PAIRS % 2]).wr_id, i);
	}
	attr.max_wr = 1;
	assert_int_equal(ibv_modify_srq(table.srq, &attr, IBV_SRQ_MAX_WR), 0);
	table_close(&table);
}

TEST(misuse_is_refused)
{
	struct ibv_srq_init_attr attr = {.attr = {.max_wr = 0, .max_sge = 1}};
	struct ibv_recv_wr wr = {.num_sge = 0}, *bad;
	struct ibv_device_attr device;
	struct table table;
	uint32_t number;

	table_open(&table, IBV_QPT_RC);
	assert_int_equal(ibv_query_device(table.context, &device), 0);
	assert_null(ibv_create_srq(table.pd, &attr));
	assert_int_equal(errno, EINVAL);
	attr.attr.max_wr = (uint32_t)device.max_srq_wr + 1;
	assert_null(ibv_create_srq(table.pd, &attr));
	attr.attr = (struct ibv_srq_attr){.max_wr = 1, .max_sge = (uint32_t)device.max_srq_sge + 1};
	assert_null(ibv_create_srq(table.pd, &attr));
	assert_int_equal(ibv_post_recv(table.pairs[0].receiver, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	wr.num_sge = 5;
	assert_int_equal(ibv_post_srq_recv(table.srq, &wr, &bad), EINVAL);
	assert_int_equal(ibv_destroy_srq(table.srq), EBUSY);
	assert_int_equal(ibv_dealloc_pd(table.pd), EBUSY);
	assert_int_not_equal(ibv_get_srq_num(table.srq, &number), 0);
	table_close(&table);
}

/* --- senders that die in the middle of a message --- */

struct hello {
	uint32_t qpn[2];
	uint32_t srqn;
	pid_t pid;
};

/* A child with a queue pair that sends without end, `length` bytes each. */
static void sender_run(int fd, uint32_t length)
{
	struct table table;
	struct hello hello = {.pid = getpid()};
	struct ibv_qp *qp;

	context_open(&table);
	qp = qp_make(&table, IBV_QPT_RC, table.send_cq, NULL);
	hello.qpn[0] = qp->qp_num;
	RIG_CHECK(write(fd, &hello, sizeof(hello)) == sizeof(hello));
	RIG_CHECK(read(fd, &hello, sizeof(hello)) == sizeof(hello));
	qp_connect(qp, hello.qpn[0], 7);
	for (;;) {
		struct ibv_sge sge = {(uintptr_t)table.buffer, length, table.mr->lkey};
		struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND}, *bad;
		struct ibv_wc wc[8];

		ibv_post_send(qp, &wr, &bad);
		ibv_poll_cq(table.send_cq, 8, wc);
	}
}

static pid_t sender_fork(int *fd, uint32_t length)
{
	int ends[2];
	pid_t child;

	RIG_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	child = fork();
	RIG_CHECK(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[0]);
		sender_run(ends[1], length);
	}
	close(ends[1]);
	*fd = ends[0];
	return child;
}

static struct ibv_qp *sender_meet(const struct table *table, int fd, struct ibv_cq *cq)
{
	struct ibv_qp *qp = qp_make(table, IBV_QPT_RC, cq, table->srq);
	struct hello hello;

	RIG_CHECK(read(fd, &hello, sizeof(hello)) == sizeof(hello));
	qp_connect(qp, hello.qpn[0], 7);
	hello.qpn[0] = qp->qp_num;
	RIG_CHECK(write(fd, &hello, sizeof(hello)) == sizeof(hello));
	close(fd);
	return qp;
}

/* Polls both queues, counts what each request completed with, posts it anew. Returns how many there were. */
static int receives_turn(const struct table *table, uint64_t *expected, uint32_t length, bool reposts)
{
	int count = 0;

	for (int i = 0; i < 2; i++) {
		struct ibv_wc wc;

		while (ibv_poll_cq(table->cqs[i], 1, &wc) == 1) {
			assert_int_equal(wc.status, IBV_WC_SUCCESS);
			assert_int_equal(expected[wc.wr_id], 1); /* posted once, completed once */
			expected[wc.wr_id] = 0;
			count++;
			if (!reposts)
				continue;
			assert_int_equal(receive_post(table, table->srq, wc.wr_id, length), 0);
			expected[wc.wr_id] = 1;
		}
	}
	return count;
}

/* Nobody is at it any more; what completed can be polled, which destroying it would prevent. */
static void qp_break(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
}

/*
 * Two senders whose messages complete in two queues are killed at any point: no request completes twice or is lost, and
 * the others go on.
 */
TEST(senders_killed)
{
	uint64_t expected[DEPTH];
	struct ibv_qp *qps[2];
	struct table table;
	pid_t children[3];
	int fds[3];

	for (int round = 0; round < 60; round++) {
		const uint32_t length = round % 2 ? 8 : 200;
		int taken = 0;

		alarm(SLOW);
		for (int i = 0; i < 3; i++)
			children[i] = sender_fork(&fds[i], length);
		context_open(&table);
		assert_non_null(table.srq = srq_make(&table, DEPTH));
		for (int i = 0; i < 2; i++)
			qps[i] = sender_meet(&table, fds[i], table.cqs[i]);
		for (uint64_t i = 0; i < DEPTH; i++) {
			assert_int_equal(receive_post(&table, table.srq, i, length), 0);
			expected[i] = 1;
		}
		while (taken < 500 + 37 * round)
			taken += receives_turn(&table, expected, length, true);
		for (int i = 0; i < 2; i++) {
			kill(children[i], SIGKILL);
			waitpid(children[i], NULL, 0);
			qp_break(qps[i]);
		}
		receives_turn(&table, expected, length, true);
		for (int i = 0; i < 2; i++)
			assert_int_equal(ibv_destroy_qp(qps[i]), 0);
		/* All that is posted is there for the next, in whatever order it was posted. */
		qps[0] = sender_meet(&table, fds[2], table.cqs[0]);
		for (taken = 0; taken < DEPTH;)
			taken += receives_turn(&table, expected, length, false);
		kill(children[2], SIGKILL);
		waitpid(children[2], NULL, 0);
		assert_int_equal(ibv_destroy_qp(qps[0]), 0);
		assert_int_equal(ibv_destroy_srq(table.srq), 0);
		context_close(&table);
		alarm(0);
	}
}

/* --- XRC --- */

static struct ibv_xrcd *xrcd_open(const struct table *table, int fd, int oflags)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = fd, .oflags = oflags};

	return ibv_open_xrcd(table->context, &attr);
}

static struct ibv_srq *xsrq_make(const struct table *table, struct ibv_xrcd *xrcd, struct ibv_cq *cq, uint32_t *number)
{
	struct ibv_srq_init_attr_ex attr = {.attr = {.max_wr = DEPTH, .max_sge = 1},
					    .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
							 IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
					    .srq_type = IBV_SRQT_XRC,
					    .pd = table->pd,
					    .xrcd = xrcd,
					    .cq = cq};
	struct ibv_srq *srq = ibv_create_srq_ex(table->context, &attr);

	assert_non_null(srq);
	assert_int_equal(ibv_get_srq_num(srq, number), 0);
	return srq;
}

static struct ibv_qp *xrc_recv_make(const struct table *table, struct ibv_xrcd *xrcd)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = xrcd};
	struct ibv_qp *qp = ibv_create_qp_ex(table->context, &init);

	assert_non_null(qp);
	qp_init(qp, false);
	return qp;
}

static struct ibv_qp *xrc_send_make(const struct table *table, uint64_t operations)
{
	struct ibv_qp_init_attr_ex init = {.qp_type = IBV_QPT_XRC_SEND,
					   .comp_mask = IBV_QP_INIT_ATTR_PD |
							(operations ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0),
					   .send_ops_flags = operations,
					   .pd = table->pd,
					   .send_cq = table->send_cq,
					   .cap = {.max_send_wr = DEPTH, .max_send_sge = 1},
					   .sq_sig_all = 1};
	struct ibv_qp *qp = ibv_create_qp_ex(table->context, &init);

	assert_non_null(qp);
	qp_init(qp, false);
	return qp;
}

static enum ibv_qp_state state_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
	return attr.qp_state;
}

/* One connection, two queues: the request says which; and the queue's domain must be the queue pair's. */
TEST(xrc_names_the_queue)
{
	struct ibv_srq *srqs[2], *foreign;
	uint32_t numbers[2], foreign_number;
	struct ibv_xrcd *xrcd, *other;
	struct ibv_qp *send, *receive;
	struct table table;

	context_open(&table);
	assert_non_null(xrcd = xrcd_open(&table, -1, O_CREAT));
	assert_non_null(other = xrcd_open(&table, -1, O_CREAT));
	for (int i = 0; i < 2; i++)
		srqs[i] = xsrq_make(&table, xrcd, table.cqs[i], &numbers[i]);
	foreign = xsrq_make(&table, other, table.cqs[0], &foreign_number);
	assert_int_not_equal(numbers[0], numbers[1]);
	receive = xrc_recv_make(&table, xrcd);
	send = xrc_send_make(&table, 0);
	qp_connect(receive, send->qp_num, 0);
	qp_connect(send, receive->qp_num, 0);
	for (uint64_t i = 0; i < 8; i++) {
		struct ibv_wc wc;

		assert_int_equal(receive_post(&table, srqs[i % 2], i, LENGTH), 0);
		assert_int_equal(message_send(&table, send, (uint8_t)(i + 1), LENGTH, numbers[i % 2]), IBV_WC_SUCCESS);
		wc = rig_poll(table.cqs[i % 2]);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.qp_num, receive->qp_num);
		assert_int_equal(received(&table, i)[0], i + 1);
	}
	assert_int_equal(ibv_close_xrcd(xrcd), EBUSY);
	assert_int_equal(receive_post(&table, foreign, 1, LENGTH), 0);
	assert_int_equal(message_send(&table, send, 1, LENGTH, foreign_number), IBV_WC_REM_INV_REQ_ERR);
	assert_int_equal(state_of(receive), IBV_QPS_ERR);
	assert_true(rig_is_empty(table.cqs[0]));
	assert_int_equal(ibv_destroy_qp(send), 0);
	assert_int_equal(ibv_destroy_qp(receive), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(ibv_destroy_srq(srqs[i]), 0);
	assert_int_equal(ibv_destroy_srq(foreign), 0);
	assert_int_equal(ibv_close_xrcd(xrcd), 0);
	assert_int_equal(ibv_close_xrcd(other), 0);
	context_close(&table);
}

/* RDMA and atomics are judged by the protection domain of the queue that the request names; by ibv_wr_*(), too. */
TEST(xrc_reaches_memory)
{
	uint64_t *word;
	struct ibv_qp *send, *receive;
	struct ibv_qp_ex *builder;
	struct ibv_xrcd *xrcd;
	struct ibv_srq *srq;
	struct table table;
	uint32_t number;

	context_open(&table);
	assert_non_null(xrcd = xrcd_open(&table, -1, O_CREAT));
	srq = xsrq_make(&table, xrcd, table.cqs[0], &number);
	receive = xrc_recv_make(&table, xrcd);
	send = xrc_send_make(&table, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE |
					     IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |
					     IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD);
	qp_connect(receive, send->qp_num, 0);
	qp_connect(send, receive->qp_num, 0);
	builder = ibv_qp_to_qp_ex(send);
	word = (uint64_t *)(void *)(table.buffer + RIG_BUFFER / 2);
	*word = 40;
	*(uint64_t *)(void *)table.buffer = 7;
	ibv_wr_start(builder);
	builder->wr_id = 1;
	ibv_wr_rdma_write(builder, table.mr->rkey, (uintptr_t)(word + 1));
	ibv_wr_set_xrc_srqn(builder, number);
	ibv_wr_set_sge(builder, table.mr->lkey, (uintptr_t)table.buffer, 8);
	ibv_wr_atomic_fetch_add(builder, table.mr->rkey, (uintptr_t)word, 2);
	ibv_wr_set_xrc_srqn(builder, number);
	ibv_wr_set_sge(builder, table.mr->lkey, (uintptr_t)table.buffer + 64, 8);
	ibv_wr_rdma_read(builder, table.mr->rkey, (uintptr_t)word);
	ibv_wr_set_xrc_srqn(builder, number);
	ibv_wr_set_sge(builder, table.mr->lkey, (uintptr_t)table.buffer + 128, 8);
	assert_int_equal(ibv_wr_complete(builder), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(rig_poll(table.send_cq).status, IBV_WC_SUCCESS);
	assert_int_equal(word[1], 7);
	assert_int_equal(*(uint64_t *)(void *)(table.buffer + 64), 40);
	assert_int_equal(*(uint64_t *)(void *)(table.buffer + 128), 42);
	/* A write with an immediate takes a request of the queue. */
	assert_int_equal(receive_post(&table, srq, 6, LENGTH), 0);
	ibv_wr_start(builder);
	ibv_wr_rdma_write_imm(builder, table.mr->rkey, (uintptr_t)(word + 2), 0x1234);
	ibv_wr_set_xrc_srqn(builder, number);
	ibv_wr_set_sge(builder, table.mr->lkey, (uintptr_t)table.buffer, 8);
	assert_int_equal(ibv_wr_complete(builder), 0);
	assert_int_equal(rig_poll(table.send_cq).status, IBV_WC_SUCCESS);
	assert_int_equal(rig_poll(table.cqs[0]).imm_data, 0x1234);
	ibv_wr_start(builder);
	ibv_wr_rdma_write(builder, table.mr->rkey + 1, (uintptr_t)word);
	ibv_wr_set_xrc_srqn(builder, number);
	ibv_wr_set_sge(builder, table.mr->lkey, (uintptr_t)table.buffer, 8);
	assert_int_equal(ibv_wr_complete(builder), 0);
	assert_int_equal(rig_poll(table.send_cq).status, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(event_now(&table), IBV_EVENT_QP_ACCESS_ERR);
	assert_int_equal(ibv_destroy_qp(send), 0);
	assert_int_equal(ibv_destroy_qp(receive), 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	assert_int_equal(ibv_close_xrcd(xrcd), 0);
	context_close(&table);
}

static int scratch_file(void)
{
	char path[] = "/tmp/test_soft_srq.XXXXXX";
	int fd = mkstemp(path);

	RIG_CHECK(fd >= 0 && unlink(path) == 0);
	return fd;
}

/* The process that has the queue: it joins the domain, and takes one message. */
static void queue_run(int fd, int file)
{
	struct ibv_xrcd *xrcd;
	struct hello hello;
	struct table table;
	struct ibv_srq *srq;
	struct ibv_wc wc;

	RIG_CHECK(read(fd, &hello, sizeof(hello)) == sizeof(hello));
	context_open(&table);
	RIG_CHECK((xrcd = xrcd_open(&table, file, 0)) != NULL);
	srq = xsrq_make(&table, xrcd, table.cqs[0], &hello.srqn);
	RIG_CHECK(receive_post(&table, srq, 4, LENGTH) == 0);
	RIG_CHECK(write(fd, &hello, sizeof(hello)) == sizeof(hello));
	wc = rig_poll(table.cqs[0]);
	RIG_CHECK(wc.status == IBV_WC_SUCCESS && wc.wr_id == 4 && wc.qp_num == hello.qpn[0]);
	RIG_CHECK(received(&table, 4)[LENGTH - 1] == 0x77);
	RIG_CHECK(ibv_destroy_srq(srq) == 0 && ibv_close_xrcd(xrcd) == 0);
	context_close(&table);
	_exit(0);
}

/* A domain by a file: the queue pair in one process, the queue in another, the sender in a third's stead here. */
TEST(xrc_domain_of_processes)
{
	int file = scratch_file(), ends[2], status;
	struct ibv_qp *send, *receive;
	struct ibv_xrcd *xrcd;
	struct table table;
	struct hello hello;
	pid_t child;

	alarm(SLOW);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		queue_run(ends[1], file);
	close(ends[1]);
	context_open(&table);
	assert_null(xrcd_open(&table, -1, 0));
	assert_int_equal(errno, EINVAL);
	assert_non_null(xrcd = xrcd_open(&table, -1, O_CREAT | O_EXCL));
	assert_int_equal(ibv_close_xrcd(xrcd), 0);
	assert_null(xrcd_open(&table, file, O_CREAT | O_EXCL));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_non_null(xrcd = xrcd_open(&table, file, O_CREAT));
	receive = xrc_recv_make(&table, xrcd);
	send = xrc_send_make(&table, 0);
	qp_connect(receive, send->qp_num, 0);
	qp_connect(send, receive->qp_num, 0);
	hello.qpn[0] = receive->qp_num;
	assert_int_equal(write(ends[0], &hello, sizeof(hello)), sizeof(hello));
	assert_int_equal(read(ends[0], &hello, sizeof(hello)), sizeof(hello));
	assert_int_equal(message_send(&table, send, 0x77, LENGTH, hello.srqn), IBV_WC_SUCCESS);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	/* Its queue is gone with it. */
	assert_int_equal(message_send(&table, send, 0x77, LENGTH, hello.srqn), IBV_WC_REM_INV_REQ_ERR);
	assert_int_equal(ibv_destroy_qp(send), 0);
	assert_int_equal(ibv_destroy_qp(receive), 0);
	assert_int_equal(ibv_close_xrcd(xrcd), 0);
	context_close(&table);
	close(ends[0]);
	close(file);
	alarm(0);
}

TEST_MAIN(rig_directory_make, rig_directory_remove)
