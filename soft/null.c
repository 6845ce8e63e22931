// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does a program cost by itself? In null mode (PERFTEST_SOFT=null) requests complete at once, nothing
 * moves and no peer is touched; each posted receive completes as if a message had filled it. One process is
 * enough for everything but what waits for bytes to arrive. Installed by context.c.
 */
#include <errno.h>

#include "complete.h"
#include "core.h"

int soft_null_post_send(struct ibv_qp *public, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct core_qp *qp = core_qp_of(public);
	bool biased = local_lock_take(&qp->lock);
	int err = unlikely(qp->row->state != IBV_QPS_RTS) ? EINVAL : 0;

	for (; wr && !err; wr = wr->next) {
		if (unlikely((unsigned int)wr->opcode >= SOFT_OPERATION_COUNT ||
			     !(soft_operations[wr->opcode].types & qp->type) || (uint32_t)wr->num_sge > qp->max_sge))
			err = EINVAL;
		else if (unlikely(qp->posted - __atomic_load_n(&qp->done, __ATOMIC_ACQUIRE) >= qp->depth))
			err = ENOMEM;
		if (unlikely(err))
			break;
		send_complete(qp, wr, ++qp->posted, IBV_WC_SUCCESS, wr->num_sge ? wr->sg_list->length : 0);
	}
	if (unlikely(err))
		*bad_wr = wr;
	local_lock_release(&qp->lock, biased);
	return err;
}

int soft_null_post_recv(struct ibv_qp *public, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct core_qp *qp = core_qp_of(public);
	bool biased = local_lock_take(&qp->rq.lock);
	int err = unlikely(qp->row->state == IBV_QPS_RESET) ? EINVAL : 0;

	for (; wr && !err; wr = wr->next) {
		uint32_t byte_len = 0;

		if (unlikely((uint32_t)wr->num_sge > qp->rq.max_sge))
			err = EINVAL;
		else if (unlikely(qp->rq.posted - __atomic_load_n(&qp->rq.done, __ATOMIC_ACQUIRE) >= qp->rq.depth))
			err = ENOMEM;
		if (unlikely(err))
			break;
		for (int i = 0; i < wr->num_sge; i++)
			byte_len += wr->sg_list[i].length;
		sent_push(qp->receive_cq, wr->wr_id, &qp->rq.done, ++qp->rq.posted, byte_len, core_qp_number(qp),
			  IBV_WC_SUCCESS, IBV_WC_RECV, true /* as a sender might have asked */);
	}
	if (unlikely(err))
		*bad_wr = wr;
	local_lock_release(&qp->rq.lock, biased);
	return err;
}
