// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Posts work requests. Called by programs through context->ops, and for waiting requests. */
#include "data/data.h"

#include "data/complete.h"
#include "data/direct.h"
#include "host/profile.h"

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
		return -soft_retry_queue_add(qp, wr, ++qp->posted, EXECUTE_DELAYED);
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

/* --- receives --- */

/*
 * The queue looks full. Requests whose completions were lost, because the completion queue was full, are done without
 * being polled. False: there are none. (Not added to `done`, which the polling thread writes.)
 */
static SOFT_COLD bool lost_are_done(struct receive_queue *queue)
{
	uint32_t lost = __atomic_load_n(&queue->row->lost, __ATOMIC_ACQUIRE);
	uint32_t outstanding = queue->posted - __atomic_load_n(&queue->done, __ATOMIC_ACQUIRE);

	/* Initiators write this value: accept at most what was posted, and never less than before. */
	if (lost - queue->lost <= outstanding - queue->lost)
		queue->lost = lost;
	return outstanding - queue->lost < queue->depth;
}

static inline __attribute__((always_inline)) int receive_post_one(struct receive_queue *queue,
								  const struct ibv_recv_wr *wr, bool is_shared)
{
	struct receive *entry;

	if (unlikely(wr->num_sge < 0 || (uint32_t)wr->num_sge > queue->max_sge))
		return EINVAL;
	if (unlikely(queue->posted - __atomic_load_n(&queue->done, __ATOMIC_ACQUIRE) >= queue->depth) &&
	    !lost_are_done(queue))
		return ENOMEM;
	entry = soft_receive_entry(queue, queue->posted);
	entry->wr_id = wr->wr_id;
	entry->sge_count = (uint32_t)wr->num_sge;
	for (int i = 0; i < wr->num_sge; i++)
		entry->sge[i] = wr->sg_list[i];
	if (is_shared && unlikely(__atomic_load_n(&queue->row->limit, __ATOMIC_RELAXED)))
		__atomic_store_n(&queue->row->posted, queue->posted + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->stamp, ++queue->posted, __ATOMIC_RELEASE);
	return 0;
}

/* The queue is locked. */
static inline __attribute__((always_inline)) int post_list(struct receive_queue *queue, struct ibv_recv_wr *wr,
							   struct ibv_recv_wr **bad_wr, bool is_shared)
{
	for (; wr; wr = wr->next) {
		int err = receive_post_one(queue, wr, is_shared);

		if (unlikely(err)) {
			*bad_wr = wr;
			return err;
		}
	}
	return 0;
}

static SOFT_COLD void posted_flush(struct core_qp *qp)
{
	if (!soft_receive_flush_locked(qp))
		soft_retry_queue_attend(qp);
}

int soft_post_recv(struct ibv_qp *public, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct core_qp *qp = core_qp_of(public);
	struct receive_queue *queue = &qp->own_rq;
	bool biased;
	int err;

	if (unlikely(qp->rq != queue)) { /* the queue pair uses a shared receive queue, or has none */
		*bad_wr = wr;
		return EINVAL;
	}
	biased = local_lock_take(&queue->lock);
	if (unlikely(core_qp_state(qp) == IBV_QPS_RESET)) {
		err = EINVAL;
		*bad_wr = wr;
	} else {
		err = post_list(queue, wr, bad_wr, false /* is_shared */);
	}
	/*
	 * The flushing thread executes a full fence in this thread (membarrier) after setting ERR: one of us sees the
	 * other.
	 */
	if (unlikely(!soft_has_membarrier))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (unlikely(core_qp_state(qp) == IBV_QPS_ERR))
		posted_flush(qp);
	local_lock_release(&queue->lock, biased);
	return err;
}

int soft_post_srq_recv(struct ibv_srq *public, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct receive_queue *queue = &((struct core_srq *)public)->rq;
	bool biased = local_lock_take(&queue->lock);
	int err = post_list(queue, wr, bad_wr, true /* is_shared */);

	local_lock_release(&queue->lock, biased);
	return err;
}

/* --- with a profile: requests before the one that is refused are posted, as by the drivers' libraries --- */

static bool inline_is_accepted(const struct soft_profile *profile, const struct core_qp *qp,
			       const struct ibv_send_wr *wr)
{
	const uint64_t length = core_list_length(wr->sg_list, wr->num_sge);

	return length <= qp->max_inline &&
	       (!profile->inlines_packets || !qp->attr.path_mtu || length <= core_mtu(qp->attr.path_mtu));
}

static bool flags_are_accepted(const struct soft_profile *profile, const struct core_qp *qp,
			       const struct ibv_send_wr *wr)
{
	const bool writes = wr->opcode == IBV_WR_RDMA_WRITE || wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;

	if (profile->needs_signals && !(wr->send_flags & IBV_SEND_SIGNALED) && !qp->all_signalled)
		return false;
	if (qp->type == QP_SRD && !qp->writes_inline && writes && wr->send_flags & IBV_SEND_INLINE)
		return false;
	return !profile->send_flags || !(wr->send_flags & ~profile->send_flags);
}

/* 0, or what the post returns. */
static int send_check(const struct soft_profile *profile, const struct core_qp *qp, const struct ibv_send_wr *wr)
{
	if ((unsigned int)wr->opcode >= 32 || !(profile->opcodes & 1u << wr->opcode))
		return profile->refuses_opcode ? profile->refuses_opcode : EINVAL;
	if (!flags_are_accepted(profile, qp, wr))
		return EINVAL;
	if (wr->send_flags & IBV_SEND_INLINE && !inline_is_accepted(profile, qp, wr))
		return profile->refuses_inline ? profile->refuses_inline : EINVAL;
	return wr->opcode == IBV_WR_RDMA_READ && profile->max_reads &&
			       qp->posted - __atomic_load_n(&qp->done, __ATOMIC_ACQUIRE) >= profile->max_reads
		       ? EINVAL
		       : 0;
}

static int refusal(int err)
{
	return soft_profile()->negates && err > 0 ? -err : err;
}

int soft_profile_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	for (; wr; wr = wr->next) {
		struct ibv_send_wr *next = wr->next;
		int err = send_check(soft_profile(), core_qp_of(qp), wr);

		*bad_wr = wr;
		if (!err) {
			wr->next = NULL;
			err = soft_post_send(qp, wr, bad_wr);
			wr->next = next;
		}
		if (err)
			return refusal(err);
	}
	return 0;
}

static bool receive_is_accepted(const struct soft_profile *profile, const struct ibv_recv_wr *wr)
{
	for (int i = 0; i < wr->num_sge && profile->max_receive; i++)
		if (wr->sg_list[i].length > profile->max_receive)
			return false;
	return true;
}

int soft_profile_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	for (; wr; wr = wr->next) {
		struct ibv_recv_wr *next = wr->next;
		int err = EINVAL;

		*bad_wr = wr;
		if (receive_is_accepted(soft_profile(), wr)) {
			wr->next = NULL;
			err = soft_post_recv(qp, wr, bad_wr);
			wr->next = next;
		}
		if (err)
			return refusal(err);
	}
	return 0;
}
