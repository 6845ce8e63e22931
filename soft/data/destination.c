// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the destination of a request: the process that it names by the slot in a queue pair number, which the queue
 * pair references from then on. And of an SRD or DC request the queue pair, which must have the same key: if there is
 * no such queue pair, it fails as on adapters: on SRD with the status that EFA's library derives from the device's, and
 * the queue pair keeps working; on DC after the retransmissions, or at once if the key differs. Called by execute.c.
 */
#include "data/data.h"

#include "host/peer.h"
#include "host/profile.h"

struct soft_peer *soft_slot_peer(struct core_qp *qp, uint32_t slot)
{
	struct soft_peer **known;

	if (unlikely(slot >= SOFT_MAX_PROCESSES))
		return NULL;
	if (unlikely(!qp->slot_peers)) {
		qp->slot_peers = calloc(SOFT_MAX_PROCESSES, sizeof(*qp->slot_peers));
		if (!qp->slot_peers)
			return NULL;
	}
	known = &qp->slot_peers[slot];
	if (unlikely(*known && __atomic_load_n(&(*known)->dead, __ATOMIC_ACQUIRE))) {
		soft_peer_put(*known); /* the slot may have a new owner by now */
		*known = NULL;
	}
	if (unlikely(!*known))
		*known = soft_peer_get(slot);
	return *known;
}

void soft_slot_peers_release(struct core_qp *qp)
{
	for (uint32_t i = 0; qp->slot_peers && i < SOFT_MAX_PROCESSES; i++)
		soft_peer_put(qp->slot_peers[i]);
	free(qp->slot_peers);
	qp->slot_peers = NULL;
}

/* SRD messages name it as datagrams do; other requests in the struct soft_address from the interface. */
static struct soft_address destination_of(const struct core_qp *qp, const struct soft_operation *operation,
					  const struct ibv_send_wr *wr)
{
	if (qp->type != QP_SRD || operation->has_memory)
		return soft_address_of(wr);
	return (struct soft_address){.ah = wr->wr.ud.ah, .number = wr->wr.ud.remote_qpn, .key = wr->wr.ud.remote_qkey};
}

int soft_destination_find(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
			  struct responder *responder)
{
	const struct soft_address address = destination_of(qp, operation, wr);
	struct soft_peer *peer = soft_slot_peer(qp, QPN_SLOT(address.number));
	const bool is_srd = qp->type == QP_SRD;
	struct qp_row *target;
	uint64_t gate;

	if (unlikely(!peer || __atomic_load_n(&peer->dead, __ATOMIC_ACQUIRE)))
		return is_srd ? IBV_WC_RESP_TIMEOUT_ERR : IBV_WC_RETRY_EXC_ERR;
	target = soft_peer_qp(peer, address.number);
	*responder = (struct responder){
		.peer = peer,
		.target = target,
		.qpn = address.number,
		.accepts = qp->ops->named,
		.owner = peer,
		.pd = &target->pd,
		.cq = &target->receive_cq,
		.queue = &target->receive_queue,
		.sl = ((const struct core_ah *)address.ah)->attr.sl,
	};
	gate = __atomic_load_n(&target->gate, __ATOMIC_ACQUIRE);
	if (unlikely(GATE_ACCEPTS(gate) != qp->ops->named))
		return is_srd ? IBV_WC_REM_INV_RD_REQ_ERR : DESTINATION_SILENT;
	/* All initiators on a host have the same addresses: any handle is one of ours. */
	if (is_srd && operation->has_memory && soft_profile()->needs_handle &&
	    !__atomic_load_n(&peer->header->handles, __ATOMIC_ACQUIRE))
		return IBV_WC_REM_OP_ERR;
	if (is_srd)
		return likely(target->qkey == address.key) ? IBV_WC_SUCCESS : IBV_WC_REM_INV_RD_REQ_ERR;
	return likely(target->dc_key == address.key) ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR;
}
