// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does libirdma write into its queues, and what does it expect in them? Facts: rdma/irdma-abi.h and rdma-core's
 * providers/irdma. The device is an E810 (second generation) with RoCE or iWARP. Queues are the program's memory; an
 * entry of the send queue has one to eight quanta of 32 bytes, and a bit that changes in each round says that it is
 * valid. A doorbell names the queue pair alone: from the first on the rig looks at that bit. Receives have no doorbell.
 * The first quantum of an iWARP connection is the kernel's, for the last message of streaming mode (RFC 6581).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/opcode.h>
#include <infiniband/verbs.h>
#include <rdma/irdma-abi.h>

#include "rig.h"

#define PAGE_BYTES    4096
#define QUANTUM	      32
#define CHUNK	      8 /* quanta, whose end no entry crosses */
#define MAX_QUANTA    32768
#define MAX_FRAGMENTS 13
#define MAX_INLINE    101
#define REGISTER_AT   (1ul << 20)
#define CQ_BELL_AT    64
#define WRITE_IMM     1 /* irdma_create_qp_resp: qp_caps */
#define SEND_IMM      2
#define IS_ROCE	      4
#define VALID	      (1ull << 63)
#define SQ_SIGNALED   (1ull << 62)
#define SQ_INLINE     (1ull << 57)
#define SQ_IMM	      (1ull << 47)
#define CQ_SQ	      (1ull << 62) /* of the send queue, in the completion */
#define CQ_IMM	      (1ull << 62) /* immediate data, in the one behind it */
#define CQ_ERROR      (1ull << 55)
#define CQ_EXTENDED   (1ull << 50) /* there is one behind it */
#define FLUSHED	      (1ull << 16) /* the kind of error that has a status */
#define OP_NOP	      0xc

struct irdma_fragment {
	uint64_t address, word; /* 63: valid; length; key */
};

struct irdma_ring {
	uint64_t handle;
	const char *sq, *rq;
	volatile uint64_t *shadow; /* how far the send queue was read */
	uint32_t sq_quanta, rq_entries, rq_quanta /* of an entry */;
	uint32_t sq_next, sq_round, rq_next, rq_round;
	bool is_rung;
};

struct irdma_completions {
	char *buffer;
	const volatile uint64_t *shadow; /* how far the program has read */
};

static void get_context(struct rig_private *data)
{
	struct irdma_alloc_ucontext_resp resp = {
		.max_pds = RIG_MAX_OBJECTS,
		.max_qps = 1u << RIG_QP_BITS,
		.kernel_ver = 5,
		.db_mmap_key = REGISTER_AT,
		.max_hw_wq_frags = MAX_FRAGMENTS,
		.max_hw_read_sges = MAX_FRAGMENTS,
		.max_hw_inline = MAX_INLINE,
		.max_hw_rq_quanta = MAX_QUANTA,
		.max_hw_wq_quanta = MAX_QUANTA,
		.min_hw_cq_size = 4,
		.max_hw_cq_size = 1048574,
		.max_hw_sq_chunk = CHUNK,
		.hw_rev = 2,
	};
	struct rig_region *registers = rig_region_at(REGISTER_AT);

	memcpy(data->out, &resp, data->out_bytes < sizeof(resp) ? data->out_bytes : sizeof(resp));
	if (!registers)
		registers = rig_region_add(REGISTER_AT, PAGE_BYTES);
	if (registers)
		registers->is_trapped = true;
}

static void query_device(struct ib_uverbs_query_device_resp *attr, struct rig_private *data)
{
	(void)data;
	attr->vendor_id = 0x8086;
	attr->vendor_part_id = 0x1592;
	attr->max_qp_wr = 4063;
	attr->max_sge = attr->max_sge_rd = MAX_FRAGMENTS;
	attr->max_cqe = 524286;
	attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 127;
	attr->max_res_rd_atom = 127 * attr->max_qp;
	attr->atomic_cap = IBV_ATOMIC_NONE;
}

static int create_cq(struct rig_cq *cq, struct rig_private *data)
{
	const struct irdma_create_cq_req *in = data->in;
	struct irdma_create_cq_resp *out = data->out;
	struct irdma_completions *ring = calloc(1, sizeof(*ring));

	if (!ring || data->in_bytes < sizeof(*in) || data->out_bytes < sizeof(*out)) {
		free(ring);
		return EINVAL;
	}
	ring->buffer = (void *)(uintptr_t)in->user_cq_buf;	// NOLINT
	ring->shadow = (void *)(uintptr_t)in->user_shadow_area; // NOLINT
	cq->ring = ring;
	out->cq_id = cq->handle;
	out->cq_size = cq->entries;
	return 0;
}

/* Quanta of an entry with so many fragments (immediate data is one) or so much inline data. */
static uint32_t entry_quanta(uint32_t fragments, uint32_t inline_bytes)
{
	if (fragments <= 1 && inline_bytes <= 8)
		return 1;
	if (fragments < 4 && inline_bytes <= 39)
		return 2;
	return fragments < 8 && inline_bytes <= 101 ? 4 : 8;
}

static int create_qp(struct rig_qp *qp, const struct ib_uverbs_create_qp *attr, struct rig_private *data)
{
	const struct irdma_create_qp_req *in = data->in;
	struct irdma_create_qp_resp resp = {
		.qp_id = qp->qpn,
		.actual_sq_size = attr->max_send_wr, // the library has rounded them, and uses what the kernel confirms
		.actual_rq_size = attr->max_recv_wr,
		.lsmm = rig_is_iwarp(),
		.qp_caps = rig_is_iwarp() ? WRITE_IMM : WRITE_IMM | SEND_IMM | IS_ROCE,
	};
	struct irdma_ring *ring;

	if (data->in_bytes < sizeof(*in) || data->out_bytes < sizeof(resp) ||
	    (qp->type != IBV_QPT_RC && qp->type != IBV_QPT_UD))
		return EINVAL;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return ENOMEM;
	ring->handle = in->user_compl_ctx;
	ring->sq_quanta = attr->max_send_wr * entry_quanta(attr->max_send_sge + 1, attr->max_inline_data);
	ring->rq_entries = attr->max_recv_wr;
	ring->rq_quanta = entry_quanta(attr->max_recv_sge, 0);
	ring->sq = (void *)(uintptr_t)in->user_wqe_bufs; // NOLINT
	ring->rq = ring->sq + (ring->sq_quanta * QUANTUM + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	ring->shadow = (void *)(uintptr_t)(ring->rq + // NOLINT
					   (ring->rq_entries * ring->rq_quanta * QUANTUM + PAGE_BYTES - 1) /
						   PAGE_BYTES * PAGE_BYTES);
	ring->sq_round = ring->rq_round = 1;
	ring->sq_next = resp.lsmm;
	*ring->shadow = resp.lsmm;
	qp->ring = ring;
	memcpy(data->out, &resp, sizeof(resp));
	return 0;
}

static void written(struct rig_region *region, uint64_t offset)
{
	uint32_t number;

	memcpy(&number, (char *)region->view + offset, sizeof(number));
	if (offset == CQ_BELL_AT) {
		rig_cq_arm(number);
		return;
	}
	for (unsigned i = 0; i < RIG_MAX_OBJECTS && !offset; i++) {
		struct rig_qp *qp = rig_qp_at(i);

		if (!qp || qp->qpn != number)
			continue;
		((struct irdma_ring *)qp->ring)->is_rung = true;
		return;
	}
	rig_fault("doorbell %#x at %llu is not understood", number, (unsigned long long)offset);
}

/* --- send queue --- */

static const uint64_t *quantum_at(const struct irdma_ring *ring, uint32_t index)
{
	return (const void *)(ring->sq + (size_t)(ring->sq_next + index) * QUANTUM); // NOLINT
}

static const struct {
	enum rig_opcode opcode;
	bool solicited, known;
} opcodes[64] = {
	[0x0] = {RIG_WRITE, false, true}, [0xd] = {RIG_WRITE, true, true}, [0x1] = {RIG_READ, false, true},
	[0x3] = {RIG_SEND, false, true},  [0x5] = {RIG_SEND, true, true},
};

/* Eight bytes in the first quantum, 31 in each of the others, whose last byte has its valid bit. */
static uint32_t take_inline(const struct irdma_ring *ring, struct rig_request *request, uint32_t bytes)
{
	uint32_t quanta = 1, done = bytes < 8 ? bytes : 8;

	request_add(request, quantum_at(ring, 0) + 1, done);
	for (; done < bytes; quanta++) {
		uint32_t part = bytes - done < QUANTUM - 1 ? bytes - done : QUANTUM - 1;

		request_add(request, quantum_at(ring, quanta), part);
		if (((const uint8_t *)quantum_at(ring, quanta))[QUANTUM - 1] >> 7 != ring->sq_round)
			rig_fault("quantum %u of inline data is not valid", quanta);
		done += part;
	}
	trace(" inline=%u", bytes);
	return quanta;
}

/* The first of an odd number is in front of the header, or immediate data is; the last may be there to make it odd. */
static uint32_t take_fragments(const struct irdma_ring *ring, struct rig_request *request, uint32_t count)
{
	for (uint32_t i = request->has_imm; i < count; i++) {
		const struct irdma_fragment *fragment = i ? (const struct irdma_fragment *)quantum_at(ring, 1) + (i - 1)
							  : (const void *)quantum_at(ring, 0);

		if (fragment->word >> 63 != ring->sq_round)
			rig_fault("fragment %u is not valid", i);
		if (fragment->address || fragment->word & ~VALID)
			request_add_data(request, (uint32_t)fragment->word, fragment->address,
					 (uint32_t)(fragment->word >> 32) & 0x7fffffff);
	}
	return (count + 1) / 2;
}

static void move_on(struct irdma_ring *ring, uint32_t quanta)
{
	ring->sq_next += quanta;
	if (ring->sq_next >= ring->sq_quanta) {
		ring->sq_next -= ring->sq_quanta;
		ring->sq_round ^= 1;
	}
	*ring->shadow = ring->sq_next;
}

static bool is_valid(const struct irdma_ring *ring)
{
	return __atomic_load_n(quantum_at(ring, 0) + 3, __ATOMIC_ACQUIRE) >> 63 == ring->sq_round;
}

static bool next_send(struct rig_qp *qp, struct rig_request *request)
{
	struct irdma_ring *ring = qp->ring;
	const uint64_t *words;
	uint64_t header;
	uint32_t quanta;

	while (ring->is_rung && is_valid(ring) && (quantum_at(ring, 0)[3] >> 32 & 0x3f) == OP_NOP)
		move_on(ring, 1); // up to the end of a chunk
	if (!ring->is_rung || !is_valid(ring))
		return false;
	words = quantum_at(ring, 0);
	header = words[3];
	request->code = header >> 32 & 0x3f;
	if (!opcodes[request->code].known) {
		rig_fault("queue pair %#x, quantum %u: %016llx is not understood", qp->qpn, ring->sq_next,
			  (unsigned long long)header);
		exit(3);
	}
	request->opcode = opcodes[request->code].opcode;
	request->solicited = opcodes[request->code].solicited;
	request->signaled = header & SQ_SIGNALED;
	request->has_imm = header & SQ_IMM;
	request->imm = request->has_imm ? (uint32_t)words[0] : 0;
	request->index = ring->sq_next;
	trace("%#x %u: op=%#x flags=%#x imm=%#x", qp->qpn & 0xff, ring->sq_next, request->code,
	      (unsigned)(header >> 56 & 0x7e), request->imm);
	if (request->opcode != RIG_SEND) {
		request->raddr = words[2];
		request->rkey = (uint32_t)header;
		trace(" rkey=%#x raddr%%4096=%u", request->rkey, (unsigned)(request->raddr % PAGE_BYTES));
	} else if (qp->type == IBV_QPT_UD) {
		request->key = (uint32_t)words[2];
		request->dst_qpn = words[2] >> 32 & 0xffffff;
		trace(" dqp=%#x qkey=%#x ah=%u", request->dst_qpn, (uint32_t)words[2], (unsigned)(header & 0x1ffff));
		if (!(header & 0x1ffff))
			rig_fault("queue pair %#x: a datagram without an address handle", qp->qpn);
	}
	quanta = header & SQ_INLINE ? take_inline(ring, request, header >> 48 & 0xff)
				    : take_fragments(ring, request, (header >> 38 & 0xf) + 1);
	trace(" quanta=%u\n", quanta);
	if (ring->sq_next / CHUNK != (ring->sq_next + quanta - 1) / CHUNK)
		rig_fault("queue pair %#x: %u quanta at %u cross the end of a chunk", qp->qpn, quanta, ring->sq_next);
	move_on(ring, quanta);
	return true;
}

/* --- receive queue --- */

static bool next_receive(struct rig_qp *qp, const struct rig_request *request, struct rig_receive *receive)
{
	struct irdma_ring *ring = qp->ring;
	const uint64_t *words = (const void *)(ring->rq + (size_t)ring->rq_next * ring->rq_quanta * QUANTUM); // NOLINT
	uint64_t header = __atomic_load_n(words + 3, __ATOMIC_ACQUIRE);
	uint32_t count = (header >> 38 & 0xf) + 1;

	(void)request;
	if (header >> 63 != ring->rq_round)
		return false;
	receive->index = ring->rq_next * ring->rq_quanta;
	for (uint32_t i = 0; i < count; i++) {
		const struct irdma_fragment *fragment = (const void *)(words + (i ? 2 + 2 * i : 0));

		if (fragment->address || fragment->word & ~VALID)
			receive_add(receive, (uint32_t)fragment->word, fragment->address,
				    (uint32_t)(fragment->word >> 32) & 0x7fffffff);
	}
	if (++ring->rq_next == ring->rq_entries) {
		ring->rq_next = 0;
		ring->rq_round ^= 1;
	}
	return true;
}

/* --- completions --- */

static const uint8_t statuses[] = {
	[RIG_LOCAL_KEY] = 2,	 [RIG_LOCAL_LENGTH] = 6, [RIG_REMOTE_LENGTH] = 10,
	[RIG_REMOTE_ACCESS] = 3, [RIG_NO_ANSWER] = 8,	 [RIG_UNKNOWN_PEER] = 5,
};

static void write_entry(struct rig_cq *cq, uint32_t ahead, const uint64_t *words, uint64_t last)
{
	struct irdma_completions *ring = cq->ring;
	uint32_t at = cq->produced + ahead;
	uint64_t *entry = (void *)(ring->buffer + (size_t)(at % cq->entries) * QUANTUM); // NOLINT

	if ((at + 1) % cq->entries == (uint32_t)*ring->shadow)
		rig_fault("completion queue %u overflows", cq->handle);
	memcpy(entry, words, 3 * sizeof(*words));
	__atomic_store_n(entry + 3, last | (at / cq->entries % 2 ? 0 : VALID), __ATOMIC_RELEASE);
}

static void write_completion(struct rig_cq *cq, const uint64_t *words, uint64_t last, enum rig_status status,
			     const uint32_t *imm)
{
	last |= (uint64_t)(status == RIG_OK ? 0 : CQ_ERROR | FLUSHED | statuses[status]);
	if (imm)
		write_entry(cq, 1, (const uint64_t[3]){*imm}, CQ_IMM);
	write_entry(cq, 0, words, last | (imm ? CQ_EXTENDED : 0));
	cq->produced += imm ? 2 : 1;
}

static void complete_send(struct rig_qp *qp, const struct rig_request *request, enum rig_status status)
{
	const uint64_t words[3] = {request->length, ((struct irdma_ring *)qp->ring)->handle, (uint64_t)qp->qpn << 32};

	write_completion(qp->send_cq, words, CQ_SQ | (uint64_t)request->code << 56 | (uint64_t)request->index << 32,
			 status, NULL);
}

static void complete_receive(struct rig_qp *qp, const struct rig_receive *receive, const struct rig_request *request,
			     uint32_t source, enum rig_status status, const void *small)
{
	bool is_datagram = qp->type == IBV_QPT_UD;
	uint64_t opcode = request->opcode == RIG_WRITE ? IBV_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE : 0;
	const uint64_t words[3] = {
		request->length + (is_datagram ? 40 : 0),
		((struct irdma_ring *)qp->ring)->handle,
		(uint64_t)qp->qpn << 32 | (is_datagram ? source : 0),
	};

	(void)small;
	write_completion(qp->recv_cq, words, opcode << 56 | (uint64_t)receive->index << 32, status,
			 request->has_imm ? &request->imm : NULL);
}

const struct rig_provider irdma_provider = {
	.datagram_bytes = 40,
	.get_context = get_context,
	.query_device = query_device,
	.alloc_pd = rig_answer_handle,
	.create_ah = rig_answer_handle,
	.create_cq = create_cq,
	.create_qp = create_qp,
	.written = written,
	.next_send = next_send,
	.next_receive = next_receive,
	.complete_send = complete_send,
	.complete_receive = complete_receive,
};
