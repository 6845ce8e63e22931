// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does libmlx5 write into its queues, and what does it expect in them? Facts: rdma/mlx5-abi.h, infiniband/mlx5dv.h
 * and rdma-core's providers/mlx5. The device is a ConnectX-6 with an InfiniBand port: CQEs of version 1, pages of
 * registers (UAR) that exist from the start. mlx5_firmware.c has what its firmware answers.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mlx5dv.h>
#include <rdma/mlx5-abi.h>

#include "rig.h"

#define PAGE_BYTES     4096
#define PAGES	       8   /* of registers */
#define REGISTERS      2   /* for posting, in each page; two more in its numbering */
#define REGISTER_BYTES 512 /* two buffers, used in turn */
#define BLOCK_BYTES    64
#define LID	       7
#define INVALID_LKEY   0x100
#define OWNER_BIT      1
#define NOT_ARMED      0xffffffff
#define INLINE_SEG     0x80000000
#define EXTENDED_AV    0x80000000
#define FLAGS_AT       60 /* struct mlx5_ib_query_device_resp: flags */
#define FLAG_OOO       (1 << 4)
#define STREAMS_AT     100	/* struct mlx5_ib_query_device_resp: dci_streams_caps, which older headers lack */
#define FLAG_SCATTER   (1 << 1) /* MLX5_QP_FLAG_SCATTER_CQE */
#define OP_OWN_SMALL   4	/* the message is in the first 32 bytes */
#define OP_OWN_LARGE   8	/* in the 64 bytes in front */

struct mlx5_ring {
	char *buffer;
	const volatile uint32_t *record;    /* both producer indices */
	const volatile uint64_t *doorbells; /* of this queue pair's register */
	uint64_t rung[2];		    /* what they were when last looked at */
	char *sq;
	uint32_t sq_blocks, rq_entries, rq_shift, uidx;
	uint16_t sq_next, rq_next;
	bool is_rung, scatters, is_target;
};

struct mlx5_shared {
	char *buffer;
	const volatile uint32_t *record; /* receives posted so far */
	uint32_t entry_bytes, uidx, taken;
	uint16_t next; /* entries are a list */
};

struct mlx5_completions {
	char *buffer;
	volatile uint32_t *record; /* consumer index, and what was last armed */
	uint32_t cqe_bytes, fired;
};

static unsigned pages_used;

static void get_context(struct rig_private *data)
{
	struct mlx5_ib_alloc_ucontext_resp resp = {
		.qp_tab_size = 1u << 16,
		.bf_reg_size = getenv("PERFTEST_PROVIDER_NO_BF") ? 0 : REGISTER_BYTES,
		.tot_bfregs = PAGES * REGISTERS,
		.cache_line_size = 64,
		.max_sq_desc_sz = 1024,
		.max_rq_desc_sz = 512,
		.max_send_wqebb = 32768,
		.max_recv_wr = 32768,
		.max_srq_recv_wr = 32767,
		.num_ports = 1,
		.response_length = sizeof(resp),
		.cqe_version = 1,
		.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE | MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.eth_min_inline = MLX5_USER_INLINE_MODE_L2,
		.log_uar_size = 12,
		.num_uars_per_page = 1,
		.num_dyn_bfregs = 512,
	};

	memcpy(data->out, &resp, data->out_bytes < sizeof(resp) ? data->out_bytes : sizeof(resp));
}

static void query_device(struct ib_uverbs_query_device_resp *attr, struct rig_private *data)
{
	attr->fw_ver = 20ull << 32 | 43ull << 16 | 1000;
	attr->vendor_id = 0x2c9;
	attr->vendor_part_id = 4123;
	attr->max_qp_wr = 32768;
	attr->max_sge = 30;
	attr->max_sge_rd = 30;
	attr->max_cqe = 4194303;
	attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 16;
	attr->max_res_rd_atom = 16 * attr->max_qp;
	attr->atomic_cap = IBV_ATOMIC_HCA;
	attr->local_ca_ack_delay = 16;
	attr->max_srq = RIG_MAX_OBJECTS;
	attr->max_srq_wr = 32767;
	attr->max_srq_sge = 31;
	attr->device_cap_flags = IBV_DEVICE_XRC;
	if (data->out_bytes >= 8)
		((uint32_t *)data->out)[1] = (uint32_t)data->out_bytes; // response_length
	if (data->out_bytes > FLAGS_AT)
		((char *)data->out)[FLAGS_AT] = FLAG_OOO;
	if (data->out_bytes > STREAMS_AT + 1)
		memset((char *)data->out + STREAMS_AT, 6, 2);
}

static void query_port(struct ib_uverbs_query_port_resp *attr)
{
	if (rig_roce)
		return;
	attr->lid = LID;
	attr->sm_lid = 1;
	attr->link_layer = IBV_LINK_LAYER_INFINIBAND;
}

/* On Ethernet alone, to resolve the destination's address. */
static void create_ah(uint32_t handle, struct rig_private *data)
{
	struct mlx5_ib_create_ah_resp *out = data->out;

	(void)handle;
	if (data->out_bytes < sizeof(*out))
		return;
	out->response_length = sizeof(*out);
	memset(out->dmac, 2, sizeof(out->dmac));
}

/* Of pages of registers alone: command in bits 8 to 15 of the page's number, index below. */
static bool may_map(uint64_t offset)
{
	uint64_t command = offset / PAGE_BYTES >> 8 & 0xff;

	return command == MLX5_IB_MMAP_REGULAR_PAGE || command == MLX5_IB_MMAP_WC_PAGE ||
	       command == MLX5_IB_MMAP_NC_PAGE || command == MLX5_IB_MMAP_ALLOC_WC;
}

static int create_cq(struct rig_cq *cq, struct rig_private *data)
{
	const struct mlx5_ib_create_cq *in = data->in;
	struct mlx5_completions *ring = calloc(1, sizeof(*ring));

	if (!ring || data->in_bytes < sizeof(*in)) {
		free(ring);
		return EINVAL;
	}
	ring->buffer = (void *)(uintptr_t)in->buf_addr; // NOLINT
	ring->record = (void *)(uintptr_t)in->db_addr;	// NOLINT
	ring->cqe_bytes = in->cqe_size;
	ring->record[1] = ring->fired = NOT_ARMED; // an index and a count of zero are an arming, too
	cq->ring = ring;
	*(uint32_t *)data->out = cq->handle;
	return 0;
}

static int create_srq(struct rig_srq *srq, struct rig_private *data)
{
	const struct mlx5_ib_create_srq *in = data->in;
	struct mlx5_shared *ring = calloc(1, sizeof(*ring));

	if (!ring || data->in_bytes < sizeof(*in) || data->out_bytes < 4) {
		free(ring);
		return EINVAL;
	}
	ring->buffer = (void *)(uintptr_t)in->buf_addr; // NOLINT
	ring->record = (void *)(uintptr_t)in->db_addr;	// NOLINT
	ring->entry_bytes = 16 + srq->max_sge * 16;
	ring->uidx = in->uidx;
	srq->ring = ring;
	*(uint32_t *)data->out = srq->handle;
	return 0;
}

/* The register to post to, or NULL: the library's own (of a thread domain), or one that is chosen here. */
static void *choose_register(const struct mlx5_ib_create_qp *in, uint32_t *number)
{
	uint32_t command = MLX5_IB_MMAP_ALLOC_WC, page = in->bfreg_index / REGISTERS,
		 of_page = in->bfreg_index % REGISTERS;
	struct rig_region *region;

	if (!(in->flags & MLX5_QP_FLAG_BFREG_INDEX)) {
		command = MLX5_IB_MMAP_WC_PAGE;
		page = 1 + pages_used++ % (PAGES - 1);
		of_page = 0;
		*number = page * 4;
	}
	region = rig_region_at((uint64_t)(command << 8 | page) * PAGE_BYTES);
	if (!region && command == MLX5_IB_MMAP_WC_PAGE)
		region = rig_region_at((uint64_t)page * PAGE_BYTES);
	return region ? (char *)region->view + 0x800 + (size_t)of_page * REGISTER_BYTES : NULL;
}

static int create_qp(struct rig_qp *qp, const struct ib_uverbs_create_qp *attr, struct rig_private *data)
{
	const struct mlx5_ib_create_qp *in = data->in;
	struct mlx5_ring *ring;
	void *registers;

	if (data->in_bytes < offsetof(struct mlx5_ib_create_qp, ece_options) || data->out_bytes < 4)
		return EINVAL;
	if (in->flags & MLX5_QP_FLAG_UAR_PAGE_INDEX ||
	    (in->flags & MLX5_QP_FLAG_TYPE_DCT && getenv("PERFTEST_PROVIDER_BOND")))
		return EOPNOTSUPP;
	// An initiator receives nothing.
	if (in->flags & MLX5_QP_FLAG_TYPE_DCI && (attr->max_recv_wr || attr->max_recv_sge))
		return EINVAL;
	registers = choose_register(in, data->out);
	ring = registers ? calloc(1, sizeof(*ring)) : NULL;
	if (!ring)
		return ENOMEM;
	qp->ring = ring;
	ring->uidx = in->uidx;
	ring->is_target = in->flags & MLX5_QP_FLAG_TYPE_DCT;
	if (qp->type == IBV_QPT_DRIVER)
		qp->steps = ring->is_target ? RIG_DCT : RIG_DCI;
	if (ring->is_target) {
		qp->key = in->access_key;
		return 0;
	}
	ring->buffer = (void *)(uintptr_t)in->buf_addr;				       // NOLINT
	ring->sq = qp->type == IBV_QPT_RAW_PACKET ? (void *)(uintptr_t)in->sq_buf_addr // NOLINT
						  : ring->buffer + ((size_t)in->rq_wqe_count << in->rq_wqe_shift);
	ring->record = (void *)(uintptr_t)in->db_addr; // NOLINT
	ring->doorbells = registers;
	ring->sq_blocks = in->sq_wqe_count;
	ring->rq_entries = in->rq_wqe_count;
	ring->rq_shift = in->rq_wqe_shift;
	ring->scatters = in->flags & FLAG_SCATTER && (qp->type == IBV_QPT_RC || qp->type == IBV_QPT_UC);
	return 0;
}

/* A DC target is told its number in RTR. */
static void modify_qp(struct rig_qp *qp, struct rig_private *data)
{
	struct mlx5_ib_modify_qp_resp *out = data->out;

	if (data->out_bytes < offsetof(struct mlx5_ib_modify_qp_resp, ece_options))
		return;
	out->response_length = (uint32_t)data->out_bytes;
	out->dctn = qp->qpn;
}

/* --- send queue --- */

struct mlx5_cursor {
	const struct mlx5_ring *ring;
	uint32_t start, at, end; /* bytes; at and end from start */
};

/* Nothing crosses the end of the queue but inline data. */
static const void *at(const struct mlx5_cursor *cursor, uint32_t offset)
{
	return cursor->ring->sq + (cursor->start + offset) % (cursor->ring->sq_blocks * BLOCK_BYTES);
}

static const void *take(struct mlx5_cursor *cursor, uint32_t bytes)
{
	const void *segment = at(cursor, cursor->at);

	if (cursor->at + bytes > cursor->end) {
		rig_fault("a work queue entry is too short: %u of %u bytes", cursor->end, cursor->at + bytes);
		exit(3);
	}
	cursor->at += bytes;
	return segment;
}

static void take_inline(struct mlx5_cursor *cursor, struct rig_request *request)
{
	uint32_t bytes = be32toh(*(const uint32_t *)at(cursor, cursor->at)) & ~INLINE_SEG;
	uint32_t until_end = cursor->ring->sq_blocks * BLOCK_BYTES -
			     (cursor->start + cursor->at + 4) % (cursor->ring->sq_blocks * BLOCK_BYTES);
	uint32_t first = bytes < until_end ? bytes : until_end;

	if (first)
		request_add(request, at(cursor, cursor->at + 4), first);
	if (first < bytes)
		request_add(request, at(cursor, cursor->at + 4 + first), bytes - first);
	trace(" inline=%u", bytes);
	take(cursor, (4 + bytes + 15) / 16 * 16);
}

static void take_data(struct mlx5_cursor *cursor, struct rig_request *request)
{
	const struct mlx5_wqe_data_seg *data = at(cursor, cursor->at);
	uint32_t bytes = be32toh(data->byte_count);
	uint32_t key = be32toh(data->lkey);
	uint64_t address = be64toh(data->addr);

	if (bytes & INLINE_SEG) {
		take_inline(cursor, request);
		return;
	}
	take(cursor, sizeof(*data));
	request_add_data(request, key, address, bytes);
}

/* Of a datagram, or of DC. */
static void take_address(struct mlx5_cursor *cursor, struct rig_request *request, bool is_datagram)
{
	const struct mlx5_wqe_av *av = take(cursor, sizeof(*av));

	request->key = is_datagram ? be32toh(av->key.qkey.qkey) : be64toh(av->key.dc_key);
	request->dst_qpn = be32toh(av->dqp_dct) & 0xffffff;
	trace(" key=%#llx dqp=%#x rate_sl=%u path=%u lid_or_port=%u tclass=%u hops=%u mac=%02x grh=%#x",
	      (unsigned long long)request->key, be32toh(av->dqp_dct), av->stat_rate_sl, av->fl_mlid, be16toh(av->rlid),
	      av->tclass, av->hop_limit, av->rmac[0], be32toh(av->grh_gid_fl));
	if (!(be32toh(av->dqp_dct) & EXTENDED_AV))
		rig_fault("an address vector without its second half");
}

/* The first bytes of a frame. There is a cable between the first two processes. */
static void take_headers(struct mlx5_cursor *cursor, struct rig_request *request, uint32_t qpn)
{
	const struct mlx5_wqe_eth_seg *headers = at(cursor, cursor->at);
	const uint32_t bytes = be16toh(headers->inline_hdr_sz);

	request->dst_qpn = (3 - (qpn >> RIG_QP_BITS)) << RIG_QP_BITS;
	trace(" checksums=%#x headers=%u", headers->cs_flags, bytes);
	take(cursor, (sizeof(*headers) - sizeof(headers->inline_hdr) + bytes) & ~15u);
	request_add(request, headers->inline_hdr_start, bytes);
}

static void take_xrc(struct mlx5_cursor *cursor, struct rig_request *request)
{
	request->srqn = be32toh(*(const uint32_t *)take(cursor, 16));
	trace(" srq=%u", request->srqn);
}

static void take_remote(struct mlx5_cursor *cursor, struct rig_request *request)
{
	const struct mlx5_wqe_raddr_seg *remote = take(cursor, sizeof(*remote));

	request->raddr = be64toh(remote->raddr);
	request->rkey = be32toh(remote->rkey);
	trace(" rkey=%#x raddr%%4096=%u", request->rkey, (unsigned)(request->raddr % 4096));
}

static void take_atomic(struct mlx5_cursor *cursor, struct rig_request *request)
{
	const struct mlx5_wqe_atomic_seg *atomic = take(cursor, sizeof(*atomic));

	request->swap_add = be64toh(atomic->swap_add);
	request->compare = be64toh(atomic->compare);
	trace(" swap_add=%#llx compare=%#llx", (unsigned long long)request->swap_add,
	      (unsigned long long)request->compare);
}

/* What a key stands for from now on: one piece of memory. Its addresses start at zero. */
static void take_key(struct mlx5_cursor *cursor, uint32_t key)
{
	const struct mlx5_wqe_umr_ctrl_seg *control = take(cursor, sizeof(*control));
	const struct mlx5_wqe_mkey_context_seg *context = take(cursor, sizeof(*context));
	const struct mlx5_wqe_umr_klm_seg *piece = take(cursor, sizeof(*piece));
	const uint32_t bytes = be32toh(piece->byte_count), of = be32toh(piece->mkey);
	const uint8_t flags = context->access_flags;
	struct rig_mr mr = {
		.start = rig_translate(of, be64toh(piece->address), bytes, 0),
		.length = be64toh(context->len),
		.key = key,
		.access = (flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_WRITE ? IBV_ACCESS_LOCAL_WRITE : 0) |
			  (flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE ? IBV_ACCESS_REMOTE_WRITE : 0) |
			  (flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ ? IBV_ACCESS_REMOTE_READ : 0),
	};

	trace(" mkey bytes=%u at=%s bsf=%u", bytes, trace_place(of, be64toh(piece->address)),
	      be16toh(control->bsf_octowords) * 16u);
	if (be16toh(control->klm_octowords) != 4 || bytes != mr.length || !mr.start || !rig_key_set(&mr))
		rig_fault("the request for mkey %#x is not understood", key);
	cursor->at = cursor->end;
}

static const struct {
	enum rig_opcode opcode;
	bool has_imm, known;
} opcodes[64] = {
	[MLX5_OPCODE_NOP] = {RIG_NOP, false, true},
	[MLX5_OPCODE_SEND] = {RIG_SEND, false, true},
	[MLX5_OPCODE_SEND_IMM] = {RIG_SEND, true, true},
	[MLX5_OPCODE_RDMA_WRITE] = {RIG_WRITE, false, true},
	[MLX5_OPCODE_RDMA_WRITE_IMM] = {RIG_WRITE, true, true},
	[MLX5_OPCODE_RDMA_READ] = {RIG_READ, false, true},
	[MLX5_OPCODE_ATOMIC_CS] = {RIG_COMPARE_SWAP, false, true},
	[MLX5_OPCODE_ATOMIC_FA] = {RIG_FETCH_ADD, false, true},
	[MLX5_OPCODE_UMR] = {RIG_NOP, false, true},
};

/* Has the register been written to? Then the record says how far: what is in the register may be a later queue pair's.
 */
static bool look_at_doorbell(struct mlx5_ring *ring)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t now = ring->doorbells[i * REGISTER_BYTES / 2 / sizeof(uint64_t)];

		if (now != ring->rung[i])
			ring->is_rung = true;
		ring->rung[i] = now;
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return ring->is_rung;
}

static bool next_send(struct rig_qp *qp, struct rig_request *request)
{
	struct mlx5_ring *ring = qp->ring;
	struct mlx5_cursor cursor = {.ring = ring, .end = BLOCK_BYTES};
	const struct mlx5_wqe_ctrl_seg *ctrl;
	uint32_t word, code;

	if (!ring->sq_blocks || !look_at_doorbell(ring))
		return false;
	if (ring->sq_next == (uint16_t)be32toh(ring->record[MLX5_SND_DBR])) {
		ring->is_rung = false;
		return false;
	}
	cursor.start = ring->sq_next % ring->sq_blocks * BLOCK_BYTES;
	ctrl = take(&cursor, sizeof(*ctrl));
	word = be32toh(ctrl->qpn_ds);
	cursor.end = (word & 0x3f) * 16;
	code = be32toh(ctrl->opmod_idx_opcode) & 0xff;
	if (word >> 8 != qp->qpn || (be32toh(ctrl->opmod_idx_opcode) >> 8 & 0xffff) != ring->sq_next || code >= 64 ||
	    !opcodes[code].known) {
		rig_fault("queue pair %#x, entry %u: %08x %08x is not understood", qp->qpn, ring->sq_next,
			  be32toh(ctrl->opmod_idx_opcode), word);
		exit(3);
	}
	request->opcode = opcodes[code].opcode;
	request->has_imm = opcodes[code].has_imm;
	request->imm = ctrl->imm;
	request->signaled = ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE;
	request->solicited = ctrl->fm_ce_se & MLX5_WQE_CTRL_SOLICITED;
	request->index = ring->sq_next;
	request->code = code;
	trace("%#x %u: op=%#x mod=%u ds=%u flags=%#x stream=%u imm=%#x sig=%u", qp->qpn & 0xff, ring->sq_next, code,
	      be32toh(ctrl->opmod_idx_opcode) >> 24, word & 0x3f, ctrl->fm_ce_se,
	      ((const uint8_t *)ctrl)[9] << 8 | ((const uint8_t *)ctrl)[10], ctrl->imm, ctrl->signature);
	if (qp->type == IBV_QPT_UD || qp->type == IBV_QPT_DRIVER)
		take_address(&cursor, request, qp->type == IBV_QPT_UD);
	if (qp->type == IBV_QPT_XRC_SEND)
		take_xrc(&cursor, request);
	if (qp->type == IBV_QPT_RAW_PACKET)
		take_headers(&cursor, request, qp->qpn);
	if (request->opcode != RIG_NOP && request->opcode != RIG_SEND)
		take_remote(&cursor, request);
	if (request->opcode == RIG_COMPARE_SWAP || request->opcode == RIG_FETCH_ADD)
		take_atomic(&cursor, request);
	if (code == MLX5_OPCODE_UMR)
		take_key(&cursor, be32toh(ctrl->imm));
	while (cursor.at < cursor.end)
		take_data(&cursor, request);
	trace("\n");
	ring->sq_next += (cursor.end + BLOCK_BYTES - 1) / BLOCK_BYTES;
	return true;
}

/* --- receive queues --- */

static void take_pieces(const struct mlx5_wqe_data_seg *data, unsigned count, struct rig_receive *receive)
{
	for (unsigned i = 0; i < count; i++) {
		uint32_t key = be32toh(data[i].lkey);

		if (key == INVALID_LKEY)
			return;
		receive_add(receive, key, be64toh(data[i].addr), be32toh(data[i].byte_count));
	}
}

static bool next_shared(const struct rig_srq *srq, struct rig_receive *receive)
{
	struct mlx5_shared *ring = srq->ring;
	const struct mlx5_wqe_srq_next_seg *entry;

	if ((uint16_t)ring->taken == (uint16_t)be32toh(*ring->record))
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	entry = (const void *)(ring->buffer + (size_t)ring->next * ring->entry_bytes); // NOLINT
	receive->srq = srq;
	receive->index = ring->next;
	take_pieces((const void *)(entry + 1), srq->max_sge, receive);
	ring->next = be16toh(entry->next_wqe_index);
	ring->taken++;
	return true;
}

static bool next_receive(struct rig_qp *qp, const struct rig_request *request, struct rig_receive *receive)
{
	struct mlx5_ring *ring = qp->ring;
	const struct rig_srq *srq = request->srqn ? rig_srq_of(request->srqn) : qp->srq;

	if (srq)
		return next_shared(srq, receive);
	if (!ring->rq_entries || ring->rq_next == (uint16_t)be32toh(ring->record[MLX5_RCV_DBR]))
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	receive->index = ring->rq_next;
	take_pieces(
		(const void *)(ring->buffer + ((size_t)(ring->rq_next % ring->rq_entries) << ring->rq_shift)), // NOLINT
		1u << ring->rq_shift >> 4, receive);
	ring->rq_next++;
	return true;
}

/* --- completions --- */

static const uint8_t syndromes[] = {
	[RIG_LOCAL_KEY] = MLX5_CQE_SYNDROME_LOCAL_PROT_ERR,
	[RIG_LOCAL_LENGTH] = MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR,
	[RIG_REMOTE_LENGTH] = MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR,
	[RIG_REMOTE_ACCESS] = MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR,
	[RIG_NO_ANSWER] = MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR,
	[RIG_UNKNOWN_PEER] = MLX5_CQE_SYNDROME_REMOTE_OP_ERR,
};

static void write_cqe(struct rig_cq *cq, struct mlx5_cqe64 *filled, enum rig_status status, const void *small)
{
	struct mlx5_completions *ring = cq->ring;
	uint32_t size = cq->entries + 1; // libmlx5 asks for one less than the power of two that it has
	struct mlx5_cqe64 *cqe = (void *)(ring->buffer + (size_t)(cq->produced % size) * ring->cqe_bytes +
					  ring->cqe_bytes - 64); // NOLINT
	uint8_t op_own = filled->op_own;
	uint32_t bytes = be32toh(filled->byte_cnt);

	if (cq->produced - be32toh(ring->record[0]) >= size &&
	    (cq->produced & 0xffffff) - be32toh(ring->record[0]) >= size)
		rig_fault("completion queue %u overflows", cq->handle);
	if (status != RIG_OK)
		((uint8_t *)filled)[55] = syndromes[status];
	if (small && ring->cqe_bytes == 128) {
		memcpy(cqe - 1, small, bytes);
		op_own |= OP_OWN_LARGE;
	} else if (small) {
		memcpy(filled, small, bytes);
		op_own |= OP_OWN_SMALL;
	}
	memcpy(cqe, filled, offsetof(struct mlx5_cqe64, op_own));
	if (cq->produced / size % 2)
		op_own |= OWNER_BIT;
	__atomic_store_n(&cqe->op_own, op_own, __ATOMIC_RELEASE);
	cq->produced++;
}

static void complete_send(struct rig_qp *qp, const struct rig_request *request, enum rig_status status)
{
	const struct mlx5_ring *ring = qp->ring;
	struct mlx5_cqe64 cqe = {
		.srqn_uidx = htobe32(ring->uidx),
		.byte_cnt = htobe32((uint32_t)request->length),
		.sop_drop_qpn = htobe32(request->code << 24 | qp->qpn),
		.wqe_counter = htobe16((uint16_t)request->index),
		.op_own = (status == RIG_OK ? MLX5_CQE_REQ : MLX5_CQE_REQ_ERR) << 4,
	};

	write_cqe(qp->send_cq, &cqe, status, NULL);
}

static void complete_receive(struct rig_qp *qp, const struct rig_receive *receive, const struct rig_request *request,
			     uint32_t source, enum rig_status status, const void *small)
{
	const struct mlx5_ring *ring = qp->ring;
	unsigned opcode = request->opcode == RIG_WRITE ? MLX5_CQE_RESP_WR_IMM
			  : request->has_imm	       ? MLX5_CQE_RESP_SEND_IMM
						       : MLX5_CQE_RESP_SEND;
	uint32_t header = qp->type == IBV_QPT_UD ? 40 : 0;
	bool is_xrc = receive->srq && receive->srq->cq;
	const struct mlx5_shared *shared = is_xrc ? receive->srq->ring : NULL;
	struct mlx5_cqe64 cqe = {
		.slid = htobe16(rig_roce ? 0 : LID),
		.flags_rqpn = htobe32(source),
		.srqn_uidx = htobe32(shared ? shared->uidx : ring->uidx),
		.imm_inval_pkey = request->has_imm ? request->imm : 0,
		.byte_cnt = htobe32((uint32_t)request->length + header),
		.sop_drop_qpn = htobe32(qp->qpn),
		.wqe_counter = htobe16((uint16_t)receive->index),
		.op_own = (uint8_t)((status == RIG_OK ? opcode : MLX5_CQE_RESP_ERR) << 4),
	};

	write_cqe(is_xrc ? receive->srq->cq : qp->recv_cq, &cqe, status, small);
}

static uint32_t small_bytes(const struct rig_qp *qp)
{
	const struct mlx5_ring *ring = qp->ring;
	const struct mlx5_completions *completions = qp->recv_cq ? qp->recv_cq->ring : NULL;

	return !ring->scatters || !completions ? 0 : completions->cqe_bytes == 128 ? 64 : 32;
}

static bool notify(struct rig_cq *cq)
{
	struct mlx5_completions *ring = cq->ring;
	uint32_t armed = ring->record[1];

	if (armed == ring->fired || (cq->produced & 0xffffff) == (be32toh(armed) & 0xffffff))
		return false;
	ring->fired = armed;
	return true;
}

const struct rig_provider mlx5_provider = {
	.datagram_bytes = 40,
	.get_context = get_context,
	.query_device = query_device,
	.alloc_pd = rig_answer_handle,
	.create_ah = create_ah,
	.create_cq = create_cq,
	.create_qp = create_qp,
	.create_srq = create_srq,
	.modify_qp = modify_qp,
	.own_command = mlx5_firmware,
	.may_map = may_map,
	.next_send = next_send,
	.next_receive = next_receive,
	.complete_send = complete_send,
	.complete_receive = complete_receive,
	.small_bytes = small_bytes,
	.notify = notify,
	.query_port = query_port,
};
