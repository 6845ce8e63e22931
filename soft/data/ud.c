// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does a datagram do? It is delivered whole or dropped without a word: unknown queue pair, wrong Q_Key,
 * no receive request, a buffer too small. The first 40 bytes of the receiver's buffer get the global routing
 * header that RoCE puts before every datagram. Called by post_send.c and retry_queue.c.
 */
#include <arpa/inet.h>
#include <string.h>

#include "data/cqe.h"
#include "data/execute.h"
#include "data/slot_peer.h"

#define GRH_SIZE	((uint32_t)sizeof(struct ibv_grh))
#define GRH_VERSION	6u
#define GRH_VERSION_BIT 28
#define GRH_TCLASS_BIT	20
#define GRH_NEXT_IBA	0x1b /* IBA 8.3: an InfiniBand transport header follows */
#define BTH_DETH_ICRC	24u  /* bytes of headers and check that the payload length counts with the data */
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

/* The target's receive queue is locked. False: the receiver's completion queue can't be had now. */
static bool deliver(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		    struct receiver *receiver, const struct qp_row *target, const struct pieces *local)
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
	cqe.qpn = wr->wr.ud.remote_qpn;
	cqe.byte_len = (uint32_t)(GRH_SIZE + local->length);
	cqe.imm_data = operation->wc_flags ? wr->imm_data : 0;
	cqe.src_qp = core_qp_number(qp);
	cqe.flags = IBV_WC_GRH | operation->wc_flags;
	cqe.status = IBV_WC_SUCCESS;
	cqe.opcode = IBV_WC_RECV;
	cqe.sl = ((const struct core_ah *)wr->wr.ud.ah)->attr.sl;
	return receiver_complete(receiver, target->receive_cq, &cqe, wr->send_flags & IBV_SEND_SOLICITED);
}

/* Dropped where the receiver is dead. */
static int locked_out(const struct soft_peer *peer)
{
	return __atomic_load_n(&peer->dead, __ATOMIC_ACQUIRE) || soft_peer_is_gone(peer) ? IBV_WC_SUCCESS
											 : EXECUTE_WAIT_LOCK;
}

int soft_execute_datagram(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
			  uint32_t *byte_len)
{
	uint32_t qpn = wr->wr.ud.remote_qpn;
	uint32_t qkey = wr->wr.ud.remote_qkey & QKEY_PRIVILEGED ? qp->attr.qkey : wr->wr.ud.remote_qkey;
	struct soft_peer *peer;
	struct qp_row *target;
	struct receiver receiver;
	struct pieces local;
	bool is_done = true;
	int status = pieces_local(&local, wr, 0, qp->pd);

	if (unlikely(status))
		return status;
	if (unlikely(local.length > SOFT_UD_MTU))
		return IBV_WC_LOC_LEN_ERR;
	*byte_len = (uint32_t)local.length;
	peer = soft_slot_peer(qp, QPN_SLOT(qpn));
	if (unlikely(!peer || __atomic_load_n(&peer->dead, __ATOMIC_ACQUIRE)))
		return IBV_WC_SUCCESS;
	target = soft_peer_qp(peer, qpn);
	if (unlikely(GATE_ACCEPTS(__atomic_load_n(&target->gate, __ATOMIC_ACQUIRE)) != ACCEPTS_DATAGRAM ||
		     target->qkey != qkey))
		return IBV_WC_SUCCESS;
	if (unlikely(!receiver_lock(&receiver, peer, &target->receive_queue)))
		return locked_out(peer);
	if (likely(GATE_ACCEPTS(__atomic_load_n(&target->gate, __ATOMIC_ACQUIRE)) == ACCEPTS_DATAGRAM))
		is_done = deliver(qp, operation, wr, &receiver, target, &local);
	receiver_unlock(&receiver);
	return likely(is_done) ? IBV_WC_SUCCESS : locked_out(peer);
}
