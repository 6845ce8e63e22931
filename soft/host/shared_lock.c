// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What becomes of a lock between processes whose holder was killed, or stopped? No thread may wait for it without end.
 *
 * The owner of the memory frees what the dead held: its service thread, when the holder's connection ends, and
 * whichever of its threads waits for the lock. A holder that is stopped may go on at any time, in the middle of what
 * it does there, so the lock stays his: the owner goes on without it (receive_cut.c, cq.c). An initiator puts its
 * request aside and tries again. Called for a lock that is held, by lock.h and by the owners of queues.
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

#define DOUBT_SPINS	   (16 * LOCK_SPINS) /* some 100 us: then it is asked who lives */
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

/* As /proc has it, of the main thread; 0: it does not show that process. */
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
 * By SIGSTOP or a debugger; or by the freezer of control groups, which looks like sleep, or in another PID namespace,
 * where nothing is seen: then its service thread is asked, which answers whatever the program does.
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
	return state != 'R' && !soft_slot_answers(slot, instance);
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
