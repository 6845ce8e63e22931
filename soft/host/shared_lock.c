// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Handles a lock between processes whose holder was killed or stopped, so that no thread waits for it forever.
 *
 * The owner of the memory releases a dead process's locks: its service thread does when the holder's connection ends,
 * and any of its threads that waits for the lock. A stopped holder may continue at any time, in the middle of its
 * update, so it keeps the lock: the owner proceeds without it (receive_cut.c, cq.c). An initiator defers its request
 * and tries again. Called when a lock is held, by lock.h and by the owners of queues.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "host/clock.h"
#include "host/core.h"
#include "host/liveness.h"
#include "host/peer.h"
#include "host/proc_numbers.h"
#include "host/service.h"
#include "host/slot_ask.h"

#define DOUBT_SPINS	   (16 * LOCK_SPINS) /* about 100 us: then checks whether the holder is alive */
#define INITIATOR_LIMIT_MS 20		     /* a time slice or two */
#define LOOK_MS		   20
#define STATUS_LINE_MAX	   512

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

/* The state of the main thread in /proc; 0: it does not show that process. */
static char process_state(pid_t pid)
{
	char path[32], line[STATUS_LINE_MAX] = "";
	const char *state;
	FILE *file;

	if (pid <= 0 || !soft_proc_numbers_are_ours())
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	state = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL; /* the name before may hold anything */
	fclose(file);
	return state && state[1] == ' ' ? state[2] : 0;
}

/*
 * Stopped by SIGSTOP or a debugger, which /proc shows; or by the cgroup freezer, which looks like sleep, or in another
 * PID namespace, where /proc shows nothing. In the latter cases its service thread is asked, which answers whatever the
 * program is doing. One that was killed is dead once all of its threads have had the CPU for the last time: until then
 * its first thread is a zombie.
 */
bool soft_holder_is_stopped(uint32_t instance)
{
	uint32_t slot;
	pid_t pid;
	char state;

	if (instance == soft_self.instance || !soft_liveness_initiator(instance, &pid, &slot))
		return false;
	state = process_state(pid);
	if (state == 'T' || state == 't')
		return true;
	return state != 'R' && state != 'Z' && !soft_slot_answers(slot, instance);
}

bool soft_owner_lock_take(uint32_t *lock, void (*repair)(void *object, uint32_t holder), void *object,
			  unsigned int limit_ms)
{
	unsigned int spins = 0;
	uint64_t since = 0, look = 0;

	for (;;) {
		uint32_t holder = __atomic_load_n(lock, __ATOMIC_RELAXED);
		uint64_t now;

		if (!holder && shared_lock_try(lock, soft_self.instance))
			return true;
		lock_pause(&spins);
		if (spins % DOUBT_SPINS)
			continue;
		now = (uint64_t)soft_monotonic_ms();
		if (!since)
			since = now;
		if (holder && holder != soft_self.instance) {
			if (soft_liveness_initiator_is_gone(holder))
				repair(object, holder);
			else if (now >= look && soft_holder_is_stopped(holder))
				return false;
			if (now >= look)
				soft_service_answer_meanwhile();
			if (now >= look)
				look = (uint64_t)soft_monotonic_ms() + LOOK_MS;
		}
		if (now - since > limit_ms)
			return false;
	}
}
