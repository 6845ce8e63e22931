// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Executes a work request on a connected queue pair entirely, in the thread that posts it. A table has the requirements
 * and the completion of each opcode. Called by post.c, and by retry_queue.c if a request could not be executed at
 * once.
 *
 * Errors follow the InfiniBand Architecture Specification, 9.9.3: the initiator detects what the responder would refuse
 * with a NAK, and uses it as completion status; the target's queue pair goes to ERR as a responder's would (class C),
 * and its owner is notified.
 */
#include "data/execute.h"

#include "data/cqe.h"
#include "data/data.h"
#include "host/service.h"
#include "host/wire.h"

/* clang-format off */
const struct soft_operation soft_operations[SOFT_OPERATION_COUNT] = {
	[IBV_WR_RDMA_WRITE] = {.types = QP_RC | QP_UC | QP_XRC_SEND | QP_SRD | QP_DCI, .completion = IBV_WC_RDMA_WRITE,
		.remote_access = IBV_ACCESS_REMOTE_WRITE, .has_memory = true},
	[IBV_WR_RDMA_WRITE_WITH_IMM] = {.types = QP_RC | QP_UC | QP_XRC_SEND | QP_SRD | QP_DCI,
		.completion = IBV_WC_RDMA_WRITE, .remote_access = IBV_ACCESS_REMOTE_WRITE, .has_memory = true,
		.is_receiving = true, .wc_flags = IBV_WC_WITH_IMM},
	[IBV_WR_SEND] = {.types = QP_RC | QP_UC | QP_UD | QP_XRC_SEND | QP_RAW | QP_SRD | QP_DCI,
		.completion = IBV_WC_SEND, .is_receiving = true},
	[IBV_WR_SEND_WITH_IMM] = {.types = QP_RC | QP_UC | QP_UD | QP_XRC_SEND | QP_SRD | QP_DCI,
		.completion = IBV_WC_SEND, .is_receiving = true, .wc_flags = IBV_WC_WITH_IMM},
	[IBV_WR_RDMA_READ] = {.types = QP_RC | QP_XRC_SEND | QP_SRD | QP_DCI, .completion = IBV_WC_RDMA_READ,
		.remote_access = IBV_ACCESS_REMOTE_READ, .local_access = IBV_ACCESS_LOCAL_WRITE, .has_memory = true,
		.reads = true},
	[IBV_WR_ATOMIC_CMP_AND_SWP] = {.types = QP_RC | QP_XRC_SEND | QP_DCI, .completion = IBV_WC_COMP_SWAP,
		.remote_access = IBV_ACCESS_REMOTE_ATOMIC, .local_access = IBV_ACCESS_LOCAL_WRITE, .has_memory = true,
		.reads = true, .is_special = true, .is_atomic = true},
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = {.types = QP_RC | QP_XRC_SEND | QP_DCI, .completion = IBV_WC_FETCH_ADD,
		.remote_access = IBV_ACCESS_REMOTE_ATOMIC, .local_access = IBV_ACCESS_LOCAL_WRITE, .has_memory = true,
		.reads = true, .is_special = true, .is_atomic = true},
	[IBV_WR_LOCAL_INV] = {.types = QP_RC | QP_UC | QP_XRC_SEND, .completion = IBV_WC_LOCAL_INV, .is_special = true},
	[IBV_WR_BIND_MW] = {.types = QP_RC | QP_UC | QP_XRC_SEND, .completion = IBV_WC_BIND_MW, .is_special = true},
	[IBV_WR_SEND_WITH_INV] = {.types = QP_RC | QP_XRC_SEND, .completion = IBV_WC_SEND, .is_receiving = true,
		.wc_flags = IBV_WC_WITH_INV},
};
/* clang-format on */

/* Pages of an implicit region that are not shared yet; NULL: the key is invalid. */
static SOFT_COLD void *receive_demand(const struct receiver *receiver, const struct ibv_sge *sge, uint32_t length)
{
	return soft_demand_peer_memory(receiver->peer, __atomic_load_n(&sge->lkey, __ATOMIC_RELAXED),
				       __atomic_load_n(&sge->addr, __ATOMIC_RELAXED), length, IBV_ACCESS_LOCAL_WRITE,
				       receiver->queue->pd);
}

int soft_pieces_receive(struct pieces *pieces, const struct receiver *receiver, uint64_t length)
{
	const struct receive *receive = receiver->receive;
	uint64_t left = length;
	/* The peer's program may write to its memory at any time: each word is read once. */
	uint32_t count = __atomic_load_n(&receive->sge_count, __ATOMIC_RELAXED);

	pieces->count = 0;
	pieces->length = 0;
	if (unlikely(count > SOFT_MAX_SGE))
		return IBV_WC_LOC_PROT_ERR;
	for (uint32_t i = 0; i < count && left; i++) {
		const struct ibv_sge *sge = &receive->sge[i];
		uint32_t room = __atomic_load_n(&sge->length, __ATOMIC_RELAXED);
		uint32_t part = room < left ? room : (uint32_t)left;
		void *base;

		if (!part)
			continue;
		base = soft_peer_memory(receiver->peer, __atomic_load_n(&sge->lkey, __ATOMIC_RELAXED),
					__atomic_load_n(&sge->addr, __ATOMIC_RELAXED), part, IBV_ACCESS_LOCAL_WRITE,
					receiver->queue->pd);
		if (unlikely(!base)) {
			base = receive_demand(receiver, sge, part);
			if (!base)
				return IBV_WC_LOC_PROT_ERR;
		}
		pieces_add(pieces, base, part);
		left -= part;
	}
	return left ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS;
}

bool soft_receiver_limit_is_reached(struct rq_row *queue)
{
	uint32_t limit = queue->limit;

	if ((int32_t)(__atomic_load_n(&queue->posted, __ATOMIC_RELAXED) - queue->head) >= (int32_t)limit)
		return false;
	queue->limit = 0;
	return limit;
}

void soft_receiver_report_limit(const struct receiver *receiver)
{
	soft_notice_send(receiver->peer, NOTICE_SRQ_LIMIT,
			 (uint32_t)(receiver->queue - soft_peer_rq(receiver->peer, 0)), 0);
}

void soft_pieces_copy(const struct pieces *to, const struct pieces *from)
{
	uint32_t target = 0, source = 0;
	uint32_t target_used = 0, source_used = 0;
	uint64_t left = from->length;

	while (left) {
		uint32_t target_room = to->piece[target].length - target_used;
		uint32_t source_room = from->piece[source].length - source_used;
		uint32_t part = target_room < source_room ? target_room : source_room;

		left -= part;
		copy_ordered(to->piece[target].base + target_used, from->piece[source].base + source_used, part);
		target_used += part;
		source_used += part;
		if (target_used == to->piece[target].length) {
			target++;
			target_used = 0;
		}
		if (source_used == from->piece[source].length) {
			source++;
			source_used = 0;
		}
	}
}

/* Moves the responder's queue pair to ERR; false: its owner has changed it since. */
static bool target_break(struct qp_row *target, uint64_t gate)
{
	uint64_t now = gate;

	do {
		if (GATE_ACCEPTS(now) != GATE_ACCEPTS(gate) || GATE_EPOCH(now) != GATE_EPOCH(gate))
			return false;
	} while (!__atomic_compare_exchange_n(&target->gate, &now, GATE(ACCEPTS_NOBODY, GATE_EPOCH(now), IBV_QPS_ERR),
					      false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	return true;
}

/* The receiver is not ready, or absent: returns what the requester would see on a wire. */
static int nobody_answers(const struct core_qp *qp, int reason)
{
	return qp->ops->is_reliable ? reason : IBV_WC_SUCCESS;
}

SOFT_COLD int soft_execute_locked_out(const struct core_qp *qp, const struct soft_peer *peer)
{
	if (__atomic_load_n(&peer->dead, __ATOMIC_ACQUIRE) || soft_peer_is_gone(peer))
		return nobody_answers(qp, IBV_WC_RETRY_EXC_ERR);
	return EXECUTE_WAIT_LOCK;
}

/*
 * For XRC: the shared receive queue named by the request determines the owner, if it is in the target's domain (IBA
 * 1.3, annex A14).
 */
static __attribute__((noinline)) bool srq_resolve(struct core_qp *qp, uint32_t number, struct responder *responder)
{
	struct soft_peer *owner = soft_slot_peer(qp, QPN_SLOT(number));
	const struct srq_row *row;
	struct xrcd_name name;

	if (!owner || __atomic_load_n(&owner->dead, __ATOMIC_ACQUIRE))
		return false;
	row = soft_peer_srq(owner, number);
	if (__atomic_load_n(&row->number, __ATOMIC_ACQUIRE) != number || !number)
		return false;
	name = row->xrcd;
	responder->owner = owner;
	responder->pd = &row->pd;
	responder->cq = &row->cq;
	responder->queue = &row->receive_queue;
	responder->srq = row;
	return name.device == qp->target->xrcd.device && name.inode == qp->target->xrcd.inode;
}

/* The other end of a connection. */
static inline __attribute__((always_inline)) struct responder responder_of(const struct core_qp *qp)
{
	return (struct responder){
		.peer = qp->peer,
		.target = qp->target,
		.qpn = qp->attr.dest_qp_num,
		.accepts = core_qp_number(qp),
		.owner = qp->peer,
		.pd = &qp->target->pd,
		.cq = &qp->target->receive_cq,
		.queue = &qp->target->receive_queue,
		.sl = qp->attr.ah_attr.sl,
	};
}

/* A queue pair that several initiators name keeps working for the others. */
static bool responder_break(const struct core_qp *qp, const struct responder *responder, uint64_t gate)
{
	return !qp->ops->named && target_break(responder->target, gate);
}

/* The responder refuses with `status`. UC drops the message without an answer (class D). */
static SOFT_COLD int execute_refuse(struct core_qp *qp, const struct responder *responder, uint64_t gate, int status)
{
	enum ibv_event_type event = status == IBV_WC_REM_ACCESS_ERR ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR;

	if (!qp->ops->is_reliable)
		return IBV_WC_SUCCESS;
	if (responder_break(qp, responder, gate))
		soft_notice_send(responder->peer, NOTICE_QP_ERROR, responder->qpn, event);
	return status;
}

static uint64_t remote_addr_of(const struct soft_operation *operation, const struct ibv_send_wr *wr)
{
	return operation->is_atomic ? wr->wr.atomic.remote_addr : wr->wr.rdma.remote_addr;
}

static uint32_t remote_key_of(const struct soft_operation *operation, const struct ibv_send_wr *wr)
{
	return operation->is_atomic ? wr->wr.atomic.rkey : wr->wr.rdma.rkey;
}

/*
 * RDMA and atomics: resolves the memory that the request names. *remote stays NULL if there are no bytes to move, which
 * needs no key (9.7.4.1.1). Returns an enum ibv_wc_status.
 */
static inline __attribute__((always_inline)) int memory_resolve(const struct soft_operation *operation,
								const struct ibv_send_wr *wr,
								const struct responder *responder, uint64_t length,
								uint8_t **remote)
{
	const struct qp_row *target = responder->target;
	uint64_t addr = remote_addr_of(operation, wr);
	uint32_t key = remote_key_of(operation, wr);

	*remote = NULL;
	if (unlikely(!(target->access & operation->remote_access)))
		return IBV_WC_REM_INV_REQ_ERR;
	if (operation->reads && unlikely(!target->max_dest_rd_atomic))
		return IBV_WC_REM_INV_REQ_ERR;
	if (operation->is_atomic && unlikely(addr % sizeof(uint64_t)))
		return IBV_WC_REM_INV_REQ_ERR;
	if (length == 0)
		return IBV_WC_SUCCESS;
	*remote = soft_peer_memory(responder->owner, key, addr, length, operation->remote_access, *responder->pd);
	if (unlikely(!*remote))
		*remote = KEY_IS_MW(key) ? soft_peer_mw_memory(responder->owner, key, addr, length,
							       operation->remote_access, *responder->pd, responder->qpn)
					 : soft_demand_peer_memory(responder->owner, key, addr, length,
								   operation->remote_access, *responder->pd);
	/* iova and address may be aligned differently; the CPU would then split the operation. */
	if (operation->is_atomic && *remote && unlikely((uintptr_t)*remote % sizeof(uint64_t)))
		return IBV_WC_REM_INV_REQ_ERR;
	return *remote ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR;
}

static __attribute__((noinline)) void pieces_scatter(const struct pieces *to, uint8_t *from, uint64_t length)
{
	for (uint32_t i = 0; length; i++) {
		uint32_t part = to->piece[i].length < length ? to->piece[i].length : (uint32_t)length;

		copy_ordered(to->piece[i].base, from, part);
		from += part;
		length -= part;
	}
}

static __attribute__((noinline)) void pieces_gather(uint8_t *to, const struct pieces *from)
{
	for (uint32_t i = 0; i < from->count; i++) {
		copy_ordered(to, from->piece[i].base, from->piece[i].length);
		to += from->piece[i].length;
	}
}

static __attribute__((noinline)) void atomic_move(const struct ibv_send_wr *wr, uint8_t *remote,
						  const struct pieces *local)
{
	uint64_t before = atomic_execute((uint64_t *)(void *)remote, wr);

	pieces_scatter(local, (uint8_t *)&before, sizeof(before));
}

/* As packets that arrive in the reverse order. After the first one, the program that polls the last byte may run. */
static SOFT_COLD void move_reversed(const struct core_qp *qp, uint8_t *remote, const struct pieces *local, bool reads)
{
	const uint32_t mtu = qp->attr.path_mtu ? core_mtu(qp->attr.path_mtu) : SOFT_UD_MTU;
	uint64_t end = local->length;

	for (uint32_t i = local->count; i--;) {
		for (uint32_t left = local->piece[i].length, part; left; left -= part) {
			uint8_t *near;

			if (end < local->length && end + mtu >= local->length)
				sched_yield();
			part = left % mtu ? left % mtu : mtu;
			end -= part;
			near = local->piece[i].base + left - part;
			copy_ordered(reads ? near : remote + end, reads ? remote + end : near, part);
		}
	}
}

/* How the other end is found, and bytes are moved. A constant in each call of execute(). */
enum reach { REACH_CONNECTED, REACH_XRC, REACH_NAMED };
enum order { ORDER_KEPT, ORDER_REVERSED };

static inline __attribute__((always_inline)) void memory_move(const struct core_qp *qp,
							      const struct soft_operation *operation,
							      const struct ibv_send_wr *wr, uint8_t *remote,
							      const struct pieces *local, const enum order order)
{
	if (!remote)
		return;
	if (order == ORDER_REVERSED && !operation->is_atomic) {
		move_reversed(qp, remote, local, operation->reads);
	} else if (operation->is_atomic) {
		atomic_move(wr, remote, local);
	} else if (operation->reads) {
		pieces_scatter(local, remote, local->length);
	} else if (likely(local->count == 1)) {
		copy_ordered(remote, local->piece[0].base, local->length);
	} else {
		pieces_gather(remote, local);
	}
}

/* SEND and everything with immediate data: consumes a receive request of the target. */
static inline __attribute__((always_inline)) int
receiving_execute(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		  const struct responder *responder, const struct pieces *local, uint64_t gate, const enum order order)
{
	struct receiver receiver;
	struct pieces remote;
	uint8_t *memory = NULL;
	struct cqe cqe;
	int status = IBV_WC_SUCCESS;
	bool is_broken = false;

	if (operation->has_memory) {
		status = memory_resolve(operation, wr, responder, local->length, &memory);
		if (unlikely(status))
			return execute_refuse(qp, responder, gate, status);
	}
	if (unlikely(!receiver_lock(&receiver, responder->owner, responder->queue)))
		return soft_execute_locked_out(qp, responder->owner);
	/* From here on the owner waits for us before it changes the queue pair. */
	gate = __atomic_load_n(&responder->target->gate, __ATOMIC_ACQUIRE);
	if (unlikely(GATE_ACCEPTS(gate) != responder->accepts)) {
		receiver_unlock(&receiver);
		return nobody_answers(qp, EXECUTE_WAIT_CONNECTION);
	}
	if (responder->srq &&
	    unlikely(__atomic_load_n(&responder->srq->number, __ATOMIC_ACQUIRE) != wr->qp_type.xrc.remote_srqn)) {
		receiver_unlock(&receiver); /* it has been destroyed */
		return execute_refuse(qp, responder, gate, IBV_WC_REM_INV_REQ_ERR);
	}
	if (unlikely(!receiver_take(&receiver))) {
		receiver_unlock(&receiver);
		qp->rnr_timer = responder->target->rnr_timer;
		return nobody_answers(qp, EXECUTE_WAIT_RECEIVE);
	}
	if (!operation->has_memory) {
		status = soft_pieces_receive(&remote, &receiver, local->length);
		if (unlikely(status == IBV_WC_LOC_LEN_ERR && !qp->ops->is_reliable)) {
			receiver_unlock(&receiver);
			return IBV_WC_SUCCESS; /* class D: dropped; the receive stays posted */
		}
	}
	if (likely(!status)) {
		if (operation->has_memory)
			memory_move(qp, operation, wr, memory, local, order);
		else
			pieces_copy(&remote, local);
		if (unlikely(operation->has_memory ? soft_peer_file_is_lost(memory) : pieces_are_lost(&remote)))
			status = IBV_WC_LOC_PROT_ERR;
		/* The message has arrived by then; the receive reports the error (9.9.6.3, class J). */
		if (unlikely(operation->wc_flags == IBV_WC_WITH_INV) &&
		    !soft_peer_mw_invalidate(responder->owner, wr->invalidate_rkey, responder->qpn))
			status = IBV_WC_REM_INV_REQ_ERR;
	}
	cqe.qpn = responder->qpn;
	cqe.byte_len = (uint32_t)local->length;
	cqe.imm_data = operation->wc_flags ? wr->imm_data : 0; /* or the invalidated key */
	cqe.src_qp = core_qp_number(qp);
	cqe.flags = operation->wc_flags;
	cqe.status = (uint16_t)status;
	cqe.opcode = operation->has_memory ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	cqe.sl = responder->sl;
	/* If its completion could not be stored, the receive is still posted. */
	if (unlikely(!receiver_complete(&receiver, *responder->cq, &cqe,
					status || (wr->send_flags & IBV_SEND_SOLICITED)))) {
		receiver_unlock(&receiver);
		return soft_execute_locked_out(qp, responder->owner);
	}
	if (unlikely(status))
		is_broken = responder_break(qp, responder, gate);
	receiver_unlock(&receiver);
	if (likely(!status))
		return IBV_WC_SUCCESS;
	if (is_broken)
		soft_notice_send(responder->peer, NOTICE_QP_ERROR, responder->qpn, NOTICE_SILENT);
	if (!qp->ops->is_reliable)
		return IBV_WC_SUCCESS;
	return status == IBV_WC_LOC_LEN_ERR ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_REM_OP_ERR;
}

/* The first message that arrives before the responder is in RTS shows that the connection is established (11.6.3.1). */
static SOFT_COLD void execute_establish(struct core_qp *qp)
{
	if (!__atomic_exchange_n(&qp->target->established, 1, __ATOMIC_RELAXED))
		soft_notice_send(qp->peer, NOTICE_ESTABLISHED, qp->attr.dest_qp_num, NOTICE_SILENT);
}

static inline __attribute__((always_inline)) int execute(struct core_qp *qp, const struct soft_operation *operation,
							 const struct ibv_send_wr *wr, uint32_t *byte_len,
							 const enum reach reach, const enum order order)
{
	struct responder responder;
	struct pieces local;
	uint8_t *memory;
	uint64_t gate;
	int status;

	status = pieces_local(&local, wr, operation->local_access, qp->pd);
	if (unlikely(status))
		return status;
	if (unlikely(local.length > SOFT_MAX_MSG_SIZE))
		return IBV_WC_LOC_LEN_ERR;
	if (operation->is_special) {
		if (!operation->is_atomic)
			return soft_mw_execute(qp, wr);
		if (local.length < sizeof(uint64_t))
			return IBV_WC_LOC_LEN_ERR;
		local.length = sizeof(uint64_t);
	}
	if (operation->reads && unlikely(!qp->attr.max_rd_atomic))
		return IBV_WC_LOC_QP_OP_ERR;
	*byte_len = (uint32_t)local.length;
	if (reach == REACH_NAMED) {
		status = soft_destination_find(qp, operation, wr, &responder);
		if (unlikely(status))
			return status == DESTINATION_SILENT ? EXECUTE_WAIT_CONNECTION : status;
	} else {
		responder = responder_of(qp);
	}
	if (unlikely(__atomic_load_n(&responder.peer->dead, __ATOMIC_ACQUIRE)))
		return nobody_answers(qp, IBV_WC_RETRY_EXC_ERR);
	gate = __atomic_load_n(&responder.target->gate, __ATOMIC_ACQUIRE);
	if (unlikely(GATE_ACCEPTS(gate) != responder.accepts))
		return nobody_answers(qp, EXECUTE_WAIT_CONNECTION);
	if (reach != REACH_NAMED && unlikely(!responder.target->established))
		execute_establish(qp);
	if (reach == REACH_XRC && unlikely(!srq_resolve(qp, wr->qp_type.xrc.remote_srqn, &responder)))
		return execute_refuse(qp, &responder, gate, IBV_WC_REM_INV_REQ_ERR);
	if (operation->is_receiving)
		return receiving_execute(qp, operation, wr, &responder, &local, gate, order);
	status = memory_resolve(operation, wr, &responder, local.length, &memory);
	if (unlikely(status))
		return execute_refuse(qp, &responder, gate, status);
	memory_move(qp, operation, wr, memory, &local, order);
	if (unlikely(soft_peer_file_is_lost(memory)))
		return execute_refuse(qp, &responder, gate, IBV_WC_REM_ACCESS_ERR);
	return IBV_WC_SUCCESS;
}

SOFT_COLD int soft_execute_lost(struct core_qp *qp, uint64_t gate)
{
	const struct responder responder = responder_of(qp);

	return execute_refuse(qp, &responder, gate, IBV_WC_REM_ACCESS_ERR);
}

int soft_execute(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		 uint32_t *byte_len)
{
	return execute(qp, operation, wr, byte_len, REACH_CONNECTED, ORDER_KEPT);
}

int soft_execute_xrc(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		     uint32_t *byte_len)
{
	return execute(qp, operation, wr, byte_len, REACH_XRC, ORDER_KEPT);
}

int soft_execute_named(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		       uint32_t *byte_len)
{
	return execute(qp, operation, wr, byte_len, REACH_NAMED, ORDER_KEPT);
}

/*
 * A request on SRD lets the next one overtake it if others are in flight: posted, and not polled yet. Where there are
 * none, nothing waits: the program may await the peer's answer in memory.
 */
SOFT_COLD int soft_execute_unordered(struct core_qp *qp, const struct soft_operation *operation,
				     const struct ibv_send_wr *wr, uint32_t *byte_len)
{
	if (!qp->ops->named)
		return execute(qp, operation, wr, byte_len, REACH_CONNECTED, ORDER_REVERSED);
	if (!qp->waits && qp->posted - 1 != __atomic_load_n(&qp->done, __ATOMIC_ACQUIRE))
		return EXECUTE_WAIT_NEXT;
	return execute(qp, operation, wr, byte_len, REACH_NAMED, ORDER_REVERSED);
}
