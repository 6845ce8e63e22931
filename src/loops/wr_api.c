// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Requests through the ibv_wr_*() calls. See wr_api.h. */
#include "loops/wr_api.h"

#include <stdbool.h>
#include <stddef.h>

#include "loops/post.h"
#include "verbs/queue.h"

/* What a request names besides its data and the memory of the peer. */
enum destination {
	OF_QP,	  /* nothing: the QP is connected */
	OF_UD,	  /* an address handle, a QP and its Q_Key */
	OF_XRC,	  /* an SRQ */
	OF_MAKER, /* what the provider wants that has created the QP: verbs/queue.h */
};

/* What an instance knows about its messages at compile time. */
struct kind {
	enum ibv_wr_opcode opcode;
	enum destination destination;
	bool is_inline;
	bool is_empty; /* no data at all */
};

/* What the general instance determines for each message. */
LOOP_INLINE struct kind wr_kind(const struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)
{
	const enum ibv_qp_type type = qpx->qp_base.qp_type;

	return (struct kind){
		.opcode = wr->opcode,
		.destination = type == IBV_QPT_UD	  ? OF_UD
			       : type == IBV_QPT_XRC_SEND ? OF_XRC
			       : type == IBV_QPT_DRIVER	  ? OF_MAKER
							  : OF_QP,
		.is_inline = wr->send_flags & IBV_SEND_INLINE,
		.is_empty = !wr->num_sge,
	};
}

/* One request: wr_id and wr_flags are set. */
LOOP_INLINE void build(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr, uint64_t local, uint64_t remote,
		       const struct kind kind)
{
	const struct ibv_sge *sge = wr->sg_list;

	switch (kind.opcode) {
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qpx, wr->wr.rdma.rkey, remote);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qpx, wr->wr.rdma.rkey, remote, wr->imm_data);
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(qpx, wr->wr.rdma.rkey, remote);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qpx, wr->wr.atomic.rkey, remote, wr->wr.atomic.compare_add, wr->wr.atomic.swap);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qpx, wr->wr.atomic.rkey, remote, wr->wr.atomic.compare_add);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qpx, wr->imm_data);
		break;
	default:
		ibv_wr_send(qpx);
	}
	if (kind.destination == OF_UD)
		ibv_wr_set_ud_addr(qpx, wr->wr.ud.ah, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	if (kind.destination == OF_XRC)
		ibv_wr_set_xrc_srqn(qpx, wr->qp_type.xrc.remote_srqn);
	if (kind.destination == OF_MAKER) {
		struct wr_address *address = qpx->qp_base.qp_context;

		address->set(qpx, address);
	}
	if (__builtin_expect(kind.is_empty, 0))
		ibv_wr_set_sge_list(qpx, 0, sge);
	else if (kind.is_inline)
		ibv_wr_set_inline_data(qpx, (void *)(uintptr_t)local, sge->length);
	else
		ibv_wr_set_sge(qpx, sge->lkey, local, sge->length);
}

/* With IBV_SEND_INLINE: rxe's library copies inline data but relies on this flag to tell the kernel. */
LOOP_INLINE void head(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)
{
	qpx->wr_id = wr->wr_id;
	qpx->wr_flags = wr->send_flags;
}

/* The two fields that belong to the program stay the same from message to message. */
LOOP_INLINE int run_body(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr, struct slot_stride *slots, uint32_t *n,
			 const struct kind kind)
{
	uint32_t offset = slots->offset;
	uint32_t rest = *n;
	int err = 0;

	head(qpx, wr);
	for (; rest; rest--) {
		ibv_wr_start(qpx);
		build(qpx, wr, slots->local_base + offset, slots->remote_base + offset, kind);
		err = ibv_wr_complete(qpx);
		if (__builtin_expect(err, 0))
			break;
		offset = (offset + slots->step) & slots->mask;
	}
	slots->offset = offset;
	*n = rest;
	return err;
}

/* The remote address is in the same field for writes, reads and atomics; sends have none. */
LOOP_INLINE int list_body(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr, const struct kind *kind)
{
	_Static_assert(offsetof(struct ibv_send_wr, wr.rdma.remote_addr) ==
			       offsetof(struct ibv_send_wr, wr.atomic.remote_addr),
		       "the remote address of an atomic");

	ibv_wr_start(qpx);
	for (; wr; wr = wr->next) {
		head(qpx, wr);
		build(qpx, wr, wr->sg_list->addr, wr->wr.rdma.remote_addr, kind ? *kind : wr_kind(qpx, wr));
	}
	return ibv_wr_complete(qpx);
}

/* The common ones, of each destination. The general one does immediate data and empty messages. */
#define OPERATIONS(X, name, destination)                                                                               \
	X(name##_write, IBV_WR_RDMA_WRITE, destination, false)                                                         \
	X(name##_write_inline, IBV_WR_RDMA_WRITE, destination, true)                                                   \
	X(name##_send, IBV_WR_SEND, destination, false)                                                                \
	X(name##_send_inline, IBV_WR_SEND, destination, true)                                                          \
	X(name##_read, IBV_WR_RDMA_READ, destination, false)                                                           \
	X(name##_cmp_swp, IBV_WR_ATOMIC_CMP_AND_SWP, destination, false)                                               \
	X(name##_fetch_add, IBV_WR_ATOMIC_FETCH_AND_ADD, destination, false)

#define KINDS(X)                                                                                                       \
	OPERATIONS(X, qp, OF_QP)                                                                                       \
	OPERATIONS(X, xrc, OF_XRC)                                                                                     \
	OPERATIONS(X, maker, OF_MAKER)                                                                                 \
	X(ud_send, IBV_WR_SEND, OF_UD, false)                                                                          \
	X(ud_send_inline, IBV_WR_SEND, OF_UD, true)

#define DEFINE(name, opcode, destination, is_inline)                                                                   \
	static int name##_run(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr, struct slot_stride *slots,          \
			      uint32_t *n)                                                                             \
	{                                                                                                              \
		return run_body(qpx, wr, slots, n, (struct kind){opcode, destination, is_inline, false});              \
	}                                                                                                              \
	static int name##_list(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)                                    \
	{                                                                                                              \
		return list_body(qpx, wr, &(const struct kind){opcode, destination, is_inline, false});                \
	}
KINDS(DEFINE)

#define ROW(name, opcode, destination, is_inline) {{opcode, destination, is_inline, false}, {name##_run, name##_list}},
static const struct {
	struct kind kind;
	struct wr_poster poster;
} posters[] = {KINDS(ROW)};

static int general_run(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr, struct slot_stride *slots, uint32_t *n)
{
	return run_body(qpx, wr, slots, n, wr_kind(qpx, wr));
}

static int general_list(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)
{
	return list_body(qpx, wr, NULL);
}

const struct wr_poster wr_poster_general = {general_run, general_list};

const struct wr_poster *wr_poster_of(const struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)
{
	const struct kind kind = wr_kind(qpx, wr);

	for (size_t i = 0; i < sizeof(posters) / sizeof(posters[0]); i++) {
		const struct kind *known = &posters[i].kind;

		if (kind.opcode == known->opcode && kind.destination == known->destination &&
		    kind.is_inline == known->is_inline && kind.is_empty == known->is_empty)
			return &posters[i].poster;
	}
	return &wr_poster_general;
}
