// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Changes the state of a queue pair: for the program's ibv_modify_qp(), for a failed request (post.c), and, on the
 * service thread, when a peer breaks it or dies.
 */
#include "objects/objects.h"

#include "data/cqe.h"
#include "data/data.h"
#include "host/async.h"
#include "host/fault.h"
#include "host/peer.h"
#include "host/profile.h"
#include "host/threads.h"
#include "host/wire.h"

#define RNR_FOREVER   7
#define SRD_TIMEOUT   12 /* 17 ms */
#define SRD_RNR_TIMER 21 /* 15 ms */

struct qp_row soft_nobody_row = {.gate = GATE(ACCEPTS_NOBODY, 0, IBV_QPS_RESET)};
struct soft_peer soft_nobody = {.dead = 1, .connection = -1, .data_fd = -1};

/* Sets the state that the program reads; the service thread writes it, too. */
static void state_show(struct core_qp *qp, enum ibv_qp_state state)
{
	__atomic_store_n(&qp->soft.base.qp_base.state, state, __ATOMIC_RELAXED);
}

/* Sets the gate, whatever an initiator has changed. */
static void gate_set(struct core_qp *qp, uint32_t accepts_from, enum ibv_qp_state state)
{
	__atomic_store_n(&qp->row->gate, GATE(accepts_from, qp->epoch, state), __ATOMIC_SEQ_CST);
	state_show(qp, state);
}

/* Sets the gate if it is still in state `from`; false: an initiator has moved it to ERR. */
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

void soft_qp_stop(struct core_qp *qp)
{
	gate_set(qp, ACCEPTS_NOBODY, core_qp_state(qp));
	if (qp->rq)
		soft_receive_settle(qp->rq);
}

/*
 * Everything that it took from the shared queue has completed: no request is ever in flight (IBA 11.6.3.1, Last WQE
 * Reached).
 */
static void last_wqe_raise(struct core_qp *qp)
{
	if (qp->srq)
		soft_async_raise_qp(qp, IBV_EVENT_QP_LAST_WQE_REACHED);
}

void soft_qp_error(struct core_qp *qp)
{
	bool was_error = core_qp_state(qp) == IBV_QPS_ERR;

	soft_qp_stop(qp);
	gate_set(qp, ACCEPTS_NOBODY, IBV_QPS_ERR);
	soft_retry_queue_flush(qp);
	if (!soft_receive_flush(qp))
		soft_retry_queue_attend(qp);
	if (!was_error)
		last_wqe_raise(qp);
}

void soft_qp_send_error_pass(struct core_qp *qp)
{
	(void)qp;
}

void soft_qp_send_error(struct core_qp *qp)
{
	gate_move(qp, accepted_from(qp), IBV_QPS_RTS, IBV_QPS_SQE);
	soft_retry_queue_flush(qp);
}

/* EFA waits for receives forever unless RTS sets a limit, and its response timeout is not configurable. */
void soft_qp_attr_reset(struct core_qp *qp)
{
	qp->attr = (struct ibv_qp_attr){0};
	if (qp->type == QP_SRD)
		qp->attr = (struct ibv_qp_attr){.rnr_retry = RNR_FOREVER,
						.min_rnr_timer = SRD_RNR_TIMER,
						.timeout = SRD_TIMEOUT,
						.retry_cnt = 7};
}

void soft_qp_peers_release(struct core_qp *qp)
{
	soft_peer_put(qp->peer == &soft_nobody ? NULL : qp->peer);
	qp->peer = &soft_nobody;
	qp->target = &soft_nobody_row;
	soft_slot_peers_release(qp);
}

void soft_qp_completions_purge(struct core_qp *qp)
{
	if (qp->send_cq)
		soft_cq_purge(qp->send_cq, qp);
	if (qp->receive_cq && qp->receive_cq != qp->send_cq)
		soft_cq_purge(qp->receive_cq, qp);
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

uint32_t soft_qp_connect_peer(struct core_qp *qp)
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

uint32_t soft_qp_connect_none(struct core_qp *qp)
{
	(void)qp; /* each request names its peer */
	return ACCEPTS_DATAGRAM;
}

/*
 * A DCT raises no COMM_EST. Attributes that these queue pairs do not have are set to the maximum. SRD only has the
 * rights of its regions.
 */
uint32_t soft_qp_connect_named(struct core_qp *qp)
{
	qp->row->established = 1;
	qp->row->max_dest_rd_atomic = qp->attr.max_dest_rd_atomic = SOFT_MAX_RD_ATOMIC;
	if (qp->type == QP_SRD) {
		qp->attr.max_rd_atomic = SOFT_MAX_RD_ATOMIC;
		qp->row->access = qp->attr.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
	}
	if (qp->type == QP_DCI)
		return ACCEPTS_NOBODY;
	if (qp->type == QP_DCT) {
		qp->row->dc_key = qp->dc_key;
		qp->soft.base.qp_base.qp_num = QPN(soft_self.slot, qp->index);
	}
	return qp->ops->named;
}

uint32_t soft_qp_connect_frames(struct core_qp *qp)
{
	(void)qp; /* steering rules target it */
	return ACCEPTS_FRAMES;
}

static void reset(struct core_qp *qp)
{
	struct soft_peer *peer;

	soft_qp_stop(qp);
	soft_retry_queue_drop(qp);
	soft_qp_completions_purge(qp);
	if (qp->rq == &qp->own_rq) {
		soft_receive_clear(qp->rq);
		__atomic_store_n(&qp->row->receive_queue, qp->rq->index, __ATOMIC_RELEASE);
	}
	qp->posted = qp->done = 0;
	qp->was_reset = true;
	qp->row->established = 0;
	soft_qp_attr_reset(qp);
	/*
	 * It may have just died, with the service thread in soft_qp_peer_died(): that comes before this or finds no
	 * peer.
	 */
	peer = qp->peer;
	pthread_mutex_lock(&soft_self.lock);
	qp->peer = &soft_nobody;
	qp->target = &soft_nobody_row;
	qp->epoch++;
	gate_set(qp, ACCEPTS_NOBODY, IBV_QPS_RESET);
	pthread_mutex_unlock(&soft_self.lock);
	soft_peer_put(peer == &soft_nobody ? NULL : peer);
	soft_slot_peers_release(qp);
}

/* The send queue is locked. 0 or -EINVAL: an initiator has moved it to ERR. */
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
	/* No request is ever in flight. */
	if (to == IBV_QPS_SQD && from == IBV_QPS_RTS && qp->attr.en_sqd_async_notify)
		soft_async_raise_qp(qp, IBV_EVENT_SQ_DRAINED);
	return 0;
}

/* Either half of XRC also accepts the other's attributes, as the kernel does (uverbs_cmd.c). */
static int qp_modify_mask(const struct core_qp *qp, int mask)
{
	if (qp->type == QP_XRC_SEND)
		return mask & ~(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	return qp->type == QP_XRC_RECV ? mask & ~(IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY) : mask;
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
	if (qp->was_reset && to == IBV_QPS_INIT && soft_profile()->has_one_life)
		return EINVAL;
	err = soft_qp_state_check(qp->type, from, to, mask);
	err = err ?: soft_qp_attr_check(qp->soft.base.qp_base.context, attr, mask);
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

/* One of this process that rdma_cm connects; NULL: there is none. soft_self.lock is held. */
static struct core_qp *stream_qp(uint32_t qpn)
{
	struct core_qp *qp = QPN_SLOT(qpn) == soft_self.slot ? soft_self.qps[QPN_INDEX(qpn)] : NULL;

	return qp && qp->type == QP_RC ? qp : NULL;
}

int soft_qp_connect_stream(uint32_t qpn, struct ibv_qp_attr *attr)
{
	struct core_qp *qp;
	int err;

	pthread_mutex_lock(&soft_self.lock);
	qp = stream_qp(qpn);
	pthread_mutex_unlock(&soft_self.lock);
	if (!qp)
		return -EINVAL;
	attr->qp_state = IBV_QPS_RTR;
	err = modify(qp, attr,
		     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER | IBV_QP_ACCESS_FLAGS);
	if (err)
		return -err;
	attr->qp_state = IBV_QPS_RTS;
	return -modify(qp, attr,
		       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			       IBV_QP_MAX_QP_RD_ATOMIC);
}

/* An iWARP queue pair needs the stream of a connection of rdma_cm, which also moves it to RTS. */
static bool lacks_stream(const struct core_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
	return soft_profile()->transport == IBV_TRANSPORT_IWARP && mask & IBV_QP_STATE &&
	       attr->qp_state == IBV_QPS_RTS && core_qp_state(qp) != IBV_QPS_RTS;
}

int soft_modify_qp(struct ibv_qp *public, struct ibv_qp_attr *attr, int mask)
{
	SOFT_UNCANCELLED;
	struct core_qp *qp = core_qp_of(public);

	if (soft_fault_strikes(FAULT_MODIFY_QP))
		return EIO;
	if (mask & IBV_QP_RATE_LIMIT)
		return EOPNOTSUPP; /* no rate limit for memory copies, and the kernel paces its own sockets */
	if (qp->type == QP_RSS)
		return EOPNOTSUPP; /* its work queues have states instead, as on mlx5 */
	if (!mask && soft_profile()->transport == IBV_TRANSPORT_IWARP)
		return 0;
	return lacks_stream(qp, attr, mask) ? EINVAL : modify(qp, attr, mask);
}

/*
 * soft_self.lock is held. Both queues are flushed by the thread that polls or posts next, or by the service thread's
 * next tick: other processes may use them, which must not be waited for under soft_self.lock.
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

/* Also called by rdma_cm's thread, while the program may destroy the queue pair: with soft_self.lock it can't. */
void soft_qp_end_stream(uint32_t qpn)
{
	struct core_qp *qp;

	pthread_mutex_lock(&soft_self.lock);
	qp = stream_qp(qpn);
	/* librdmacm has a queue pair of iWARP in SQD before it disconnects. */
	if (qp && (core_qp_state(qp) == IBV_QPS_RTS || core_qp_state(qp) == IBV_QPS_SQD)) {
		gate_set(qp, ACCEPTS_NOBODY, IBV_QPS_ERR);
		qp_enter_error(qp, NOTICE_SILENT);
	}
	pthread_mutex_unlock(&soft_self.lock);
}

void soft_qp_peer_died(struct soft_peer *peer)
{
	const int64_t until = soft_monotonic_ms() + LOCK_TIMEOUT_MS; /* of all queues: it may have lied about each */

	pthread_mutex_lock(&soft_self.lock);
	for (uint32_t i = 0; i < LAYOUT_QP_COUNT; i++) {
		struct core_qp *qp = soft_self.qps[i];

		if (!qp || qp->peer != peer || core_qp_state(qp) == IBV_QPS_RESET)
			continue;
		gate_set(qp, ACCEPTS_NOBODY, core_qp_state(qp));
		if (qp->rq)
			soft_receive_repair(qp->rq, peer->instance, until);
		gate_set(qp, ACCEPTS_NOBODY, IBV_QPS_ERR);
		qp_enter_error(qp, IBV_EVENT_QP_FATAL);
		if (qp->receive_cq)
			soft_channel_rouse(qp->receive_cq);
	}
	pthread_mutex_unlock(&soft_self.lock);
}
