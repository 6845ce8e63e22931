// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The process that a request names by the slot in a queue pair number; the queue pair references those that it sent to.
 */
#include "data/slot_peer.h"

#include <stdlib.h>

#include "host/peer.h"

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
