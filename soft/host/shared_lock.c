// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What becomes of a lock between processes whose holder was killed, or stopped? No thread may wait for it without end.
 *
 * The owner of the memory frees what the dead held: its service thread, when the holder's connection ends, and
 * whichever of its threads waits for the lock. A holder that is stopped may go on at any time, in the middle of what
 * it does there, so the lock stays his: the owner goes on without it (receive_queue.c, cq.c). An initiator puts its
 * request aside and tries again. Called for a lock that is held, by lock.h and by the owners of queues.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "host/core.h"
#include "host/liveness.h"
#include "host/peer.h"

#define DOUBT_SPINS	   (16 * LOCK_SPINS) /* some 100 us: then it is asked who lives */
#define INITIATOR_LIMIT_MS 20		     /* a time slice or two */
#define OWNER_LIMIT_MS	   5000		     /* above what the longest message takes; of who hides that he is stopped */
#define STATUS_LINE_MAX	   512

static uint64_t shared_lock_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

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
			since = shared_lock_now_ms();
		else if (shared_lock_now_ms() - since > INITIATOR_LIMIT_MS)
			return false;
	}
}

/* By SIGSTOP or a debugger. A process that /proc does not show is taken for a running one. */
static bool process_is_stopped(pid_t pid)
{
	char path[32], line[STATUS_LINE_MAX] = "";
	const char *state;
	FILE *file;

	if (pid <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	state = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL; /* the name before may hold anything */
	fclose(file);
	return state && state[1] == ' ' && (state[2] == 'T' || state[2] == 't');
}

bool soft_holder_is_stopped(uint32_t instance)
{
	return instance != soft_self.instance && process_is_stopped(soft_liveness_initiator_pid(instance));
}

bool soft_owner_lock_take(uint32_t *lock, void (*repair)(void *object, uint32_t holder), void *object)
{
	unsigned int spins = 0;
	uint64_t since = 0;

	for (;;) {
		uint32_t holder = __atomic_load_n(lock, __ATOMIC_RELAXED);

		if (!holder && shared_lock_try(lock, soft_self.instance))
			return true;
		lock_pause(&spins);
		if (spins % DOUBT_SPINS)
			continue;
		if (holder && holder != soft_self.instance) {
			if (soft_liveness_initiator_is_gone(holder))
				repair(object, holder);
			else if (soft_holder_is_stopped(holder))
				return false;
		}
		if (!since)
			since = shared_lock_now_ms();
		else if (shared_lock_now_ms() - since > OWNER_LIMIT_MS)
			return false;
	}
}
