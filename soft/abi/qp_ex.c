// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Queue pairs created by ibv_create_qp_ex(): which there are, their ibv_wr_*() calls, and options of enhanced
 * connection establishment (ECE).
 *
 * The ibv_wr_*() calls build a list of struct ibv_send_wr, which ibv_wr_complete() posts in one call; the list is
 * allocated by ibv_create_qp_ex() with room for a full queue, so that no message allocates. Called through the pointers
 * of struct ibv_qp_ex.
 *
 * An error while building (too many requests, too much inline data) is kept and returned by ibv_wr_complete(), which
 * then posts nothing. If posting itself refuses a request, those before it have been executed.
 */

#include "abi/abi.h"

#define ECE_OPTIONS 1u /* the supported ones */
#define RSS_ATTR    (IBV_QP_INIT_ATTR_RX_HASH | IBV_QP_INIT_ATTR_IND_TABLE)

struct soft_builder {
	struct local_lock lock;	     /* held from wr_start to wr_complete or wr_abort */
	bool biased;		     /* returned when the lock was taken */
	int err;		     /* of the calls since wr_start, a positive errno */
	uint32_t count;		     /* requests since wr_start */
	uint32_t capacity;	     /* requests */
	uint32_t max_sge;	     /* per request */
	uint32_t max_inline;	     /* bytes per request */
	struct ibv_send_wr *current; /* the request that setters modify */
	struct ibv_sge *sges;	     /* max_sge per request, in order; the target of its sg_list */
	uint8_t *inlines;	     /* max_inline bytes per request, in order */
	struct ibv_send_wr wrs[];    /* [capacity + 1]: the last one is scratch, for requests beyond the capacity */
};

static struct soft_builder *builder_of(struct ibv_qp_ex *qp)
{
	return ((struct soft_qp *)qp)->adapter;
}

static struct ibv_send_wr *builder_append(struct ibv_qp_ex *qp, enum ibv_wr_opcode opcode)
{
	struct soft_builder *builder = builder_of(qp);
	uint32_t index = builder->count;
	struct ibv_send_wr *wr = &builder->wrs[index];

	builder->current = wr;
	if (index == builder->capacity)
		builder->err = ENOMEM;
	else
		builder->count = index + 1;
	if (index)
		wr[-1].next = wr;
	wr->wr_id = qp->wr_id;
	wr->next = NULL;
	wr->num_sge = 0;
	wr->opcode = opcode;
	wr->send_flags = qp->wr_flags & ~(unsigned int)IBV_SEND_INLINE;
	return wr;
}

/* The calls that begin a request, a row for each: name, opcode, parameters, and what they set in it. */
#define BEGIN(name, code, parameters, ...)                                                                             \
	static void builder_##name parameters                                                                          \
	{                                                                                                              \
		__attribute__((unused)) struct ibv_send_wr *wr = builder_append(qp, IBV_WR_##code);                    \
                                                                                                                       \
		__VA_ARGS__;                                                                                           \
	}
#define PLACE(kind) wr->wr.kind.remote_addr = remote_addr, wr->wr.kind.rkey = rkey

/* clang-format off */
BEGIN(send, SEND, (struct ibv_qp_ex *qp), )
BEGIN(send_imm, SEND_WITH_IMM, (struct ibv_qp_ex *qp, __be32 imm_data), wr->imm_data = imm_data)
BEGIN(send_inv, SEND_WITH_INV, (struct ibv_qp_ex *qp, uint32_t rkey), wr->invalidate_rkey = rkey)
BEGIN(local_inv, LOCAL_INV, (struct ibv_qp_ex *qp, uint32_t rkey), wr->invalidate_rkey = rkey)
BEGIN(bind_mw, BIND_MW, (struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info),
      wr->bind_mw.mw = mw, wr->bind_mw.rkey = rkey, wr->bind_mw.bind_info = *info)
BEGIN(rdma_write, RDMA_WRITE, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr), PLACE(rdma))
BEGIN(rdma_write_imm, RDMA_WRITE_WITH_IMM, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, __be32 imm_data),
      PLACE(rdma), wr->imm_data = imm_data)
BEGIN(rdma_read, RDMA_READ, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr), PLACE(rdma))
BEGIN(atomic_cmp_swp, ATOMIC_CMP_AND_SWP,
      (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t compare, uint64_t swap),
      PLACE(atomic), wr->wr.atomic.compare_add = compare, wr->wr.atomic.swap = swap)
BEGIN(atomic_fetch_add, ATOMIC_FETCH_AND_ADD, (struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t add),
      PLACE(atomic), wr->wr.atomic.compare_add = add)
/* clang-format on */

static void builder_set_xrc_srqn(struct ibv_qp_ex *qp, uint32_t remote_srqn)
{
	builder_of(qp)->current->qp_type.xrc.remote_srqn = remote_srqn;
}

void soft_wr_set_address(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t number, uint64_t key)
{
	soft_address_set(builder_of(qp)->current, &(struct soft_address){.ah = ah, .number = number, .key = key});
}

static void builder_set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah, uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct ibv_send_wr *wr = builder_of(qp)->current;

	if (qp->qp_base.qp_type == IBV_QPT_DRIVER && wr->opcode != IBV_WR_SEND && wr->opcode != IBV_WR_SEND_WITH_IMM) {
		soft_wr_set_address(qp, ah, remote_qpn, remote_qkey);
		return;
	}
	wr->wr.ud.ah = ah;
	wr->wr.ud.remote_qpn = remote_qpn;
	wr->wr.ud.remote_qkey = remote_qkey;
}

static void builder_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_send_wr *wr = builder_of(qp)->current;

	wr->sg_list[0] = (struct ibv_sge){.addr = addr, .length = length, .lkey = lkey};
	wr->num_sge = 1;
}

static void builder_set_sge_list(struct ibv_qp_ex *qp, size_t num_sge, const struct ibv_sge *sg_list)
{
	struct soft_builder *builder = builder_of(qp);
	struct ibv_send_wr *wr = builder->current;

	if (num_sge > builder->max_sge) {
		builder->err = EINVAL;
		return;
	}
	memcpy(wr->sg_list, sg_list, num_sge * sizeof(*sg_list));
	wr->num_sge = (int)num_sge;
}

/* Inline data is copied at once: the program may reuse its buffers before ibv_wr_complete(). */
static void builder_set_inline_data_list(struct ibv_qp_ex *qp, size_t num_buf, const struct ibv_data_buf *buf_list)
{
	struct soft_builder *builder = builder_of(qp);
	struct ibv_send_wr *wr = builder->current;
	uint8_t *start = builder->inlines + (size_t)(wr - builder->wrs) * builder->max_inline;
	size_t length = 0;
	size_t i;

	for (i = 0; i < num_buf; i++) {
		if (buf_list[i].length > builder->max_inline - length) {
			builder->err = EINVAL;
			return;
		}
		memcpy(start + length, buf_list[i].addr, buf_list[i].length);
		length += buf_list[i].length;
	}
	builder_set_sge(qp, 0, (uintptr_t)start, (uint32_t)length);
	wr->send_flags |= IBV_SEND_INLINE;
}

static void builder_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length)
{
	const struct ibv_data_buf buf = {.addr = addr, .length = length};

	builder_set_inline_data_list(qp, 1, &buf);
}

static void builder_start(struct ibv_qp_ex *qp)
{
	struct soft_builder *builder = builder_of(qp);
	bool biased = local_lock_take(&builder->lock);

	builder->biased = biased;
	builder->count = 0;
	builder->err = 0;
}

static void builder_abort(struct ibv_qp_ex *qp)
{
	struct soft_builder *builder = builder_of(qp);

	local_lock_release(&builder->lock, builder->biased);
}

static int builder_complete(struct ibv_qp_ex *qp)
{
	struct soft_builder *builder = builder_of(qp);
	struct ibv_send_wr *bad;
	int err = builder->err;

	if (!err && builder->count) {
		((struct soft_qp *)qp)->is_built = true;
		err = ibv_post_send(&qp->qp_base, builder->wrs, &bad);
		((struct soft_qp *)qp)->is_built = false;
	}
	builder_abort(qp);
	return err;
}

/* One block: the requests, their entries, their inline data. */
static struct soft_builder *builder_alloc(const struct ibv_qp_cap *cap)
{
	size_t max_sge = cap->max_send_sge ? cap->max_send_sge : 1;
	size_t slots = (size_t)cap->max_send_wr + 1;
	struct soft_builder *builder =
		calloc(1, sizeof(*builder) + slots * (sizeof(builder->wrs[0]) + max_sge * sizeof(*builder->sges) +
						      cap->max_inline_data));

	if (!builder)
		return NULL;
	builder->sges = (struct ibv_sge *)&builder->wrs[slots];
	builder->inlines = (uint8_t *)&builder->sges[slots * max_sge];
	builder->capacity = cap->max_send_wr;
	builder->max_sge = (uint32_t)max_sge;
	builder->max_inline = cap->max_inline_data;
	builder->current = builder->wrs;
	for (size_t i = 0; i < slots; i++)
		builder->wrs[i].sg_list = builder->sges + i * max_sge;
	return builder;
}

static void builder_install(struct soft_qp *soft)
{
	struct ibv_qp_ex *qp = &soft->base;

#define FILL(name) qp->wr_##name = builder_##name;
	/* clang-format off */
	FILL(atomic_cmp_swp) FILL(atomic_fetch_add) FILL(bind_mw) FILL(local_inv) FILL(rdma_read) FILL(rdma_write)
	FILL(rdma_write_imm) FILL(send) FILL(send_imm) FILL(send_inv) FILL(set_ud_addr) FILL(set_xrc_srqn)
	FILL(set_inline_data) FILL(set_inline_data_list) FILL(set_sge) FILL(set_sge_list) FILL(start) FILL(complete)
	FILL(abort)
	/* clang-format on */
}

/* The operations that a transport supports (InfiniBand architecture 1.3, table 48). */
static uint64_t qp_type_operations(enum ibv_qp_type type)
{
	const uint64_t ud = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
	const uint64_t uc = ud | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
			    IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW;

	switch (type) {
	case IBV_QPT_RC:
	case IBV_QPT_XRC_SEND:
		return uc | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
		       IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_SEND_WITH_INV;
	case IBV_QPT_UC:
		return uc;
	case IBV_QPT_UD:
		return ud;
	case IBV_QPT_RAW_PACKET:
		return IBV_QP_EX_WITH_SEND;
	default:
		return 0;
	}
}

static uint32_t known_create_flags(enum ibv_qp_type type)
{
	return type == IBV_QPT_UD ? IBV_QP_CREATE_BLOCK_SELF_MCAST_LB : 0;
}

static uint32_t create_flags_of(const struct ibv_qp_init_attr_ex *attr)
{
	return attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS ? attr->create_flags : 0;
}

/*
 * Unknown requests are refused, not ignored: a program that got a queue pair calls the operations that it requested
 * without checking that they exist.
 */
static int qp_init_attr_check(const struct ibv_qp_init_attr_ex *attr)
{
	const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD | IBV_QP_INIT_ATTR_CREATE_FLAGS |
			       (soft_qp_type_has_calls(attr->qp_type) ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0) |
			       (attr->qp_type == IBV_QPT_RAW_PACKET ? RSS_ATTR : 0);

	if (attr->comp_mask & ~known)
		return EOPNOTSUPP;
	if (!(attr->comp_mask & (attr->qp_type == IBV_QPT_XRC_RECV ? IBV_QP_INIT_ATTR_XRCD : IBV_QP_INIT_ATTR_PD)))
		return EINVAL;
	if (create_flags_of(attr) & ~known_create_flags(attr->qp_type))
		return EOPNOTSUPP;
	/* An RSS queue pair has no send queue. */
	if (attr->comp_mask & RSS_ATTR &&
	    ((attr->comp_mask & RSS_ATTR) != RSS_ATTR || attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return EINVAL;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) &&
	    (attr->send_ops_flags & ~qp_type_operations(attr->qp_type)))
		return EOPNOTSUPP;
	return 0;
}

/* Adds the ibv_wr_*() calls, if requested; NULL: no memory; the queue pair is then destroyed. */
static struct ibv_qp *builder_give(struct ibv_qp *qp, const struct ibv_qp_init_attr_ex *attr)
{
	struct soft_qp *soft = (struct soft_qp *)qp;

	if (!qp || !(attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return qp;
	soft->adapter = builder_alloc(&attr->cap);
	if (soft->adapter) {
		builder_install(soft);
		return qp;
	}
	soft_qp_ex_destroy(qp);
	return soft_refuse(ENOMEM);
}

struct ibv_qp *soft_create_direct_qp_ex(struct ibv_qp_init_attr_ex *attr, enum soft_direct type, uint64_t key,
					uint64_t operations)
{
	const uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	if (attr->qp_type != IBV_QPT_DRIVER || !(attr->comp_mask & IBV_QP_INIT_ATTR_PD))
		return soft_refuse(EINVAL);
	if (attr->comp_mask & ~known ||
	    (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS && attr->send_ops_flags & ~operations))
		return soft_refuse(EOPNOTSUPP);
	return builder_give(soft_create_direct_qp(attr->pd, (struct ibv_qp_init_attr *)attr, type, key), attr);
}

struct ibv_qp *soft_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	int err = qp_init_attr_check(attr);
	struct soft_qp *soft;
	struct ibv_qp *qp;

	if (err)
		return soft_refuse(err);
	/* The extended attributes start with the plain ones. */
	if (attr->qp_type == IBV_QPT_XRC_RECV) {
		qp = soft_create_xrc_recv_qp(context, attr->xrcd, (struct ibv_qp_init_attr *)attr);
		/*
		 * It has no protection domain, but returns the one it was given, as libibverbs does: librdmacm's id
		 * uses it.
		 */
		if (qp)
			qp->pd = attr->comp_mask & IBV_QP_INIT_ATTR_PD ? attr->pd : NULL;
		return qp;
	}
	if (attr->comp_mask & RSS_ATTR)
		return soft_create_rss_qp(attr->pd, (struct ibv_qp_init_attr *)attr, attr->rwq_ind_tbl,
					  &attr->rx_hash_conf);
	qp = soft_create_qp(attr->pd, (struct ibv_qp_init_attr *)attr);
	if (!qp)
		return NULL;
	soft = (struct soft_qp *)qp;
	soft->blocks_own_multicast = create_flags_of(attr) & IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
	return builder_give(qp, attr);
}

struct ibv_qp_ex *soft_qp_to_qp_ex(struct ibv_qp *qp)
{
	struct soft_qp *soft = (struct soft_qp *)qp;

	return soft->adapter ? &soft->base : NULL;
}

int soft_qp_ex_destroy(struct ibv_qp *qp)
{
	void *builder = ((struct soft_qp *)qp)->adapter;
	void *direct = ((struct soft_qp *)qp)->direct;
	int err = soft_destroy_qp(qp);

	if (err)
		return err;
	free(builder);
	free(direct);
	return 0;
}

/* --- ECE --- */

/*
 * Options with which adapters of one vendor negotiate features outside the specification. Here a single option
 * represents all of them and has no effect, except to show what programs and rdma_cm exchange.
 */

/* Only connected queue pairs have options, which take effect when the connection is established. */
static bool takes_options(const struct ibv_qp *qp)
{
	return qp->state == IBV_QPS_RESET || qp->state == IBV_QPS_INIT;
}

static bool is_connected(const struct ibv_qp *qp)
{
	return qp->qp_type == IBV_QPT_RC || qp->qp_type == IBV_QPT_UC || qp->qp_type == IBV_QPT_XRC_SEND ||
	       qp->qp_type == IBV_QPT_XRC_RECV;
}

int soft_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	const struct soft_qp *soft = (const struct soft_qp *)qp;

	if (!is_connected(qp))
		return EOPNOTSUPP;
	*ece = (struct ibv_ece){.vendor_id = SOFT_VENDOR_ID, .options = ECE_OPTIONS & ~soft->ece_without};
	return 0;
}

int soft_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	struct soft_qp *soft = (struct soft_qp *)qp;

	if (!is_connected(qp))
		return EOPNOTSUPP;
	if (ece->comp_mask || ece->vendor_id != SOFT_VENDOR_ID || !takes_options(qp))
		return EINVAL;
	soft->ece_without = ~ece->options;
	return 0;
}
