// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does libcxgb4 write into its queues, and what does it expect in them? Facts: rdma/cxgb4-abi.h and rdma-core's
 * providers/cxgb4. The device is a T6, with iWARP. Queues are the kernel's memory, in slots of 64 bytes, and each has a
 * page of registers: a request of one slot is written there itself, of more the number of slots. Completions of READs
 * come without being asked for.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/cxgb4-abi.h>

#include "rig.h"

#define PAGE_BYTES     4096
#define SLOT	       64
#define SQ_SLOTS       5 /* of an entry, at most */
#define RQ_SLOTS       2
#define CQE_BYTES      64
#define MAX_INLINE     280
#define MAX_SEND_SGE   17
#define MAX_RECV_SGE   4
#define MAX_REQUESTS   8190
#define BELL_AT	       8
#define PUSHED_AT      64 /* where a request is written itself */
#define COUNTER_AT     20 /* of a completion queue */
#define BELL_SLOTS     0x1fff
#define READ_SO_FAR    0xfff /* completions, in the counter */
#define TIMER	       0xe000
#define TIMER_ARMS     (6 << 13)
#define HAS_DATA       0x81 /* what stands behind a request's header */
#define HAS_PIECES     0x83
#define IS_SIGNALED    1
#define IS_SOLICITED   4
#define WITH_IMMEDIATE 0x40
#define DO_WRITE       0x14
#define DO_SEND	       0x15
#define DO_READ	       0x16
#define DO_RECEIVE     0x17
#define CQE_SQ	       (1 << 4)
#define GOT_WRITE      0
#define GOT_READ       2
#define GOT_SEND       3
#define GOT_WRITE_IMM  8
#define FAILED_AT      12 /* in the state behind a queue */

enum { SQ_MEMORY, SQ_REGISTERS, RQ_MEMORY, RQ_REGISTERS, CQ_MEMORY, CQ_REGISTERS, STATUS_PAGE };

struct cxgb4_status {
	uint8_t doorbells_off, padding[7];
	uint64_t first_qp, qps, first_cq, cqs;
};

struct cxgb4_send {
	uint8_t opcode, flags;
	uint16_t index;
	uint8_t reserved[3], units; /* of 16 bytes */
	union {
		struct {
			uint32_t kind, key, length;
		} send;
		struct {
			uint32_t imm, reserved, length, rkey;
			uint64_t raddr;
		} write;
		struct {
			uint32_t reserved[2], key, high, low, length, rkey, raddr_high, raddr_low;
		} read;
	};
};

struct cxgb4_data {
	uint8_t kind, reserved;
	uint16_t pieces;
	uint32_t bytes;
};

struct cxgb4_piece {
	uint32_t key, length;
	uint64_t address;
};

struct cxgb4_cqe {
	uint32_t header, length, key;
	union {
		uint32_t sequence; /* of a receive */
		uint16_t index[2]; /* of a request, the second */
	};
	uint32_t imm, reserved[9];
	uint64_t round;
};

struct cxgb4_queue {
	struct rig_region *memory, *registers;
	uint32_t slots, at, posted; /* the latter: slots that are not taken yet */
	uint64_t step;		    /* bytes that the library writes at a time */
};

struct cxgb4_ring {
	struct cxgb4_queue sq, rq;
	uint32_t receives; /* so far, and one */
};

struct cxgb4_completions {
	struct rig_region *memory, *registers;
	uint32_t entries, read; /* completions: room for, and read so far */
};

/* Each queue's pages have a key of its own. */
static uint64_t key_of(uint32_t number, unsigned kind)
{
	return ((uint64_t)number << 4 | kind) << 20;
}

static struct rig_region *add_registers(uint32_t number, unsigned kind)
{
	struct rig_region *registers = rig_region_add(key_of(number, kind), PAGE_BYTES);

	if (registers)
		registers->is_trapped = true;
	return registers;
}

static void get_context(struct rig_private *data)
{
	const struct c4iw_alloc_ucontext_resp resp = {
		.status_page_key = key_of(0, STATUS_PAGE),
		.status_page_size = PAGE_BYTES,
	};
	struct rig_region *page = rig_region_at(resp.status_page_key);

	memcpy(data->out, &resp, data->out_bytes < sizeof(resp) ? data->out_bytes : sizeof(resp));
	if (!page)
		page = rig_region_add(resp.status_page_key, PAGE_BYTES);
	if (page)
		*(struct cxgb4_status *)page->view = (struct cxgb4_status){.qps = 1 << 16, .cqs = 1 << 16};
}

static void query_device(struct ib_uverbs_query_device_resp *attr, struct rig_private *data)
{
	(void)data;
	attr->vendor_id = 0x1425;
	attr->vendor_part_id = 0x6401;
	attr->max_qp_wr = MAX_REQUESTS;
	attr->max_sge = MAX_RECV_SGE;
	attr->max_sge_rd = 1;
	attr->max_cqe = 65518;
	attr->max_mr = 1 << 15;
	attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 32;
	attr->max_res_rd_atom = 32 * attr->max_qp;
	attr->atomic_cap = IBV_ATOMIC_NONE;
}

static int create_cq(struct rig_cq *cq, struct rig_private *data)
{
	struct c4iw_create_cq_resp *out = data->out;
	struct cxgb4_completions *ring = calloc(1, sizeof(*ring));

	if (!ring || data->out_bytes < sizeof(*out)) {
		free(ring);
		return EINVAL;
	}
	cq->ring = ring;
	ring->entries = (cq->entries + 2 + 15) / 16 * 16 * 2; // so that the library may count what it has read rarely
	ring->memory = rig_region_add(key_of(cq->handle, CQ_MEMORY), (uint64_t)(ring->entries + 1) * CQE_BYTES);
	ring->registers = add_registers(cq->handle, CQ_REGISTERS);
	if (!ring->memory || !ring->registers)
		return ENOMEM;
	*out = (struct c4iw_create_cq_resp){
		.key = ring->memory->offset,
		.gts_key = ring->registers->offset,
		.memsize = ring->memory->bytes,
		.cqid = cq->handle,
		.size = ring->entries,
		.flags = C4IW_64B_CQE,
	};
	return 0;
}

static bool add_queue(struct cxgb4_queue *queue, const struct rig_qp *qp, unsigned kind, uint32_t slots)
{
	queue->slots = slots;
	queue->memory = rig_region_add(key_of(qp->qpn, kind), (uint64_t)(slots + SQ_SLOTS) * SLOT);
	queue->registers = add_registers(qp->qpn, kind + 1);
	return queue->memory && queue->registers;
}

static int create_qp(struct rig_qp *qp, const struct ib_uverbs_create_qp *attr, struct rig_private *data)
{
	struct c4iw_create_qp_resp *out = data->out;
	const uint32_t sends = attr->max_send_wr + 1, receives = attr->max_recv_wr + 1; // one stays empty
	struct cxgb4_ring *ring;

	if (data->out_bytes < sizeof(*out) || qp->type != IBV_QPT_RC || qp->srq || attr->max_inline_data > MAX_INLINE ||
	    attr->max_send_sge > MAX_SEND_SGE || attr->max_recv_sge > MAX_RECV_SGE || attr->max_send_wr > MAX_REQUESTS)
		return EINVAL;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return ENOMEM;
	qp->ring = ring;
	ring->receives = 1;
	if (!add_queue(&ring->sq, qp, SQ_MEMORY, sends * SQ_SLOTS) ||
	    !add_queue(&ring->rq, qp, RQ_MEMORY, receives * RQ_SLOTS))
		return ENOMEM;
	*out = (struct c4iw_create_qp_resp){
		.sq_key = ring->sq.memory->offset,
		.rq_key = ring->rq.memory->offset,
		.sq_db_gts_key = ring->sq.registers->offset,
		.rq_db_gts_key = ring->rq.registers->offset,
		.sq_memsize = ring->sq.memory->bytes,
		.rq_memsize = ring->rq.memory->bytes,
		.sqid = qp->qpn,
		.rqid = qp->qpn,
		.sq_size = sends,
		.rq_size = receives,
		.flags = C4IW_QPF_WRITE_W_IMM,
	};
	return 0;
}

/* --- registers --- */

/* A request that is written itself stands in the queue, too. The last store of it is the doorbell. */
static void pushed(struct cxgb4_queue *queue, const struct rig_region *region, uint64_t offset)
{
	const char *twin =
		(const char *)queue->memory->view + (size_t)((queue->at + queue->posted) % queue->slots) * SLOT;

	if (offset == PUSHED_AT)
		queue->step = 0;
	else if (!queue->step)
		queue->step = offset - PUSHED_AT;
	if (!queue->step || offset + queue->step != PUSHED_AT + SLOT)
		return;
	if (memcmp((const char *)region->view + PUSHED_AT, twin,
		   ((const struct cxgb4_send *)(const void *)twin)->units * 16))
		rig_fault("a request that is written to the device is not the one in its queue");
	queue->posted++;
}

static void rung(struct cxgb4_queue *queue, const struct rig_region *region, uint64_t offset)
{
	uint32_t word;

	memcpy(&word, (char *)region->view + offset, sizeof(word));
	if (offset >= PUSHED_AT && offset < PUSHED_AT + SLOT) {
		pushed(queue, region, offset);
		return;
	}
	if (offset != BELL_AT || word & ~BELL_SLOTS || !word)
		rig_fault("doorbell %#x at %llu is not understood", word, (unsigned long long)offset);
	queue->posted += word & BELL_SLOTS;
}

static void counted(struct rig_cq *cq, const struct rig_region *region, uint64_t offset)
{
	struct cxgb4_completions *ring = cq->ring;
	uint32_t word;

	memcpy(&word, (char *)region->view + offset, sizeof(word));
	if (offset != COUNTER_AT || word >> 16)
		rig_fault("%#x is written at %llu of a completion queue's registers", word, (unsigned long long)offset);
	ring->read += word & READ_SO_FAR;
	if (ring->read > cq->produced)
		rig_fault("completion queue %u: %u of %u completions are read", cq->handle, ring->read, cq->produced);
	if ((word & TIMER) == TIMER_ARMS)
		rig_cq_arm(cq->handle);
}

static void written(struct rig_region *region, uint64_t offset)
{
	for (unsigned i = 0; i < RIG_MAX_OBJECTS; i++) {
		struct cxgb4_ring *ring = rig_qp_at(i) ? rig_qp_at(i)->ring : NULL;
		const struct cxgb4_completions *completions = rig_cq_at(i) ? rig_cq_at(i)->ring : NULL;

		if (ring && ring->sq.registers == region)
			rung(&ring->sq, region, offset);
		else if (ring && ring->rq.registers == region)
			rung(&ring->rq, region, offset);
		else if (completions && completions->registers == region)
			counted(rig_cq_at(i), region, offset);
	}
}

/* --- queues --- */

static void copy_out(const struct cxgb4_queue *queue, void *entry, uint32_t bytes)
{
	const uint32_t until_end = (queue->slots - queue->at) * SLOT, first = bytes < until_end ? bytes : until_end;
	const char *memory = queue->memory->view;

	memcpy(entry, memory + (size_t)queue->at * SLOT, first);
	memcpy((char *)entry + first, memory, bytes - first);
}

/* The entry that is next, of so many slots at most, if the doorbell has been rung for it; its units of 16 bytes, or 0.
 */
static uint32_t entry_at(const struct cxgb4_queue *queue, void *entry, uint32_t most)
{
	uint32_t units;

	if (!queue->posted)
		return 0;
	copy_out(queue, entry, SLOT);
	units = ((const struct cxgb4_send *)entry)->units;
	if (!units || units * 16 > most * SLOT || (units + 3) / 4 > queue->posted) {
		rig_fault("an entry of %u units, where %u slots were posted", units, queue->posted);
		exit(3);
	}
	copy_out(queue, entry, units * 16);
	return units;
}

static void move_on(struct cxgb4_queue *queue, uint32_t units)
{
	queue->at = (queue->at + (units + 3) / 4) % queue->slots;
	queue->posted -= (units + 3) / 4;
}

static void take_inline(const struct cxgb4_queue *queue, struct rig_request *request, uint32_t offset, uint32_t bytes)
{
	const char *memory = queue->memory->view;
	const uint32_t all = queue->slots * SLOT, start = (queue->at * SLOT + offset) % all;
	const uint32_t first = bytes < all - start ? bytes : all - start;

	trace(" inline=%u", bytes);
	request_add(request, memory + start, first);
	if (bytes > first)
		request_add(request, memory, bytes - first);
}

static void take_data(const struct cxgb4_queue *queue, struct rig_request *request, const char *entry, uint32_t units)
{
	const struct cxgb4_data *data = (const void *)(entry + 32);
	const struct cxgb4_piece *pieces = (const void *)(data + 1);
	const uint32_t count = data->kind == HAS_PIECES ? be16toh(data->pieces) : 0;
	const uint32_t bytes = data->kind == HAS_DATA ? be32toh(data->bytes) : 0;

	if ((data->kind != HAS_PIECES && data->kind != HAS_DATA) || bytes > MAX_INLINE || count > MAX_SEND_SGE ||
	    (40 + bytes + count * sizeof(*pieces) + 15) / 16 != units) {
		rig_fault("a request of %u units has %u bytes or %u pieces, of kind %#x", units, bytes, count,
			  data->kind);
		exit(3);
	}
	if (data->kind == HAS_DATA)
		take_inline(queue, request, 40, bytes);
	for (uint32_t i = 0; i < count; i++)
		request_add_data(request, be32toh(pieces[i].key), be64toh(pieces[i].address),
				 be32toh(pieces[i].length));
}

static bool next_send(struct rig_qp *qp, struct rig_request *request)
{
	struct cxgb4_queue *queue = &((struct cxgb4_ring *)qp->ring)->sq;
	union {
		struct cxgb4_send send;
		char bytes[SQ_SLOTS * SLOT];
	} entry;
	const struct cxgb4_send *send = &entry.send;
	const uint32_t units = entry_at(queue, &entry, SQ_SLOTS);

	if (!units)
		return false;
	request->index = send->index;
	request->signaled = send->flags & IS_SIGNALED || send->opcode == DO_READ;
	request->solicited = send->flags & IS_SOLICITED;
	request->has_imm = send->flags & WITH_IMMEDIATE;
	request->imm = request->has_imm ? send->write.imm : 0;
	request->opcode = send->opcode == DO_SEND ? RIG_SEND : send->opcode == DO_WRITE ? RIG_WRITE : RIG_READ;
	trace("%#x %u: op=%#x flags=%#x imm=%#x", qp->qpn & 0xff, queue->at, send->opcode, send->flags, request->imm);
	if (send->opcode == DO_WRITE) {
		request->rkey = be32toh(send->write.rkey);
		request->raddr = be64toh(send->write.raddr);
	} else if (send->opcode == DO_READ) {
		request->rkey = be32toh(send->read.rkey);
		request->raddr = (uint64_t)be32toh(send->read.raddr_high) << 32 | be32toh(send->read.raddr_low);
		request_add_data(request, be32toh(send->read.key),
				 (uint64_t)be32toh(send->read.high) << 32 | be32toh(send->read.low),
				 be32toh(send->read.length));
	} else if (send->opcode != DO_SEND) {
		rig_fault("queue pair %#x, slot %u: request %#x is not understood", qp->qpn, queue->at, send->opcode);
		exit(3);
	}
	if (send->opcode != DO_SEND)
		trace(" rkey=%#x raddr%%4096=%u", request->rkey, (unsigned)(request->raddr % PAGE_BYTES));
	if (send->opcode != DO_READ) {
		take_data(queue, request, entry.bytes, units);
		if (request->length != be32toh(send->write.length)) // which stands in the same place in a SEND
			rig_fault("a request of %u bytes has data of %llu", be32toh(send->write.length),
				  (unsigned long long)request->length);
	}
	trace(" units=%u\n", units);
	move_on(queue, units);
	return true;
}

static bool next_receive(struct rig_qp *qp, const struct rig_request *request, struct rig_receive *receive)
{
	struct cxgb4_queue *queue = &((struct cxgb4_ring *)qp->ring)->rq;
	struct {
		uint8_t opcode, reserved;
		uint16_t index;
		uint8_t more[3], units;
		struct cxgb4_data data;
		struct cxgb4_piece pieces[(RQ_SLOTS * SLOT - 16) / sizeof(struct cxgb4_piece)];
	} entry;
	const uint32_t units = entry_at(queue, &entry, RQ_SLOTS);
	uint32_t count;

	(void)request;
	if (!units)
		return false;
	count = be16toh(entry.data.pieces);
	if (entry.opcode != DO_RECEIVE || entry.data.kind != HAS_PIECES || count > MAX_RECV_SGE || units != 1 + count)
		rig_fault("receive %u of queue pair %#x: %u pieces in %u units", entry.index, qp->qpn, count, units);
	receive->index = entry.index;
	for (uint32_t i = 0; i < count && i < MAX_RECV_SGE; i++)
		receive_add(receive, be32toh(entry.pieces[i].key), be64toh(entry.pieces[i].address),
			    be32toh(entry.pieces[i].length));
	move_on(queue, units);
	return true;
}

/* --- completions --- */

/* No completion has an error: the connection has ended, and the library flushes its queues. */
static void fail(struct rig_qp *qp, const struct rig_cq *cq)
{
	const struct cxgb4_queue *rq = &((const struct cxgb4_ring *)qp->ring)->rq;
	const struct cxgb4_completions *completions = cq->ring;

	((char *)rq->memory->view)[(size_t)rq->slots * SLOT + FAILED_AT] = 1;
	((char *)completions->memory->view)[(size_t)completions->entries * CQE_BYTES + FAILED_AT] = 1;
}

static void write_cqe(struct rig_cq *cq, const struct rig_qp *qp, struct cxgb4_cqe filled, uint32_t kind)
{
	const struct cxgb4_completions *ring = cq->ring;
	struct cxgb4_cqe *cqe = (struct cxgb4_cqe *)ring->memory->view + cq->produced % ring->entries;
	const uint64_t round = (cq->produced / ring->entries + 1) % 2; // the first is a one

	if (cq->produced - ring->read >= ring->entries)
		rig_fault("completion queue %u overflows", cq->handle);
	filled.header = htobe32(qp->qpn << 12 | kind);
	filled.round = cqe->round;
	*cqe = filled;
	__atomic_store_n(&cqe->round, htobe64(round << 63), __ATOMIC_RELEASE);
	cq->produced++;
}

static void complete_send(struct rig_qp *qp, const struct rig_request *request, enum rig_status status)
{
	struct cxgb4_cqe cqe = {.length = htobe32((uint32_t)request->length)};

	cqe.index[1] = (uint16_t)request->index;
	if (status != RIG_OK)
		fail(qp, qp->send_cq);
	else if (request->opcode == RIG_READ)
		write_cqe(qp->send_cq, qp, cqe, GOT_READ);
	else
		write_cqe(qp->send_cq, qp, cqe, CQE_SQ | (request->opcode == RIG_SEND ? GOT_SEND : GOT_WRITE));
}

static void complete_receive(struct rig_qp *qp, const struct rig_receive *receive, const struct rig_request *request,
			     uint32_t source, enum rig_status status, const void *small)
{
	struct cxgb4_cqe cqe = {.length = htobe32((uint32_t)request->length), .imm = request->imm};

	(void)receive;
	(void)source;
	(void)small;
	cqe.sequence = htobe32(((struct cxgb4_ring *)qp->ring)->receives++);
	if (status != RIG_OK)
		fail(qp, qp->recv_cq);
	else
		write_cqe(qp->recv_cq, qp, cqe, request->opcode == RIG_WRITE ? GOT_WRITE_IMM : GOT_SEND);
}

const struct rig_provider cxgb4_provider = {
	.get_context = get_context,
	.query_device = query_device,
	.alloc_pd = rig_answer_handle,
	.create_cq = create_cq,
	.create_qp = create_qp,
	.written = written,
	.next_send = next_send,
	.next_receive = next_receive,
	.complete_send = complete_send,
	.complete_receive = complete_receive,
};
