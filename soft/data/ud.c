// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Executes datagrams. A datagram is delivered whole or silently dropped: unknown queue pair, wrong Q_Key, no receive
 * request, buffer too small. The first 40 bytes of the receiver's buffer get the global routing header that RoCE puts
 * before every datagram. A multicast datagram goes to each queue pair in the group. Called by post.c and
 * retry_queue.c.
 */
#include <arpa/inet.h>

#include "data/cqe.h"
#include "data/data.h"
#include "data/execute.h"

#define GRH_SIZE	((uint32_t)sizeof(struct ibv_grh))
#define GRH_VERSION	6u
#define GRH_VERSION_BIT 28
#define GRH_TCLASS_BIT	20
#define GRH_NEXT_IBA	0x1b /* IBA 8.3: an InfiniBand transport header follows */
#define BTH_DETH_ICRC	24u  /* bytes of headers and CRC that the payload length includes */
#define QKEY_PRIVILEGED 0x80000000u

static void header_fill(struct ibv_grh *header, const struct core_ah *ah, uint64_t length)
{
	const struct ibv_global_route *route = &ah->attr.grh;

	header->version_tclass_flow =
		htonl(GRH_VERSION << GRH_VERSION_BIT | (uint32_t)route->traffic_class << GRH_TCLASS_BIT |
		      (route->flow_label & ((1u << GRH_TCLASS_BIT) - 1)));
	header->paylen = htons((uint16_t)(length + BTH_DETH_ICRC));
	header->next_hdr = GRH_NEXT_IBA;
	header->hop_limit = route->hop_limit;
	header->sgid = ah->sgid;
	header->dgid = route->dgid;
}

/* The target's receive queue is locked. False: the receiver's completion queue is not available now. */
static bool ud_deliver(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		       struct receiver *receiver, uint32_t qpn, const struct qp_row *target, const struct pieces *local)
{
	struct ibv_grh header;
	struct pieces remote, message;
	struct cqe cqe;

	if (!receiver_take(receiver) || soft_pieces_receive(&remote, receiver, GRH_SIZE + local->length))
		return true;
	header_fill(&header, (const struct core_ah *)wr->wr.ud.ah, local->length);
	if (likely(remote.count == 1 && local->count <= 1)) {
		memcpy(remote.piece[0].base, &header, GRH_SIZE);
		if (local->count)
			copy_ordered(remote.piece[0].base + GRH_SIZE, local->piece[0].base, local->piece[0].length);
	} else {
		message.count = 0;
		message.length = 0;
		pieces_add(&message, &header, GRH_SIZE);
		for (uint32_t i = 0; i < local->count; i++)
			pieces_add(&message, local->piece[i].base, local->piece[i].length);
		soft_pieces_copy(&remote, &message);
	}
	if (unlikely(pieces_are_lost(&remote)))
		return true;
	cqe.qpn = qpn;
	cqe.byte_len = (uint32_t)(GRH_SIZE + local->length);
	cqe.imm_data = operation->wc_flags ? wr->imm_data : 0;
	cqe.src_qp = core_qp_number(qp);
	cqe.flags = IBV_WC_GRH | operation->wc_flags;
	cqe.status = IBV_WC_SUCCESS;
	cqe.opcode = IBV_WC_RECV;
	cqe.sl = ((const struct core_ah *)wr->wr.ud.ah)->attr.sl;
	return receiver_complete(receiver, target->receive_cq, &cqe, wr->send_flags & IBV_SEND_SOLICITED);
}

/* Sends to one queue pair of the peer. False: a queue of the target is not available now. */
static inline __attribute__((always_inline)) bool ud_send(struct core_qp *qp, const struct soft_operation *operation,
							  const struct ibv_send_wr *wr, struct soft_peer *peer,
							  uint32_t qpn, const struct pieces *local)
{
	uint32_t qkey = wr->wr.ud.remote_qkey & QKEY_PRIVILEGED ? qp->attr.qkey : wr->wr.ud.remote_qkey;
	struct qp_row *target = soft_peer_qp(peer, qpn);
	struct receiver receiver;
	bool is_done = true;

	if (unlikely(GATE_ACCEPTS(__atomic_load_n(&target->gate, __ATOMIC_ACQUIRE)) != ACCEPTS_DATAGRAM ||
		     target->qkey != qkey))
		return true;
	if (unlikely(!receiver_lock(&receiver, peer, &target->receive_queue)))
		return false;
	if (likely(GATE_ACCEPTS(__atomic_load_n(&target->gate, __ATOMIC_ACQUIRE)) == ACCEPTS_DATAGRAM))
		is_done = ud_deliver(qp, operation, wr, &receiver, qpn, target, local);
	receiver_unlock(&receiver);
	return is_done;
}

/*
 * Sends a copy to each queue pair in the group. If a stopped process holds a member's queue, that copy is lost: sending
 * it later would send it to the others twice.
 */
static SOFT_COLD void multicast_send(struct core_qp *qp, const struct soft_operation *operation,
				     const struct ibv_send_wr *wr, const struct pieces *local)
{
	const union ibv_gid *group = &((const struct core_ah *)wr->wr.ud.ah)->attr.grh.dgid;
	uint32_t slot, qpn;

	for (slot = 0; (slot = soft_mcast_next_process(slot)) < SOFT_MAX_PROCESSES; slot++) {
		struct soft_peer *peer = soft_mcast_process(qp, slot);
		uint32_t row = 0;

		while (peer && (qpn = soft_mcast_next_member(peer, group, &row))) {
			if (qpn != core_qp_number(qp) || !qp->soft.blocks_own_multicast)
				ud_send(qp, operation, wr, peer, qpn, local);
		}
	}
}

int soft_execute_datagram(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
			  uint32_t *byte_len)
{
	uint32_t qpn = wr->wr.ud.remote_qpn;
	struct soft_peer *peer;
	struct pieces local;
	int status;

	status = pieces_local(&local, wr, 0, qp->pd);
	if (unlikely(status))
		return status;
	if (unlikely(local.length > SOFT_UD_MTU))
		return IBV_WC_LOC_LEN_ERR;
	*byte_len = (uint32_t)local.length;
	if (unlikely(qpn == SOFT_MCAST_QPN)) {
		multicast_send(qp, operation, wr, &local);
		return IBV_WC_SUCCESS;
	}
	peer = soft_slot_peer(qp, QPN_SLOT(qpn));
	if (unlikely(!peer || __atomic_load_n(&peer->dead, __ATOMIC_ACQUIRE)))
		return IBV_WC_SUCCESS;
	return likely(ud_send(qp, operation, wr, peer, qpn, &local)) ? IBV_WC_SUCCESS
								     : soft_execute_locked_out(qp, peer);
}
