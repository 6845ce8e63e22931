// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Handles a lock between processes whose holder was killed or stopped, so that no thread waits for it forever.
 *
 * The owner of the memory releases a dead process's locks: its service thread does when the holder's connection ends,
 * and any of its threads that waits for the lock. A stopped holder may continue at any time, in the middle of its
 * update, so it keeps the lock: the owner proceeds without it after a while (receive_cut.c, cq.c). An initiator defers
 * its request and tries again. Called when a lock is held, by lock.h and by the owners of queues.
 */
#include "config.h"

#include <time.h>

#include "host/clock.h"
#include "host/core.h"
#include "host/liveness.h"
#include "host/peer.h"

#define DOUBT_SPINS	   (16 * LOCK_SPINS) /* about 100 us: then checks whether the holder is alive */
#define INITIATOR_LIMIT_MS 20		     /* a time slice or two */

bool soft_shared_lock_wait(uint32_t *lock, uint32_t instance, const uint32_t *dead)
{
	unsigned int spins = 0;
	uint64_t since = 0;

	for (;;) {
		if (!__atomic_load_n(lock, __ATOMIC_RELAXED) && shared_lock_try(lock, instance))
			return true;
		if (__atomic_load_n(dead, __ATOMIC_RELAXED))
			return false;
		lock_pause(&spins);
		if (spins % DOUBT_SPINS)
			continue;
		if (soft_peer_is_gone(container_of_type(dead, struct soft_peer, dead)))
			return false;
		if (!since)
			since = (uint64_t)soft_monotonic_ms();
		else if ((uint64_t)soft_monotonic_ms() - since > INITIATOR_LIMIT_MS)
			return false;
	}
}

bool soft_owner_lock_take(uint32_t *lock, void (*repair)(void *object, uint32_t holder), void *object)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	unsigned int spins = 0;
	int64_t since = 0;

	for (;;) {
		const uint32_t holder = __atomic_load_n(lock, __ATOMIC_RELAXED);

		if (!holder && shared_lock_try(lock, soft_self.instance))
			return true;
		if (spins < DOUBT_SPINS) {
			lock_pause(&spins);
			continue;
		}
		if (holder && holder != soft_self.instance && soft_liveness_initiator_is_gone(holder))
			repair(object, holder);
		if (!since)
			since = soft_monotonic_ms();
		else if (soft_monotonic_ms() - since > HOLDER_WAIT_MS)
			return false;
		nanosleep(&pause, NULL);
	}
}
