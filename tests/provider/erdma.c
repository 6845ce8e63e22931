// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does liberdma write into its queues, and what does it expect in them? Facts: rdma/erdma-abi.h and rdma-core's
 * providers/erdma. The device is Alibaba's, with RoCE or iWARP, whose requests are the same. Queues are the program's
 * memory; a request has one to four units of 32 bytes, and says at which unit the next begins. Each doorbell has a
 * record in memory.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "rig.h"

#define PAGE_BYTES   4096
#define UNIT	     32
#define PIECE_BYTES  16
#define MAX_INLINE   96
#define SEND_AT	     PAGE_BYTES /* pages of registers: send, receive and completion queues */
#define RECEIVE_AT   (2 * PAGE_BYTES)
#define COMPLETE_AT  (3 * PAGE_BYTES)
#define POSITION     0xffffu /* of a record and a request */
#define IS_SIGNALED  (1u << 22)
#define IS_SOLICITED (1u << 23)
#define IS_INLINE    (1u << 25)
#define IS_ARMED     (1ull << 31)
#define CONSUMED     0xffffff /* completions, in the record of an armed queue */
#define CQE_OWNER    (1u << 31)
#define CQE_RECEIVE  (1u << 8)
#define GOT_SEND     4
#define GOT_WRITE    5 /* with immediate data, as the next */
#define GOT_SEND_IMM 12

/* What the kernel and the library pass to each other; newer headers have it. */
struct erdma_context {
	uint32_t device, padding, kind, offset;
	uint64_t send_at, receive_at, complete_at;
};

struct erdma_create {
	uint64_t records, buffer;
	uint32_t bytes, padding;
};

struct erdma_created_cq {
	uint32_t number, entries;
};

struct erdma_created_qp {
	uint32_t number, units, receives, receives_at;
};

struct erdma_piece {
	uint64_t address;
	uint32_t length, key;
};

struct erdma_send {
	uint64_t header; /* next unit, flags, opcode, number, units, pieces or bytes of inline data */
	union {
		struct {
			uint32_t imm, length;
			struct erdma_piece first; /* of a SEND */
		} all;
		struct {
			uint32_t imm, length, key, low, high; /* of the peer's memory, or where a READ puts its data */
		} memory;
		struct {
			uint64_t reserved, swap_add, compare;
		} atomic;
	};
};

struct erdma_receive {
	uint16_t next, reserved;
	uint32_t number, more[2];
	struct erdma_piece piece;
};

struct erdma_cqe {
	uint32_t word, index, number, imm, length, reserved[3]; /* all but imm big-endian */
};

struct erdma_ring {
	const char *sq, *rq;
	const volatile uint64_t *records;
	uint32_t units, receives;
	uint16_t sq_next, rq_next;
};

struct erdma_completions {
	char *buffer;
	const volatile uint64_t *record;
	uint64_t notified; /* the record for which the program was woken */
};

static void get_context(struct rig_private *data)
{
	struct erdma_context context = {
		.device = 0x107f, .send_at = SEND_AT, .receive_at = RECEIVE_AT, .complete_at = COMPLETE_AT};

	memcpy(data->out, &context, data->out_bytes < sizeof(context) ? data->out_bytes : sizeof(context));
}

static bool may_map(uint64_t offset)
{
	return offset == SEND_AT || offset == RECEIVE_AT || offset == COMPLETE_AT;
}

static void query_device(struct ib_uverbs_query_device_resp *attr, struct rig_private *data)
{
	(void)data;
	attr->vendor_id = 0x1ded;
	attr->vendor_part_id = 0x107f;
	attr->max_qp_wr = 8192;
	attr->max_sge = attr->max_sge_rd = 1;
	attr->max_cqe = 1 << 20;
	attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 128;
	attr->max_res_rd_atom = 128 * attr->max_qp;
	attr->atomic_cap = IBV_ATOMIC_GLOB;
}

static int create_cq(struct rig_cq *cq, struct rig_private *data)
{
	const struct erdma_create *in = data->in;
	struct erdma_created_cq *out = data->out;
	struct erdma_completions *ring = calloc(1, sizeof(*ring));

	if (!ring || data->in_bytes < sizeof(*in) || data->out_bytes < sizeof(*out)) {
		free(ring);
		return EINVAL;
	}
	ring->buffer = (void *)(uintptr_t)in->buffer;  // NOLINT
	ring->record = (void *)(uintptr_t)in->records; // NOLINT
	cq->entries = power_of_two(cq->entries);
	cq->ring = ring;
	*out = (struct erdma_created_cq){cq->handle, cq->entries};
	return 0;
}

static int create_qp(struct rig_qp *qp, const struct ib_uverbs_create_qp *attr, struct rig_private *data)
{
	const struct erdma_create *in = data->in;
	struct erdma_created_qp *out = data->out;
	struct erdma_ring *ring;

	if (data->in_bytes < sizeof(*in) || data->out_bytes < sizeof(*out) || qp->type != IBV_QPT_RC ||
	    !attr->max_send_wr || !attr->max_recv_wr || attr->max_inline_data > MAX_INLINE || attr->max_recv_sge > 1)
		return EINVAL;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return ENOMEM;
	ring->units = power_of_two(4 * attr->max_send_wr);
	ring->receives = power_of_two(attr->max_recv_wr);
	ring->sq = (void *)(uintptr_t)in->buffer;	// NOLINT
	ring->records = (void *)(uintptr_t)in->records; // NOLINT
	*out = (struct erdma_created_qp){
		.number = qp->qpn,
		.units = ring->units,
		.receives = ring->receives,
		.receives_at = (ring->units * UNIT + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES,
	};
	ring->rq = ring->sq + out->receives_at;
	qp->ring = ring;
	return 0;
}

/* --- send queue --- */

static const struct {
	enum rig_opcode opcode;
	bool has_imm, known;
} opcodes[32] = {
	[0] = {RIG_WRITE, false, true},	     [1] = {RIG_READ, false, true}, [2] = {RIG_SEND, false, true},
	[3] = {RIG_SEND, true, true},	     [9] = {RIG_WRITE, true, true}, [17] = {RIG_COMPARE_SWAP, false, true},
	[18] = {RIG_FETCH_ADD, false, true},
};

static const void *unit_at(const struct erdma_ring *ring, uint32_t index)
{
	return ring->sq + (size_t)(index % ring->units) * UNIT;
}

/* From a unit, and a byte in it, on. */
static void take_inline(const struct erdma_ring *ring, struct rig_request *request, uint32_t unit, uint32_t at,
			uint32_t bytes)
{
	trace(" inline=%u", bytes);
	for (; bytes; unit++, at = 0) {
		const uint32_t part = bytes < UNIT - at ? bytes : UNIT - at;

		request_add(request, (const char *)unit_at(ring, unit) + at, part);
		bytes -= part;
	}
}

static void take_pieces(const struct erdma_ring *ring, struct rig_request *request, uint32_t unit, uint32_t at,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, at += PIECE_BYTES) {
		const struct erdma_piece *piece =
			(const void *)((const char *)unit_at(ring, unit + at / UNIT) + at % UNIT); // NOLINT

		request_add_data(request, piece->key, piece->address, piece->length);
	}
}

static void take_data(const struct erdma_ring *ring, struct rig_request *request, uint64_t header)
{
	/* Of a SEND behind the first half of its first unit. */
	const uint32_t unit = ring->sq_next + (request->opcode != RIG_SEND);
	const uint32_t at = request->opcode == RIG_SEND ? PIECE_BYTES : 0, count = header >> 56;

	if (header & IS_INLINE)
		take_inline(ring, request, unit, at, count);
	else
		take_pieces(ring, request, unit, at, count);
}

static void take_memory(const struct erdma_ring *ring, const struct erdma_send *send, struct rig_request *request)
{
	const struct erdma_piece *pieces = unit_at(ring, ring->sq_next + 1);

	if (request->opcode == RIG_WRITE) {
		request->rkey = send->memory.key;
		request->raddr = (uint64_t)send->memory.high << 32 | send->memory.low;
		take_data(ring, request, send->header);
	} else if (request->opcode == RIG_READ) {
		request->rkey = pieces[0].key;
		request->raddr = pieces[0].address;
		if (pieces[0].length != send->memory.length)
			rig_fault("a READ of %u bytes into %u", pieces[0].length, send->memory.length);
		request_add_data(request, send->memory.key, (uint64_t)send->memory.high << 32 | send->memory.low,
				 send->memory.length);
	} else {
		request->rkey = pieces[0].key;
		request->raddr = pieces[0].address;
		request->swap_add = send->atomic.swap_add;
		request->compare = send->atomic.compare;
		request_add_data(request, pieces[1].key, pieces[1].address, pieces[1].length);
	}
	trace(" rkey=%#x raddr%%4096=%u", request->rkey, (unsigned)(request->raddr % PAGE_BYTES));
}

static bool next_send(struct rig_qp *qp, struct rig_request *request)
{
	struct erdma_ring *ring = qp->ring;
	const struct erdma_send *send = unit_at(ring, ring->sq_next);
	uint64_t bell = __atomic_load_n(ring->records, __ATOMIC_ACQUIRE), header;
	uint32_t units;

	if ((uint16_t)(bell & POSITION) == ring->sq_next)
		return false;
	header = send->header;
	units = (header >> 52 & 7) + 1;
	request->code = header >> 27 & 0x1f;
	if (!opcodes[request->code].known || (header >> 32 & 0xfffff) != qp->qpn || (bell >> 32 & 0xfffff) != qp->qpn) {
		rig_fault("queue pair %#x, unit %u: %016llx is not understood", qp->qpn, ring->sq_next,
			  (unsigned long long)header);
		exit(3);
	}
	if ((uint16_t)(header & POSITION) != (uint16_t)(ring->sq_next + units))
		rig_fault("queue pair %#x: the request at %u has %u units, and the next begins at %u", qp->qpn,
			  ring->sq_next, units, (unsigned)(header & POSITION));
	request->opcode = opcodes[request->code].opcode;
	request->has_imm = opcodes[request->code].has_imm;
	request->signaled = header & IS_SIGNALED;
	request->solicited = header & IS_SOLICITED;
	request->imm = request->has_imm ? send->all.imm : 0;
	request->index = ring->sq_next;
	trace("%#x %u: op=%u flags=%#x imm=%#x", qp->qpn & 0xff, ring->sq_next % ring->units, request->code,
	      (unsigned)(header >> 22 & 0x1f), request->imm);
	if (request->opcode == RIG_SEND)
		take_data(ring, request, header);
	else
		take_memory(ring, send, request);
	if ((request->opcode == RIG_SEND || request->opcode == RIG_WRITE) && request->length != send->all.length)
		rig_fault("a request of %u bytes has data of %llu", send->all.length,
			  (unsigned long long)request->length);
	trace(" units=%u\n", units);
	ring->sq_next = (uint16_t)(ring->sq_next + units);
	return true;
}

/* --- receive queue --- */

static bool next_receive(struct rig_qp *qp, const struct rig_request *request, struct rig_receive *receive)
{
	struct erdma_ring *ring = qp->ring;
	const struct erdma_receive *entry =
		(const void *)(ring->rq + (size_t)(ring->rq_next % ring->receives) * UNIT); // NOLINT

	(void)request;
	if ((uint16_t)(__atomic_load_n(ring->records + 1, __ATOMIC_ACQUIRE) & POSITION) == ring->rq_next)
		return false;
	receive->index = ring->rq_next++;
	if (entry->next != ring->rq_next || entry->number != qp->qpn)
		rig_fault("receive %u of queue pair %#x is that of %u, of %#x", receive->index, qp->qpn,
			  entry->next - 1u, entry->number);
	receive_add(receive, entry->piece.key, entry->piece.address, entry->piece.length);
	return true;
}

/* --- completions --- */

static const uint8_t statuses[] = {
	[RIG_LOCAL_KEY] = 10,	 [RIG_LOCAL_LENGTH] = 7, [RIG_REMOTE_LENGTH] = 1,
	[RIG_REMOTE_ACCESS] = 5, [RIG_NO_ANSWER] = 16,	 [RIG_UNKNOWN_PEER] = 1,
};

static void write_completion(struct rig_cq *cq, const struct rig_qp *qp, uint32_t word, uint32_t index, uint32_t length,
			     enum rig_status status, uint32_t imm)
{
	struct erdma_completions *ring = cq->ring;
	struct erdma_cqe *cqe = (void *)(ring->buffer + (size_t)(cq->produced % cq->entries) * sizeof(*cqe)); // NOLINT

	word |= status == RIG_OK ? 0 : statuses[status];
	cqe->index = htobe32(index);
	cqe->number = htobe32(qp->qpn);
	cqe->imm = htole32(be32toh(imm));
	cqe->length = htobe32(length);
	__atomic_store_n(&cqe->word, htobe32(word | (cq->produced & cq->entries ? 0 : CQE_OWNER)), __ATOMIC_RELEASE);
	cq->produced++;
}

static void complete_send(struct rig_qp *qp, const struct rig_request *request, enum rig_status status)
{
	write_completion(qp->send_cq, qp, request->code << 16, request->index, (uint32_t)request->length, status, 0);
}

static void complete_receive(struct rig_qp *qp, const struct rig_receive *receive, const struct rig_request *request,
			     uint32_t source, enum rig_status status, const void *small)
{
	const uint32_t got = !request->has_imm ? GOT_SEND : request->opcode == RIG_WRITE ? GOT_WRITE : GOT_SEND_IMM;

	(void)source;
	(void)small;
	write_completion(qp->recv_cq, qp, got << 16 | CQE_RECEIVE, receive->index, (uint32_t)request->length, status,
			 request->imm);
}

/* A record that arms the queue says how many completions the program had seen. */
static bool notify(struct rig_cq *cq)
{
	struct erdma_completions *ring = cq->ring;
	const uint64_t record = __atomic_load_n(ring->record, __ATOMIC_ACQUIRE);

	if (!(record & IS_ARMED) || record == ring->notified || (record & CONSUMED) == (cq->produced & CONSUMED))
		return false;
	ring->notified = record;
	return true;
}

const struct rig_provider erdma_provider = {
	.get_context = get_context,
	.query_device = query_device,
	.create_cq = create_cq,
	.create_qp = create_qp,
	.may_map = may_map,
	.next_send = next_send,
	.next_receive = next_receive,
	.complete_send = complete_send,
	.complete_receive = complete_receive,
	.notify = notify,
};
