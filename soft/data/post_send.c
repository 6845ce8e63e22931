// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How does a posted request become a completion? Called by programs through context->ops, and for waiting ones. */
#include <errno.h>

#include "data/complete.h"
#include "data/retry_queue.h"
#include "host/core.h"

static bool inline_fits(const struct core_qp *qp, const struct ibv_send_wr *wr)
{
	uint64_t length = 0;

	for (int i = 0; i < wr->num_sge; i++)
		length += wr->sg_list[i].length;
	return length <= qp->max_inline;
}

/* Not in RTS, or others wait before it. A positive errno. */
static int post_aside(struct core_qp *qp, const struct ibv_send_wr *wr, enum ibv_qp_state state)
{
	switch (state) {
	case IBV_QPS_ERR:
	case IBV_QPS_SQE:
		soft_retry_queue_flush(qp);
		send_complete(qp, &soft_operations[wr->opcode], wr, ++qp->posted, IBV_WC_WR_FLUSH_ERR, 0);
		return 0;
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
		soft_retry_queue_advance(qp);
		return -soft_retry_queue_add(qp, wr, ++qp->posted, EXECUTE_HELD);
	default:
		return EINVAL;
	}
}

static int send_post_one(struct core_qp *qp, const struct ibv_send_wr *wr)
{
	const struct soft_operation *operation = &soft_operations[wr->opcode];
	enum ibv_qp_state state;
	uint32_t byte_len = 0;
	int status;

	if (unlikely((unsigned int)wr->opcode >= SOFT_OPERATION_COUNT || !(operation->types & qp->type) ||
		     (uint32_t)wr->num_sge > qp->max_sge))
		return EINVAL;
	if (unlikely(qp->posted - __atomic_load_n(&qp->done, __ATOMIC_ACQUIRE) >= qp->depth))
		return ENOMEM;
	if (wr->send_flags & IBV_SEND_INLINE && unlikely(operation->reads || !inline_fits(qp, wr)))
		return EINVAL;
	state = core_qp_state(qp);
	if (unlikely(state != IBV_QPS_RTS || qp->waits))
		return post_aside(qp, wr, state);
	qp->posted++;
	status = qp->ops->execute(qp, operation, wr, &byte_len);
	if (unlikely(status < 0))
		return -soft_retry_queue_add(qp, wr, qp->posted, status);
	send_complete(qp, operation, wr, qp->posted, status, byte_len);
	return 0;
}

int soft_post_send(struct ibv_qp *public, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct core_qp *qp = core_qp_of(public);
	bool biased = local_lock_take(&qp->lock);
	int err = 0;

	for (; wr; wr = wr->next) {
		err = send_post_one(qp, wr);
		if (unlikely(err)) {
			*bad_wr = wr;
			break;
		}
	}
	local_lock_release(&qp->lock, biased);
	return err;
}
