// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does libbnxt_re write into its queues, and what does it expect in them? Facts: rdma/bnxt_re-abi.h and
 * rdma-core's providers/bnxt_re. The device is a BCM57508 (Thor) with entries of a fixed size, or a BCM57608 (Thor2),
 * whose entries are as long as they need to be. Queues are the program's memory, in slots of 16 bytes; all doorbells
 * are one register.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/bnxt_re-abi.h>

#include "rig.h"

#define PAGE_BYTES    4096
#define SLOT_BYTES    16
#define HEADER_SLOTS  2
#define FIXED_SLOTS   8
#define SPARE_ENTRIES 129 /* of a send queue of fixed entries, above what was asked for; then to a power of two */
#define REGISTER_AT   (1ul << 20)
#define AH_AT	      0x10 /* in the page that kernel and library share: the address handle that was created last */
#define THOR	      0x1750
#define THOR2	      0x1760
#define HAS_CHIP      1
#define HAS_MODE      2
#define MODE_AT	      40 /* struct bnxt_re_uctx_resp: mode */
#define SQ_SLOTS_AT   32 /* struct bnxt_re_qp_req: sq_slots, which older headers lack */
#define IS_SIGNALED   (1 << 8)
#define IS_SOLICITED  (8 << 8)
#define IS_INLINE     (16 << 8)
#define CQE_SEND      0
#define CQE_RECV_RC   1
#define CQE_RECV_UD   2
#define CQE_SRQ	      1
#define CQE_IMM	      2
#define CQE_RDMA      8
#define OPCODE_RECV   0x80

enum { BELL_SQ, BELL_RQ, BELL_SRQ, BELL_SRQ_ARM, BELL_CQ, BELL_CQ_ARM_SOLICITED, BELL_CQ_ARM };

struct bnxt_header {
	uint32_t word; /* opcode, flags, slots of the entry */
	uint32_t imm;  /* or the remote key of an atomic */
	union {
		struct {
			uint32_t length, qkey;
		};
		uint64_t raddr; /* of an atomic */
	};
};

union bnxt_detail {
	struct {
		uint32_t qpn, ah;
	} datagram;
	struct {
		uint64_t raddr;
		uint32_t rkey;
	} rdma;
	struct {
		uint64_t swap_add, compare;
	} atomic;
	struct {
		uint32_t tag;
	} shared;
};

struct bnxt_piece {
	uint64_t address;
	uint32_t key, length;
};

struct bnxt_cqe {
	union {
		struct {
			uint64_t handle;
			uint32_t index; /* behind the newest request that is done */
		} send;
		struct {
			uint32_t length, imm;
			uint64_t handle, source; /* 16 bits of the sender's number, its MAC */
		} receive;
	};
	uint32_t word; /* round, kind, status, flags */
	uint32_t tag;
};

struct bnxt_queue {
	const char *buffer;
	uint32_t entries, entry_slots;
	uint32_t next, posted; /* entries */
};

struct bnxt_ring {
	uint64_t handle;
	struct bnxt_queue rq;
	const char *sq;
	uint32_t sq_slots, fixed_slots; /* of an entry: 0 if it says so */
	uint32_t sq_next, sq_posted;	/* slots */
	uint32_t sq_index, sq_indices;	/* the library's count of entries */
};

struct bnxt_completions {
	char *buffer;
	uint32_t entries;
};

static bool is_thor2(void)
{
	const char *device = getenv("PERFTEST_PROVIDER_DEVICE");

	return device && strcmp(device, "bnxt_re-thor2") == 0;
}

static void get_context(struct rig_private *data)
{
	struct bnxt_re_uctx_resp resp = {
		.dev_id = is_thor2() ? THOR2 : THOR,
		.max_qp = 1u << RIG_QP_BITS,
		.pg_size = PAGE_BYTES,
		.cqe_sz = sizeof(struct bnxt_cqe),
		.max_cqd = 1u << 17,
		.comp_mask = HAS_CHIP | HAS_MODE,
		.chip_id0 = is_thor2() ? THOR2 : THOR,
	};
	struct rig_region *registers;

	memcpy(data->out, &resp, data->out_bytes < sizeof(resp) ? data->out_bytes : sizeof(resp));
	if (is_thor2() && data->out_bytes > MODE_AT)
		((char *)data->out)[MODE_AT] = 1;
	if (rig_region_at(REGISTER_AT))
		return;
	rig_region_add(0, PAGE_BYTES);
	registers = rig_region_add(REGISTER_AT, PAGE_BYTES);
	if (registers)
		registers->is_trapped = true;
}

static void query_device(struct ib_uverbs_query_device_resp *attr, struct rig_private *data)
{
	(void)data;
	attr->vendor_id = 0x14e4;
	attr->vendor_part_id = is_thor2() ? THOR2 : THOR;
	attr->max_qp_wr = 65000;
	attr->max_sge = is_thor2() ? 13 : 6;
	attr->max_sge_rd = attr->max_sge;
	attr->max_cqe = 1u << 17;
	attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 126;
	attr->max_res_rd_atom = 126 * attr->max_qp;
	attr->atomic_cap = IBV_ATOMIC_GLOB;
	attr->max_srq = RIG_MAX_OBJECTS;
	attr->max_srq_wr = 65000;
	attr->max_srq_sge = 6;
}

static void alloc_pd(uint32_t handle, struct rig_private *data)
{
	if (data->out_bytes >= sizeof(struct bnxt_re_pd_resp))
		*(struct bnxt_re_pd_resp *)data->out = (struct bnxt_re_pd_resp){handle, 1, REGISTER_AT};
}

static void create_ah(uint32_t handle, struct rig_private *data)
{
	struct rig_region *shared = rig_region_at(0);

	(void)data;
	if (shared)
		memcpy((char *)shared->view + AH_AT, &handle, sizeof(handle));
}

static int create_cq(struct rig_cq *cq, struct rig_private *data)
{
	const struct bnxt_re_cq_req *in = data->in;
	struct bnxt_re_cq_resp *out = data->out;
	struct bnxt_completions *ring = calloc(1, sizeof(*ring));

	if (!ring || data->in_bytes < offsetof(struct bnxt_re_cq_req, cq_handle) || data->out_bytes < 12) {
		free(ring);
		return EINVAL;
	}
	ring->buffer = (void *)(uintptr_t)in->cq_va; // NOLINT
	ring->entries = power_of_two(cq->entries + 1);
	cq->ring = ring;
	out->cqid = cq->handle;
	out->phase = 1;
	return 0;
}

static int create_srq(struct rig_srq *srq, struct rig_private *data)
{
	const struct bnxt_re_srq_req *in = data->in;
	struct bnxt_queue *ring = calloc(1, sizeof(*ring));

	if (!ring || data->in_bytes < sizeof(*in) || data->out_bytes < 4) {
		free(ring);
		return EINVAL;
	}
	ring->buffer = (void *)(uintptr_t)in->srqva; // NOLINT
	ring->entries = power_of_two(srq->max_wr + 1);
	ring->entry_slots = FIXED_SLOTS;
	srq->ring = ring;
	*(uint32_t *)data->out = srq->handle;
	return 0;
}

static int create_qp(struct rig_qp *qp, const struct ib_uverbs_create_qp *attr, struct rig_private *data)
{
	const struct bnxt_re_qp_req *in = data->in;
	struct bnxt_ring *ring;

	if (data->in_bytes < 24 || data->out_bytes < 4 || (qp->type != IBV_QPT_RC && qp->type != IBV_QPT_UD))
		return EINVAL;
	if (is_thor2() && data->in_bytes <= SQ_SLOTS_AT)
		return EINVAL;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return ENOMEM;
	ring->handle = in->qp_handle;
	ring->sq = (void *)(uintptr_t)in->qpsva; // NOLINT
	ring->fixed_slots = is_thor2() ? 0 : FIXED_SLOTS;
	ring->sq_indices = power_of_two(attr->max_send_wr + SPARE_ENTRIES);
	ring->sq_slots = ring->sq_indices * FIXED_SLOTS;
	if (is_thor2()) {
		memcpy(&ring->sq_slots, (const char *)data->in + SQ_SLOTS_AT, sizeof(ring->sq_slots));
		ring->sq_indices = ring->sq_slots;
	}
	ring->rq.buffer = (void *)(uintptr_t)in->qprva; // NOLINT
	ring->rq.entries = power_of_two(attr->max_recv_wr + 1);
	ring->rq.entry_slots = is_thor2() ? HEADER_SLOTS + attr->max_recv_sge : FIXED_SLOTS;
	qp->ring = ring;
	*(uint32_t *)data->out = qp->qpn;
	return 0;
}

static void modify_qp(struct rig_qp *qp, struct rig_private *data)
{
	struct bnxt_ring *ring = qp->ring;

	(void)data;
	if (qp->state == IBV_QPS_RESET)
		ring->sq_next = ring->sq_posted = ring->sq_index = ring->rq.next = ring->rq.posted = 0;
}

/* --- doorbells --- */

static void ring_queue(uint32_t number, unsigned kind, uint32_t index)
{
	const struct rig_srq *srq = kind == BELL_SRQ ? rig_srq_of(number) : NULL;
	struct bnxt_queue *queue = srq ? srq->ring : NULL;

	for (unsigned i = 0; i < RIG_MAX_OBJECTS && kind != BELL_SRQ; i++) {
		struct bnxt_ring *ring = rig_qp_at(i) && rig_qp_at(i)->qpn == number ? rig_qp_at(i)->ring : NULL;

		if (!ring)
			continue;
		queue = &ring->rq;
		if (kind == BELL_SQ)
			ring->sq_posted = index * (ring->fixed_slots ? ring->fixed_slots : 1);
	}
	if (!queue)
		rig_fault("a doorbell of kind %u for %#x, which does not exist", kind, number);
	else if (kind != BELL_SQ)
		queue->posted = index;
}

static void written(struct rig_region *region, uint64_t offset)
{
	uint64_t value;
	uint32_t index, number;
	unsigned kind;

	memcpy(&value, (char *)region->view + offset, sizeof(value));
	index = value & 0xffffff;
	number = value >> 32 & 0xfffff;
	kind = value >> 60;
	if (kind == BELL_SQ || kind == BELL_RQ || kind == BELL_SRQ)
		ring_queue(number, kind, index);
	else if (kind > BELL_CQ_ARM || offset)
		rig_fault("doorbell %#llx at %llu is not understood", (unsigned long long)value,
			  (unsigned long long)offset);
	else if (kind >= BELL_CQ_ARM_SOLICITED)
		rig_cq_arm(number);
}

/* --- send queue --- */

static const void *slot_at(const struct bnxt_ring *ring, uint32_t slot)
{
	return ring->sq + (size_t)((ring->sq_next + slot) % ring->sq_slots) * SLOT_BYTES;
}

static uint32_t take_inline(const struct bnxt_ring *ring, struct rig_request *request, uint32_t bytes)
{
	uint32_t slots = (bytes + SLOT_BYTES - 1) / SLOT_BYTES;

	for (uint32_t i = 0; i < slots; i++)
		request_add(request, slot_at(ring, HEADER_SLOTS + i),
			    i + 1 < slots ? SLOT_BYTES : bytes - i * SLOT_BYTES);
	trace(" inline=%u", bytes);
	return slots;
}

static uint32_t take_pieces(const struct bnxt_ring *ring, struct rig_request *request, uint32_t slots)
{
	for (uint32_t i = HEADER_SLOTS; i < slots; i++) {
		const struct bnxt_piece *piece = slot_at(ring, i);
		request_add_data(request, piece->key, piece->address, piece->length);
	}
	return slots - HEADER_SLOTS;
}

static const struct {
	enum rig_opcode opcode;
	bool has_imm, known;
} opcodes[16] = {
	[0] = {RIG_SEND, false, true},	     [1] = {RIG_SEND, true, true},  [4] = {RIG_WRITE, false, true},
	[5] = {RIG_WRITE, true, true},	     [6] = {RIG_READ, false, true}, [8] = {RIG_COMPARE_SWAP, false, true},
	[11] = {RIG_FETCH_ADD, false, true},
};

static void take_detail(const struct rig_qp *qp, const struct bnxt_header *header, const union bnxt_detail *detail,
			struct rig_request *request)
{
	if (request->opcode == RIG_SEND && qp->type == IBV_QPT_UD) {
		request->dst_qpn = detail->datagram.qpn;
		request->key = header->qkey;
		trace(" dqp=%#x qkey=%#x ah=%u", request->dst_qpn, header->qkey, detail->datagram.ah);
		if (!detail->datagram.ah)
			rig_fault("queue pair %#x: a datagram without an address handle", qp->qpn);
	} else if (request->opcode == RIG_WRITE || request->opcode == RIG_READ) {
		request->raddr = detail->rdma.raddr;
		request->rkey = detail->rdma.rkey;
	} else if (request->opcode != RIG_SEND) {
		request->raddr = header->raddr;
		request->rkey = header->imm;
		request->swap_add = detail->atomic.swap_add;
		request->compare = detail->atomic.compare;
		trace(" swap_add=%#llx compare=%#llx", (unsigned long long)request->swap_add,
		      (unsigned long long)(request->opcode == RIG_COMPARE_SWAP ? request->compare : 0));
	}
	if (request->opcode != RIG_SEND)
		trace(" rkey=%#x raddr%%4096=%u", request->rkey, (unsigned)(request->raddr % PAGE_BYTES));
}

static bool next_send(struct rig_qp *qp, struct rig_request *request)
{
	struct bnxt_ring *ring = qp->ring;
	const struct bnxt_header *header = slot_at(ring, 0);
	uint32_t code, slots, used;
	bool is_atomic;

	if (ring->sq_next == ring->sq_posted)
		return false;
	code = header->word & 0xff;
	slots = header->word >> 16 & 0xff;
	if (code >= 16 || !opcodes[code].known || slots < HEADER_SLOTS || slots > RIG_MAX_IOV ||
	    (ring->fixed_slots && slots > ring->fixed_slots)) {
		rig_fault("queue pair %#x, slot %u: %08x is not understood", qp->qpn, ring->sq_next, header->word);
		exit(3);
	}
	request->code = code;
	request->opcode = opcodes[code].opcode;
	request->has_imm = opcodes[code].has_imm;
	request->imm = request->has_imm ? header->imm : 0;
	request->signaled = header->word & IS_SIGNALED || qp->sig_all;
	request->solicited = header->word & IS_SOLICITED;
	ring->sq_index = (ring->sq_index + 1) % ring->sq_indices;
	request->index = ring->sq_index;
	trace("%#x %u: op=%#x flags=%#x slots=%u imm=%#x", qp->qpn & 0xff, ring->sq_index, code,
	      header->word >> 8 & 0xff, slots, request->imm);
	take_detail(qp, header, slot_at(ring, 1), request);
	is_atomic = request->opcode == RIG_COMPARE_SWAP || request->opcode == RIG_FETCH_ADD;
	used = header->word & IS_INLINE ? take_inline(ring, request, header->length)
					: take_pieces(ring, request, slots);
	trace("\n");
	if (used + HEADER_SLOTS != slots || (!is_atomic && request->length != header->length))
		rig_fault("queue pair %#x, slot %u: %llu bytes in %u slots, %u in %u according to the header", qp->qpn,
			  ring->sq_next, (unsigned long long)request->length, used, header->length,
			  slots - HEADER_SLOTS);
	ring->sq_next = (ring->sq_next + (ring->fixed_slots ? ring->fixed_slots : slots)) % ring->sq_slots;
	return true;
}

/* --- receive queues --- */

static bool next_receive(struct rig_qp *qp, const struct rig_request *request, struct rig_receive *receive)
{
	struct bnxt_queue *queue = qp->srq ? qp->srq->ring : &((struct bnxt_ring *)qp->ring)->rq;
	const struct bnxt_header *header;
	const struct bnxt_piece *pieces;
	uint32_t slots;

	(void)request;
	if (queue->next == queue->posted)
		return false;
	header = (const void *)(queue->buffer + (size_t)queue->next * queue->entry_slots * SLOT_BYTES); // NOLINT
	slots = header->word >> 16 & 0xff;
	if ((header->word & 0xff) != OPCODE_RECV || slots < HEADER_SLOTS || slots > queue->entry_slots)
		rig_fault("receive %u of queue pair %#x: %08x is not understood", queue->next, qp->qpn, header->word);
	receive->srq = qp->srq;
	receive->index = header->length; // the library's tag, which a completion of a shared queue has
	pieces = (const void *)(header + HEADER_SLOTS);
	for (uint32_t i = 0; i < slots - HEADER_SLOTS; i++)
		receive_add(receive, pieces[i].key, pieces[i].address, pieces[i].length);
	queue->next = (queue->next + 1) % queue->entries;
	return true;
}

/* --- completions --- */

static const uint8_t statuses[] = {
	[RIG_LOCAL_KEY] = 4,	 [RIG_LOCAL_LENGTH] = 2, [RIG_REMOTE_LENGTH] = 6,
	[RIG_REMOTE_ACCESS] = 7, [RIG_NO_ANSWER] = 10,	 [RIG_UNKNOWN_PEER] = 8,
};

static void write_cqe(struct rig_cq *cq, const struct bnxt_cqe *filled, unsigned kind, enum rig_status status,
		      uint32_t flags)
{
	struct bnxt_completions *ring = cq->ring;
	struct bnxt_cqe *cqe = (void *)(ring->buffer + (size_t)(cq->produced % ring->entries) * sizeof(*cqe)); // NOLINT
	unsigned old = cqe->word >> 1 & 0xf, round = (cq->produced / ring->entries + 1) % 2; // the first is a one

	// The library clears the handle of what it has read.
	if (cq->produced >= ring->entries && (old == CQE_SEND ? cqe->send.handle : cqe->receive.handle))
		rig_fault("completion queue %u overflows", cq->handle);
	memcpy(cqe, filled, offsetof(struct bnxt_cqe, word));
	cqe->tag = filled->tag;
	__atomic_store_n(&cqe->word, round | kind << 1 | (uint32_t)statuses[status] << 8 | flags << 16,
			 __ATOMIC_RELEASE);
	cq->produced++;
}

static void complete_send(struct rig_qp *qp, const struct rig_request *request, enum rig_status status)
{
	struct bnxt_cqe cqe = {.send = {((const struct bnxt_ring *)qp->ring)->handle, request->index}};

	write_cqe(qp->send_cq, &cqe, CQE_SEND, status, 0);
}

static void complete_receive(struct rig_qp *qp, const struct rig_receive *receive, const struct rig_request *request,
			     uint32_t source, enum rig_status status, const void *small)
{
	bool is_datagram = qp->type == IBV_QPT_UD;
	struct bnxt_cqe cqe = {
		.receive =
			{
				.length = (uint32_t)request->length + (is_datagram ? 40 : 0),
				.imm = request->imm,
				.handle = ((const struct bnxt_ring *)qp->ring)->handle,
				.source = (uint64_t)source << 48,
			},
		.tag = receive->index | source >> 16 << 24,
	};
	uint32_t flags = (receive->srq ? CQE_SRQ : 0) | (request->has_imm ? CQE_IMM : 0) |
			 (request->opcode == RIG_WRITE ? CQE_RDMA : 0);

	(void)small;
	write_cqe(qp->recv_cq, &cqe, is_datagram ? CQE_RECV_UD : CQE_RECV_RC, status, flags);
}

const struct rig_provider bnxt_re_provider = {
	.datagram_bytes = 40,
	.get_context = get_context,
	.query_device = query_device,
	.alloc_pd = alloc_pd,
	.create_ah = create_ah,
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
