// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does libefa write into its queues, and what does it expect in them? Facts: rdma/efa-abi.h and rdma-core's
 * providers/efa/efa_io_defs.h. Queues and doorbells are the device's memory, which the library maps: the send queue for
 * writing, the completion queue for reading. In each, a bit says in which round an entry was written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>
#include <rdma/efa-abi.h>

#include "rig.h"

#define SEND_QUEUE    1
#define RECEIVE_QUEUE 2
#define OP_SEND	      0
#define OP_READ	      1
#define OP_WRITE      2
#define KEY_MASK      0xffffff
#define FIRST_BUFFER  (1u << 30)
#define LAST_BUFFER   (1u << 31)
#define FLAGS_AT      16 /* struct efa_ibv_create_qp: flags, which older headers lack */
#define UNSOLICITED   (1 << 7)
#define IS_INLINE     (1 << 5)
#define MORE_AT	      20 /* struct efa_ibv_alloc_ucontext_resp: bytes of inline data in an entry of 128 bytes */

struct efa_buffer {
	uint32_t length, key;
	uint64_t address; /* its lower half first */
};

/* An entry of the send queue: of 64 bytes, or of 128 for more inline data (newer libraries). */
struct efa_send {
	uint16_t req_id;
	uint8_t ctrl1; /* operation; 4: immediate data; 5: inline; 7: must be set */
	uint8_t ctrl2; /* 0: round; 2, 3: first and last, must be set; 4: completion */
	uint16_t dst_qpn, length;
	uint32_t imm;
	uint16_t ah, reserved;
	uint32_t qkey, reserved2[3];
	union {
		struct efa_buffer buffers[2];
		uint8_t data[96];
		struct {
			struct efa_buffer remote;
			union {
				struct efa_buffer local;
				uint8_t data[80];
			};
		} rdma;
	};
};

struct efa_receive {
	uint64_t address;
	uint16_t req_id, length;
	uint32_t key;
};

struct efa_completion {
	uint16_t req_id;
	uint8_t status;
	uint8_t flags; /* 0: round; 1, 2: queue; 3: immediate data; 4 to 6: operation */
	uint16_t qpn;
	uint16_t length, ah, src_qpn;
	uint32_t imm;
	uint16_t length_high, reserved[7];
} __attribute__((packed));

struct efa_ring {
	const char *sq;
	const struct efa_receive *rq;
	const volatile uint32_t *sq_doorbell, *rq_doorbell;
	uint32_t sq_entries, sq_entry_bytes, rq_entries;
	uint16_t sq_next, rq_next;
	bool unsolicited; /* immediate data of a WRITE arrives without a receive */
};

struct efa_completions {
	char *buffer;
	uint32_t cqe_bytes, notified;
};

static uint64_t next_offset = 1ul << 20;

static struct rig_region *add_region(uint64_t bytes)
{
	struct rig_region *region = rig_region_add(next_offset, bytes ? bytes : 1);

	next_offset += 1ul << 24;
	return region;
}

static void get_context(struct rig_private *data)
{
	struct efa_ibv_alloc_ucontext_resp resp = {
		.cmds_supp_udata_mask = EFA_USER_CMDS_SUPP_UDATA_QUERY_DEVICE | EFA_USER_CMDS_SUPP_UDATA_CREATE_AH,
		.sub_cqs_per_cq = 1,
		.inline_buf_size = 32,
		.max_llq_size = 256 * 1024,
		.max_tx_batch = 16,
		.min_sq_wr = 16,
	};

	memcpy(data->out, &resp, data->out_bytes < sizeof(resp) ? data->out_bytes : sizeof(resp));
	if (data->out_bytes > MORE_AT)
		((uint8_t *)data->out)[MORE_AT] = 80;
}

static void query_device(struct ib_uverbs_query_device_resp *attr, struct rig_private *data)
{
	struct efa_ibv_ex_query_device_resp resp = {
		.max_sq_wr = 4096,
		.max_rq_wr = 32768,
		.max_sq_sge = 2,
		.max_rq_sge = 3,
		.max_rdma_size = 1u << 30,
		// WRITE (bit 5), and that without a receive (6), are not in every version of the header
		.device_caps =
			EFA_QUERY_DEVICE_CAPS_RDMA_READ | EFA_QUERY_DEVICE_CAPS_RNR_RETRY | 1u << 2 | 1u << 5 | 1u << 6,
	};

	attr->vendor_id = 0x1d0f;
	attr->vendor_part_id = 0xefa2;
	attr->max_qp_wr = 4096;
	attr->max_sge = 2;
	attr->max_sge_rd = 1;
	attr->max_cqe = 32768;
	if (data->out_bytes)
		memcpy(data->out, &resp, data->out_bytes < sizeof(resp) ? data->out_bytes : sizeof(resp));
}

static void query_port(struct ib_uverbs_query_port_resp *attr)
{
	attr->link_layer = IBV_LINK_LAYER_UNSPECIFIED;
	attr->max_msg_sz = 8928; // of a SEND: the MTU
}

static void alloc_pd(uint32_t handle, struct rig_private *data)
{
	if (data->out_bytes >= sizeof(struct efa_ibv_alloc_pd_resp))
		((struct efa_ibv_alloc_pd_resp *)data->out)->pdn = (uint16_t)handle;
}

static void create_ah(uint32_t handle, struct rig_private *data)
{
	if (data->out_bytes >= sizeof(struct efa_ibv_create_ah_resp))
		((struct efa_ibv_create_ah_resp *)data->out)->efa_address_handle = (uint16_t)handle;
}

static int create_cq(struct rig_cq *cq, struct rig_private *data)
{
	const struct efa_ibv_create_cq *in = data->in;
	struct efa_ibv_create_cq_resp *out = data->out;
	struct efa_completions *ring = calloc(1, sizeof(*ring));
	struct rig_region *region, *doorbell;

	if (!ring || data->in_bytes < sizeof(*in) || data->out_bytes < sizeof(*out))
		goto err;
	region = add_region((uint64_t)cq->entries * in->cq_entry_size);
	doorbell = add_region(1);
	if (!region || !doorbell)
		goto err;
	ring->buffer = region->view;
	ring->cqe_bytes = in->cq_entry_size;
	cq->ring = ring;
	out->q_mmap_key = region->offset;
	out->q_mmap_size = region->bytes;
	out->cq_idx = (uint16_t)cq->handle;
	out->comp_mask = EFA_CREATE_CQ_RESP_DB_OFF;
	out->db_mmap_key = doorbell->offset;
	return 0;
err:
	free(ring);
	return EINVAL;
}

static int create_qp(struct rig_qp *qp, const struct ib_uverbs_create_qp *attr, struct rig_private *data)
{
	const struct efa_ibv_create_qp *in = data->in;
	struct efa_ibv_create_qp_resp *out = data->out;
	struct rig_region *sq, *rq, *sq_doorbell, *rq_doorbell;
	struct efa_ring *ring;

	if (data->in_bytes < FLAGS_AT || data->out_bytes < sizeof(*out) ||
	    (qp->type != IBV_QPT_UD && qp->type != IBV_QPT_DRIVER))
		return EINVAL;
	sq = add_region(in->sq_ring_size);
	rq = add_region(in->rq_ring_size);
	sq_doorbell = add_region(1);
	rq_doorbell = add_region(1);
	ring = sq && rq && sq_doorbell && rq_doorbell ? calloc(1, sizeof(*ring)) : NULL;
	if (!ring)
		return ENOMEM;
	ring->sq = sq->view;
	ring->rq = rq->view;
	ring->sq_doorbell = sq_doorbell->view;
	ring->rq_doorbell = rq_doorbell->view;
	ring->sq_entries = attr->max_send_wr;
	ring->sq_entry_bytes = attr->max_send_wr ? in->sq_ring_size / attr->max_send_wr : 0;
	ring->rq_entries = in->rq_ring_size / sizeof(struct efa_receive);
	ring->unsolicited = data->in_bytes > FLAGS_AT && ((const uint8_t *)data->in)[FLAGS_AT] & 1;
	qp->ring = ring;
	if (qp->type == IBV_QPT_DRIVER)
		qp->steps = RIG_SRD;
	out->llq_desc_mmap_key = sq->offset;
	out->rq_mmap_key = rq->offset;
	out->rq_mmap_size = rq->bytes;
	out->sq_db_mmap_key = sq_doorbell->offset;
	out->rq_db_mmap_key = rq_doorbell->offset;
	return 0;
}

/* --- queues --- */

static void add_buffer(struct rig_request *request, const struct efa_buffer *buffer)
{
	request_add_data(request, buffer->key & KEY_MASK, buffer->address, buffer->length);
}

static void take_inline(struct rig_request *request, const uint8_t *data, uint32_t bytes)
{
	request_add(request, data, bytes);
	trace(" inline=%u", bytes);
}

static void take_remote(struct rig_request *request, const struct efa_send *send)
{
	request->opcode = request->code == OP_READ ? RIG_READ : RIG_WRITE;
	request->raddr = send->rdma.remote.address;
	request->rkey = send->rdma.remote.key;
	trace(" rkey=%#x raddr%%4096=%u rlength=%u", request->rkey, (unsigned)(request->raddr % 4096),
	      send->rdma.remote.length);
	if (send->ctrl1 & IS_INLINE)
		take_inline(request, send->rdma.data, send->length);
	else
		add_buffer(request, &send->rdma.local);
	if ((!(send->ctrl1 & IS_INLINE) && send->length != 1) || request->length != send->rdma.remote.length)
		rig_fault("RDMA of %u buffers, %llu of %u bytes", send->length, (unsigned long long)request->length,
			  send->rdma.remote.length);
}

static void take_message(struct rig_request *request, const struct efa_send *send)
{
	request->opcode = RIG_SEND;
	if (send->ctrl1 & IS_INLINE) {
		take_inline(request, send->data, send->length);
		return;
	}
	for (unsigned i = 0; i < send->length && i < 2; i++)
		add_buffer(request, &send->buffers[i]);
}

static bool next_send(struct rig_qp *qp, struct rig_request *request)
{
	struct efa_ring *ring = qp->ring;
	const struct efa_send *send;
	unsigned round;

	if (!ring->sq_entries || ring->sq_next == (uint16_t)*ring->sq_doorbell)
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	send = (const void *)(ring->sq + (size_t)(ring->sq_next % ring->sq_entries) * ring->sq_entry_bytes); // NOLINT
	round = ring->sq_next / ring->sq_entries % 2;
	request->code = send->ctrl1 & 0xf;
	if ((send->ctrl2 & 0xd) != (0xc | round) || !(send->ctrl1 & 1 << 7) || request->code > OP_WRITE ||
	    send->length > ring->sq_entry_bytes - offsetof(struct efa_send, data)) {
		rig_fault("queue pair %#x, entry %u: %#x %#x is not understood", qp->qpn, ring->sq_next, send->ctrl1,
			  send->ctrl2);
		exit(3);
	}
	request->dst_qpn = send->dst_qpn;
	request->key = send->qkey;
	request->has_imm = send->ctrl1 & 1 << 4;
	request->imm = send->imm;
	request->signaled = send->ctrl2 & 1 << 4;
	request->index = send->req_id;
	trace("%#x %u: op=%u ctrl=%#x,%#x id=%u length=%u imm=%#x dqp=%#x qkey=%#x", qp->qpn & 0xff, ring->sq_next,
	      request->code, send->ctrl1, send->ctrl2, send->req_id, send->length, send->imm, send->dst_qpn,
	      send->qkey);
	if (request->code == OP_SEND)
		take_message(request, send);
	else
		take_remote(request, send);
	trace("\n");
	ring->sq_next++;
	return true;
}

static bool next_receive(struct rig_qp *qp, const struct rig_request *request, struct rig_receive *receive)
{
	struct efa_ring *ring = qp->ring;
	const struct efa_receive *buffer;

	if (ring->unsolicited && request->opcode == RIG_WRITE)
		return true;
	if (!ring->rq_entries || ring->rq_next == (uint16_t)*ring->rq_doorbell)
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	do {
		buffer = &ring->rq[ring->rq_next++ % ring->rq_entries];
		if (!receive->count != !!(buffer->key & FIRST_BUFFER))
			rig_fault("receive of queue pair %#x: buffer %u has flags %#x", qp->qpn, receive->count,
				  buffer->key);
		if (!receive->count)
			receive->index = buffer->req_id;
		receive_add(receive, buffer->key & KEY_MASK, buffer->address, buffer->length);
	} while (!(buffer->key & LAST_BUFFER) && receive->count < RIG_MAX_IOV);
	return true;
}

/* --- completions --- */

static const uint8_t statuses[] = {
	[RIG_LOCAL_KEY] = 5,	 [RIG_LOCAL_LENGTH] = 6, [RIG_REMOTE_LENGTH] = 11,
	[RIG_REMOTE_ACCESS] = 7, [RIG_NO_ANSWER] = 13,	 [RIG_UNKNOWN_PEER] = 14,
};

static void write_completion(struct rig_cq *cq, struct efa_completion *filled, unsigned queue, uint32_t code)
{
	struct efa_completions *ring = cq->ring;
	struct efa_completion *entry =
		(void *)(ring->buffer + (size_t)(cq->produced % cq->entries) * ring->cqe_bytes); // NOLINT
	uint8_t flags = (uint8_t)(filled->flags | queue << 1 | code << 4);

	if (!(cq->produced / cq->entries % 2))
		flags |= 1; // rounds begin with a one
	filled->flags = entry->flags;
	memcpy(entry, filled, ring->cqe_bytes < sizeof(*filled) ? ring->cqe_bytes : sizeof(*filled));
	__atomic_store_n(&entry->flags, flags, __ATOMIC_RELEASE);
	cq->produced++;
}

static void complete_send(struct rig_qp *qp, const struct rig_request *request, enum rig_status status)
{
	struct efa_completion entry = {
		.req_id = (uint16_t)request->index,
		.status = statuses[status],
		.qpn = (uint16_t)qp->qpn,
	};

	write_completion(qp->send_cq, &entry, SEND_QUEUE, request->code);
}

static void complete_receive(struct rig_qp *qp, const struct rig_receive *receive, const struct rig_request *request,
			     uint32_t source, enum rig_status status, const void *small)
{
	uint32_t bytes = (uint32_t)request->length + (qp->type == IBV_QPT_UD ? 40 : 0);
	struct efa_completion entry = {
		.req_id = (uint16_t)receive->index,
		.status = statuses[status],
		.flags = request->has_imm ? 1 << 3 : 0,
		.qpn = (uint16_t)qp->qpn,
		.length = (uint16_t)bytes,
		.ah = 0xffff,
		.src_qpn = (uint16_t)source,
		.imm = request->imm,
		.length_high = request->code == OP_WRITE ? (uint16_t)(bytes >> 16) : 0,
	};

	(void)small;
	if (!receive->count && ((const struct efa_ring *)qp->ring)->unsolicited)
		entry.flags |= UNSOLICITED;
	write_completion(qp->recv_cq, &entry, RECEIVE_QUEUE, request->code);
}

/* Each write to the doorbell hides the one before it, and polling writes to it, too: an event more does no harm. */
static bool notify(struct rig_cq *cq)
{
	struct efa_completions *ring = cq->ring;

	if (cq->produced == ring->notified)
		return false;
	ring->notified = cq->produced;
	return true;
}

const struct rig_provider efa_provider = {
	.datagram_bytes = 40,
	.demands_ah = true,
	.accesses = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	.get_context = get_context,
	.query_device = query_device,
	.query_port = query_port,
	.alloc_pd = alloc_pd,
	.create_ah = create_ah,
	.create_cq = create_cq,
	.create_qp = create_qp,
	.next_send = next_send,
	.next_receive = next_receive,
	.complete_send = complete_send,
	.complete_receive = complete_receive,
	.notify = notify,
};
