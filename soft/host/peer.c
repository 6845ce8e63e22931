// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Maps another process's memory, given the slot in a queue pair number: connects to its socket, receives the
 * descriptors, maps the whole control file, and the data file as keys are used (peer_memory.c). Called by qp_modify.c
 * and ud.c (get, put), by channel.c for an eventfd, and by the service thread when a connection ends.
 */
#include "config.h"

#include "host/peer.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "host/liveness.h"
#include "host/mapping.h"
#include "host/runtime_dir.h"
#include "host/threads.h"
#include "host/wire.h"

#define PEER_KEYS_SIZE ((LAYOUT_MR_COUNT + LAYOUT_MW_COUNT) * sizeof(struct peer_key))

pthread_mutex_t soft_peers_lock = PTHREAD_MUTEX_INITIALIZER;	 /* of the table and the list */
static pthread_mutex_t connect_lock = PTHREAD_MUTEX_INITIALIZER; /* taken before soft_peers_lock */
static struct soft_peer *peers[SOFT_MAX_PROCESSES];
static struct soft_peer *all_peers; /* including those that were removed from the table */
struct soft_peer soft_self_peer;

static void peer_free_lists(struct soft_peer *peer)
{
	for (uint32_t i = 0; peer->channels && i < CHANNEL_COUNT; i++) {
		if (peer->channels[i].number && peer->channels[i].fd >= 0)
			close(peer->channels[i].fd);
	}
	free(peer->demanded);
	free(peer->windows);
	free(peer->channels);
}

static void peer_unmap(struct soft_peer *peer)
{
	if (peer->connection >= 0)
		mapping_drop(peer->control, LAYOUT_SIZE + LAYOUT_MARGIN);
	mapping_drop(peer->keys, PEER_KEYS_SIZE);
	for (uint32_t i = 0; i < peer->window_count; i++)
		mapping_drop(peer->windows[i].base, peer->windows[i].end - peer->windows[i].start);
	soft_peer_files_unmap(&peer->files);
	peer_free_lists(peer);
}

static void peer_free(struct soft_peer *peer)
{
	soft_liveness_forget(peer->connection);
	close(peer->connection);
	peer_unmap(peer);
	close(peer->data_fd);
	pthread_mutex_destroy(&peer->lock);
	free(peer);
}

static int keys_map(struct soft_peer *peer)
{
	peer->keys = mapping_make_private(PEER_KEYS_SIZE);
	return peer->keys ? 0 : -errno;
}

/*
 * Checks that the file has its full size permanently: an access after the end of a file kills the process, and so does
 * one to a hole in a file of huge pages when none is left.
 */
static bool file_is_whole(int fd, uint64_t size)
{
	struct statfs system;
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);

	if (fstatfs(fd, &system) || system.f_type == HUGETLBFS_MAGIC)
		return false;
	return seals >= 0 && seals & F_SEAL_SHRINK && fstat(fd, &status) == 0 && (uint64_t)status.st_size >= size;
}

static int peer_connect(uint32_t slot, struct soft_peer **out)
{
	struct soft_peer *peer = calloc(1, sizeof(*peer));
	struct wire_reply reply;
	int fds[REPLY_FDS];
	int err;

	if (!peer)
		return -ENOMEM;
	err = soft_slot_request(slot, 0, (struct wire_request){.kind = WIRE_CONNECT}, &reply, fds, 2,
				&peer->connection);
	if (err)
		goto err_free;
	peer->slot = slot;
	peer->instance = reply.instance;
	peer->data_fd = fds[1];
	pthread_mutex_init(&peer->lock, NULL);
	if (!file_is_whole(fds[0], LAYOUT_SIZE) || !file_is_whole(fds[1], LAYOUT_DATA_SIZE)) {
		close(fds[0]);
		err = -EPROTO;
		goto err_close;
	}
	peer->control = mapping_make_with_margin(LAYOUT_SIZE, LAYOUT_MARGIN, MAP_SHARED | MAP_NORESERVE, fds[0]);
	err = peer->control ? 0 : -errno;
	close(fds[0]);
	if (err)
		goto err_close;
	mapping_keep_here(peer->control, LAYOUT_SIZE);
	peer->mrs = (struct mr_row *)(peer->control + LAYOUT_MR_OFFSET);
	peer->mws = (struct mw_row *)(peer->control + LAYOUT_MW_OFFSET);
	err = keys_map(peer);
	if (err)
		goto err_unmap;
	*out = peer;
	return 0;

err_unmap:
	peer_unmap(peer);
err_close:
	soft_slot_limit_report(slot, err);
	pthread_mutex_destroy(&peer->lock);
	close(peer->data_fd);
	close(peer->connection);
err_free:
	free(peer);
	return err;
}

int soft_peer_open_self(void)
{
	soft_self_peer = (struct soft_peer){.connection = -1,
					    .data_fd = -1,
					    .slot = soft_self.slot,
					    .instance = soft_self.instance,
					    .control = soft_self.control,
					    .mrs = soft_self.mrs,
					    .mws = soft_self.mws};
	pthread_mutex_init(&soft_self_peer.lock, NULL);
	return keys_map(&soft_self_peer);
}

void soft_peer_close_self(void)
{
	peer_unmap(&soft_self_peer);
	soft_self_peer = (struct soft_peer){0};
}

static struct soft_peer *table_get(uint32_t slot)
{
	struct soft_peer *peer;

	pthread_mutex_lock(&soft_peers_lock);
	peer = peers[slot];
	/* Its queue pairs still reference it; the slot may have a new owner before the service thread knows. */
	if (peer && (__atomic_load_n(&peer->dead, __ATOMIC_ACQUIRE) || soft_peer_is_gone(peer)))
		peer = peers[slot] = NULL;
	if (peer)
		peer->users++;
	pthread_mutex_unlock(&soft_peers_lock);
	return peer;
}

struct soft_peer *soft_peer_find(uint32_t slot)
{
	SOFT_UNCANCELLED;

	if (slot >= SOFT_MAX_PROCESSES)
		return NULL;
	return slot == soft_self.slot ? &soft_self_peer : table_get(slot);
}

struct soft_peer *soft_peer_get(uint32_t slot)
{
	SOFT_UNCANCELLED;
	struct soft_peer *peer = soft_peer_find(slot);

	if (peer || slot >= SOFT_MAX_PROCESSES)
		return peer;
	soft_slot_lock_take(&connect_lock);
	peer = table_get(slot);
	if (!peer)
		soft_runtime_check();
	if (!peer && peer_connect(slot, &peer) == 0) {
		peer->users = 1;
		pthread_mutex_lock(&soft_peers_lock);
		peers[slot] = peer;
		peer->next = all_peers;
		all_peers = peer;
		pthread_mutex_unlock(&soft_peers_lock);
		/* Only now: the service thread may detect its end at once, and then searches the list. */
		if (soft_liveness_watch(peer->connection, slot, peer->instance)) {
			soft_peer_put(peer);
			peer = NULL;
		}
	}
	pthread_mutex_unlock(&connect_lock);
	return peer;
}

/* soft_peers_lock is held. */
static void table_remove(struct soft_peer *peer)
{
	struct soft_peer **link = &all_peers;

	if (peers[peer->slot] == peer)
		peers[peer->slot] = NULL;
	while (*link != peer)
		link = &(*link)->next;
	*link = peer->next;
}

void soft_peer_put(struct soft_peer *peer)
{
	SOFT_UNCANCELLED;
	bool is_last;

	if (!peer || peer == &soft_self_peer)
		return;
	pthread_mutex_lock(&soft_peers_lock);
	is_last = --peer->users == 0;
	if (is_last)
		table_remove(peer);
	pthread_mutex_unlock(&soft_peers_lock);
	if (is_last)
		peer_free(peer);
}

struct soft_peer *soft_peer_mark_dead(uint32_t slot, uint32_t instance)
{
	struct soft_peer *peer;

	pthread_mutex_lock(&soft_peers_lock);
	for (peer = all_peers; peer && (peer->slot != slot || peer->instance != instance); peer = peer->next)
		;
	if (peer) {
		peer->users++; /* for the caller */
		__atomic_store_n(&peer->dead, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&soft_peers_lock);
	return peer;
}

bool soft_peer_is_gone(const struct soft_peer *peer)
{
	return peer->connection >= 0 && soft_runtime_is_gone(peer->connection);
}

/* The parent has the same connections and descriptors; only our copies are closed. Mappings were not inherited. */
static void peer_leave(struct soft_peer *peer)
{
	close(peer->connection);
	close(peer->data_fd);
	/* Another thread of the parent may have been enlarging the list: it is unknown which one is current. */
	if (pthread_mutex_trylock(&peer->lock) == 0) {
		peer_free_lists(peer);
		free(peer->files.files);
	}
	free(peer);
}

void soft_peer_reset(void)
{
	while (all_peers) {
		struct soft_peer *peer = all_peers;

		all_peers = peer->next;
		peer_leave(peer);
	}
	memset(peers, 0, sizeof(peers));
	soft_self_peer = (struct soft_peer){0};
	soft_peer_files_reset();
	pthread_mutex_init(&connect_lock, NULL);
}

/* -1: not available. */
static int channel_ask(struct soft_peer *peer, uint32_t number)
{
	const struct wire_request request = {.kind = WIRE_CHANNEL, .number = number};
	struct wire_reply reply;
	int fd;

	if (soft_slot_request(peer->slot, peer->instance, request, &reply, &fd, 1, NULL))
		return -1;
	/* Only an eventfd may be written to: a pipe without a reader kills the writer, a full one blocks it. */
	if (eventfd_look(fd) > 0)
		return fd;
	close(fd);
	return -1;
}

int soft_peer_channel(struct soft_peer *peer, uint32_t number)
{
	SOFT_UNCANCELLED;
	uint32_t index = CHANNEL_INDEX(number);
	int fd = -1;

	if (number == 0 || index >= CHANNEL_COUNT)
		return -1;
	soft_slot_lock_take(&peer->lock);
	if (!peer->channels)
		peer->channels = calloc(CHANNEL_COUNT, sizeof(*peer->channels));
	/* Asked for only once, even if that fails: a peer that does not respond is not waited for at each event. */
	if (peer->channels && peer->channels[index].number != number) {
		fd = channel_ask(peer, number);
		if (peer->channels[index].number && peer->channels[index].fd >= 0)
			close(peer->channels[index].fd);
		peer->channels[index].number = number;
		peer->channels[index].fd = fd;
	}
	if (peer->channels)
		fd = peer->channels[index].fd;
	pthread_mutex_unlock(&peer->lock);
	return fd;
}
