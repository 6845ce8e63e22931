// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does libionic write into its queues, and what does it expect in them? Facts: rdma/ionic-abi.h (of newer headers)
 * and rdma-core's providers/ionic. Each completion queue is two, of which a queue pair uses one. Queues are the
 * program's memory; doorbells are registers in one page, one for each kind of queue. What a connection has sent is
 * completed by the number of requests that are done, a datagram by its place in the queue, each of them.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "rig.h"

#define PAGE_BYTES   4096
#define ENGINES	     2 /* with a completion queue each */
#define STRIDE_LOG   9 /* of the longest entry */
#define HEADER_BYTES 32
#define MAX_INLINE   ((1 << STRIDE_LOG) - HEADER_BYTES)
#define MAX_PIECES   8
#define SQ_BELL	     3 /* which register */
#define RQ_BELL	     4
#define CQ_BELL	     5
#define BELL_ARMS    (3 << 16) /* a completion queue: also for those that were asked for alone */
#define IS_SOLICITED 2
#define IS_INLINE    4
#define IS_SIGNALED  8
#define HAS_COLOUR   16
#define PIECES_FIRST 2 /* pieces before those of a longer list */
#define LIST_FORMAT  0xf000
#define CQE_COLOUR   1
#define CQE_ERROR    2
#define CQE_RECEIVE  (1 << 5)
#define CQE_COUNT    (2 << 5)
#define CQE_PLACE    (3 << 5)
#define GOT_SEND     0
#define GOT_SEND_IMM 2
#define GOT_WRITE    3 /* with immediate data */

/* What the kernel and the library pass to each other; newer headers have it. */
struct ionic_context {
	uint32_t reserved, page_log;
	uint64_t doorbells;
	uint16_t version;
	uint8_t opcodes, admin_opcodes, sq_bell, rq_bell, cq_bell, admin_bell;
	uint8_t stride_log, list, engines, express, express_kinds, reserved2[3];
	uint64_t clock;
};

struct ionic_memory {
	uint64_t address;
	uint32_t bytes;
	uint16_t mask;
	uint8_t depth_log, stride_log;
};

struct ionic_create_cq {
	struct ionic_memory cq[ENGINES];
	uint8_t engines, reserved[7];
};

struct ionic_created_cq {
	uint32_t number[ENGINES];
	uint8_t engines, reserved[7];
};

struct ionic_create_qp {
	struct ionic_memory sq, rq;
	uint8_t sq_list, rq_list, sq_device, rq_device, engines, reserved[3];
};

struct ionic_created_qp {
	uint32_t number;
	uint8_t sq_device, rq_device, engine, reserved;
	uint64_t sq_offset, rq_offset;
};

struct ionic_piece {
	uint64_t address;
	uint32_t length, key;
};

struct ionic_entry {
	uint64_t place;
	uint8_t opcode, pieces;
	uint16_t flags;
	uint32_t imm;
	union {
		struct {
			uint32_t ah, qpn, qkey, length;
		} send;
		struct {
			uint32_t raddr[2], rkey, length;
		} memory;
	};
	struct ionic_piece piece[];
};

struct ionic_atomic {
	uint32_t header[4], raddr[2], rkey, swap_add[2], compare[2], reserved;
	struct ionic_piece piece;
};

struct ionic_cqe {
	union {
		struct {
			uint64_t place;
			uint32_t source; /* and kind, in bits 24 to 31 */
			uint8_t mac[6];
			uint16_t vlan;
			uint32_t imm;
		} receive;
		struct {
			uint32_t reserved, count;
			uint64_t reserved2, place;
		} send;
	};
	uint32_t length; /* or the error */
	uint32_t word;
};

struct ionic_queue {
	const char *buffer;
	uint32_t mask;
	uint16_t next, posted;
	uint8_t stride_log;
	bool colour;
};

struct ionic_ring {
	struct ionic_queue sq, rq;
	unsigned engine;
};

struct ionic_completions {
	struct {
		char *buffer;
		uint32_t mask, number, produced, read, armed_at; /* the latter three: completions */
		bool is_armed;
	} queues[ENGINES];
};

static void get_context(struct rig_private *data)
{
	struct ionic_context context = {
		.page_log = 12,
		.version = 1,
		.opcodes = 11,
		.sq_bell = SQ_BELL,
		.rq_bell = RQ_BELL,
		.cq_bell = CQ_BELL,
		.stride_log = STRIDE_LOG,
		.list = MAX_PIECES,
		.engines = ENGINES,
	};
	struct rig_region *registers = rig_region_at(0);

	memcpy(data->out, &context, data->out_bytes < sizeof(context) ? data->out_bytes : sizeof(context));
	if (!registers)
		registers = rig_region_add(0, PAGE_BYTES);
	if (registers)
		registers->is_trapped = true;
}

static void query_device(struct ib_uverbs_query_device_resp *attr, struct rig_private *data)
{
	(void)data;
	attr->vendor_id = 0x1dd8;
	attr->vendor_part_id = 0x1002;
	attr->max_qp_wr = 65535;
	attr->max_sge = attr->max_sge_rd = MAX_PIECES;
	attr->max_cqe = 65435;
	attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 16;
	attr->max_res_rd_atom = 16 * attr->max_qp;
	attr->atomic_cap = IBV_ATOMIC_GLOB;
}

static int create_cq(struct rig_cq *cq, struct rig_private *data)
{
	const struct ionic_create_cq *in = data->in;
	struct ionic_created_cq *out = data->out;
	struct ionic_completions *ring = calloc(1, sizeof(*ring));

	if (!ring || data->in_bytes < sizeof(*in) || data->out_bytes < sizeof(*out) ||
	    in->engines != (1 << ENGINES) - 1) {
		free(ring);
		return EINVAL;
	}
	for (unsigned i = 0; i < ENGINES; i++) {
		ring->queues[i].buffer = (void *)(uintptr_t)in->cq[i].address; // NOLINT
		ring->queues[i].mask = in->cq[i].mask;
		ring->queues[i].number = out->number[i] = cq->handle * ENGINES + i;
	}
	out->engines = in->engines;
	cq->ring = ring;
	return 0;
}

static struct ionic_queue queue_of(const struct ionic_memory *memory)
{
	return (struct ionic_queue){
		.buffer = (void *)(uintptr_t)memory->address, // NOLINT
		.mask = memory->mask,
		.stride_log = memory->stride_log,
		.colour = true,
	};
}

static int create_qp(struct rig_qp *qp, const struct ib_uverbs_create_qp *attr, struct rig_private *data)
{
	const struct ionic_create_qp *in = data->in;
	struct ionic_created_qp *out = data->out;
	struct ionic_ring *ring;

	if (data->in_bytes < sizeof(*in) || data->out_bytes < sizeof(*out) || attr->max_inline_data > MAX_INLINE ||
	    (qp->type != IBV_QPT_RC && qp->type != IBV_QPT_UD) || in->sq.mask < attr->max_send_wr ||
	    in->rq.mask < attr->max_recv_wr || in->sq.stride_log > STRIDE_LOG)
		return EINVAL;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return ENOMEM;
	ring->sq = queue_of(&in->sq);
	ring->rq = queue_of(&in->rq);
	ring->engine = qp->qpn % ENGINES;
	*out = (struct ionic_created_qp){.number = qp->qpn, .engine = (uint8_t)ring->engine};
	qp->ring = ring;
	return 0;
}

static void modify_qp(struct rig_qp *qp, struct rig_private *data)
{
	struct ionic_ring *ring = qp->ring;

	(void)data;
	if (qp->state == IBV_QPS_RTS)
		qp->reads = (uint8_t)(power_of_two((qp->reads + 3u) / 2) - 1); // a power of two less one
	if (qp->state != IBV_QPS_RESET)
		return;
	ring->sq.next = ring->sq.posted = ring->rq.next = ring->rq.posted = 0;
}

/* --- doorbells --- */

static bool ring_completions(uint32_t number, uint32_t value)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		struct ionic_completions *ring = rig_cq_at(i) ? rig_cq_at(i)->ring : NULL;

		for (unsigned e = 0; ring && e < ENGINES; e++) {
			if (ring->queues[e].number != number)
				continue;
			if (value & BELL_ARMS) {
				ring->queues[e].is_armed = true;
				ring->queues[e].armed_at = ring->queues[e].read; // up to there the library has looked
			} else {
				ring->queues[e].read += (value - ring->queues[e].read) & ring->queues[e].mask;
			}
			return true;
		}
	}
	return false;
}

static bool ring_queue(uint32_t number, uint32_t value, bool is_send)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		struct rig_qp *qp = rig_qp_at(i);
		struct ionic_ring *ring = qp && qp->qpn == number ? qp->ring : NULL;
		struct ionic_queue *queue;

		if (!ring)
			continue;
		queue = is_send ? &ring->sq : &ring->rq;
		queue->posted = (uint16_t)value;
		return value <= queue->mask;
	}
	return false;
}

static void written(struct rig_region *region, uint64_t offset)
{
	uint64_t value;
	uint32_t number, low;
	bool is_known;

	memcpy(&value, (char *)region->view + offset, sizeof(value));
	number = value >> 24 & 0xffffff;
	low = value & 0xffffff;
	if (offset == CQ_BELL * sizeof(value))
		is_known = ring_completions(number, low);
	else
		is_known = (offset == SQ_BELL * sizeof(value) || offset == RQ_BELL * sizeof(value)) &&
			   ring_queue(number, low, offset == SQ_BELL * sizeof(value));
	if (!is_known)
		rig_fault("doorbell %#llx at %llu is not understood", (unsigned long long)value,
			  (unsigned long long)offset);
}

/* --- send queue --- */

static const struct {
	enum rig_opcode opcode;
	bool has_imm, known;
} opcodes[16] = {
	[0] = {RIG_SEND, false, true},	    [2] = {RIG_SEND, true, true},  [3] = {RIG_READ, false, true},
	[4] = {RIG_WRITE, false, true},	    [5] = {RIG_WRITE, true, true}, [6] = {RIG_COMPARE_SWAP, false, true},
	[7] = {RIG_FETCH_ADD, false, true},
};

static const struct ionic_entry *entry_at(const struct ionic_queue *queue)
{
	return (const void *)(queue->buffer + ((size_t)queue->next << queue->stride_log)); // NOLINT
}

static uint64_t of_words(const uint32_t *words)
{
	return (uint64_t)be32toh(words[0]) << 32 | be32toh(words[1]);
}

/* A longer list has its lengths in front, for the device to look ahead. */
static unsigned first_piece(const struct ionic_entry *entry)
{
	return be16toh(entry->flags) & LIST_FORMAT ? PIECES_FIRST : 0;
}

static void take_address(const struct rig_qp *qp, const struct ionic_entry *entry, struct rig_request *request)
{
	if (request->opcode != RIG_SEND) {
		request->raddr = of_words(entry->memory.raddr);
		request->rkey = be32toh(entry->memory.rkey);
		trace(" rkey=%#x raddr%%4096=%u", request->rkey, (unsigned)(request->raddr % PAGE_BYTES));
	} else if (qp->type == IBV_QPT_UD) {
		request->dst_qpn = be32toh(entry->send.qpn);
		request->key = be32toh(entry->send.qkey);
		trace(" dqp=%#x qkey=%#x ah=%u", request->dst_qpn, be32toh(entry->send.qkey), be32toh(entry->send.ah));
		if (!entry->send.ah)
			rig_fault("queue pair %#x: a datagram without an address handle", qp->qpn);
	}
}

static void take_data(const struct ionic_queue *queue, const struct ionic_entry *entry, struct rig_request *request)
{
	const uint32_t length = be32toh(entry->memory.length), room = (1u << queue->stride_log) - HEADER_BYTES;
	const struct ionic_piece *pieces = entry->piece + first_piece(entry);

	if (be16toh(entry->flags) & IS_INLINE ? length > room : (entry->pieces + first_piece(entry)) * 16u > room) {
		rig_fault("%u bytes or %u pieces in an entry that has room for %u", length, entry->pieces, room);
		exit(3);
	}
	if (be16toh(entry->flags) & IS_INLINE) {
		trace(" inline=%u", length);
		request_add(request, entry->piece, length);
	} else {
		for (unsigned i = 0; i < entry->pieces; i++)
			request_add_data(request, be32toh(pieces[i].key), be64toh(pieces[i].address),
					 be32toh(pieces[i].length));
	}
	if (request->length != length)
		rig_fault("a request of %u bytes has data of %llu", length, (unsigned long long)request->length);
}

static bool next_send(struct rig_qp *qp, struct rig_request *request)
{
	struct ionic_queue *queue = &((struct ionic_ring *)qp->ring)->sq;
	const struct ionic_entry *entry = entry_at(queue);
	uint32_t flags;

	if (queue->next == queue->posted)
		return false;
	flags = be16toh(entry->flags);
	if (entry->opcode >= 16 || !opcodes[entry->opcode].known || (entry->place & 0xffff) != queue->next ||
	    !(flags & HAS_COLOUR) == queue->colour) {
		rig_fault("queue pair %#x, entry %u: request %u of %llu with %#x is not understood", qp->qpn,
			  queue->next, entry->opcode, (unsigned long long)entry->place, flags);
		exit(3);
	}
	request->opcode = opcodes[entry->opcode].opcode;
	request->has_imm = opcodes[entry->opcode].has_imm;
	request->imm = request->has_imm ? entry->imm : 0;
	/* The library waits for the completion of each datagram, and drops it if it was not asked for. */
	request->signaled = flags & IS_SIGNALED || qp->type == IBV_QPT_UD;
	request->solicited = flags & IS_SOLICITED;
	request->index = queue->next;
	trace("%#x %u: op=%u flags=%#x imm=%#x", qp->qpn & 0xff, queue->next, entry->opcode, flags & ~HAS_COLOUR,
	      request->imm);
	take_address(qp, entry, request);
	if (request->opcode == RIG_COMPARE_SWAP || request->opcode == RIG_FETCH_ADD) {
		const struct ionic_atomic *atomic = (const void *)entry;

		request->swap_add = of_words(atomic->swap_add);
		request->compare = of_words(atomic->compare);
		request_add_data(request, be32toh(atomic->piece.key), be64toh(atomic->piece.address),
				 be32toh(atomic->piece.length));
	} else {
		take_data(queue, entry, request);
	}
	trace(" stride=%u\n", 1u << queue->stride_log);
	queue->next = (uint16_t)((queue->next + 1) & queue->mask);
	queue->colour ^= !queue->next;
	return true;
}

/* --- receive queue --- */

static bool next_receive(struct rig_qp *qp, const struct rig_request *request, struct rig_receive *receive)
{
	struct ionic_queue *queue = &((struct ionic_ring *)qp->ring)->rq;
	const struct ionic_entry *entry = entry_at(queue);
	const struct ionic_piece *pieces = entry->piece + first_piece(entry);

	(void)request;
	if (queue->next == queue->posted)
		return false;
	if ((entry->place & 0xffff) != queue->next || entry->pieces > MAX_PIECES)
		rig_fault("receive %u of queue pair %#x is that of %llu, with %u pieces", queue->next, qp->qpn,
			  (unsigned long long)entry->place, entry->pieces);
	receive->index = queue->next;
	for (unsigned i = 0; i < entry->pieces && i < MAX_PIECES; i++)
		receive_add(receive, be32toh(pieces[i].key), be64toh(pieces[i].address), be32toh(pieces[i].length));
	if (receive->length != be32toh(entry->imm))
		rig_fault("receive %u of %u bytes has room for %llu", receive->index, be32toh(entry->imm),
			  (unsigned long long)receive->length);
	queue->next = (uint16_t)((queue->next + 1) & queue->mask);
	return true;
}

/* --- completions --- */

static const uint8_t statuses[] = {
	[RIG_LOCAL_KEY] = 3,	 [RIG_LOCAL_LENGTH] = 1, [RIG_REMOTE_LENGTH] = 8,
	[RIG_REMOTE_ACCESS] = 9, [RIG_NO_ANSWER] = 11,	 [RIG_UNKNOWN_PEER] = 10,
};

static void write_cqe(struct rig_cq *cq, const struct rig_qp *qp, struct ionic_cqe filled, uint32_t kind,
		      enum rig_status status)
{
	struct ionic_completions *ring = cq->ring;
	const unsigned engine = ((const struct ionic_ring *)qp->ring)->engine;
	const uint32_t mask = ring->queues[engine].mask, at = ring->queues[engine].produced++;
	struct ionic_cqe *cqe = (struct ionic_cqe *)(void *)ring->queues[engine].buffer + (at & mask);
	const uint32_t colour = at / (mask + 1) % 2 ? 0 : CQE_COLOUR; // the first is a one

	if (at - ring->queues[engine].read > mask)
		rig_fault("completion queue %u overflows", ring->queues[engine].number);
	filled.length = htobe32(status == RIG_OK ? filled.length : statuses[status]);
	filled.word = cqe->word;
	*cqe = filled;
	__atomic_store_n(&cqe->word, htobe32(qp->qpn << 8 | kind | colour | (status == RIG_OK ? 0 : CQE_ERROR)),
			 __ATOMIC_RELEASE);
	cq->produced++;
}

static void complete_send(struct rig_qp *qp, const struct rig_request *request, enum rig_status status)
{
	struct ionic_cqe cqe = {.send = {.place = htole64(request->index)}};

	if (qp->type == IBV_QPT_UD) {
		write_cqe(qp->send_cq, qp, cqe, CQE_PLACE, status);
		return;
	}
	cqe.send.count = htobe32((uint32_t)request->sequence + 1);
	write_cqe(qp->send_cq, qp, cqe, CQE_COUNT, status);
}

static void complete_receive(struct rig_qp *qp, const struct rig_receive *receive, const struct rig_request *request,
			     uint32_t source, enum rig_status status, const void *small)
{
	const uint32_t kind = request->opcode == RIG_WRITE ? GOT_WRITE : request->has_imm ? GOT_SEND_IMM : GOT_SEND;
	const bool is_datagram = qp->type == IBV_QPT_UD;
	struct ionic_cqe cqe = {
		.receive = {.place = htole64(receive->index),
			    .source = htobe32(source | kind << 24),
			    .imm = request->imm},
		.length = (uint32_t)request->length + (is_datagram ? 40 : 0),
	};

	(void)small;
	write_cqe(qp->recv_cq, qp, cqe, CQE_RECEIVE, status);
}

static bool notify(struct rig_cq *cq)
{
	struct ionic_completions *ring = cq->ring;
	bool is_due = false;

	for (unsigned e = 0; e < ENGINES; e++) {
		if (!ring->queues[e].is_armed || ring->queues[e].produced == ring->queues[e].armed_at)
			continue;
		ring->queues[e].is_armed = false;
		is_due = true;
	}
	return is_due;
}

const struct rig_provider ionic_provider = {
	.datagram_bytes = 40,
	.get_context = get_context,
	.query_device = query_device,
	.create_ah = rig_answer_handle,
	.create_cq = create_cq,
	.create_qp = create_qp,
	.modify_qp = modify_qp,
	.written = written,
	.next_send = next_send,
	.next_receive = next_receive,
	.complete_send = complete_send,
	.complete_receive = complete_receive,
	.notify = notify,
};
