// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does libhns write into its queues, and what does it expect in them? Facts: rdma/hns-abi.h and rdma-core's
 * providers/hns. The device is a HIP09, also with a kernel before Linux 6.2 (hns-old), or a HIP08, which has no
 * datagrams. Queues are the program's memory; an entry
 * of the send queue has 64 bytes with up to two pieces of memory, more are in an area behind the queue. All doorbells
 * are one register; receives and what was read of a completion queue have a record in memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/hns-abi.h>

#include "rig.h"

#define PAGE_BYTES     4096
#define ENTRY_BYTES    64
#define PIECE_BYTES    16
#define INNER_PIECES   2
#define INNER_INLINE   32 /* bytes of a connection's inline data in the entry itself */
#define DATAGRAM_INNER 8
#define BELL_AT	       0x230
#define HIP08	       0x100
#define HIP09	       0x130
#define MAX_INLINE     1024
#define MAX_PIECES     64
#define INVALID_LENGTH 0x80000000
#define IS_SIGNALED    (1 << 8)
#define IS_SOLICITED   (1 << 11)
#define IS_INLINE      (1 << 12)
#define IS_OUTSIDE     (1u << 31) /* inline data is in the area behind the queue */
#define CQE_RECEIVE    (1 << 6)
#define CQE_GRH	       (1u << 30)
#define INDEX_MASK     0xffff

enum { BELL_SQ, BELL_RQ, BELL_SRQ, BELL_CQ, BELL_CQ_ARM };

struct hns_piece {
	uint32_t length, key;
	uint64_t address;
};

struct hns_send {
	uint32_t word, length, imm, pieces; /* opcode, round, flags; number of pieces in bits 24 to 31 */
	uint32_t first;			    /* piece outside; IS_OUTSIDE */
	union {
		struct {
			uint32_t rkey;
			uint64_t raddr;
			union {
				struct hns_piece inner[INNER_PIECES];
				uint8_t data[INNER_INLINE];
				struct {
					struct hns_piece result;
					uint64_t swap_add, compare;
				} atomic;
			};
		} __attribute__((packed)) connection;
		struct {
			uint32_t port, qkey, qpn, address[8];
		} datagram;
	};
};

struct hns_cqe {
	uint32_t word, imm, srqn, qpn, length, mac[2], source;
};

struct hns_ring {
	const char *sq, *outside, *rq;
	uint8_t (*small)[DATAGRAM_INNER];   /* inline data of a datagram, put together, for each entry */
	const volatile uint32_t *rq_record; /* receives posted so far */
	uint32_t sq_entries, outside_pieces, rq_entries, rq_pieces;
	uint16_t sq_next, sq_posted, rq_next;
};

struct hns_shared {
	const char *buffer;
	const uint32_t *order; /* in which the entries were posted */
	uint16_t next, posted;
};

struct hns_completions {
	char *buffer;
	const volatile uint32_t *record; /* how many the program has read */
	uint32_t entries, cqe_bytes;
};

static bool device_is(const char *name)
{
	const char *device = getenv("PERFTEST_PROVIDER_DEVICE");

	return device && strcmp(device, name) == 0;
}

static bool is_hip08(void)
{
	return device_is("hns-hip08");
}

/* Does the kernel know that inline data outside of the entries needs room, too? */
static bool counts_inline(void)
{
	return !device_is("hns-old");
}

static uint32_t page_aligned(uint32_t bytes)
{
	return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static void get_context(struct rig_private *data)
{
	struct hns_roce_ib_alloc_ucontext_resp resp = {
		.qp_tab_size = 1u << 16,
		.cqe_size = is_hip08() ? 32 : 64,
		.srq_tab_size = 1u << 16,
		.config = counts_inline() ? HNS_ROCE_RSP_EXSGE_FLAGS : 0,
		.max_inline_data = counts_inline() ? MAX_INLINE : 0,
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
	attr->vendor_id = 0x19e5;
	attr->vendor_part_id = 0xa222;
	attr->hw_ver = is_hip08() ? HIP08 : HIP09;
	attr->max_qp_wr = 32768;
	attr->max_sge = attr->max_sge_rd = MAX_PIECES;
	attr->max_cqe = 4194304;
	attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 128;
	attr->max_res_rd_atom = 128 * attr->max_qp;
	attr->atomic_cap = IBV_ATOMIC_HCA;
	attr->max_srq = RIG_MAX_OBJECTS;
	attr->max_srq_wr = 32768;
	attr->max_srq_sge = MAX_PIECES;
}

/* The destination's MAC. */
static void create_ah(uint32_t handle, struct rig_private *data)
{
	(void)handle;
	if (data->out_bytes >= 6)
		memset(data->out, 2, 6);
}

static int create_cq(struct rig_cq *cq, struct rig_private *data)
{
	const struct hns_roce_ib_create_cq *in = data->in;
	struct hns_roce_ib_create_cq_resp *out = data->out;
	struct hns_completions *ring = calloc(1, sizeof(*ring));

	if (!ring || data->in_bytes < sizeof(*in) || data->out_bytes < sizeof(*out)) {
		free(ring);
		return EINVAL;
	}
	ring->buffer = (void *)(uintptr_t)in->buf_addr; // NOLINT
	ring->record = (void *)(uintptr_t)in->db_addr;	// NOLINT
	ring->entries = power_of_two(cq->entries);
	ring->cqe_bytes = in->cqe_size;
	cq->entries = ring->entries - 1;
	cq->ring = ring;
	out->cqn = cq->handle;
	out->cap_flags = HNS_ROCE_CQ_FLAG_RECORD_DB;
	return 0;
}

static int create_srq(struct rig_srq *srq, struct rig_private *data)
{
	const struct hns_roce_ib_create_srq *in = data->in;
	struct hns_shared *ring = calloc(1, sizeof(*ring));

	if (!ring || data->in_bytes < sizeof(*in) || data->out_bytes < 4) {
		free(ring);
		return EINVAL;
	}
	ring->buffer = (void *)(uintptr_t)in->buf_addr; // NOLINT
	ring->order = (void *)(uintptr_t)in->que_addr;	// NOLINT
	srq->ring = ring;
	*(uint32_t *)data->out = srq->handle;
	return 0;
}

/* Pieces outside the entries: those that don't fit, and inline data. */
static uint32_t outside_pieces(const struct rig_qp *qp, const struct ib_uverbs_create_qp *attr)
{
	uint32_t inner = qp->type == IBV_QPT_UD ? 0 : INNER_PIECES;
	uint32_t of_entry = attr->max_send_sge > inner ? attr->max_send_sge - inner : qp->type == IBV_QPT_UD;
	uint32_t for_inline = attr->max_inline_data / PIECE_BYTES;
	uint32_t all;

	if (counts_inline() && for_inline > inner && for_inline > of_entry)
		of_entry = for_inline;
	if (!of_entry)
		return 0;
	all = power_of_two(attr->max_send_wr * (counts_inline() ? power_of_two(of_entry) : of_entry));
	return all > PAGE_BYTES / PIECE_BYTES ? all : PAGE_BYTES / PIECE_BYTES;
}

static int create_qp(struct rig_qp *qp, const struct ib_uverbs_create_qp *attr, struct rig_private *data)
{
	const struct hns_roce_ib_create_qp *in = data->in;
	struct hns_roce_ib_create_qp_resp *out = data->out;
	struct hns_ring *ring;
	uint8_t(*small)[DATAGRAM_INNER];

	if (data->in_bytes < sizeof(*in) || data->out_bytes < sizeof(out->cap_flags) ||
	    (qp->type != IBV_QPT_RC && qp->type != IBV_QPT_UD))
		return EINVAL;
	ring = calloc(1, sizeof(*ring) + ((size_t)DATAGRAM_INNER << in->log_sq_bb_count));
	if (!ring)
		return ENOMEM;
	small = (void *)(ring + 1);
	*ring = (struct hns_ring){
		.sq = (void *)(uintptr_t)in->buf_addr, // NOLINT
		.small = small,
		.rq_record = (void *)(uintptr_t)in->db_addr, // NOLINT
		.sq_entries = 1u << in->log_sq_bb_count,
		.outside_pieces = outside_pieces(qp, attr),
		.rq_entries = attr->max_recv_wr,
		.rq_pieces = attr->max_recv_sge,
	};
	ring->outside = ring->sq + page_aligned(ring->sq_entries * ENTRY_BYTES);
	ring->rq = ring->outside + page_aligned(ring->outside_pieces * PIECE_BYTES);
	qp->ring = ring;
	out->cap_flags = HNS_ROCE_QP_CAP_RQ_RECORD_DB | HNS_ROCE_QP_CAP_OWNER_DB;
	return 0;
}

static void modify_qp(struct rig_qp *qp, struct rig_private *data)
{
	struct hns_ring *ring = qp->ring;

	(void)data;
	if (qp->state == IBV_QPS_RESET)
		ring->sq_next = ring->sq_posted = ring->rq_next = 0;
}

static void written(struct rig_region *region, uint64_t offset)
{
	uint64_t value;
	uint32_t number;
	unsigned kind;

	memcpy(&value, (char *)region->view + offset, sizeof(value));
	number = value & 0xffffff;
	kind = value >> 24 & 0xf;
	if (offset == BELL_AT && kind == BELL_CQ_ARM) {
		rig_cq_arm(number);
		return;
	}
	if (offset == BELL_AT && kind == BELL_SRQ && rig_srq_of(number)) {
		((struct hns_shared *)rig_srq_of(number)->ring)->posted = (uint16_t)(value >> 32);
		return;
	}
	for (unsigned i = 0; i < RIG_MAX_OBJECTS && offset == BELL_AT && kind == BELL_SQ; i++) {
		struct rig_qp *qp = rig_qp_at(i);

		if (!qp || qp->qpn != number)
			continue;
		((struct hns_ring *)qp->ring)->sq_posted = (uint16_t)(value >> 32);
		return;
	}
	rig_fault("doorbell %#llx at %#llx is not understood", (unsigned long long)value, (unsigned long long)offset);
}

/* --- send queue --- */

static const struct {
	enum rig_opcode opcode;
	bool has_imm, known;
} opcodes[32] = {
	[0] = {RIG_SEND, false, true},	    [2] = {RIG_SEND, true, true},  [3] = {RIG_WRITE, false, true},
	[4] = {RIG_WRITE, true, true},	    [5] = {RIG_READ, false, true}, [6] = {RIG_COMPARE_SWAP, false, true},
	[7] = {RIG_FETCH_ADD, false, true},
};

static const struct hns_piece *outside_at(const struct hns_ring *ring, uint32_t index)
{
	return (const void *)(ring->outside + (size_t)(index % ring->outside_pieces) * PIECE_BYTES); // NOLINT
}

static void take_outside(const struct hns_ring *ring, const struct hns_send *send, struct rig_request *request,
			 uint32_t bytes)
{
	uint32_t first = (send->first & 0xffffff) % ring->outside_pieces;
	uint32_t until_end = (ring->outside_pieces - first) * PIECE_BYTES;

	request_add(request, outside_at(ring, first), bytes < until_end ? bytes : until_end);
	if (bytes > until_end)
		request_add(request, ring->outside, bytes - until_end);
	trace(" outside");
}

/* A datagram's first eight bytes are where the entry has nothing else. */
static const uint8_t *take_scattered(struct hns_ring *ring, const struct hns_send *send)
{
	uint8_t *data = ring->small[ring->sq_next % ring->sq_entries];
	uint64_t all = send->length >> 16 | (uint64_t)(send->pieces >> 24) << 16 |
		       (uint64_t)(send->first & 0xffffff) << 24 | (uint64_t)(send->datagram.port & 0xffff) << 48;

	memcpy(data, &all, DATAGRAM_INNER);
	return data;
}

static void take_inline(struct rig_qp *qp, const struct hns_send *send, struct rig_request *request)
{
	struct hns_ring *ring = qp->ring;
	bool is_datagram = qp->type == IBV_QPT_UD;
	uint32_t bytes = is_datagram && !(send->first & IS_OUTSIDE) ? send->length & 0xffff : send->length;

	trace(" inline=%u", bytes);
	if (send->first & IS_OUTSIDE && ring->outside_pieces)
		take_outside(ring, send, request, bytes);
	else if (is_datagram ? bytes <= DATAGRAM_INNER : bytes <= INNER_INLINE)
		request_add(request, is_datagram ? take_scattered(ring, send) : send->connection.data, bytes);
	else
		rig_fault("queue pair %#x: %u bytes of inline data do not fit", qp->qpn, bytes);
}

static void take_pieces(struct rig_qp *qp, const struct hns_send *send, struct rig_request *request)
{
	const struct hns_ring *ring = qp->ring;
	uint32_t count = send->pieces >> 24, inner = qp->type == IBV_QPT_UD ? 0 : INNER_PIECES;

	for (uint32_t i = 0; i < count; i++) {
		struct hns_piece piece = {0};

		if (i < inner)
			memcpy(&piece, send->connection.data + i * sizeof(piece), sizeof(piece));
		else if (ring->outside_pieces)
			piece = *outside_at(ring, (send->first & 0xffffff) + i - inner);
		request_add_data(request, piece.key, piece.address, piece.length);
	}
	if (request->length != send->length)
		rig_fault("queue pair %#x: %u bytes, but the pieces have %llu", qp->qpn, send->length,
			  (unsigned long long)request->length);
}

static bool next_send(struct rig_qp *qp, struct rig_request *request)
{
	struct hns_ring *ring = qp->ring;
	const struct hns_send *send =
		(const void *)(ring->sq + (size_t)(ring->sq_next % ring->sq_entries) * ENTRY_BYTES); // NOLINT

	if (ring->sq_next == ring->sq_posted)
		return false;
	request->code = send->word & 0x1f;
	if (!opcodes[request->code].known || (send->word >> 7 & 1) != !(ring->sq_next & ring->sq_entries)) {
		rig_fault("queue pair %#x, entry %u: %08x is not understood", qp->qpn, ring->sq_next, send->word);
		exit(3);
	}
	request->opcode = opcodes[request->code].opcode;
	request->has_imm = opcodes[request->code].has_imm;
	request->imm = request->has_imm ? send->imm : 0;
	request->signaled = send->word & IS_SIGNALED || qp->sig_all;
	request->solicited = send->word & IS_SOLICITED;
	request->index = ring->sq_next;
	trace("%#x %u: op=%u flags=%#x imm=%#x", qp->qpn & 0xff, ring->sq_next, request->code, send->word & 0x1f00,
	      request->imm);
	if (qp->type == IBV_QPT_UD) {
		request->dst_qpn = send->datagram.qpn & 0xffffff;
		request->key = send->datagram.qkey;
		trace(" dqp=%#x qkey=%#x", request->dst_qpn, send->datagram.qkey);
	} else if (request->opcode != RIG_SEND) {
		request->raddr = send->connection.raddr;
		request->rkey = send->connection.rkey;
		trace(" rkey=%#x raddr%%4096=%u", request->rkey, (unsigned)(request->raddr % PAGE_BYTES));
	}
	if (request->opcode == RIG_COMPARE_SWAP || request->opcode == RIG_FETCH_ADD) {
		request->swap_add = send->connection.atomic.swap_add;
		request->compare = send->connection.atomic.compare;
		trace(" swap_add=%#llx compare=%#llx", (unsigned long long)request->swap_add,
		      (unsigned long long)request->compare);
	}
	if (send->word & IS_INLINE)
		take_inline(qp, send, request);
	else
		take_pieces(qp, send, request);
	trace("\n");
	ring->sq_next++;
	return true;
}

/* --- receive queues --- */

static void take_receive(const struct hns_piece *pieces, uint32_t count, struct rig_receive *receive)
{
	for (uint32_t i = 0; i < count && pieces[i].length && pieces[i].length != INVALID_LENGTH; i++)
		receive_add(receive, pieces[i].key, pieces[i].address, pieces[i].length);
}

static bool next_receive(struct rig_qp *qp, const struct rig_request *request, struct rig_receive *receive)
{
	struct hns_ring *ring = qp->ring;
	struct hns_shared *shared = qp->srq ? qp->srq->ring : NULL;

	(void)request;
	if (shared) {
		if (shared->next == shared->posted)
			return false;
		receive->srq = qp->srq;
		receive->index = shared->order[shared->next++ % power_of_two(qp->srq->max_wr)];
		take_receive((const void *)(shared->buffer + // NOLINT
					    (size_t)receive->index * qp->srq->max_sge * PIECE_BYTES),
			     qp->srq->max_sge, receive);
		return true;
	}
	if (!ring->rq_entries || ring->rq_next == (uint16_t)*ring->rq_record)
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	receive->index = ring->rq_next;
	take_receive((const void *)(ring->rq + // NOLINT
				    (size_t)(ring->rq_next % ring->rq_entries) * ring->rq_pieces * PIECE_BYTES),
		     ring->rq_pieces, receive);
	ring->rq_next++;
	return true;
}

/* --- completions --- */

static const uint8_t statuses[] = {
	[RIG_LOCAL_KEY] = 0x04,	    [RIG_LOCAL_LENGTH] = 0x01, [RIG_REMOTE_LENGTH] = 0x12,
	[RIG_REMOTE_ACCESS] = 0x13, [RIG_NO_ANSWER] = 0x15,    [RIG_UNKNOWN_PEER] = 0x14,
};

static void write_cqe(struct rig_cq *cq, const struct hns_cqe *filled, enum rig_status status)
{
	struct hns_completions *ring = cq->ring;
	struct hns_cqe *cqe =
		(void *)(ring->buffer + (size_t)(cq->produced % ring->entries) * ring->cqe_bytes); // NOLINT
	uint32_t round = (cq->produced / ring->entries + 1) % 2;

	if (((cq->produced - *ring->record) & 0xffffff) >= ring->entries)
		rig_fault("completion queue %u overflows", cq->handle);
	memcpy(&cqe->imm, &filled->imm, sizeof(*cqe) - offsetof(struct hns_cqe, imm));
	__atomic_store_n(&cqe->word, filled->word | round << 7 | (uint32_t)statuses[status] << 8, __ATOMIC_RELEASE);
	cq->produced++;
}

static void complete_send(struct rig_qp *qp, const struct rig_request *request, enum rig_status status)
{
	struct hns_cqe cqe = {
		.word = request->code | request->index << 16,
		.qpn = qp->qpn,
		.length = (uint32_t)request->length,
	};

	write_cqe(qp->send_cq, &cqe, status);
}

static void complete_receive(struct rig_qp *qp, const struct rig_receive *receive, const struct rig_request *request,
			     uint32_t source, enum rig_status status, const void *small)
{
	bool is_datagram = qp->type == IBV_QPT_UD;
	uint32_t opcode = request->opcode == RIG_WRITE ? 0 : request->has_imm ? 2 : 1;
	struct hns_cqe cqe = {
		.word = CQE_RECEIVE | opcode | (receive->index & INDEX_MASK) << 16,
		.imm = request->imm,
		.qpn = qp->qpn,
		.length = (uint32_t)request->length + (is_datagram ? 40 : 0),
		.source = is_datagram ? source | CQE_GRH : 0,
	};

	(void)small;
	write_cqe(qp->recv_cq, &cqe, status);
}

const struct rig_provider hns_provider = {
	.datagram_bytes = 40,
	.get_context = get_context,
	.query_device = query_device,
	.alloc_pd = rig_answer_handle,
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
