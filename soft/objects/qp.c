// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is a queue pair between its creation and its end? A row in the control file, which initiators judge
 * it by, and the send and receive queue in this process. Called through the verbs, by post_send.c when a
 * request fails, and by the service thread for what peers did to it.
 */
#include "objects/qp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/cqe.h"
#include "data/disturbance.h"
#include "data/execute.h"
#include "data/in_hand.h"
#include "data/notify.h"
#include "data/receive_queue.h"
#include "data/retry_queue.h"
#include "data/slot_peer.h"
#include "host/async.h"
#include "host/core.h"
#include "host/fault.h"
#include "host/notice.h"
#include "host/peer.h"
#include "host/threads.h"
#include "objects/qp_state.h"
#include "packet/interface.h"
#include "packet/steering.h"

static struct qp_row nobody_row = {.gate = GATE(ACCEPTS_NOBODY, 0, IBV_QPS_RESET)};
struct soft_peer soft_nobody = {.dead = 1, .connection = -1, .data_fd = -1};

static uint32_t connection_connect(struct core_qp *qp);
static uint32_t datagram_connect(struct core_qp *qp);
static uint32_t interface_connect(struct core_qp *qp);
static void send_error_stop(struct core_qp *qp);

static const struct qp_ops rc_ops = {
	.type = QP_RC,
	.is_reliable = true,
	.execute = soft_execute,
	.progress = soft_retry_queue_advance,
	.connect = connection_connect,
	.send_error = soft_qp_error,
};

static const struct qp_ops uc_ops = {
	.type = QP_UC,
	.execute = soft_execute,
	.progress = soft_retry_queue_advance,
	.connect = connection_connect,
	.send_error = send_error_stop,
};

static const struct qp_ops ud_ops = {
	.type = QP_UD,
	.execute = soft_execute_datagram,
	.progress = soft_retry_queue_advance,
	.connect = datagram_connect,
	.send_error = send_error_stop,
};

static const struct qp_ops xrc_send_ops = {
	.type = QP_XRC_SEND,
	.is_reliable = true,
	.execute = soft_execute_xrc,
	.progress = soft_retry_queue_advance,
	.connect = connection_connect,
	.send_error = soft_qp_error,
};

static const struct qp_ops xrc_recv_ops = {
	.type = QP_XRC_RECV, /* nothing is posted to it: the opcodes' table has no row for it */
	.is_reliable = true,
	.execute = soft_execute_xrc,
	.progress = soft_retry_queue_advance,
	.connect = connection_connect,
	.send_error = soft_qp_error,
};

static const struct qp_ops raw_ops = {
	.type = QP_RAW,
	.execute = soft_execute_frame,
	.progress = soft_retry_queue_advance,
	.connect = interface_connect,
	.send_error = send_error_stop,
};

static const struct qp_ops rss_ops = {
	.type = QP_RSS, /* as of XRC's receiving one */
	.execute = soft_execute_frame,
	.progress = soft_retry_queue_advance,
	.connect = interface_connect,
	.send_error = send_error_stop,
};

/* NULL: no such queue pairs here. */
static const struct qp_ops *ops_of(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return &rc_ops;
	case IBV_QPT_UC:
		return &uc_ops;
	case IBV_QPT_UD:
		return &ud_ops;
	case IBV_QPT_XRC_SEND:
		return &xrc_send_ops;
	case IBV_QPT_XRC_RECV:
		return &xrc_recv_ops;
	case IBV_QPT_RAW_PACKET:
		return &raw_ops;
	default:
		return NULL;
	}
}

static int cap_check(const struct ibv_qp_cap *cap)
{
	return cap->max_send_wr > SOFT_MAX_QP_WR || cap->max_recv_wr > SOFT_MAX_QP_WR ||
			       cap->max_send_sge > SOFT_MAX_SGE || cap->max_recv_sge > SOFT_MAX_SGE ||
			       cap->max_inline_data > SOFT_MAX_INLINE
		       ? -EINVAL
		       : 0;
}

/* soft_self.lock held. */
static int qp_index_find(uint32_t *index)
{
	for (uint32_t i = 0; i < LAYOUT_QP_COUNT; i++) {
		uint32_t candidate = (soft_self.qp_next + i) % LAYOUT_QP_COUNT;

		/* QP0 and QP1 of slot 0 would be the special ones of a port, and the last one of the last slot
		 * multicast. */
		if (candidate > 1 && candidate < LAYOUT_QP_COUNT - 1 && !soft_self.qps[candidate]) {
			soft_self.qp_next = candidate + 1;
			*index = candidate;
			return 0;
		}
	}
	return -ENOMEM;
}

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
	public->qp_num = QPN(soft_self.slot, qp->index);
	public->state = IBV_QPS_RESET;
	public->qp_type = attr->qp_type;
	pthread_mutex_init(&public->mutex, NULL);
	pthread_cond_init(&public->cond, NULL);
}

/* Which receive requests are its own? Those of XRC and of RSS have none. soft_self.lock held. */
static int receives_open(struct core_qp *qp, struct ibv_qp_init_attr *attr)
{
	int err;

	if (attr->srq || qp->type & (QP_XRC | QP_RSS)) {
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
	int err = qp_index_find(&qp->index);

	if (err)
		return err;
	qp->row = &soft_self.qp_rows[qp->index];
	memset(qp->row, 0, sizeof(*qp->row));
	qp->row->gate = GATE(ACCEPTS_NOBODY, 0, IBV_QPS_RESET);
	qp->row->pd = qp->pd;
	qp->row->receive_cq = qp->receive_cq ? qp->receive_cq->index : 0;
	if (qp->xrcd)
		qp->row->xrcd = qp->xrcd->name;
	/* As adapters do, whose requests have room for either: what a gather list would take, inline data may. */
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

/* What each type needs, and what it has no use for. */
static int init_attr_check(const struct ibv_pd *pd, const struct core_xrcd *xrcd, struct ibv_qp_init_attr *attr)
{
	const struct qp_ops *ops = ops_of(attr->qp_type);

	if (!ops)
		return EOPNOTSUPP;
	if (ops->type == QP_XRC_RECV) {
		attr->send_cq = attr->recv_cq = NULL;
		attr->cap = (struct ibv_qp_cap){0};
		return xrcd && !attr->srq ? 0 : EINVAL;
	}
	if (ops->type == QP_XRC_SEND)
		attr->recv_cq = NULL;
	if (ops->type == QP_XRC_SEND && attr->srq)
		return EINVAL;
	if (!pd || !attr->send_cq || (!attr->recv_cq && ops->type != QP_XRC_SEND) || cap_check(&attr->cap))
		return EINVAL;
	return attr->srq && ((struct core_srq *)attr->srq)->xrcd ? EINVAL : 0;
}

/* Raw packets go by a network interface, which the first of them opens. */
static bool has_interface(const struct qp_ops *ops)
{
	return ops->type & (QP_RAW | QP_RSS);
}

/* attr is what its type takes. */
static struct ibv_qp *core_qp_create(struct ibv_context *context, struct ibv_pd *pd, struct core_xrcd *xrcd,
				     struct ibv_qp_init_attr *attr, const struct qp_ops *ops)
{
	SOFT_UNCANCELLED;
	struct core_qp *qp;
	int err;

	err = soft_fault_strikes(FAULT_CREATE_QP) ? ENOMEM : posix_memalign((void **)&qp, LAYOUT_LINE, sizeof(*qp));
	if (!err && has_interface(ops)) {
		err = -soft_interface_get();
		if (err)
			free(qp);
	}
	if (err) {
		errno = err;
		return NULL;
	}
	memset(qp, 0, sizeof(*qp));
	qp->peer = &soft_nobody;
	qp->target = &nobody_row;
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
		if (has_interface(ops))
			soft_interface_put();
		free(qp);
		errno = -err;
		return NULL;
	}
	qp_users_add(qp, 1);
	return &qp->soft.base.qp_base;
}

static struct ibv_qp *create_checked(struct ibv_context *context, struct ibv_pd *pd, struct core_xrcd *xrcd,
				     struct ibv_qp_init_attr *attr)
{
	int err = init_attr_check(pd, xrcd, attr);

	if (!err)
		return core_qp_create(context, pd, xrcd, attr, ops_of(attr->qp_type));
	errno = err;
	return NULL;
}

struct ibv_qp *soft_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	return create_checked(pd->context, pd, NULL, attr);
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

	if (!err && attr->qp_type != IBV_QPT_RAW_PACKET)
		err = EOPNOTSUPP;
	if (!err && (attr->srq || !pd || !table))
		err = EINVAL;
	if (err) {
		errno = err;
		return NULL;
	}
	rss = calloc(1, sizeof(*rss));
	if (rss)
		qp = core_qp_create(pd->context, pd, NULL, &init, &rss_ops);
	if (!qp) {
		free(rss);
		return NULL;
	}
	rss->table = (struct soft_rwq_table *)table;
	rss->fields = hash->rx_hash_fields_mask;
	memcpy(rss->key, hash->rx_hash_key, sizeof(rss->key));
	soft_rwq_table_users(rss->table, 1);
	core_qp_of(qp)->rss = rss;
	attr->cap = init.cap;
	return qp;
}

struct ibv_qp *soft_create_xrc_recv_qp(struct ibv_context *context, struct ibv_xrcd *xrcd,
				       struct ibv_qp_init_attr *attr)
{
	return create_checked(context, NULL, (struct core_xrcd *)xrcd, attr);
}

/* For the program to read: the service thread writes it, too. */
static void state_show(struct core_qp *qp, enum ibv_qp_state state)
{
	__atomic_store_n(&qp->soft.base.qp_base.state, state, __ATOMIC_RELAXED);
}

/* Whatever an initiator has made of it. */
static void gate_set(struct core_qp *qp, uint32_t accepts_from, enum ibv_qp_state state)
{
	__atomic_store_n(&qp->row->gate, GATE(accepts_from, qp->epoch, state), __ATOMIC_SEQ_CST);
	state_show(qp, state);
}

/* From the state that it was found in; false: an initiator has broken it meanwhile. */
static bool gate_move(struct core_qp *qp, uint32_t accepts_from, enum ibv_qp_state from, enum ibv_qp_state to)
{
	uint64_t before = __atomic_load_n(&qp->row->gate, __ATOMIC_ACQUIRE);

	if (GATE_STATE(before) != from ||
	    !__atomic_compare_exchange_n(&qp->row->gate, &before, GATE(accepts_from, qp->epoch, to), false,
					 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	state_show(qp, to);
	return true;
}

static uint32_t accepted_from(const struct core_qp *qp)
{
	return GATE_ACCEPTS(__atomic_load_n(&qp->row->gate, __ATOMIC_ACQUIRE));
}

/*
 * After this no initiator has anything of ours in hand, but one that was stopped in the middle of a message; that one
 * may still write to the buffer of it when it goes on.
 */
static void initiators_stop(struct core_qp *qp)
{
	gate_set(qp, ACCEPTS_NOBODY, core_qp_state(qp));
	if (qp->rq)
		soft_receive_settle(qp->rq);
	soft_in_hand_revoke(qp);
}

/* What it took from the shared queue has completed: nothing is ever half done (IBA 11.6.3.1, Last WQE Reached). */
static void last_wqe_raise(struct core_qp *qp)
{
	if (qp->srq)
		soft_async_raise_qp(qp, IBV_EVENT_QP_LAST_WQE_REACHED);
}

void soft_qp_error(struct core_qp *qp)
{
	bool was_error = core_qp_state(qp) == IBV_QPS_ERR;

	initiators_stop(qp);
	gate_set(qp, ACCEPTS_NOBODY, IBV_QPS_ERR);
	soft_retry_queue_flush(qp);
	soft_receive_flush(qp);
	if (!was_error)
		last_wqe_raise(qp);
}

/* UC and UD go on receiving (IBA 10.3.1.6). */
static void send_error_stop(struct core_qp *qp)
{
	gate_move(qp, accepted_from(qp), IBV_QPS_RTS, IBV_QPS_SQE);
	soft_retry_queue_flush(qp);
}

static void peers_release(struct core_qp *qp)
{
	soft_peer_put(qp->peer == &soft_nobody ? NULL : qp->peer);
	qp->peer = &soft_nobody;
	qp->target = &nobody_row;
	soft_slot_peers_release(qp);
}

static void completions_purge(struct core_qp *qp)
{
	if (qp->send_cq)
		soft_cq_purge(qp->send_cq, qp);
	if (qp->receive_cq && qp->receive_cq != qp->send_cq)
		soft_cq_purge(qp->receive_cq, qp);
}

static void qp_end(struct core_qp *qp)
{
	struct ibv_qp *public = &qp->soft.base.qp_base;

	initiators_stop(qp);
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
	completions_purge(qp);
	peers_release(qp);
	soft_retry_queue_free(qp);
	qp_users_add(qp, UINT32_MAX /* one less */);
	if (qp->rss)
		soft_rwq_table_users(qp->rss->table, -1);
	if (has_interface(qp->ops))
		soft_interface_put();
	pthread_mutex_destroy(&public->mutex);
	pthread_cond_destroy(&public->cond);
	free(qp->rss);
	free(qp);
}

/* A handle ends before what it stands for. */
static void handle_end(struct core_qp *handle)
{
	struct core_qp *qp = handle->opened;
	bool is_last = false;

	pthread_mutex_lock(&soft_self.lock);
	if (qp)
		is_last = --qp->handles == 0 && qp->is_orphan;
	pthread_mutex_unlock(&soft_self.lock);
	__atomic_sub_fetch(&handle->xrcd->users, 1, __ATOMIC_RELEASE);
	peers_release(handle);
	free(handle);
	if (is_last)
		qp_end(qp);
}

int soft_destroy_qp(struct ibv_qp *public)
{
	SOFT_UNCANCELLED;
	struct core_qp *qp = core_qp_of(public);
	bool lives_on, is_attached;

	if (qp->is_handle) {
		handle_end(qp);
		return 0;
	}
	pthread_mutex_lock(&soft_self.lock);
	is_attached = qp->groups != 0 || qp->flows != 0;
	lives_on = qp->is_orphan = !is_attached && qp->handles != 0;
	pthread_mutex_unlock(&soft_self.lock);
	if (is_attached)
		return EBUSY;
	if (!lives_on)
		qp_end(qp);
	return 0;
}

/* Of another process: it lives as long as that has it open. */
static int handle_connect(struct core_qp *handle, uint32_t number)
{
	struct soft_peer *peer = soft_peer_get(QPN_SLOT(number));
	struct qp_row *row;

	if (!peer)
		return -ENOENT;
	row = soft_peer_qp(peer, number);
	if (peer == &soft_self_peer || memcmp(&row->xrcd, &handle->xrcd->name, sizeof(row->xrcd)) != 0) {
		soft_peer_put(peer);
		return -ENOENT;
	}
	handle->peer = peer;
	handle->target = row;
	handle->row = row;
	return 0;
}

static int handle_open(struct core_qp *handle, uint32_t number)
{
	struct core_qp *qp;
	int err = 0;

	if (QPN_SLOT(number) != soft_self.slot)
		return handle_connect(handle, number);
	pthread_mutex_lock(&soft_self.lock);
	qp = soft_self.qps[QPN_INDEX(number)];
	if (qp && qp->xrcd && memcmp(&qp->xrcd->name, &handle->xrcd->name, sizeof(qp->xrcd->name)) == 0) {
		qp->handles++;
		handle->opened = qp;
		handle->row = qp->row;
	} else {
		err = -ENOENT;
	}
	pthread_mutex_unlock(&soft_self.lock);
	return err;
}

struct ibv_qp *soft_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
	SOFT_UNCANCELLED;
	const uint32_t needed = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD | IBV_QP_OPEN_ATTR_TYPE;
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_XRC_RECV};
	struct core_qp *handle;
	int err = 0;

	if (attr->comp_mask & ~(needed | IBV_QP_OPEN_ATTR_CONTEXT))
		err = EOPNOTSUPP;
	else if ((attr->comp_mask & needed) != needed || attr->qp_type != IBV_QPT_XRC_RECV || !attr->xrcd)
		err = EINVAL;
	else
		err = posix_memalign((void **)&handle, LAYOUT_LINE, sizeof(*handle));
	if (err) {
		errno = err;
		return NULL;
	}
	memset(handle, 0, sizeof(*handle));
	handle->peer = &soft_nobody;
	handle->target = &nobody_row;
	handle->xrcd = (struct core_xrcd *)attr->xrcd;
	handle->is_handle = true;
	handle->type = QP_XRC_RECV;
	err = handle_open(handle, attr->qp_num);
	if (err) {
		free(handle);
		errno = -err;
		return NULL;
	}
	__atomic_add_fetch(&handle->xrcd->users, 1, __ATOMIC_RELEASE);
	if (attr->comp_mask & IBV_QP_OPEN_ATTR_CONTEXT)
		init.qp_context = attr->qp_context;
	public_fill(handle, context, NULL, &init);
	handle->soft.base.qp_base.qp_num = attr->qp_num;
	handle->soft.base.qp_base.handle = QPN_INDEX(attr->qp_num);
	handle->soft.base.qp_base.state = core_qp_state(handle);
	return &handle->soft.base.qp_base;
}

#define ATTR_COPY(bit, member)                                                                                         \
	do {                                                                                                           \
		if (mask & (bit))                                                                                      \
			qp->attr.member = attr->member;                                                                \
	} while (0)

static void attr_store(struct core_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
	ATTR_COPY(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	ATTR_COPY(IBV_QP_PKEY_INDEX, pkey_index);
	ATTR_COPY(IBV_QP_PORT, port_num);
	ATTR_COPY(IBV_QP_QKEY, qkey);
	ATTR_COPY(IBV_QP_AV, ah_attr);
	ATTR_COPY(IBV_QP_PATH_MTU, path_mtu);
	ATTR_COPY(IBV_QP_TIMEOUT, timeout);
	ATTR_COPY(IBV_QP_RETRY_CNT, retry_cnt);
	ATTR_COPY(IBV_QP_RNR_RETRY, rnr_retry);
	ATTR_COPY(IBV_QP_RQ_PSN, rq_psn);
	ATTR_COPY(IBV_QP_SQ_PSN, sq_psn);
	ATTR_COPY(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	ATTR_COPY(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	ATTR_COPY(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	ATTR_COPY(IBV_QP_DEST_QPN, dest_qp_num);
	ATTR_COPY(IBV_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify);
	qp->row->access = qp->attr.qp_access_flags;
	qp->row->qkey = qp->attr.qkey;
	qp->row->rnr_timer = qp->attr.min_rnr_timer;
	qp->row->max_dest_rd_atomic = qp->attr.max_dest_rd_atomic;
}

/*
 * A peer that does not exist is found out when something is sent to it, as on a wire. One that does is held by
 * soft_modify_qp(), because a process that is stopped takes seconds to be given up, too long for a lock.
 */
static uint32_t connection_connect(struct core_qp *qp)
{
	uint32_t number = qp->attr.dest_qp_num;
	struct soft_peer *peer = soft_self.is_null ? NULL : soft_peer_find(QPN_SLOT(number));

	if (peer) {
		pthread_mutex_lock(&soft_self.lock); /* see reset() */
		qp->peer = peer;
		qp->target = soft_peer_qp(peer, number);
		pthread_mutex_unlock(&soft_self.lock);
	}
	return number;
}

static uint32_t datagram_connect(struct core_qp *qp)
{
	(void)qp; /* each request names its own */
	return ACCEPTS_DATAGRAM;
}

static uint32_t interface_connect(struct core_qp *qp)
{
	(void)qp; /* steering rules name it */
	return ACCEPTS_FRAMES;
}

static void reset(struct core_qp *qp)
{
	struct soft_peer *peer;

	initiators_stop(qp);
	soft_retry_queue_drop(qp);
	completions_purge(qp);
	if (qp->rq == &qp->own_rq)
		soft_receive_clear(qp->rq);
	qp->posted = qp->done = 0;
	qp->row->established = 0;
	qp->attr = (struct ibv_qp_attr){0};
	/* It may have died just now, and the service thread be at soft_qp_peer_died(): that comes before or finds none.
	 */
	peer = qp->peer;
	pthread_mutex_lock(&soft_self.lock);
	qp->peer = &soft_nobody;
	qp->target = &nobody_row;
	qp->epoch++;
	gate_set(qp, ACCEPTS_NOBODY, IBV_QPS_RESET);
	pthread_mutex_unlock(&soft_self.lock);
	soft_peer_put(peer == &soft_nobody ? NULL : peer);
	soft_slot_peers_release(qp);
}

/* The send queue is locked. 0 or -EINVAL: an initiator has broken it meanwhile. */
static int state_enter(struct core_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to)
{
	uint32_t accepts_from = accepted_from(qp);

	if (to == IBV_QPS_RESET) {
		reset(qp);
		return 0;
	}
	if (to == IBV_QPS_ERR) {
		soft_qp_error(qp);
		return 0;
	}
	if (to == IBV_QPS_RTR)
		accepts_from = qp->ops->connect(qp);
	if (to == IBV_QPS_RTS)
		qp->row->established = 1;
	if (!gate_move(qp, accepts_from, from, to))
		return -EINVAL;
	if (to == IBV_QPS_RTS)
		soft_retry_queue_advance(qp);
	/* Nothing is ever half done. */
	if (to == IBV_QPS_SQD && from == IBV_QPS_RTS && qp->attr.en_sqd_async_notify)
		soft_async_raise_qp(qp, IBV_EVENT_SQ_DRAINED);
	return 0;
}

/* Either half of XRC is given what is the other's, too, as the kernel allows it (uverbs_cmd.c). */
static int qp_modify_mask(const struct core_qp *qp, int mask)
{
	if (qp->type == QP_XRC_SEND)
		return mask & ~(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (qp->type == QP_XRC_RECV)
		return mask & ~(IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY);
	return mask;
}

static int modify(struct core_qp *qp, struct ibv_qp_attr *attr, int given)
{
	const int mask = qp_modify_mask(qp, given);
	enum ibv_qp_state from = core_qp_state(qp);
	enum ibv_qp_state to = mask & IBV_QP_STATE ? attr->qp_state : from;
	struct soft_peer *peer = NULL;
	bool biased;
	int err;

	if (mask & IBV_QP_CUR_STATE && attr->cur_qp_state != from)
		return EINVAL;
	err = soft_qp_state_check(qp->type, from, to, mask);
	if (!err)
		err = soft_qp_attr_check(qp->soft.base.qp_base.context, attr, mask);
	if (err)
		return -err;
	if (to == IBV_QPS_RTR && mask & IBV_QP_DEST_QPN && !soft_self.is_null)
		peer = soft_peer_get(QPN_SLOT(attr->dest_qp_num));
	biased = local_lock_take(&qp->lock);
	attr_store(qp, attr, mask);
	err = state_enter(qp, from, to);
	local_lock_release(&qp->lock, biased);
	soft_peer_put(peer);
	return -err;
}

/* A handle of a queue pair of another process says no: its state is its owner's to change. */
int soft_modify_qp(struct ibv_qp *public, struct ibv_qp_attr *attr, int mask)
{
	SOFT_UNCANCELLED;
	struct core_qp *qp = core_qp_of(public);
	int err;

	if (soft_fault_strikes(FAULT_MODIFY_QP))
		return EIO;
	if (mask & IBV_QP_RATE_LIMIT)
		return EOPNOTSUPP; /* nothing paces a copy in memory, and the kernel its own sockets */
	if (!qp->is_handle)
		return modify(qp, attr, mask);
	err = qp->opened ? modify(qp->opened, attr, mask) : EOPNOTSUPP;
	public->state = core_qp_state(qp);
	return err;
}

int soft_query_qp(struct ibv_qp *public, struct ibv_qp_attr *attr, int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	const struct core_qp *handle = core_qp_of(public);
	const struct core_qp *qp = handle->opened ? handle->opened : handle;

	(void)attr_mask; /* everything is at hand */
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

/*
 * soft_self.lock held. Both queues are flushed by the thread that polls or posts next, or by the next tick: the holder
 * of the receive queue's lock may have to be asked whether it is stopped, which is done without soft_self.lock.
 */
static void qp_enter_error(struct core_qp *qp, uint32_t event)
{
	state_show(qp, IBV_QPS_ERR);
	if (event != NOTICE_SILENT)
		soft_async_raise_qp(qp, event);
	last_wqe_raise(qp);
	soft_retry_queue_attend(qp);
}

void soft_qp_notice(uint32_t qpn, uint32_t kind, uint32_t event)
{
	struct core_qp *qp;

	pthread_mutex_lock(&soft_self.lock);
	qp = QPN_SLOT(qpn) == soft_self.slot ? soft_self.qps[QPN_INDEX(qpn)] : NULL;
	if (qp && kind == NOTICE_ESTABLISHED && core_qp_state(qp) == IBV_QPS_RTR)
		soft_async_raise_qp(qp, IBV_EVENT_COMM_EST);
	else if (qp && kind == NOTICE_QP_ERROR && core_qp_state(qp) == IBV_QPS_ERR)
		qp_enter_error(qp, event);
	pthread_mutex_unlock(&soft_self.lock);
}

void soft_qp_peer_died(struct soft_peer *peer)
{
	pthread_mutex_lock(&soft_self.lock);
	for (uint32_t i = 0; i < LAYOUT_QP_COUNT; i++) {
		struct core_qp *qp = soft_self.qps[i];

		if (!qp || qp->peer != peer || core_qp_state(qp) == IBV_QPS_RESET)
			continue;
		gate_set(qp, ACCEPTS_NOBODY, core_qp_state(qp));
		if (qp->rq)
			soft_receive_repair(qp->rq, peer->instance);
		gate_set(qp, ACCEPTS_NOBODY, IBV_QPS_ERR);
		qp_enter_error(qp, IBV_EVENT_QP_FATAL);
		if (qp->receive_cq)
			soft_channel_rouse(qp->receive_cq);
	}
	pthread_mutex_unlock(&soft_self.lock);
}
