// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Posts work requests. Called by programs through context->ops, and for waiting requests. */
#include <errno.h>

#include "data/complete.h"
#include "data/direct.h"
#include "data/retry_queue.h"
#include "host/core.h"

/* Executes a request before the one that waits for that, and in its place. False: it must wait, too. */
static bool post_overtaking(struct core_qp *qp, const struct ibv_send_wr *wr)
{
	const struct soft_operation *operation = &soft_operations[wr->opcode];
	uint32_t *position = soft_retry_queue_yield(qp);
	uint32_t byte_len = 0;
	int status;

	if (!position)
		return false;
	status = qp->ops->execute(qp, operation, wr, &byte_len);
	if (status < 0)
		return false;
	send_complete(qp, operation, wr, *position, status, byte_len);
	*position = ++qp->posted;
	return true;
}

/* Handles a request when the queue pair is not in RTS, or others wait before it. 0 or a positive errno. */
static int post_aside(struct core_qp *qp, const struct ibv_send_wr *wr, enum ibv_qp_state state)
{
	const bool overtakes = state == IBV_QPS_RTS && post_overtaking(qp, wr);

	switch (state) {
	case IBV_QPS_ERR:
	case IBV_QPS_SQE:
		soft_retry_queue_flush(qp);
		send_complete(qp, &soft_operations[wr->opcode], wr, ++qp->posted, IBV_WC_WR_FLUSH_ERR, 0);
		return 0;
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
		soft_retry_queue_advance(qp);
		if (overtakes)
			return 0;
		return -soft_retry_queue_add(qp, wr, ++qp->posted, EXECUTE_HELD);
	default:
		return EINVAL;
	}
}

/*
 * Checks a request as libefa and libmlx5 do: it names a destination if such a request can, and is always signalled on
 * EFA.
 */
static SOFT_COLD bool named_is_valid(const struct core_qp *qp, const struct soft_operation *operation,
				     const struct ibv_send_wr *wr)
{
	if (qp->type == QP_SRD && (is_silent(qp, wr) || wr->send_flags & ~(IBV_SEND_SIGNALED | IBV_SEND_INLINE)))
		return false;
	return qp->soft.is_built || (qp->type == QP_SRD && !operation->has_memory);
}

/* Any request, with all checks. 0 or a positive errno. */
static __attribute__((noinline)) int post_any(struct core_qp *qp, const struct ibv_send_wr *wr)
{
	const struct soft_operation *operation = &soft_operations[wr->opcode];
	enum ibv_qp_state state;
	uint32_t byte_len = 0;
	int status;

	if (unlikely((unsigned int)wr->opcode >= SOFT_OPERATION_COUNT || !(operation->types & qp->type) ||
		     (uint32_t)wr->num_sge > qp->max_sge))
		return EINVAL;
	if (unlikely(qp->ops->named && !named_is_valid(qp, operation, wr)))
		return EINVAL;
	if (unlikely(qp->posted - __atomic_load_n(&qp->done, __ATOMIC_ACQUIRE) >= qp->depth))
		return ENOMEM;
	if (wr->send_flags & IBV_SEND_INLINE &&
	    unlikely(operation->reads || core_list_length(wr->sg_list, wr->num_sge) > qp->max_inline))
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

/* Completes a request that direct.h has executed. */
static __attribute__((noinline)) void direct_complete(struct core_qp *qp, const struct ibv_send_wr *wr, int status)
{
	send_complete(qp, &soft_operations[wr->opcode], wr, qp->posted, status, wr->sg_list->length);
}

static inline __attribute__((always_inline)) int send_post_one(struct core_qp *qp, const struct ibv_send_wr *wr)
{
	int status;

	direct_claim(qp, wr);
	if (unlikely(core_qp_state(qp) != IBV_QPS_RTS || qp->waits ||
		     qp->posted - __atomic_load_n(&qp->done, __ATOMIC_ACQUIRE) >= qp->depth))
		return post_any(qp, wr);
	status = direct_execute(qp, wr);
	if (unlikely(status == EXECUTE_NOT_DIRECT))
		return post_any(qp, wr);
	qp->posted++;
	if (unlikely(status) || !is_silent(qp, wr))
		direct_complete(qp, wr, status);
	return 0;
}

static inline __attribute__((always_inline)) int post_all(struct core_qp *qp, struct ibv_send_wr *wr,
							  struct ibv_send_wr **bad_wr)
{
	for (; wr; wr = wr->next) {
		int err = send_post_one(qp, wr);

		if (unlikely(err)) {
			*bad_wr = wr;
			return err;
		}
	}
	return 0;
}

/* For programs with several threads. */
static __attribute__((noinline)) int post_contended(struct core_qp *qp, struct ibv_send_wr *wr,
						    struct ibv_send_wr **bad_wr)
{
	int err;

	if (!local_lock_take_owned(&qp->lock))
		soft_local_lock_take_contended(&qp->lock);
	err = post_all(qp, wr, bad_wr);
	local_lock_release(&qp->lock, false);
	return err;
}

int soft_post_send(struct ibv_qp *public, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct core_qp *qp = core_qp_of(public);
	int err;

	if (unlikely(!local_lock_take_alone(&qp->lock)))
		return post_contended(qp, wr, bad_wr);
	err = post_all(qp, wr, bad_wr);
	local_lock_release(&qp->lock, true);
	return err;
}
