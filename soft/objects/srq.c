// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive queues: a receive queue (data/receive_queue.c) used by several queue pairs. Receives complete in the
 * completion queue of the queue pair that consumed them; the rest remains for the others, so there is nothing to flush.
 * An XRC receive queue has its own completion queue, and a row by which initiators find it: they name it in each
 * request (data/execute.c).
 */
#include "objects/objects.h"

#include "data/cqe.h"
#include "data/data.h"
#include "host/async.h"
#include "host/fault.h"
#include "host/profile.h"
#include "host/threads.h"

static struct core_srq *core_srq_of(struct ibv_srq *srq)
{
	return (struct core_srq *)srq;
}

/* Publishes the row by which XRC initiators find it; the number last. */
static void srq_row_show(struct core_srq *srq)
{
	struct srq_row *row = &soft_self.srq_rows[srq->index];

	*row = (struct srq_row){.pd = srq->rq.pd, .receive_queue = srq->rq.index};
	srq->number = QPN(soft_self.slot, srq->index);
	if (!srq->xrcd)
		return;
	row->cq = srq->cq->index;
	row->xrcd = srq->xrcd->name;
	__atomic_store_n(&row->number, srq->number, __ATOMIC_RELEASE);
}

static void srq_users_add(const struct core_srq *srq, uint32_t change)
{
	__atomic_add_fetch(&((struct core_pd *)srq->base.pd)->users, change, __ATOMIC_RELEASE);
	if (!srq->xrcd)
		return;
	__atomic_add_fetch(&srq->xrcd->users, change, __ATOMIC_RELEASE);
	__atomic_add_fetch(&srq->cq->users, change, __ATOMIC_RELEASE);
}

static int core_srq_open(struct core_srq *srq, const struct ibv_srq_attr *attr)
{
	int err;

	pthread_mutex_lock(&soft_self.lock);
	err = soft_index_find(soft_self.srqs, 1, LAYOUT_SRQ_COUNT, &soft_self.srq_next, &srq->index);
	if (!err)
		err = soft_receive_open(&srq->rq, attr->max_wr, attr->max_sge, ((struct core_pd *)srq->base.pd)->number,
					true);
	if (!err) {
		soft_self.srqs[srq->index] = srq;
		srq_row_show(srq);
	}
	pthread_mutex_unlock(&soft_self.lock);
	return err;
}

static struct ibv_srq *core_srq_create(struct ibv_pd *pd, void *srq_context, const struct ibv_srq_attr *attr,
				       struct core_xrcd *xrcd, struct ibv_cq *cq)
{
	SOFT_UNCANCELLED;
	struct core_srq *srq;
	int err;

	/* In null mode each posted receive completes at once, and its queue pair is unknown. */
	if (soft_self.is_null || !soft_profile()->max_srq)
		return soft_refuse(EOPNOTSUPP);
	if (attr->max_wr < 1 || attr->max_wr > SOFT_MAX_SRQ_WR - (uint32_t)soft_profile()->has_short_srqs ||
	    attr->max_sge > soft_profile()->max_recv_sge)
		return soft_refuse(EINVAL);
	srq = soft_fault_alloc(FAULT_CREATE_SRQ, sizeof(*srq));
	if (!srq)
		return NULL;
	srq->base.context = pd->context;
	srq->base.srq_context = srq_context;
	srq->base.pd = pd;
	srq->xrcd = xrcd;
	srq->cq = cq ? (struct core_cq *)cq : NULL;
	err = core_srq_open(srq, attr);
	if (err) {
		free(srq);
		return soft_refuse(-err);
	}
	srq->base.handle = srq->index;
	pthread_mutex_init(&srq->base.mutex, NULL);
	pthread_cond_init(&srq->base.cond, NULL);
	srq_users_add(srq, 1);
	return &srq->base;
}

struct ibv_srq *soft_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct ibv_srq *srq = core_srq_create(pd, attr->srq_context, &attr->attr, NULL, NULL);

	if (srq)
		attr->attr.srq_limit = 0; /* "the value of srq_limit is irrelevant", ibv_create_srq(3) */
	return srq;
}

struct ibv_srq *soft_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	const uint32_t of_xrc = IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	const uint32_t known = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | of_xrc;
	enum ibv_srq_type type = attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE ? attr->srq_type : IBV_SRQT_BASIC;

	(void)context;
	if (attr->comp_mask & ~known || (type != IBV_SRQT_BASIC && type != IBV_SRQT_XRC))
		return soft_refuse(EOPNOTSUPP);
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) || !attr->pd ||
	    (type == IBV_SRQT_XRC && ((attr->comp_mask & of_xrc) != of_xrc || !attr->xrcd || !attr->cq)))
		return soft_refuse(EINVAL);
	if (type == IBV_SRQT_BASIC)
		return soft_create_srq(attr->pd, (struct ibv_srq_init_attr *)attr); /* it starts with the plain ones */
	return core_srq_create(attr->pd, attr->srq_context, &attr->attr, (struct core_xrcd *)attr->xrcd, attr->cq);
}

static int limit_set(struct core_srq *srq, uint32_t limit)
{
	bool is_reached = false;
	int err = soft_receive_limit(&srq->rq, limit, &is_reached);

	if (is_reached)
		soft_async_raise_srq(srq, IBV_EVENT_SRQ_LIMIT_REACHED);
	return err;
}

int soft_modify_srq(struct ibv_srq *public, struct ibv_srq_attr *attr, int mask)
{
	SOFT_UNCANCELLED;
	struct core_srq *srq = core_srq_of(public);
	uint32_t depth = mask & IBV_SRQ_MAX_WR ? attr->max_wr : srq->rq.depth;
	int err = 0;

	if (mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT) || depth < 1 || depth > SOFT_MAX_SRQ_WR ||
	    (mask & IBV_SRQ_LIMIT && attr->srq_limit > depth))
		return EINVAL;
	if (soft_fault_strikes(FAULT_MODIFY_SRQ))
		return EIO;
	if (mask & IBV_SRQ_MAX_WR)
		err = soft_receive_resize(&srq->rq, depth);
	if (!err && mask & IBV_SRQ_LIMIT)
		err = limit_set(srq, attr->srq_limit);
	return -err;
}

int soft_query_srq(struct ibv_srq *public, struct ibv_srq_attr *attr)
{
	const struct core_srq *srq = core_srq_of(public);

	*attr = (struct ibv_srq_attr){.max_wr = srq->rq.depth,
				      .max_sge = srq->rq.max_sge,
				      .srq_limit = __atomic_load_n(&srq->rq.row->limit, __ATOMIC_ACQUIRE)};
	return 0;
}

int soft_get_srq_num(struct ibv_srq *public, uint32_t *number)
{
	const struct core_srq *srq = core_srq_of(public);

	if (!srq->xrcd)
		return EOPNOTSUPP;
	*number = srq->number;
	return 0;
}

int soft_destroy_srq(struct ibv_srq *public)
{
	SOFT_UNCANCELLED;
	struct core_srq *srq = core_srq_of(public);
	struct srq_row *row = &soft_self.srq_rows[srq->index];

	if (__atomic_load_n(&srq->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	/* A thread that has found it checks the number again with the queue locked. */
	__atomic_store_n(&row->number, 0, __ATOMIC_SEQ_CST);
	soft_receive_settle(&srq->rq);
	pthread_mutex_lock(&soft_self.lock);
	soft_self.srqs[srq->index] = NULL;
	soft_receive_close(&srq->rq);
	pthread_mutex_unlock(&soft_self.lock);
	soft_async_forget_srq(srq);
	if (srq->cq)
		soft_cq_pass(srq->cq);
	srq_users_add(srq, UINT32_MAX /* one less */);
	pthread_mutex_destroy(&public->mutex);
	pthread_cond_destroy(&public->cond);
	free(srq);
	return 0;
}

void soft_srq_limit_reached(uint32_t queue_index)
{
	struct receive_queue *queue;

	pthread_mutex_lock(&soft_self.lock);
	queue = soft_self.rqs[queue_index % LAYOUT_RQ_COUNT];
	if (queue && queue->is_shared)
		soft_async_raise_srq(container_of_type(queue, struct core_srq, rq), IBV_EVENT_SRQ_LIMIT_REACHED);
	pthread_mutex_unlock(&soft_self.lock);
}
