// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does libqedr write into its queues, and what does it expect in them? Facts: rdma/qedr-abi.h and rdma-core's
 * providers/qedr. The device is a FastLinQ 45000 (E4) with RoCE, or 41000 (AH) with RoCE or iWARP. Queues are the
 * program's memory, in units of 16 bytes; a request says how many it has and how many the one before it had. Doorbells
 * are registers in one page, and have the count of requests; a shared receive queue has its counts in memory.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/qedr-abi.h>

#include "rig.h"

#define PAGE_BYTES   4096
#define UNIT	     16
#define HEADER_UNITS 2
#define ATOMIC_UNITS 3
#define MAX_PIECES   4
#define MAX_UNITS    18 /* of a request: QEDR_MAX_SQE_ELEMENTS_PER_SQE of the kernel */
#define MAX_INLINE   256
#define MAX_REQUESTS 32767
#define MAX_CQES     (1u << 17)
#define SQ_BELL_AT   0
#define RQ_BELL_AT   8
#define CQ_BELL_AT   16
#define RQ_BELL2_AT  24 /* iWARP rings a second time */
#define IS_SIGNALED  1
#define IS_SOLICITED 8
#define IS_INLINE    16
#define RQ_COUNT_AT  26 /* in the flags of a receive's first piece: how many there are */
#define RQ_KEY	     0x3ffffff
#define CQE_RECEIVE  (1 << 1)
#define CQE_SHARED   (2 << 1)
#define CQE_XRC	     (3 << 1)
#define CQE_IMM	     (1 << 4)
#define CQE_RDMA     (1 << 5)

struct qedr_send {
	uint32_t imm, length, xrc_srq;
	uint8_t type, flags, units, units_before;
	uint64_t raddr; /* not of a SEND */
	uint32_t rkey, reserved;
	uint64_t compare, swap_add; /* of an atomic */
};

struct qedr_piece {
	uint32_t length;
	uint64_t address;
	uint32_t key;
} __attribute__((packed));

struct qedr_receive {
	uint64_t address; /* or the request's wr_id, in front of the pieces of a shared queue's */
	uint32_t length, flags;
};

struct qedr_cqe {
	union {
		uint64_t wr_id;	     /* of a shared queue */
		uint16_t sq_results; /* requests done */
	};
	uint64_t handle; /* of XRC the number of the queue pair */
	uint32_t imm, length, imm_high;
	uint32_t word; /* to bit 15: XRC's shared queue; 16 to 23: round, kind, flags; 24 to 31: status */
};

struct qedr_queue {
	const char *buffer;
	uint32_t units, at; /* the next one */
	uint16_t taken, posted;
};

struct qedr_ring {
	uint64_t handle;
	struct qedr_queue sq, rq;
	uint8_t units_before;
};

struct qedr_shared {
	struct qedr_queue queue;
	const volatile uint32_t *produced; /* units, receives */
	uint32_t taken;
	uint64_t wr_id; /* of the newest taken */
};

struct qedr_completions {
	char *buffer;
	uint32_t entries;
};

static bool is_ah(void)
{
	const char *device = getenv("PERFTEST_PROVIDER_DEVICE");

	return device && strcmp(device, "qedr") != 0;
}

static void get_context(struct rig_private *data)
{
	struct qedr_alloc_ucontext_resp resp = {
		.db_size = PAGE_BYTES,
		.max_send_wr = MAX_REQUESTS,
		.max_recv_wr = MAX_REQUESTS,
		.max_srq_wr = MAX_REQUESTS,
		.sges_per_send_wr = MAX_UNITS,
		.sges_per_recv_wr = MAX_PIECES,
		.sges_per_srq_wr = MAX_PIECES,
		.max_cqes = MAX_CQES,
	};
	struct rig_region *registers = rig_region_at(0);

	memcpy(data->out, &resp, data->out_bytes < sizeof(resp) ? data->out_bytes : sizeof(resp));
	if (!registers)
		registers = rig_region_add(0, PAGE_BYTES);
	if (registers)
		registers->is_trapped = true;
}

static void query_device(struct ib_uverbs_query_device_resp *attr, struct rig_private *data)
{
	(void)data;
	attr->device_cap_flags = IBV_DEVICE_XRC;
	attr->vendor_id = 0x1077;
	attr->vendor_part_id = is_ah() ? 0x8070 : 0x1656;
	attr->max_qp_wr = MAX_REQUESTS;
	attr->max_sge = attr->max_sge_rd = MAX_PIECES;
	attr->max_cqe = MAX_CQES;
	attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 16;
	attr->max_res_rd_atom = 16 * attr->max_qp;
	attr->atomic_cap = IBV_ATOMIC_GLOB;
	attr->max_srq = RIG_MAX_OBJECTS;
	attr->max_srq_wr = MAX_REQUESTS;
	attr->max_srq_sge = MAX_PIECES;
}

static int create_cq(struct rig_cq *cq, struct rig_private *data)
{
	const struct qedr_create_cq_ureq *in = data->in;
	struct qedr_create_cq_uresp resp = {.db_offset = CQ_BELL_AT, .icid = (uint16_t)cq->handle};
	struct qedr_completions *ring = calloc(1, sizeof(*ring));

	if (!ring || data->in_bytes < sizeof(*in) ||
	    data->out_bytes < offsetof(struct qedr_create_cq_uresp, reserved)) {
		free(ring);
		return EINVAL;
	}
	ring->buffer = (void *)(uintptr_t)in->addr; // NOLINT
	ring->entries = (uint32_t)(in->len / sizeof(struct qedr_cqe));
	cq->ring = ring;
	memcpy(data->out, &resp, data->out_bytes < sizeof(resp) ? data->out_bytes : sizeof(resp));
	return 0;
}

static struct qedr_queue queue_of(uint64_t address, uint64_t bytes)
{
	return (struct qedr_queue){.buffer = (void *)(uintptr_t)address, .units = (uint32_t)(bytes / UNIT)}; // NOLINT
}

static int create_srq(struct rig_srq *srq, struct rig_private *data)
{
	const struct qedr_create_srq_ureq *in = data->in;
	struct qedr_shared *ring = calloc(1, sizeof(*ring));
	const uint16_t number = (uint16_t)srq->handle;

	if (!ring || data->in_bytes < sizeof(*in) || data->out_bytes < sizeof(number)) {
		free(ring);
		return EINVAL;
	}
	ring->queue = queue_of(in->srq_addr, in->srq_len);
	ring->produced = (void *)(uintptr_t)in->prod_pair_addr; // NOLINT
	srq->ring = ring;
	memcpy(data->out, &number, sizeof(number));
	return 0;
}

static int create_qp(struct rig_qp *qp, const struct ib_uverbs_create_qp *attr, struct rig_private *data)
{
	const struct qedr_create_qp_ureq *in = data->in;
	struct qedr_create_qp_uresp resp = {
		.qp_id = qp->qpn,
		.atomic_supported = 1,
		.sq_db_offset = SQ_BELL_AT,
		.sq_icid = (uint16_t)qp->qpn,
		.rq_db_offset = RQ_BELL_AT,
		.rq_icid = (uint16_t)qp->qpn,
		.rq_db2_offset = RQ_BELL2_AT,
	};
	struct qedr_ring *ring;

	if (data->in_bytes < sizeof(*in) || data->out_bytes < offsetof(struct qedr_create_qp_uresp, rq_db2_offset) ||
	    (qp->type != IBV_QPT_RC && qp->type != IBV_QPT_XRC_SEND && qp->type != IBV_QPT_XRC_RECV) ||
	    attr->max_inline_data > MAX_INLINE || attr->max_send_sge > MAX_PIECES || attr->max_recv_sge > MAX_PIECES ||
	    attr->max_send_wr > MAX_REQUESTS)
		return EINVAL;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return ENOMEM;
	ring->handle = (uint64_t)in->qp_handle_hi << 32 | in->qp_handle_lo;
	ring->sq = queue_of(in->sq_addr, in->sq_len);
	ring->rq = queue_of(in->rq_addr, in->rq_len);
	qp->ring = ring;
	memcpy(data->out, &resp, data->out_bytes < sizeof(resp) ? data->out_bytes : sizeof(resp));
	return 0;
}

static void reset(struct qedr_queue *queue)
{
	*queue = (struct qedr_queue){.buffer = queue->buffer, .units = queue->units};
}

static void modify_qp(struct rig_qp *qp, struct rig_private *data)
{
	struct qedr_ring *ring = qp->ring;

	(void)data;
	if (qp->state != IBV_QPS_RESET)
		return;
	reset(&ring->sq);
	reset(&ring->rq);
	ring->units_before = 0;
}

/* --- doorbells --- */

static struct qedr_ring *ring_of(uint32_t number)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		if (rig_qp_at(i) && rig_qp_at(i)->qpn == number)
			return rig_qp_at(i)->ring;
	}
	return NULL;
}

static void written(struct rig_region *region, uint64_t offset)
{
	uint16_t words[4]; /* number, count or flags */
	struct qedr_ring *ring;

	if (offset == RQ_BELL2_AT && rig_is_iwarp())
		return;
	memcpy(words, (char *)region->view + offset, sizeof(words));
	ring = offset == CQ_BELL_AT ? NULL : ring_of(words[0]);
	if (ring && offset == SQ_BELL_AT)
		ring->sq.posted = words[1];
	else if (ring && offset == RQ_BELL_AT)
		ring->rq.posted = words[1];
	else if (offset == CQ_BELL_AT && words[1] & 0xff)
		rig_cq_arm(words[0]);
	else if (offset != CQ_BELL_AT)
		rig_fault("doorbell %#x, %u at %llu is not understood", words[0], words[1], (unsigned long long)offset);
}

/* --- send queue --- */

static const struct {
	enum rig_opcode opcode;
	bool has_imm, known;
} opcodes[16] = {
	[0] = {RIG_SEND, false, true},	    [1] = {RIG_SEND, true, true},  [3] = {RIG_WRITE, false, true},
	[4] = {RIG_WRITE, true, true},	    [5] = {RIG_READ, false, true}, [6] = {RIG_COMPARE_SWAP, false, true},
	[7] = {RIG_FETCH_ADD, false, true},
};

static void *take_unit(struct qedr_queue *queue)
{
	char *unit = (char *)queue->buffer + (size_t)queue->at * UNIT; // NOLINT

	queue->at = (queue->at + 1) % queue->units;
	return unit;
}

/* Each half of a unit stands there in big-endian order. The library does not read it again. */
static uint32_t take_inline(struct qedr_queue *queue, struct rig_request *request, uint32_t bytes)
{
	uint32_t units = 0;

	trace(" inline=%u", bytes);
	for (uint32_t part; bytes; bytes -= part, units++) {
		uint64_t *unit = take_unit(queue);

		part = bytes < UNIT ? bytes : UNIT;
		unit[0] = be64toh(unit[0]);
		unit[1] = be64toh(unit[1]);
		request_add(request, unit, part);
	}
	return units;
}

static bool next_send(struct rig_qp *qp, struct rig_request *request)
{
	struct qedr_ring *ring = qp->ring;
	struct qedr_send send = {0};
	bool is_atomic;
	uint32_t used;

	if (ring->sq.taken == ring->sq.posted)
		return false;
	memcpy(&send, take_unit(&ring->sq), UNIT);
	memcpy(&send.raddr, take_unit(&ring->sq), UNIT);
	if (send.type >= 16 || !opcodes[send.type].known || send.units > RIG_MAX_IOV) {
		rig_fault("queue pair %#x, request %u: type %u of %u units is not understood", qp->qpn, ring->sq.taken,
			  send.type, send.units);
		exit(3);
	}
	request->opcode = opcodes[send.type].opcode;
	request->has_imm = opcodes[send.type].has_imm;
	request->imm = request->has_imm ? send.imm : 0;
	request->signaled = send.flags & IS_SIGNALED;
	request->solicited = send.flags & IS_SOLICITED;
	request->index = ++ring->sq.taken;
	request->srqn = qp->type == IBV_QPT_XRC_SEND ? send.xrc_srq : 0;
	trace("%#x %u: op=%u flags=%#x imm=%#x", qp->qpn & 0xff, ring->sq.taken, send.type, send.flags, request->imm);
	if (request->srqn)
		trace(" srq=%u", request->srqn);
	if (request->opcode != RIG_SEND) {
		request->raddr = send.raddr;
		request->rkey = send.rkey;
		trace(" rkey=%#x raddr%%4096=%u", request->rkey, (unsigned)(request->raddr % PAGE_BYTES));
	}
	is_atomic = request->opcode == RIG_COMPARE_SWAP || request->opcode == RIG_FETCH_ADD;
	used = is_atomic ? ATOMIC_UNITS : HEADER_UNITS;
	if (is_atomic) {
		memcpy(&send.compare, take_unit(&ring->sq), UNIT);
		request->compare = send.compare;
		request->swap_add = send.swap_add;
	}
	if (send.flags & IS_INLINE) {
		used += take_inline(&ring->sq, request, send.length);
	} else {
		for (; used < send.units; used++) {
			const struct qedr_piece *piece = take_unit(&ring->sq);

			request_add_data(request, piece->key, piece->address, piece->length);
		}
	}
	trace(" units=%u\n", send.units);
	if (used != send.units || send.units_before != ring->units_before ||
	    (!is_atomic && request->length != send.length))
		rig_fault("queue pair %#x, request %u: %u of %u units, %llu of %u bytes, %u units before it, not %u",
			  qp->qpn, ring->sq.taken, used, send.units, (unsigned long long)request->length, send.length,
			  ring->units_before, send.units_before);
	ring->units_before = send.units;
	return true;
}

/* --- receive queues --- */

static bool next_shared(const struct rig_srq *srq, struct rig_receive *receive)
{
	struct qedr_shared *ring = srq->ring;
	const struct qedr_receive *entry;
	uint32_t count;

	if (ring->taken == __atomic_load_n(ring->produced + 1, __ATOMIC_ACQUIRE))
		return false;
	ring->taken++;
	entry = take_unit(&ring->queue);
	ring->wr_id = entry->address;
	count = entry->length & 0xff;
	receive->srq = srq;
	for (uint32_t i = 0; i < count && i < MAX_PIECES; i++) {
		entry = take_unit(&ring->queue);
		receive_add(receive, entry->flags, entry->address, entry->length);
	}
	if (count > MAX_PIECES)
		rig_fault("receive %u of shared queue %u has %u pieces", ring->taken, srq->handle, count);
	return true;
}

static bool next_receive(struct rig_qp *qp, const struct rig_request *request, struct rig_receive *receive)
{
	struct qedr_queue *queue = &((struct qedr_ring *)qp->ring)->rq;
	const struct rig_srq *srq = request->srqn ? rig_srq_of(request->srqn) : qp->srq;
	const struct qedr_receive *entry;
	uint32_t count;

	if (srq)
		return next_shared(srq, receive);
	if (queue->taken == queue->posted)
		return false;
	receive->index = queue->taken++;
	entry = take_unit(queue);
	count = entry->flags >> RQ_COUNT_AT & 7;
	if (!count || count > MAX_PIECES)
		rig_fault("receive %u of queue pair %#x has %u pieces", receive->index, qp->qpn, count);
	for (uint32_t i = 0; i < count; i++) {
		if (entry->length)
			receive_add(receive, entry->flags & RQ_KEY, entry->address, entry->length);
		if (i + 1 < count)
			entry = take_unit(queue);
	}
	return true;
}

/* --- completions --- */

static const uint8_t statuses[] = {
	[RIG_LOCAL_KEY] = 4,	 [RIG_LOCAL_LENGTH] = 2, [RIG_REMOTE_LENGTH] = 6,
	[RIG_REMOTE_ACCESS] = 7, [RIG_NO_ANSWER] = 10,	 [RIG_UNKNOWN_PEER] = 8,
};

static void write_cqe(struct rig_cq *cq, struct qedr_cqe filled, uint32_t flags, enum rig_status status)
{
	struct qedr_completions *ring = cq->ring;
	struct qedr_cqe *cqe = (void *)(ring->buffer + (size_t)(cq->produced % ring->entries) * sizeof(*cqe)); // NOLINT
	const uint32_t round = (cq->produced / ring->entries + 1) % 2; // the first is a one
	const uint32_t word = filled.word | (round | flags) << 16 | (uint32_t)statuses[status] << 24;

	filled.word = cqe->word;
	*cqe = filled;
	__atomic_store_n(&cqe->word, word, __ATOMIC_RELEASE);
	cq->produced++;
}

static void complete_send(struct rig_qp *qp, const struct rig_request *request, enum rig_status status)
{
	const struct qedr_cqe cqe = {.sq_results = (uint16_t)request->index,
				     .handle = ((const struct qedr_ring *)qp->ring)->handle};

	write_cqe(qp->send_cq, cqe, 0, status);
}

static void complete_receive(struct rig_qp *qp, const struct rig_receive *receive, const struct rig_request *request,
			     uint32_t source, enum rig_status status, const void *small)
{
	const struct rig_srq *srq = receive->srq;
	const bool is_xrc = srq && srq->cq;
	const uint32_t kind = is_xrc ? CQE_XRC : srq ? CQE_SHARED : CQE_RECEIVE;
	const struct qedr_cqe cqe = {
		.wr_id = srq ? ((const struct qedr_shared *)srq->ring)->wr_id : 0,
		.handle = is_xrc ? qp->qpn : ((const struct qedr_ring *)qp->ring)->handle,
		.imm = request->imm,
		.length = (uint32_t)request->length,
		.word = is_xrc ? srq->handle : 0,
	};

	(void)source;
	(void)small;
	write_cqe(is_xrc ? srq->cq : qp->recv_cq, cqe,
		  kind | (request->has_imm ? CQE_IMM : 0) | (request->opcode == RIG_WRITE ? CQE_RDMA : 0), status);
}

const struct rig_provider qedr_provider = {
	.get_context = get_context,
	.query_device = query_device,
	.alloc_pd = rig_answer_handle,
	.create_cq = create_cq,
	.create_qp = create_qp,
	.create_srq = create_srq,
	.modify_qp = modify_qp,
	.written = written,
	.next_send = next_send,
	.next_receive = next_receive,
	.complete_send = complete_send,
	.complete_receive = complete_receive,
};
