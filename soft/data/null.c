// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Null mode (PERFTEST_SOFT=null), which measures the overhead of the program itself: requests complete at once, no data
 * moves and no peer is accessed; each posted receive completes as if a message had filled it. One process is enough for
 * everything except waiting for bytes to arrive. Installed by context.c.
 */
#include "data/data.h"

#include "data/complete.h"

/* Contents of a completion. */
struct item {
	uint64_t wr_id;
	uint32_t byte_len;
	unsigned int opcode;
	bool is_solicited;
};

static void __attribute__((noinline, cold)) complete_among_threads(const struct core_qp *qp, struct core_cq *cq,
								   uint32_t *done, uint32_t position, struct item item)
{
	sent_push(cq, item.wr_id, done, position, item.byte_len, core_qp_number(qp), IBV_WC_SUCCESS, item.opcode,
		  item.is_solicited);
}

/* In null mode only the program's threads use a completion queue, so a program with one thread needs no lock. */
static inline void null_complete(const struct core_qp *qp, struct core_cq *cq, bool is_alone, uint32_t *done,
				 uint32_t position, struct item item)
{
	if (unlikely(!is_alone || cq->soft.base.channel))
		complete_among_threads(qp, cq, done, position, item);
	else if (unlikely(!sent_store(cq, item.wr_id, done, position, item.byte_len, core_qp_number(qp), IBV_WC_SUCCESS,
				      item.opcode)))
		soft_cq_overrun_sent(cq, done, position);
}

int soft_null_post_send(struct ibv_qp *public, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct core_qp *qp = core_qp_of(public);
	const bool biased = local_lock_take(&qp->lock);
	int err = unlikely(core_qp_state(qp) != IBV_QPS_RTS) ? EINVAL : 0;

	for (; wr && !err; wr = wr->next) {
		if (unlikely((unsigned int)wr->opcode >= SOFT_OPERATION_COUNT ||
			     !(soft_operations[wr->opcode].types & qp->type) || (uint32_t)wr->num_sge > qp->max_sge))
			err = EINVAL;
		else if (unlikely(qp->posted - __atomic_load_n(&qp->done, __ATOMIC_ACQUIRE) >= qp->depth))
			err = ENOMEM;
		if (unlikely(err))
			break;
		qp->posted++;
		if (qp->all_signalled || (wr->send_flags & IBV_SEND_SIGNALED))
			null_complete(qp, qp->send_cq, biased, &qp->done, qp->posted,
				      (struct item){.wr_id = wr->wr_id,
						    .byte_len = wr->num_sge ? wr->sg_list->length : 0,
						    .opcode = soft_operations[wr->opcode].completion,
						    .is_solicited = wr->send_flags & IBV_SEND_SOLICITED});
	}
	if (unlikely(err))
		*bad_wr = wr;
	local_lock_release(&qp->lock, biased);
	return err;
}

int soft_null_post_recv(struct ibv_qp *public, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct core_qp *qp = core_qp_of(public);
	const bool biased = local_lock_take(&qp->rq->lock);
	int err = unlikely(core_qp_state(qp) == IBV_QPS_RESET) ? EINVAL : 0;

	for (; wr && !err; wr = wr->next) {
		if (unlikely((uint32_t)wr->num_sge > qp->rq->max_sge))
			err = EINVAL;
		else if (unlikely(qp->rq->posted - __atomic_load_n(&qp->rq->done, __ATOMIC_ACQUIRE) >= qp->rq->depth))
			err = ENOMEM;
		if (unlikely(err))
			break;
		null_complete(qp, qp->receive_cq, biased, &qp->rq->done, ++qp->rq->posted,
			      (struct item){.wr_id = wr->wr_id,
					    .byte_len = (uint32_t)core_list_length(wr->sg_list, wr->num_sge),
					    .opcode = IBV_WC_RECV,
					    .is_solicited = true /* as a sender might have asked */});
	}
	if (unlikely(err))
		*bad_wr = wr;
	local_lock_release(&qp->rq->lock, biased);
	return err;
}
