// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How does this process come to another one's memory? By the slot in a queue pair number: connect to its
 * socket, take the descriptors, map the control file whole and the data file in windows as keys are used.
 * Called by qp.c and ud.c (get, put), by peer.h's soft_peer_memory() for a key seen for the first time, by
 * channel.c for an eventfd, and by the service thread when a connection ends.
 *
 * Windows stay mapped as long as the peer: a deregistered page is a hole in its file, so they hold address
 * space, not memory.
 */
#include "config.h"

#include "host/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "host/liveness.h"
#include "host/mapping.h"
#include "host/runtime_dir.h"
#include "host/threads.h"
#include "host/wire.h"

#define WINDOW_ALIGN	(64ull << 20) /* few mappings, however many regions */
#define POPULATE_MAX	(1ull << 30)
#define POPULATE_STEP	(4ul << 20) /* bytes */
#define PEER_KEYS_SIZE	((LAYOUT_MR_COUNT + LAYOUT_MW_COUNT) * sizeof(struct peer_key))
#define CONNECT_WAIT_MS 100
#define ANSWER_MS	500 /* is it stopped? A process that has a CPU now and then answers in that time */
#define ANSWER_STEP_MS	20  /* of a wait, after which others are answered */
#define LOCK_STEP_MS	1
#define DEAF_MS		1000 /* a process that has not answered is not asked anew */
#define REPLY_FDS	2
#define PAGE_MIN	4096ull
#define PAGE_MAX	(1ull << 30)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t connect_lock = PTHREAD_MUTEX_INITIALIZER; /* taken before table_lock */
static struct soft_peer *peers[SOFT_MAX_PROCESSES];
static struct soft_peer *all_peers; /* also those that have lost their place in the table */
struct soft_peer soft_self_peer;
static bool (*while_waiting)(void);

void soft_peer_set_waiting(bool (*waiting)(void))
{
	while_waiting = waiting;
}

/* Whom this process asks may be asking this one. */
static bool keep_answering(void)
{
	return while_waiting && while_waiting();
}

/* The thread that answers others does not wait for one of ours that waits for them. */
static void lock_take(pthread_mutex_t *lock)
{
	while (pthread_mutex_trylock(lock)) {
		if (!keep_answering()) {
			pthread_mutex_lock(lock);
			return;
		}
		poll(NULL, 0, LOCK_STEP_MS);
	}
}

void soft_peer_lock(struct soft_peer *peer)
{
	lock_take(&peer->lock);
}

static int64_t peer_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int reply_receive(int fd, int64_t deadline, struct wire_reply *reply, int *fds, unsigned int *count)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	struct iovec part = {.iov_base = reply, .iov_len = sizeof(*reply)};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(REPLY_FDS * sizeof(int))];
	} control;
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof(control.room)};
	struct cmsghdr *header;
	ssize_t length;
	bool is_over;
	int ready;

	*count = 0;
	/* A program may have a timer whose signals come more often than that. */
	do {
		int64_t left = deadline - peer_now_ms();

		left = left > 0 ? left : 0;
		is_over = !left;
		ready = poll(&poll_fd, 1, (int)(left < ANSWER_STEP_MS ? left : ANSWER_STEP_MS));
		keep_answering();
	} while ((ready < 0 && errno == EINTR) || (ready == 0 && !is_over));
	if (ready <= 0)
		return ready ? -errno : -ETIMEDOUT;
	length = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (length < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
		*count = (unsigned int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		*count = *count < REPLY_FDS ? *count : REPLY_FDS;
		memcpy(fds, CMSG_DATA(header), *count * sizeof(int));
	}
	/* There was room for them in the message, and not in the process. */
	if (message.msg_flags & MSG_CTRUNC && *count < REPLY_FDS)
		return -EMFILE;
	if (length != sizeof(*reply) || reply->magic != WIRE_MAGIC || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return length ? -EPROTO : -ECONNRESET;
	if (reply->version != LAYOUT_VERSION) {
		soft_error("slot %u runs another version of the software device (layout %u, here %u): use one build",
			   reply->slot, reply->version, LAYOUT_VERSION);
		return -EPROTONOSUPPORT;
	}
	return reply->error;
}

/* Whose answer is it? A slot's next owner must not be taken for its last. instance 0: its present one. */
static bool reply_is_from(const struct wire_reply *reply, uint32_t slot, uint32_t instance)
{
	return reply->slot == slot && reply->instance && reply->instance != soft_self.instance &&
	       (!instance || reply->instance == instance);
}

/*
 * The verbs have no word for it: to them a peer that can't be mapped is one that does not answer. What fails for
 * another reason is a peer that is not there, which a program learns by sending to it.
 */
static void limit_say(uint32_t slot, int err)
{
	static bool is_said;
	const char *limit;

	if (err == -ENOMEM)
		limit = "is ulimit -v set?";
	else if (err == -EMFILE || err == -ENFILE)
		limit = "see ulimit -n";
	else
		return;
	if (!__atomic_exchange_n(&is_said, true, __ATOMIC_RELAXED))
		soft_error("nothing can be sent to the process in slot %u: %s (%s)", slot, strerror(-err), limit);
}

/*
 * A process that is stopped lets each question wait until its time is over. A program that has many for it, one for
 * each message or connection, would not come to anything else: after one that was in vain the rest fail at once, for a
 * while. The next process in its slot has nothing to do with that.
 */
static struct {
	int64_t until_ms;
	int64_t claimed; /* soft_runtime_claimed() of who was asked */
} deaf[SOFT_MAX_PROCESSES];

static bool slot_is_deaf(uint32_t slot, int64_t claimed)
{
	int64_t until = __atomic_load_n(&deaf[slot].until_ms, __ATOMIC_ACQUIRE);

	return until && peer_now_ms() < until && __atomic_load_n(&deaf[slot].claimed, __ATOMIC_RELAXED) == claimed;
}

/* One that was asked for less time may only have had no CPU. */
static void slot_note(uint32_t slot, int64_t claimed, int err, int limit_ms)
{
	if (!err) {
		__atomic_store_n(&deaf[slot].until_ms, 0, __ATOMIC_RELAXED);
	} else if ((err == -ETIMEDOUT || err == -EAGAIN) && limit_ms >= WIRE_TIMEOUT_MS) {
		__atomic_store_n(&deaf[slot].claimed, claimed, __ATOMIC_RELAXED);
		__atomic_store_n(&deaf[slot].until_ms, peer_now_ms() + DEAF_MS, __ATOMIC_RELEASE);
	}
}

/* -EAGAIN: those who wait for it fill its queue. */
static int slot_connect(uint32_t slot, int64_t deadline, int *fd)
{
	int err;

	while ((err = soft_runtime_connect(slot, fd)) == -EAGAIN && peer_now_ms() < deadline) {
		keep_answering();
		poll(NULL, 0, CONNECT_WAIT_MS);
	}
	return err;
}

/* Asks the process in that slot, for limit_ms in all. On success the caller owns the connection and the descriptors. */
static int slot_request_for(int limit_ms, uint32_t slot, uint32_t instance, struct wire_request request,
			    struct wire_reply *reply, int *fds, unsigned int wanted, int *connection)
{
	const int64_t deadline = peer_now_ms() + limit_ms;
	const int64_t claimed = soft_runtime_claimed(slot);
	int received[REPLY_FDS];
	unsigned int count = 0;
	int fd = -1;
	int err;

	if (slot_is_deaf(slot, claimed))
		return -ETIMEDOUT;
	err = slot_connect(slot, deadline, &fd);
	if (err) {
		slot_note(slot, claimed, err, limit_ms);
		limit_say(slot, err);
		return err;
	}
	request.magic = WIRE_MAGIC;
	request.version = LAYOUT_VERSION;
	request.slot = soft_self.slot;
	request.instance = soft_self.instance;
	if (send(fd, &request, sizeof(request), MSG_NOSIGNAL) != sizeof(request))
		err = -errno;
	if (!err)
		err = reply_receive(fd, deadline, reply, received, &count);
	slot_note(slot, claimed, err, limit_ms);
	if (!err && !reply_is_from(reply, slot, instance))
		err = -EPROTO;
	if (!err && request.kind == WIRE_REGION && reply->sysv_id >= 0)
		wanted = 0;
	if (!err && count != wanted)
		err = -EPROTO;
	if (err) {
		limit_say(slot, err);
		while (count)
			close(received[--count]);
		close(fd);
		return err;
	}
	if (wanted)
		memcpy(fds, received, wanted * sizeof(*fds));
	*connection = fd;
	return 0;
}

static int slot_request(uint32_t slot, uint32_t instance, struct wire_request request, struct wire_reply *reply,
			int *fds, unsigned int wanted, int *connection)
{
	return slot_request_for(WIRE_TIMEOUT_MS, slot, instance, request, reply, fds, wanted, connection);
}

static int slot_ask(uint32_t slot, uint32_t instance, uint32_t kind, uint32_t number, struct wire_reply *reply,
		    int *fds, unsigned int wanted, int *connection)
{
	return slot_request(slot, instance, (struct wire_request){.kind = kind, .number = number}, reply, fds, wanted,
			    connection);
}

bool soft_peer_answers(uint32_t slot, uint32_t instance)
{
	struct wire_request request = {.kind = WIRE_ALIVE};
	struct wire_reply reply;
	int connection;

	if (slot >= SOFT_MAX_PROCESSES)
		return false;
	if (slot_request_for(ANSWER_MS, slot, instance, request, &reply, NULL, 0, &connection))
		return false;
	close(connection);
	return true;
}

static void peer_unmap(struct soft_peer *peer)
{
	if (peer->control && peer->connection >= 0)
		mapping_drop(peer->control, LAYOUT_SIZE + LAYOUT_MARGIN);
	if (peer->keys)
		mapping_drop(peer->keys, PEER_KEYS_SIZE);
	for (uint32_t i = 0; i < peer->window_count; i++)
		mapping_drop(peer->windows[i].base, peer->windows[i].end - peer->windows[i].start);
	soft_peer_files_unmap(&peer->files);
	for (uint32_t i = 0; peer->channels && i < CHANNEL_COUNT; i++) {
		if (peer->channels[i].number && peer->channels[i].fd >= 0)
			close(peer->channels[i].fd);
	}
	free(peer->demanded);
	free(peer->windows);
	free(peer->channels);
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
	void *keys = mapping_make_private(PEER_KEYS_SIZE);

	if (keys == MAP_FAILED)
		return -errno;
	peer->keys = keys;
	return 0;
}

/*
 * As large as it is said to be, for good: what lies behind the end of a file ends the process that touches it; and so
 * does a hole in a file of huge pages when none is left.
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
	void *control;
	int err;

	if (!peer)
		return -ENOMEM;
	err = slot_ask(slot, 0, WIRE_CONNECT, 0, &reply, fds, 2, &peer->connection);
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
	control = mapping_make_with_margin(LAYOUT_SIZE, LAYOUT_MARGIN, MAP_SHARED | MAP_NORESERVE, fds[0]);
	close(fds[0]);
	if (control == MAP_FAILED) {
		err = -errno;
		goto err_close;
	}
	mapping_keep_here(control, LAYOUT_SIZE);
	peer->control = control;
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
	limit_say(slot, err);
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

	pthread_mutex_lock(&table_lock);
	peer = peers[slot];
	/* Its queue pairs still hold it; the slot may have a new owner, before the service thread knows. */
	if (peer && (__atomic_load_n(&peer->dead, __ATOMIC_ACQUIRE) || soft_peer_is_gone(peer)))
		peer = peers[slot] = NULL;
	if (peer)
		peer->users++;
	pthread_mutex_unlock(&table_lock);
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
	lock_take(&connect_lock);
	peer = table_get(slot);
	if (!peer && peer_connect(slot, &peer) == 0) {
		peer->users = 1;
		pthread_mutex_lock(&table_lock);
		peers[slot] = peer;
		peer->next = all_peers;
		all_peers = peer;
		pthread_mutex_unlock(&table_lock);
		/* Only now: the service thread may find its end at once, and looks for it in the list. */
		if (soft_liveness_watch(peer->connection, slot, peer->instance)) {
			soft_peer_put(peer);
			peer = NULL;
		}
	}
	pthread_mutex_unlock(&connect_lock);
	return peer;
}

/* table_lock held. */
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
	pthread_mutex_lock(&table_lock);
	is_last = --peer->users == 0;
	if (is_last)
		table_remove(peer);
	pthread_mutex_unlock(&table_lock);
	if (is_last)
		peer_free(peer);
}

struct soft_peer *soft_peer_mark_dead(uint32_t slot, uint32_t instance)
{
	struct soft_peer *peer;

	pthread_mutex_lock(&table_lock);
	for (peer = all_peers; peer && (peer->slot != slot || peer->instance != instance); peer = peer->next)
		;
	if (peer) {
		peer->users++; /* for the caller */
		__atomic_store_n(&peer->dead, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&table_lock);
	return peer;
}

bool soft_peer_is_gone(const struct soft_peer *peer)
{
	return peer->connection >= 0 && soft_runtime_is_gone(peer->connection);
}

bool soft_peer_has_departed(const struct soft_peer *peer)
{
	return __atomic_load_n(&((const struct control_header *)peer->control)->departed, __ATOMIC_ACQUIRE);
}

void soft_peer_fork_prepare(void)
{
	pthread_mutex_lock(&table_lock);
}

void soft_peer_fork_parent(void)
{
	pthread_mutex_unlock(&table_lock);
}

void soft_peer_reset(void)
{
	/* Connections and descriptors are the parent's too; only our copies go. Mappings were not inherited. */
	for (struct soft_peer *peer = all_peers; peer; peer = peer->next) {
		close(peer->connection);
		close(peer->data_fd);
	}
	memset(peers, 0, sizeof(peers));
	all_peers = NULL;
	soft_self_peer = (struct soft_peer){0};
	soft_peer_files_reset();
	pthread_mutex_init(&table_lock, NULL);
	pthread_mutex_init(&connect_lock, NULL);
}

static uint8_t *window_find(struct soft_peer *peer, uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < peer->window_count; i++) {
		if (start >= peer->windows[i].start && end <= peer->windows[i].end)
			return peer->windows[i].base + (start - peer->windows[i].start);
	}
	return NULL;
}

static void *array_grow(void *array, uint32_t count, size_t size)
{
	/* A power of two elements: grows when count is one. */
	if (count & (count - 1))
		return array;
	return realloc(array, (count ? count * 2 : 1) * size);
}

/*
 * Only what is there: a row that names more than was registered must not cost memory. Not by lseek(SEEK_HOLE), which
 * goes on to the end of all that lies behind, or a process with 100,000 regions side by side keeps its peer busy.
 */
static void window_populate(uint8_t *first, const uint8_t *end)
{
	unsigned char there[POPULATE_STEP / 4096];

	while (first < end) {
		size_t length = (size_t)(end - first) < POPULATE_STEP ? (size_t)(end - first) : POPULATE_STEP;

		if (mincore(first, length, there) || memchr(there, 0, (length + 4095) / 4096))
			return;
		mapping_advise(first, length, MADV_POPULATE_WRITE);
		first += length;
	}
}

/* The peer's bytes [start, end) in our address space. */
static uint8_t *window_map(struct soft_peer *peer, uint64_t start, uint64_t end)
{
	uint8_t *found = window_find(peer, start, end);
	struct peer_window window, *windows;

	if (!found) {
		windows = array_grow(peer->windows, peer->window_count, sizeof(*windows));
		if (!windows)
			return NULL;
		peer->windows = windows;
		window.start = start & ~(WINDOW_ALIGN - 1);
		window.end = (end + WINDOW_ALIGN - 1) & ~(WINDOW_ALIGN - 1);
		window.base = mapping_make(NULL, window.end - window.start, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_NORESERVE, peer->data_fd, (off_t)window.start);
		if (window.base == MAP_FAILED) {
			limit_say(peer->slot, -errno);
			return NULL;
		}
		mapping_keep_here(window.base, window.end - window.start);
		peer->windows[peer->window_count++] = window;
		found = window.base + (start - window.start);
	}
	if (end - start <= POPULATE_MAX)
		window_populate((uint8_t *)((uintptr_t)found & ~4095ul), found + (end - start));
	return found;
}

uint8_t *soft_peer_pages(struct soft_peer *peer, uint64_t start, uint64_t end)
{
	return window_map(peer, start, end);
}

int soft_peer_demand(struct soft_peer *peer, uint32_t key, uint64_t start, uint64_t end, bool writes)
{
	struct wire_request request = {
		.kind = WIRE_DEMAND, .number = key, .addr = start, .length = end - start, .writes = writes};
	struct wire_reply reply;
	int connection;
	int err = slot_request(peer->slot, peer->instance, request, &reply, NULL, 0, &connection);

	if (!err)
		close(connection);
	return err;
}

static uint8_t *peer_file_map(struct soft_peer *peer, uint32_t key, uint64_t length, bool is_writable)
{
	struct wire_reply reply;
	uint8_t *memory;
	int connection;
	int fd = -1;

	if (slot_ask(peer->slot, peer->instance, WIRE_REGION, key, &reply, &fd, 1, &connection))
		return NULL;
	close(connection);
	memory = soft_peer_file_map(&peer->files, peer->mrs, key, &reply, fd, length, is_writable);
	if (fd >= 0)
		close(fd);
	return memory;
}

/* The row as it is at one time; false: there is none of that key, or none that can be. */
static bool row_read(const struct mr_row *row, uint32_t key, struct mr_row *out)
{
	uint64_t id = __atomic_load_n(&row->id, __ATOMIC_ACQUIRE);

	memcpy(out, row, sizeof(*out));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (MR_KEY(id) != key || __atomic_load_n(&row->id, __ATOMIC_RELAXED) != id)
		return false;
	out->id = id;
	return out->length && out->length <= SOFT_MAX_MR_SIZE;
}

static uint8_t *region_map(struct soft_peer *peer, uint32_t key, const struct mr_row *mr)
{
	const uint32_t writes = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

	if (peer->connection < 0)
		return (uint8_t *)(uintptr_t)mr->addr;
	if (mr->kind == MR_FILE_BACKED)
		return peer_file_map(peer, key, mr->length, mr->access & writes);
	if (mr->addr > LAYOUT_DATA_SIZE - mr->length)
		return NULL;
	return window_map(peer, mr->addr, mr->addr + mr->length);
}

/* What the key of a region resolved to, mapped; NULL: it can't be. peer->lock held. */
static const struct peer_key *key_map(struct soft_peer *peer, uint32_t key)
{
	struct peer_key *known = &peer->keys[KEY_INDEX(key)];
	struct mr_row mr;
	uint8_t *base;

	if (!row_read(&peer->mrs[KEY_INDEX(key)], key, &mr))
		return NULL;
	if (known->id == mr.id)
		return known;
	base = region_map(peer, key, &mr);
	if (!base)
		return NULL;
	known->iova = mr.iova;
	known->length = mr.length;
	known->offset = (intptr_t)((uintptr_t)base - mr.iova);
	known->access = mr.access;
	known->pd = mr.pd;
	__atomic_store_n(&known->id, mr.id, __ATOMIC_RELEASE);
	return known;
}

bool soft_peer_map(struct soft_peer *peer, uint32_t key)
{
	SOFT_UNCANCELLED;
	bool is_known;

	soft_peer_lock(peer);
	is_known = key_map(peer, key);
	pthread_mutex_unlock(&peer->lock);
	return is_known;
}

bool soft_peer_range(struct soft_peer *peer, uint32_t key, uint64_t *addr, uint64_t *length)
{
	SOFT_UNCANCELLED;
	const struct peer_key *known;

	soft_peer_lock(peer);
	known = key_map(peer, key);
	if (known) {
		*addr = known->iova;
		*length = known->length;
	}
	pthread_mutex_unlock(&peer->lock);
	return known;
}

/* A window gives no more than its region has, whatever its row says. peer->lock held. */
static bool mw_map(struct soft_peer *peer, const struct mw_row *row, uint64_t id, struct peer_key *known)
{
	const uint32_t rights = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
				SOFT_ACCESS_FLUSH_GLOBAL | SOFT_ACCESS_FLUSH_PERSISTENT;
	const struct peer_key *region;
	struct mw_row mw;
	uint64_t into;

	memcpy(&mw, row, sizeof(mw));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&row->id, __ATOMIC_RELAXED) != id || KEY_IS_MW(mw.region))
		return false;
	region = key_map(peer, mw.region);
	if (!region)
		return false;
	into = mw.addr - region->iova;
	if (into >= region->length || mw.length > region->length - into ||
	    (mw.access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) &&
	     !(region->access & IBV_ACCESS_LOCAL_WRITE)))
		return false;
	known->iova = mw.iova;
	known->length = mw.length;
	known->offset = region->offset + (intptr_t)(mw.addr - mw.iova);
	known->access = mw.access & rights;
	known->pd = mw.pd;
	known->qpn = mw.qpn;
	known->id = id;
	return true;
}

void *soft_peer_mw_memory(struct soft_peer *peer, uint32_t key, uint64_t addr, uint64_t length, uint32_t access,
			  uint32_t pd, uint32_t qpn)
{
	SOFT_UNCANCELLED;
	uint32_t index = MW_INDEX(key);
	const struct mw_row *row = &peer->mws[index];
	struct peer_key *known = &peer->keys[LAYOUT_MR_COUNT + index];
	uint64_t id = __atomic_load_n(&row->id, __ATOMIC_ACQUIRE);
	uint64_t into;
	void *memory = NULL;

	if ((uint32_t)id != key)
		return NULL;
	/* Our own row says what a window is; that a peer has invalidated it stands in the row that is shown. */
	if (peer->connection < 0 && __atomic_load_n(&soft_self.shown_mws[index].id, __ATOMIC_ACQUIRE) != id)
		return NULL;
	/* Locked, as a window may be bound anew at any time. */
	soft_peer_lock(peer);
	if (known->id == id || mw_map(peer, row, id, known)) {
		into = addr - known->iova;
		if (into < known->length && length <= known->length - into && known->pd == pd &&
		    (!known->qpn || known->qpn == qpn) && (known->access & access) == access)
			memory = (void *)(uintptr_t)(addr + (uint64_t)known->offset);
	}
	pthread_mutex_unlock(&peer->lock);
	return memory;
}

bool soft_peer_mw_invalidate(struct soft_peer *peer, uint32_t key, uint32_t qpn)
{
	struct mw_row *row = (struct mw_row *)(peer->control + LAYOUT_MW_OFFSET) + MW_INDEX(key);
	uint64_t id = __atomic_load_n(&row->id, __ATOMIC_ACQUIRE);

	return KEY_IS_MW(key) && (uint32_t)id == key && __atomic_load_n(&row->qpn, __ATOMIC_RELAXED) == qpn &&
	       __atomic_compare_exchange_n(&row->id, &id, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Nothing else may be written to: a pipe without a reader ends the writer, a full one holds it. */
static bool is_eventfd(int fd)
{
	static const char name[] = "anon_inode:[eventfd";
	char path[32], target[sizeof(name)];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, target, sizeof(target)) >= (ssize_t)sizeof(name) - 1 &&
	       memcmp(target, name, sizeof(name) - 1) == 0;
}

/* -1: it is not to be had. */
static int channel_ask(struct soft_peer *peer, uint32_t number)
{
	struct wire_reply reply;
	int connection;
	int fd;

	if (slot_ask(peer->slot, peer->instance, WIRE_CHANNEL, number, &reply, &fd, 1, &connection))
		return -1;
	close(connection);
	if (is_eventfd(fd))
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
	soft_peer_lock(peer);
	if (!peer->channels)
		peer->channels = calloc(CHANNEL_COUNT, sizeof(*peer->channels));
	/* Asked for once, had or not: a peer that does not answer is not waited for at each event. */
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
