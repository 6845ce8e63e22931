// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Creates and destroys queue pairs: a row in the control file, which initiators check, and the send and receive queue
 * in this process. Types: qp_type.c; state changes: qp_modify.c.
 */
#include "objects/objects.h"

#include "data/data.h"
#include "host/async.h"
#include "host/fault.h"
#include "host/peer.h"
#include "host/profile.h"
#include "host/threads.h"
#include "packet/interface.h"
#include "packet/raw_packet.h"
#include "packet/rss.h"

static void public_fill(struct core_qp *qp, struct ibv_context *context, struct ibv_pd *pd,
			const struct ibv_qp_init_attr *attr)
{
	struct ibv_qp *public = &qp->soft.base.qp_base;

	public->context = context;
	public->qp_context = attr->qp_context;
	public->pd = pd;
	public->send_cq = attr->send_cq;
	public->recv_cq = attr->recv_cq;
	public->srq = attr->srq;
	public->handle = qp->index;
	/* A DCT's number is known from RTR on, as on adapters. */
	public->qp_num = qp->type == QP_DCT ? 0 : QPN(soft_self.slot, qp->index);
	public->state = IBV_QPS_RESET;
	public->qp_type = attr->qp_type;
	pthread_mutex_init(&public->mutex, NULL);
	pthread_cond_init(&public->cond, NULL);
}

/* Opens its receive queue; XRC and RSS queue pairs have none. soft_self.lock is held. */
static int receives_open(struct core_qp *qp, struct ibv_qp_init_attr *attr)
{
	int err;

	if (attr->srq || qp->type & (QP_XRC | QP_RSS | QP_DCI)) {
		attr->cap.max_recv_wr = attr->cap.max_recv_sge = 0;
		qp->rq = attr->srq ? &((struct core_srq *)attr->srq)->rq : NULL;
	} else {
		err = soft_receive_open(&qp->own_rq, attr->cap.max_recv_wr, attr->cap.max_recv_sge, qp->pd, false);
		if (err)
			return err;
		qp->rq = &qp->own_rq;
	}
	qp->row->receive_queue = qp->rq ? qp->rq->index : 0;
	return 0;
}

/* soft_self.lock held. */
static int core_qp_open(struct core_qp *qp, struct ibv_qp_init_attr *attr)
{
	/* Numbers 0 and 1 of slot 0 would be QP0 and QP1 of a port, and the last one of the last slot multicast. */
	int err = soft_index_find(soft_self.qps, 2, LAYOUT_QP_COUNT - 1, &soft_self.qp_next, &qp->index);

	if (err)
		return err;
	qp->row = &soft_self.qp_rows[qp->index];
	memset(qp->row, 0, sizeof(*qp->row));
	qp->row->gate = GATE(ACCEPTS_NOBODY, 0, IBV_QPS_RESET);
	qp->row->pd = qp->pd;
	qp->row->receive_cq = qp->receive_cq ? qp->receive_cq->index : 0;
	if (qp->xrcd)
		qp->row->xrcd = qp->xrcd->name;
	/*
	 * As on adapters, whose requests use the same room for either: inline data may be as large as the gather list.
	 */
	if (attr->cap.max_inline_data < attr->cap.max_send_sge * sizeof(struct ibv_sge))
		attr->cap.max_inline_data = attr->cap.max_send_sge * (uint32_t)sizeof(struct ibv_sge);
	err = receives_open(qp, attr);
	if (err)
		return err;
	qp->depth = attr->cap.max_send_wr;
	qp->max_sge = attr->cap.max_send_sge;
	qp->max_inline = attr->cap.max_inline_data;
	qp->cap = attr->cap;
	soft_self.qps[qp->index] = qp;
	return 0;
}

static void qp_users_add(const struct core_qp *qp, uint32_t change)
{
	struct core_pd *pd = (struct core_pd *)qp->soft.base.qp_base.pd;

	if (pd && qp->type != QP_XRC_RECV)
		__atomic_add_fetch(&pd->users, change, __ATOMIC_RELEASE);
	if (qp->xrcd)
		__atomic_add_fetch(&qp->xrcd->users, change, __ATOMIC_RELEASE);
	if (qp->srq)
		__atomic_add_fetch(&qp->srq->users, change, __ATOMIC_RELEASE);
	if (qp->send_cq)
		__atomic_add_fetch(&qp->send_cq->users, change, __ATOMIC_RELEASE);
	if (qp->receive_cq)
		__atomic_add_fetch(&qp->receive_cq->users, change, __ATOMIC_RELEASE);
}

/* attr is valid for its type. */
static struct ibv_qp *core_qp_create(struct ibv_context *context, struct ibv_pd *pd, struct core_xrcd *xrcd,
				     struct ibv_qp_init_attr *attr, const struct qp_ops *ops)
{
	SOFT_UNCANCELLED;
	struct core_qp *qp;
	int err;

	err = soft_fault_strikes(FAULT_CREATE_QP) ? ENOMEM : posix_memalign((void **)&qp, LAYOUT_LINE, sizeof(*qp));
	if (!err && soft_qp_has_interface(ops)) {
		err = -soft_interface_get();
		if (err)
			free(qp);
	}
	if (err)
		return soft_refuse(err);
	memset(qp, 0, sizeof(*qp));
	qp->peer = &soft_nobody;
	qp->target = &soft_nobody_row;
	qp->pd = pd ? ((struct core_pd *)pd)->number : 0;
	qp->xrcd = xrcd;
	qp->srq = (struct core_srq *)attr->srq;
	qp->ops = soft_disturbance_ops(ops);
	qp->type = qp->ops->type;
	qp->all_signalled = attr->sq_sig_all;
	qp->send_cq = attr->send_cq ? core_cq_of(attr->send_cq) : NULL;
	qp->receive_cq = attr->recv_cq ? core_cq_of(attr->recv_cq) : NULL;
	pthread_mutex_lock(&soft_self.lock);
	err = core_qp_open(qp, attr);
	if (!err)
		public_fill(qp, context, pd, attr);
	pthread_mutex_unlock(&soft_self.lock);
	if (err) {
		if (soft_qp_has_interface(ops))
			soft_interface_put();
		free(qp);
		return soft_refuse(-err);
	}
	qp_users_add(qp, 1);
	return &qp->soft.base.qp_base;
}

static struct ibv_qp *qp_refuse(int err)
{
	return err == PROFILE_SILENT ? NULL : soft_refuse(err);
}

static struct ibv_qp *create_checked(struct ibv_context *context, struct ibv_pd *pd, struct core_xrcd *xrcd,
				     struct ibv_qp_init_attr *attr)
{
	const struct qp_ops *ops = soft_qp_ops_of(attr->qp_type);
	int err = soft_qp_init_attr_check(pd, xrcd, attr, ops);

	return err ? qp_refuse(err) : core_qp_create(context, pd, xrcd, attr, ops);
}

struct ibv_qp *soft_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	return create_checked(pd->context, pd, NULL, attr);
}

struct ibv_qp *soft_create_direct_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, enum soft_direct type,
				     uint64_t key)
{
	const struct qp_ops *ops = soft_qp_direct_ops(type);
	int err = soft_qp_init_attr_check(pd, NULL, attr, ops);
	struct ibv_qp *qp;

	if (err)
		return qp_refuse(err);
	qp = core_qp_create(pd->context, pd, NULL, attr, ops);
	if (!qp)
		return NULL;
	core_qp_of(qp)->dc_key = key;
	soft_qp_attr_reset(core_qp_of(qp));
	return qp;
}

void soft_qp_give_up_order(struct ibv_qp *qp)
{
	core_qp_of(qp)->ops = soft_disturbance_ops(&soft_qp_unordered_ops);
}

static int hash_check(const struct ibv_rx_hash_conf *hash)
{
	if (hash->rx_hash_function != IBV_RX_HASH_FUNC_TOEPLITZ ||
	    hash->rx_hash_fields_mask & ~(uint64_t)SOFT_RSS_FIELDS)
		return EOPNOTSUPP;
	return hash->rx_hash_key_len == TOEPLITZ_KEY_SIZE && hash->rx_hash_key ? 0 : EINVAL;
}

struct ibv_qp *soft_create_rss_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, struct ibv_rwq_ind_table *table,
				  const struct ibv_rx_hash_conf *hash)
{
	struct ibv_qp_init_attr init = {.qp_type = attr->qp_type, .qp_context = attr->qp_context};
	struct soft_rss *rss = NULL;
	struct ibv_qp *qp = NULL;
	int err = hash_check(hash);

	if (err)
		return soft_refuse(err);
	if (attr->qp_type != IBV_QPT_RAW_PACKET)
		return soft_refuse(EOPNOTSUPP);
	if (attr->srq || !pd || !table)
		return soft_refuse(EINVAL);
	rss = calloc(1, sizeof(*rss));
	if (rss)
		qp = core_qp_create(pd->context, pd, NULL, &init, &soft_qp_rss_ops);
	if (!qp) {
		free(rss);
		return NULL;
	}
	rss->table = (struct soft_rwq_table *)table;
	rss->fields = hash->rx_hash_fields_mask;
	memcpy(rss->key, hash->rx_hash_key, sizeof(rss->key));
	rwq_table_users(rss->table, 1);
	core_qp_of(qp)->rss = rss;
	attr->cap = init.cap;
	return qp;
}

struct ibv_qp *soft_create_xrc_recv_qp(struct ibv_context *context, struct ibv_xrcd *xrcd,
				       struct ibv_qp_init_attr *attr)
{
	return create_checked(context, NULL, (struct core_xrcd *)xrcd, attr);
}

static void qp_end(struct core_qp *qp)
{
	struct ibv_qp *public = &qp->soft.base.qp_base;

	soft_qp_stop(qp);
	pthread_mutex_lock(&soft_self.lock);
	soft_self.qps[qp->index] = NULL;
	pthread_mutex_unlock(&soft_self.lock);
	soft_retry_queue_forget(qp);
	soft_async_forget_qp(qp);
	if (qp->rq == &qp->own_rq) {
		pthread_mutex_lock(&soft_self.lock);
		soft_receive_close(qp->rq);
		pthread_mutex_unlock(&soft_self.lock);
	}
	soft_qp_completions_purge(qp);
	soft_qp_peers_release(qp);
	soft_retry_queue_free(qp);
	qp_users_add(qp, UINT32_MAX /* one less */);
	if (qp->rss)
		rwq_table_users(qp->rss->table, -1);
	if (soft_qp_has_interface(qp->ops))
		soft_interface_put();
	pthread_mutex_destroy(&public->mutex);
	pthread_cond_destroy(&public->cond);
	free(qp->rss);
	free(qp);
}

int soft_destroy_qp(struct ibv_qp *public)
{
	SOFT_UNCANCELLED;
	struct core_qp *qp = core_qp_of(public);
	bool is_attached;

	pthread_mutex_lock(&soft_self.lock);
	is_attached = qp->groups != 0 || qp->flows != 0;
	pthread_mutex_unlock(&soft_self.lock);
	if (is_attached)
		return EBUSY;
	qp_end(qp);
	return 0;
}

int soft_query_qp(struct ibv_qp *public, struct ibv_qp_attr *attr, int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	const struct core_qp *qp = core_qp_of(public);

	(void)attr_mask; /* all attributes are available */
	if (!(soft_profile()->has & PROFILE_QUERY_QP))
		return EOPNOTSUPP;
	*attr = qp->attr;
	attr->qp_state = attr->cur_qp_state = core_qp_state(qp);
	attr->path_mig_state = IBV_MIG_MIGRATED;
	attr->cap = qp->cap;
	public->state = attr->qp_state;
	*init_attr = (struct ibv_qp_init_attr){.qp_context = public->qp_context,
					       .send_cq = public->send_cq,
					       .recv_cq = public->recv_cq,
					       .srq = public->srq,
					       .cap = qp->cap,
					       .qp_type = public->qp_type,
					       .sq_sig_all = qp->all_signalled};
	return 0;
}
