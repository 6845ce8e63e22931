// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Handles a lock between processes whose holder was killed or stopped, so that no thread waits for it forever.
 *
 * The owner of the memory releases a dead process's locks: its service thread does when the holder's connection ends,
 * and any of its threads that waits for the lock. A stopped holder may continue at any time, in the middle of its
 * update, so it keeps the lock: the owner proceeds without it (receive_queue.c, cq.c). An initiator defers its request
 * and tries again. Called when a lock is held, by lock.h and by the owners of queues.
 */
#include "config.h"

#include <time.h>

#include "host/liveness.h"
#include "host/peer.h"
#include "host/service.h"

#define DOUBT_SPINS	   (16 * LOCK_SPINS) /* about 100 us: then checks whether the holder is alive */
#define INITIATOR_LIMIT_MS 20		     /* a time slice or two */
#define NAP_NS		   1000000	     /* of an owner whose wait is longer than that */

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

static bool is_known(const uint32_t *lock, const uint32_t *progress, const struct lock_holder *known)
{
	const uint32_t holder = __atomic_load_n(lock, __ATOMIC_RELAXED);

	return holder && holder == __atomic_load_n(&known->instance, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(progress, __ATOMIC_RELAXED) == __atomic_load_n(&known->progress, __ATOMIC_RELAXED) &&
	       !soft_liveness_initiator_is_gone(holder);
}

bool soft_owner_lock_take(uint32_t *lock, void (*repair)(void *object, uint32_t holder), void *object,
			  const uint32_t *progress, struct lock_holder *known)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};
	uint64_t since = 0, now = 0;
	unsigned int spins = 0;
	uint32_t holder;

	if (is_known(lock, progress, known))
		return false;
	do {
		holder = __atomic_load_n(lock, __ATOMIC_RELAXED);
		if (!holder && shared_lock_try(lock, soft_self.instance)) {
			__atomic_store_n(&known->instance, 0, __ATOMIC_RELAXED);
			return true;
		}
		lock_pause(&spins);
		if (spins % DOUBT_SPINS)
			continue;
		now = (uint64_t)soft_monotonic_ms();
		since = since ? since : now;
		if (!holder || holder == soft_self.instance)
			continue;
		if (soft_liveness_initiator_is_gone(holder))
			repair(object, holder);
		else
			soft_service_answer_meanwhile();
		if (now - since > INITIATOR_LIMIT_MS)
			nanosleep(&nap, NULL);
	} while (!since || now - since <= LOCK_TIMEOUT_MS);
	__atomic_store_n(&known->progress, __atomic_load_n(progress, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	__atomic_store_n(&known->instance, holder, __ATOMIC_RELEASE);
	return false;
}
