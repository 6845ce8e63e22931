// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the members of a multicast group. There is no host-wide table of groups: each process lists in its control file
 * the groups of its queue pairs (objects/mcast.c), and has a mark in the runtime directory from its first group on. A
 * sender asks only marked processes, so that it never waits for one that does not use multicast. Called by ud.c.
 */
#include "config.h"

#include "data/data.h"

#include "host/peer.h"
#include "host/runtime_dir.h"

#define SETTLED_NS	 50000000ll /* a directory's modification time has a resolution of 10 ms at worst */
#define NANOS_PER_SECOND 1000000000ll

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int fd; /* the directory; -1: not opened yet */
	bool is_settled;
	struct timespec changed;	 /* modification time at the last check */
	bool marked[SOFT_MAX_PROCESSES]; /* then */
} directory = {.fd = -1};

static int64_t nanoseconds(struct timespec time)
{
	return time.tv_sec * NANOS_PER_SECOND + time.tv_nsec;
}

/*
 * Reads the directory if it has changed since the last check. If it changed just before that check, it may have changed
 * again after it with the same timestamp: then it is read again.
 */
static void directory_look(void)
{
	struct timespec now;
	struct stat status;

	if (directory.fd < 0)
		directory.fd = soft_runtime_open();
	if (directory.fd < 0 || fstat(directory.fd, &status))
		return;
	if (directory.is_settled && memcmp(&status.st_mtim, &directory.changed, sizeof(directory.changed)) == 0)
		return;
	if (soft_runtime_marked(directory.fd, directory.marked))
		return;
	directory.changed = status.st_mtim;
	clock_gettime(CLOCK_REALTIME, &now);
	directory.is_settled = nanoseconds(now) - nanoseconds(status.st_mtim) > SETTLED_NS;
}

uint32_t soft_mcast_next_process(uint32_t slot)
{
	pthread_mutex_lock(&lock);
	if (slot == 0)
		directory_look();
	while (slot < SOFT_MAX_PROCESSES && !directory.marked[slot])
		slot++;
	pthread_mutex_unlock(&lock);
	return slot;
}

struct soft_peer *soft_mcast_process(struct core_qp *qp, uint32_t slot)
{
	struct soft_peer *peer = soft_slot_peer(qp, slot);

	return peer && !__atomic_load_n(&peer->dead, __ATOMIC_ACQUIRE) ? peer : NULL;
}

uint32_t soft_mcast_next_member(const struct soft_peer *peer, const union ibv_gid *group, uint32_t *index)
{
	const struct mcast_row *rows = (const struct mcast_row *)(peer->control + LAYOUT_MCAST_OFFSET);
	uint32_t used = __atomic_load_n(&peer->header->mcast_used, __ATOMIC_ACQUIRE);

	for (; *index < used && *index < LAYOUT_MCAST_COUNT; (*index)++) {
		const struct mcast_row *row = &rows[*index];
		uint32_t use = __atomic_load_n(&row->use, __ATOMIC_ACQUIRE);
		uint32_t qpn = __atomic_load_n(&row->qpn, __ATOMIC_ACQUIRE);
		bool is_of_group = memcmp(&row->group, group, sizeof(*group)) == 0;

		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!qpn || !is_of_group || __atomic_load_n(&row->use, __ATOMIC_RELAXED) != use)
			continue;
		(*index)++;
		return qpn;
	}
	return 0;
}

void soft_mcast_forget(void)
{
	pthread_mutex_lock(&lock);
	descriptor_close(&directory.fd);
	directory.is_settled = false;
	memset(directory.marked, 0, sizeof(directory.marked));
	pthread_mutex_unlock(&lock);
}

void soft_mcast_reset(void)
{
	pthread_mutex_init(&lock, NULL);
	soft_mcast_forget();
}
