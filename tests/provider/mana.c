// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does libmana write into its queues, and what does it expect in them? Facts: rdma/mana-abi.h (of newer headers)
 * and rdma-core's providers/mana. A connection has four queues in the program's memory, in units of 32 bytes: of its
 * requests, of the data that its READs bring, and of receives; the fourth is the device's own. Requests are numbered
 * by packets, and so are completions: one says up to which packet all is done, and comes only if it was asked for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "rig.h"

#define PAGE_BYTES    4096
#define UNIT	      32
#define UNITS_MASK    0x7ffffff /* of a position in a queue */
#define PSN_MASK      0xffffff
#define ID_SHIFT      2	 /* of a queue pair's number in those of its queues, whose kind is below */
#define SHARED_BYTES  16 /* behind the requests, for the kernel */
#define CQE_BYTES     64
#define BELL_SQ	      0x0
#define BELL_RQ	      0x400
#define BELL_ARM      0x408 /* a completion up to this packet */
#define BELL_CQ	      0x800
#define IS_SIGNALED   (1 << 6)
#define IS_SOLICITED  (1 << 7)
#define CQE_ACKED     7
#define CQE_ERROR     34
#define CQE_SEND      3
#define CQE_SEND_IMM  4
#define CQE_WRITE_IMM 6
#define CQE_IS_SQ     (1u << 24)
#define OWNER_SHIFT   29

enum { QUEUE_REQUESTS, QUEUE_RESPONSES, QUEUE_READS, QUEUE_RECEIVES, QUEUES };

static const uint32_t kinds[QUEUES] = {[QUEUE_RESPONSES] = 1, [QUEUE_READS] = 1}; /* of send and receive queues */

struct mana_create_cq {
	uint64_t buffer, flags;
};

struct mana_create_qp {
	uint64_t buffer[QUEUES];
	uint32_t bytes[QUEUES];
};

struct mana_send {
	uint32_t padding; /* pieces, in bits 0 to 4 */
	uint32_t word;	  /* pieces in bits 0 to 7; MTU in 16 to 29 */
	uint32_t kind;	  /* operation, flags; first packet in bits 8 to 31 */
	uint32_t count;
	union {
		uint32_t imm;
		struct {
			uint32_t raddr_high, raddr_low, rkey, length;
		};
	};
};

struct mana_piece {
	uint64_t address; /* or immediate data of a WRITE */
	uint32_t key, length;
};

struct mana_queue {
	const char *buffer;
	uint32_t bytes, next, posted; /* the latter in units */
};

struct mana_ring {
	struct mana_queue queues[QUEUES];
	uint32_t psn, acked, armed; /* packets: of the next request; that is answered; from which on to tell it */
	bool is_numbered, is_armed;
};

static void get_context(struct rig_private *data)
{
	struct rig_region *registers = rig_region_at(0);

	(void)data;
	if (!registers)
		registers = rig_region_add(0, PAGE_BYTES);
	if (registers)
		registers->is_trapped = true;
}

static void query_device(struct ib_uverbs_query_device_resp *attr, struct rig_private *data)
{
	(void)data;
	attr->vendor_id = 0x1414;
	attr->vendor_part_id = 3; // GDMA_DEVICE_MANA_IB
	attr->max_qp_wr = 4096;
	attr->max_sge = attr->max_sge_rd = 15;
	attr->max_cqe = 65536;
	attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 32;
	attr->max_res_rd_atom = 32 * attr->max_qp;
	attr->atomic_cap = IBV_ATOMIC_NONE;
}

static void query_port(struct ib_uverbs_query_port_resp *attr)
{
	attr->max_msg_sz = 0; // before Linux 7.1, which says 16 MiB
}

static int create_cq(struct rig_cq *cq, struct rig_private *data)
{
	const struct mana_create_cq *in = data->in;

	if (data->in_bytes < sizeof(in->buffer) || data->out_bytes < 4)
		return EINVAL;
	cq->ring = malloc(sizeof(char *));
	if (!cq->ring)
		return ENOMEM;
	*(char **)cq->ring = (void *)(uintptr_t)in->buffer; // NOLINT
	*(uint32_t *)data->out = cq->handle;
	return 0;
}

static int create_qp(struct rig_qp *qp, const struct ib_uverbs_create_qp *attr, struct rig_private *data)
{
	const struct mana_create_qp *in = data->in;
	struct mana_ring *ring;

	(void)attr;
	if (qp->type != IBV_QPT_RC || data->in_bytes < sizeof(*in) || data->out_bytes < QUEUES * sizeof(uint32_t))
		return EINVAL;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return ENOMEM;
	for (unsigned i = 0; i < QUEUES; i++) {
		ring->queues[i].buffer = (void *)(uintptr_t)in->buffer[i]; // NOLINT
		ring->queues[i].bytes = in->bytes[i] - (i == QUEUE_REQUESTS ? SHARED_BYTES : 0);
		((uint32_t *)data->out)[i] = qp->qpn << ID_SHIFT | kinds[i];
	}
	qp->ring = ring;
	return 0;
}

static void modify_qp(struct rig_qp *qp, struct rig_private *data)
{
	(void)data;
	if (qp->state == IBV_QPS_RTR)
		qp->dst_qpn >>= ID_SHIFT;
}

/* --- completions --- */

static bool is_before(uint32_t psn, uint32_t other)
{
	return (psn - other) & 0x800000;
}

static void write_cqe(struct rig_cq *cq, const uint32_t words[5], uint32_t queue)
{
	char *cqe = *(char **)cq->ring + (size_t)(cq->produced % cq->entries) * CQE_BYTES;
	uint32_t round = (cq->produced / cq->entries + 1) % 8;

	memcpy(cqe, words, 5 * sizeof(*words));
	__atomic_store_n((uint32_t *)(void *)(cqe + CQE_BYTES - 4), queue | round << OWNER_SHIFT, __ATOMIC_RELEASE);
	cq->produced++;
}

static void report_acked(struct rig_qp *qp)
{
	struct mana_ring *ring = qp->ring;

	if (!ring->is_armed || !ring->is_numbered || is_before(ring->acked, ring->armed))
		return;
	ring->is_armed = false;
	write_cqe(qp->send_cq, (const uint32_t[5]){CQE_ACKED, 0, ring->acked},
		  qp->qpn << ID_SHIFT | kinds[QUEUE_READS]);
}

static const uint16_t errors[] = {
	[RIG_LOCAL_KEY] = 0x206,     [RIG_LOCAL_LENGTH] = 0x102, [RIG_REMOTE_LENGTH] = 0x161,
	[RIG_REMOTE_ACCESS] = 0x162, [RIG_NO_ANSWER] = 0x1c6,	 [RIG_UNKNOWN_PEER] = 0x163,
};

static void complete_send(struct rig_qp *qp, const struct rig_request *request, enum rig_status status)
{
	struct mana_ring *ring = qp->ring;

	if (status != RIG_OK) {
		write_cqe(qp->send_cq,
			  (const uint32_t[5]){CQE_ERROR | (uint32_t)errors[status] << 8, 0, request->index},
			  qp->qpn << ID_SHIFT | CQE_IS_SQ);
		return;
	}
	ring->acked = request->index;
	ring->is_numbered = true;
	report_acked(qp);
}

static void complete_receive(struct rig_qp *qp, const struct rig_receive *receive, const struct rig_request *request,
			     uint32_t source, enum rig_status status, const void *small)
{
	uint32_t kind = request->opcode == RIG_WRITE ? CQE_WRITE_IMM : request->has_imm ? CQE_SEND_IMM : CQE_SEND;

	(void)source;
	(void)small;
	if (status != RIG_OK)
		kind = CQE_ERROR | (uint32_t)errors[status] << 8;
	write_cqe(qp->recv_cq,
		  (const uint32_t[5]){kind, (uint32_t)request->length, 0, request->imm, receive->index * UNIT},
		  qp->qpn << ID_SHIFT);
}

/* --- doorbells --- */

static struct rig_qp *qp_of_queue(uint32_t id)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		struct rig_qp *qp = rig_qp_at(i);

		if (qp && qp->qpn == id >> ID_SHIFT)
			return qp;
	}
	return NULL;
}

static void written(struct rig_region *region, uint64_t offset)
{
	uint64_t value;
	uint32_t id, position;
	struct rig_qp *qp;
	struct mana_ring *ring;

	memcpy(&value, (char *)region->view + offset, sizeof(value));
	id = value & 0xffffff;
	position = (uint32_t)(value >> 32);
	if (offset == BELL_CQ) {
		if (value >> 63)
			rig_cq_arm(id);
		return;
	}
	qp = qp_of_queue(id);
	ring = qp ? qp->ring : NULL;
	if (ring && offset == BELL_SQ) {
		ring->queues[QUEUE_REQUESTS].posted = position / UNIT;
	} else if (ring && offset == BELL_RQ) {
		ring->queues[id & 3 ? QUEUE_READS : QUEUE_RECEIVES].posted = position / UNIT;
	} else if (ring && offset == BELL_ARM) {
		ring->armed = position;
		ring->is_armed = true;
		report_acked(qp);
	} else {
		rig_fault("doorbell %#llx at %#llx is not understood", (unsigned long long)value,
			  (unsigned long long)offset);
	}
}

/* --- queues --- */

static const void *at(const struct mana_queue *queue, uint32_t offset)
{
	return queue->buffer + ((uint64_t)queue->next * UNIT + offset) % queue->bytes;
}

static void move_on(struct mana_queue *queue, uint32_t bytes)
{
	queue->next = (queue->next + (bytes + UNIT - 1) / UNIT) & UNITS_MASK;
}

static const struct {
	enum rig_opcode opcode;
	bool has_imm, known;
} opcodes[32] = {
	[2] = {RIG_SEND, false, true}, [3] = {RIG_SEND, true, true},  [5] = {RIG_WRITE, false, true},
	[6] = {RIG_WRITE, true, true}, [7] = {RIG_READ, false, true},
};

/* Where a READ's data goes is in a queue of its own, with the number of its first packet. */
static void take_read(struct rig_qp *qp, struct rig_request *request, uint32_t psn)
{
	struct mana_queue *queue = &((struct mana_ring *)qp->ring)->queues[QUEUE_READS];
	const uint32_t *words = at(queue, 0);
	uint32_t count = words[1] & 0xff;

	if (queue->next == queue->posted || (words[2] & PSN_MASK) != psn)
		rig_fault("queue pair %#x: no memory for the READ from packet %u on", qp->qpn, psn);
	for (uint32_t i = 0; i < count; i++) {
		const struct mana_piece *piece = at(queue, 16 + i * sizeof(*piece));

		request_add_data(request, piece->key, piece->address, piece->length);
	}
	move_on(queue, 16 + count * sizeof(struct mana_piece));
}

static bool next_send(struct rig_qp *qp, struct rig_request *request)
{
	struct mana_ring *ring = qp->ring;
	struct mana_queue *queue = &ring->queues[QUEUE_REQUESTS];
	const struct mana_send *send = at(queue, 0);
	uint32_t pieces, mtu, psn, packets;

	if (queue->next == queue->posted)
		return false;
	request->code = send->kind & 0x1f;
	pieces = send->word & 0xff;
	mtu = send->word >> 16 & 0x3fff;
	psn = send->kind >> 8;
	if (!opcodes[request->code].known || !mtu || pieces > RIG_MAX_IOV) {
		rig_fault("queue pair %#x, unit %u: %08x %08x is not understood", qp->qpn, queue->next, send->word,
			  send->kind);
		exit(3);
	}
	request->opcode = opcodes[request->code].opcode;
	request->has_imm = opcodes[request->code].has_imm;
	request->signaled = send->kind & IS_SIGNALED || qp->sig_all;
	request->solicited = send->kind & IS_SOLICITED;
	if (request->opcode != RIG_SEND) {
		request->raddr = (uint64_t)send->raddr_high << 32 | send->raddr_low;
		request->rkey = send->rkey;
	}
	if (request->has_imm)
		request->imm = request->opcode == RIG_SEND ? send->imm : *(const uint32_t *)at(queue, sizeof(*send));
	trace("%#x %u: op=%u flags=%#x imm=%#x", qp->qpn & 0xff, queue->next, request->code, send->kind & 0xe0,
	      request->imm);
	if (request->opcode != RIG_SEND)
		trace(" rkey=%#x raddr%%4096=%u", request->rkey, (unsigned)(request->raddr % PAGE_BYTES));
	if (request->opcode == RIG_READ)
		take_read(qp, request, psn);
	for (uint32_t i = 0; i < pieces - (send->padding & 0x1f) && request->opcode != RIG_READ; i++) {
		bool is_behind_imm = request->has_imm && request->opcode == RIG_WRITE;
		const struct mana_piece *piece = at(queue, sizeof(*send) + (i + is_behind_imm) * sizeof(*piece));

		request_add_data(request, piece->key, piece->address, piece->length);
	}
	trace("\n");
	packets = request->length ? (uint32_t)((request->length + mtu - 1) / mtu) : 1;
	if (ring->psn && psn != ring->psn)
		rig_fault("queue pair %#x: packet %u follows where %u should", qp->qpn, psn, ring->psn);
	if (request->opcode != RIG_SEND && request->length != send->length)
		rig_fault("queue pair %#x: %u bytes, but the pieces have %llu", qp->qpn, send->length,
			  (unsigned long long)request->length);
	ring->psn = (psn + packets) & PSN_MASK;
	request->index = (psn + packets - 1) & PSN_MASK;
	move_on(queue, sizeof(*send) + (pieces + (request->code == 6)) * sizeof(struct mana_piece));
	return true;
}

static bool next_receive(struct rig_qp *qp, const struct rig_request *request, struct rig_receive *receive)
{
	struct mana_queue *queue = &((struct mana_ring *)qp->ring)->queues[QUEUE_RECEIVES];
	uint32_t count;

	(void)request;
	if (queue->next == queue->posted)
		return false;
	count = ((const uint32_t *)at(queue, 0))[1] & 0xff;
	receive->index = queue->next;
	for (uint32_t i = 0; i < count; i++) {
		const struct mana_piece *piece = at(queue, 16 + i * sizeof(*piece));

		receive_add(receive, piece->key, piece->address, piece->length);
	}
	move_on(queue, 16 + count * sizeof(struct mana_piece));
	return true;
}

const struct rig_provider mana_provider = {
	.get_context = get_context,
	.query_device = query_device,
	.query_port = query_port,
	.alloc_pd = rig_answer_handle,
	.create_ah = rig_answer_handle,
	.create_cq = create_cq,
	.create_qp = create_qp,
	.modify_qp = modify_qp,
	.written = written,
	.next_send = next_send,
	.next_receive = next_receive,
	.complete_send = complete_send,
	.complete_receive = complete_receive,
};
