/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where does a request go, and whose is what it is about? Asked by execute.c. */
#ifndef SOFT_DESTINATION_H
#define SOFT_DESTINATION_H

#include "host/core.h"

/* To which queue pair does a request go, and whose memory and receive requests is it about? */
struct responder {
	struct soft_peer *peer; /* of the queue pair ... */
	struct qp_row *target;
	uint32_t qpn;
	uint32_t accepts; /* what it accepts this request from, as in its gate */
	struct soft_peer
		*owner;	    /* of the memory and the receives: another one's than the queue pair's with XRC alone */
	const uint32_t *pd; /* read once the gate is known, as what follows */
	const uint32_t *cq;
	const uint32_t *queue;	   /* the index of its receive queue, as of its completion queue */
	const struct srq_row *srq; /* of XRC; else NULL */
	uint8_t sl;
};

#define DESTINATION_SILENT (-1) /* there is no answer (yet) */

/* An enum ibv_wc_status, or DESTINATION_SILENT. The send queue is locked, and holds the peer. */
int soft_destination_find(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
			  struct responder *responder);

#endif
