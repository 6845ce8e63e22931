// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What becomes of a lock between processes whose holder was killed? The owner of the memory frees it: its
 * service thread, when the holder's connection ends, and whichever of its threads waits for the lock, because
 * that may be the service thread itself. Somebody else's lock is not ours to free, but its owner may be dead,
 * too, and then nobody will. Called by lock.h for a lock that is held, and by service.c.
 */
#include "core.h"
#include "peer.h"
#include "service.h"

#define DOUBT_SPINS (16 * LOCK_SPINS) /* some 100 us: then the kernel is asked who lives */

/* Is it in our own control file, and which lock of it? */
static bool lock_is_ours(const uint32_t *lock, uint64_t *offset)
{
	*offset = (uint64_t)((const uint8_t *)lock - soft_self.control);
	return *offset < LAYOUT_SIZE;
}

static void lock_repair(uint64_t offset, uint32_t holder)
{
	if (offset >= LAYOUT_CQ_OFFSET)
		soft_cq_repair((uint32_t)((offset - LAYOUT_CQ_OFFSET) / sizeof(struct cq_row)), holder);
	else
		soft_receive_repair((uint32_t)((offset - LAYOUT_QP_OFFSET) / sizeof(struct qp_row)), holder);
}

bool soft_shared_lock_wait(uint32_t *lock, uint32_t instance, const uint32_t *dead)
{
	unsigned int spins = 0;
	uint64_t offset;
	bool is_ours = lock_is_ours(lock, &offset);

	for (;;) {
		uint32_t holder = __atomic_load_n(lock, __ATOMIC_RELAXED);

		if (!holder && shared_lock_try(lock, instance))
			return true;
		if (__atomic_load_n(dead, __ATOMIC_RELAXED))
			return false;
		lock_pause(&spins);
		if (spins % DOUBT_SPINS)
			continue;
		if (!is_ours && soft_peer_is_gone(container_of_type(dead, struct soft_peer, dead)))
			return false;
		if (is_ours && holder && holder != soft_self.instance && soft_service_initiator_is_gone(holder))
			lock_repair(offset, holder);
	}
}
