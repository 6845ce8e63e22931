// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The side channel over a queue pair, on devices with and without immediate data. The queue pairs are simulated: a send
 * arrives at once in the other's first receive.
 */
#include "cmocka_all.h"
#include "comm/cm_link.h"
#include "comm/protocol.h"

#define CHUNK	4096
#define BUFFERS (2 * COMM_CM_LINK_RECEIVES)
#define BYTES	300000

struct end {
	struct ibv_qp qp; /* first: the post functions get it */
	struct ibv_cq cq;
	struct rdma_cm_id id;
	struct comm_cm_link link;
	struct conn conn;
	struct ibv_recv_wr receives[64];
	struct ibv_sge places[64];
	unsigned num_receives, taken_receives;
	struct ibv_wc wcs[256];
	unsigned num_wcs, taken_wcs;
};

static struct end ends[2];
static struct ibv_device device;
static struct ibv_context context = {.device = &device};
static struct ibv_mr mr;
static unsigned immediates;

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	errno = EAGAIN;
	return -1;
}

static void complete(struct end *end, const struct ibv_wc *wc)
{
	assert_true(end->num_wcs - end->taken_wcs < 256);
	end->wcs[end->num_wcs++ % 256] = *wc;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct end *end = (struct end *)qp;
	const unsigned at = end->num_receives++ % 64;

	end->receives[at] = *wr;
	end->places[at] = *wr->sg_list;
	return 0;
}

static int refusal; /* of every send; 0: none */

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct end *end = (struct end *)qp, *other = &ends[end == ends];
	const bool has_imm = wr->opcode == IBV_WR_SEND_WITH_IMM;
	struct ibv_wc arrival = {.byte_len = wr->num_sge ? wr->sg_list->length : 0, .imm_data = wr->imm_data};
	unsigned at;

	if (refusal)
		return refusal;
	if (has_imm && device.transport_type == IBV_TRANSPORT_IWARP) {
		*bad = wr;
		return EINVAL;
	}
	immediates += has_imm;
	arrival.wc_flags = has_imm ? IBV_WC_WITH_IMM : 0;
	assert_true(other->taken_receives < other->num_receives); /* credits see to that */
	at = other->taken_receives++ % 64;
	assert_true(arrival.byte_len <= other->places[at].length);
	if (arrival.byte_len)
		memcpy((void *)(uintptr_t)other->places[at].addr, (void *)(uintptr_t)wr->sg_list->addr,
		       arrival.byte_len);
	arrival.wr_id = other->receives[at].wr_id;
	complete(other, &arrival);
	complete(end, &(struct ibv_wc){.wr_id = wr->wr_id});
	return 0;
}

static int poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	struct end *end = cq->cq_context;
	int found = 0;

	while (found < entries && end->taken_wcs < end->num_wcs)
		wc[found++] = end->wcs[end->taken_wcs++ % 256];
	return found;
}

static void open_end(struct end *end)
{
	struct comm_cm_link_mark mark;
	struct rdma_conn_param param = {.private_data = &mark, .private_data_len = sizeof(mark)};

	*end = (struct end){
		.qp.context = &context,
		.cq = {.context = &context, .cq_context = end},
		.id = {.verbs = &context, .qp = &end->qp},
		.link = {.id = &end->id, .cq = &end->cq, .mr = &mr},
		.conn = {.handle = &end->link, .carrier = &carrier_rdma_cm, .fd = -1},
	};
	end->link.memory = calloc(BUFFERS, CHUNK);
	assert_non_null(end->link.memory);
	for (unsigned i = 0; i < COMM_CM_LINK_RECEIVES; i++) {
		struct ibv_sge sge = {.addr = (uintptr_t)end->link.memory + (size_t)i * CHUNK, .length = CHUNK};
		struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1};

		post_recv(&end->qp, &wr, NULL);
	}
	comm_cm_link_param(&mark);
	comm_cm_link_read_mark(&end->link, &param);
}

/* Both ways, in pieces of every size, with more of them than there are receives. */
static void move_bytes(enum ibv_transport_type type)
{
	uint8_t *bytes = malloc(BYTES), *arrived = malloc(BYTES);

	assert_true(bytes && arrived);
	device.transport_type = type;
	immediates = 0;
	open_end(&ends[0]);
	open_end(&ends[1]);
	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 4096);
	for (unsigned from = 0; from < 2; from++) {
		size_t sent = 0, got = 0;

		for (unsigned turns = 0; got < BYTES; turns++) {
			size_t piece = turns * 37 % 9000;
			ssize_t n;

			assert_true(turns < 10000);
			n = carrier_rdma_cm.send_now(&ends[from].conn, bytes + sent,
						     piece < BYTES - sent ? piece : BYTES - sent);
			assert_true(n >= 0);
			sent += (size_t)n;
			n = carrier_rdma_cm.receive_now(&ends[!from].conn, arrived + got, BYTES - got);
			assert_true(n >= 0);
			got += (size_t)n;
		}
		assert_memory_equal(arrived, bytes, BYTES);
	}
	free(ends[0].link.memory);
	free(ends[1].link.memory);
	free(arrived);
	free(bytes);
}

TEST(credits_travel_beside_the_bytes)
{
	move_bytes(IBV_TRANSPORT_IB);
	assert_true(immediates > 0);
}

/* iWARP has no immediate data (RFC 5040). */
TEST(credits_travel_behind_the_bytes)
{
	move_bytes(IBV_TRANSPORT_IWARP);
	assert_int_equal(immediates, 0);
}

TEST(a_send_without_credits_is_refused)
{
	struct ibv_send_wr wr = {.opcode = IBV_WR_SEND}, *bad;
	uint8_t byte;

	device.transport_type = IBV_TRANSPORT_IWARP;
	open_end(&ends[0]);
	open_end(&ends[1]);
	assert_int_equal(post_send(&ends[0].qp, &wr, &bad), 0);
	assert_int_equal(carrier_rdma_cm.receive_now(&ends[1].conn, &byte, 1), -EBADMSG);
	free(ends[0].link.memory);
	free(ends[1].link.memory);
}

/* The libraries of some adapters return a negative errno. */
TEST(a_refused_send_has_its_errno_whatever_the_sign)
{
	device.transport_type = IBV_TRANSPORT_IB;
	for (refusal = -ENOMEM; refusal <= ENOMEM; refusal += 2 * ENOMEM) {
		open_end(&ends[0]);
		assert_int_equal(carrier_rdma_cm.send_now(&ends[0].conn, "x", 1), -ENOMEM);
		assert_int_equal(carrier_rdma_cm.send_now(&ends[0].conn, "x", 1), -ENOMEM);
		free(ends[0].link.memory);
	}
	refusal = 0;
}

int main(void)
{
	context.ops.post_send = post_send;
	context.ops.post_recv = post_recv;
	context.ops.poll_cq = poll_cq;
	return tests_run(NULL, NULL);
}
