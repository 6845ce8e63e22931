// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Work queues, and the indirection tables with which RSS selects one of them. A work queue is the receive side of a
 * hidden raw packet queue pair, which has its state, requests and completions. Called through the verbs.
 */

#include "host/fault.h"
#include "host/identity.h"
#include "packet/rss.h"

/* Moves the hidden queue pair to the state that represents the work queue's; each allows posting. */
static int wq_qp_move(struct ibv_qp *qp, enum ibv_wq_state state)
{
	struct ibv_qp_attr attr = {.port_num = SOFT_PORT};
	int err;

	switch (state) {
	case IBV_WQS_RESET:
		attr.qp_state = IBV_QPS_RESET;
		err = soft_modify_qp(qp, &attr, IBV_QP_STATE);
		attr.qp_state = IBV_QPS_INIT;
		return err ? err : soft_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT);
	case IBV_WQS_RDY:
		attr.qp_state = IBV_QPS_RTR;
		return soft_modify_qp(qp, &attr, IBV_QP_STATE);
	case IBV_WQS_ERR:
		attr.qp_state = IBV_QPS_ERR;
		return soft_modify_qp(qp, &attr, IBV_QP_STATE);
	default:
		return EINVAL;
	}
}

static int wq_post_recv(struct ibv_wq *wq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return wq->context->ops.post_recv(((struct core_wq *)wq)->qp, wr, bad);
}

static int wq_attr_check(const struct ibv_wq_init_attr *attr)
{
	if (attr->comp_mask & ~(uint32_t)IBV_WQ_INIT_ATTR_FLAGS || (attr->comp_mask && attr->create_flags))
		return EOPNOTSUPP;
	return attr->wq_type == IBV_WQT_RQ && attr->pd && attr->cq ? 0 : EINVAL;
}

struct ibv_wq *soft_create_wq(struct ibv_context *context, struct ibv_wq_init_attr *attr)
{
	struct ibv_qp_init_attr init = {.send_cq = attr->cq,
					.recv_cq = attr->cq,
					.qp_type = IBV_QPT_RAW_PACKET,
					.cap = {.max_recv_wr = attr->max_wr, .max_recv_sge = attr->max_sge}};
	struct core_wq *wq = NULL;
	int err = wq_attr_check(attr);

	if (err)
		return soft_refuse(err);
	wq = soft_fault_alloc(FAULT_CREATE_WQ, sizeof(*wq));
	if (!wq)
		return NULL;
	wq->qp = soft_create_qp(attr->pd, &init);
	if (!wq->qp)
		goto err_free;
	err = wq_qp_move(wq->qp, IBV_WQS_RESET);
	if (err) {
		soft_destroy_qp(wq->qp);
		errno = err;
		goto err_free;
	}
	attr->max_wr = init.cap.max_recv_wr;
	attr->max_sge = init.cap.max_recv_sge;
	wq->base.context = context;
	wq->base.pd = attr->pd;
	wq->base.cq = attr->cq;
	wq->base.wq_num = wq->qp->qp_num;
	wq->base.handle = wq->qp->handle;
	wq->base.state = IBV_WQS_RESET;
	wq->base.wq_type = IBV_WQT_RQ;
	wq->base.post_recv = wq_post_recv;
	return &wq->base;

err_free:
	free(wq);
	return NULL;
}

/* IBA has no work queues; the states are those of ibv_modify_wq(3): every state may go to RESET and to ERR. */
int soft_modify_wq(struct ibv_wq *base, struct ibv_wq_attr *attr)
{
	struct core_wq *wq = (struct core_wq *)base;
	int err;

	if (attr->attr_mask & ~(uint32_t)(IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE))
		return EOPNOTSUPP;
	if (attr->attr_mask & IBV_WQ_ATTR_CURR_STATE && attr->curr_wq_state != base->state)
		return EINVAL;
	if (!(attr->attr_mask & IBV_WQ_ATTR_STATE))
		return 0;
	err = wq_qp_move(wq->qp, attr->wq_state);
	if (!err)
		base->state = attr->wq_state;
	return err;
}

int soft_destroy_wq(struct ibv_wq *public)
{
	struct core_wq *wq = (struct core_wq *)public;
	int err = __atomic_load_n(&wq->users, __ATOMIC_ACQUIRE) ? EBUSY : soft_destroy_qp(wq->qp);

	if (!err)
		free(wq);
	return err;
}

struct ibv_rwq_ind_table *soft_create_rwq_ind_table(struct ibv_context *context,
						    struct ibv_rwq_ind_table_init_attr *attr)
{
	struct soft_rwq_table *table;
	uint32_t size;

	if (attr->comp_mask || attr->log_ind_tbl_size > SOFT_MAX_RWQ_TABLE_LOG)
		return soft_refuse(EINVAL);
	size = 1u << attr->log_ind_tbl_size;
	table = soft_fault_alloc(FAULT_CREATE_RWQ_IND_TABLE, sizeof(*table) + size * sizeof(table->wqs[0]));
	if (!table)
		return NULL;
	table->base.context = context;
	table->mask = size - 1;
	for (uint32_t i = 0; i < size; i++) {
		table->wqs[i] = (struct core_wq *)attr->ind_tbl[i];
		__atomic_add_fetch(&table->wqs[i]->users, 1, __ATOMIC_RELEASE);
	}
	return &table->base;
}

int soft_destroy_rwq_ind_table(struct ibv_rwq_ind_table *public)
{
	struct soft_rwq_table *table = (struct soft_rwq_table *)public;

	if (__atomic_load_n(&table->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	for (uint32_t i = 0; i <= table->mask; i++)
		__atomic_sub_fetch(&table->wqs[i]->users, 1, __ATOMIC_RELEASE);
	free(table);
	return 0;
}
