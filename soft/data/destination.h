/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the destination of a request. See destination.c. */
#pragma once

#include "host/core.h"

/* The queue pair that a request goes to, and the owner of the memory and receive requests that it uses. */
struct responder {
	struct soft_peer *peer; /* of the queue pair ... */
	struct qp_row *target;
	uint32_t qpn;
	uint32_t accepts; /* the initiator that it accepts for this request, as in its gate */
	struct soft_peer
		*owner;	    /* of the memory and the receives: differs from the queue pair's process only for XRC */
	const uint32_t *pd; /* read once the gate is known, like the following */
	const uint32_t *cq;
	const uint32_t *queue;	   /* index of its receive queue; likewise its completion queue */
	const struct srq_row *srq; /* for XRC, otherwise NULL */
	uint8_t sl;
};

#define DESTINATION_SILENT (-1) /* no answer (yet) */

/* Returns an enum ibv_wc_status, or DESTINATION_SILENT. The send queue is locked, and holds a reference to the peer. */
int soft_destination_find(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
			  struct responder *responder);

/* NULL: there is no process. Referenced by the queue pair, whose send queue is locked. */
struct soft_peer *soft_slot_peer(struct core_qp *qp, uint32_t slot);
void soft_slot_peers_release(struct core_qp *qp);
