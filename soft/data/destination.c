// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the destination of an SRD or DC request: the queue pair that it names, which must have the same key. If there
 * is no such queue pair, it fails as on adapters: on SRD with the status that EFA's library derives from the device's,
 * and the queue pair keeps working; on DC after the retransmissions, or at once if the key differs. Called by
 * execute.c.
 */
#include "data/destination.h"

#include "data/slot_peer.h"
#include "host/peer.h"
#include "host/profile.h"

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
