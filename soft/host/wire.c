// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sends requests to the process in another slot: each over a separate connection, with a time limit, because the other
 * process may be stopped, or may be asking this one.
 */
#include "config.h"

#include "host/wire.h"

#include <poll.h>
#include <sys/socket.h>

#include "host/core.h"
#include "host/runtime_dir.h"

#define CONNECT_WAIT_MS 100
#define ANSWER_STEP_MS	20 /* of a wait, before answering others */
#define LOCK_STEP_MS	1
#define DEAF_MS		1000 /* a process that has not answered, or has died, is not asked again */

static bool (*while_waiting)(void);

void soft_slot_set_waiting(bool (*waiting)(void))
{
	while_waiting = waiting;
}

/* The process that is asked may be asking this one. */
static bool keep_answering(void)
{
	return while_waiting && while_waiting();
}

void soft_slot_lock_take(pthread_mutex_t *lock)
{
	while (pthread_mutex_trylock(lock)) {
		if (!keep_answering()) {
			pthread_mutex_lock(lock);
			return;
		}
		poll(NULL, 0, LOCK_STEP_MS);
	}
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
	/* A program's timer signals may interrupt more often than that. */
	do {
		int64_t left = deadline - soft_monotonic_ms();

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
	/* The message had room for the descriptors, but the process had none left. */
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

/*
 * Is the answer from that process? A slot's next owner must not be mistaken for the last. instance 0: the present one.
 */
static bool reply_is_from(const struct wire_reply *reply, uint32_t slot, uint32_t instance)
{
	return reply->slot == slot && reply->instance && reply->instance != soft_self.instance &&
	       (!instance || reply->instance == instance);
}

void soft_slot_limit_report(uint32_t slot, int err)
{
	static int is_said;
	const char *limit;

	if (err == -ENOMEM)
		limit = "is ulimit -v set?";
	else if (err == -EMFILE || err == -ENFILE)
		limit = "see ulimit -n";
	else
		return;
	if (!__atomic_exchange_n(&is_said, 1, __ATOMIC_RELAXED))
		soft_error("nothing can be sent to the process in slot %u: %s (%s)", slot, strerror(-err), limit);
}

/*
 * Each request to a stopped process waits for its full time limit. A program with many, one per message or connection,
 * would do nothing else: after one timeout the rest fail immediately, for a while. The next process in that slot is not
 * affected.
 */
static struct {
	int64_t until_ms;
	int64_t claimed; /* soft_runtime_claimed() of the process that was asked */
} deaf[SOFT_MAX_PROCESSES];

static bool slot_is_deaf(uint32_t slot, int64_t claimed)
{
	int64_t until = __atomic_load_n(&deaf[slot].until_ms, __ATOMIC_ACQUIRE);

	return until && soft_monotonic_ms() < until &&
	       __atomic_load_n(&deaf[slot].claimed, __ATOMIC_RELAXED) == claimed;
}

static void slot_note(uint32_t slot, int64_t claimed, int err)
{
	if (!err) {
		__atomic_store_n(&deaf[slot].until_ms, 0, __ATOMIC_RELAXED);
	} else if (err == -ETIMEDOUT || err == -EAGAIN || err == -ECONNREFUSED) {
		__atomic_store_n(&deaf[slot].claimed, claimed, __ATOMIC_RELAXED);
		__atomic_store_n(&deaf[slot].until_ms, soft_monotonic_ms() + DEAF_MS, __ATOMIC_RELEASE);
	}
}

/* -EAGAIN: its listen queue is full. */
static int slot_connect(uint32_t slot, int64_t deadline, int *fd)
{
	int err;

	while ((err = soft_runtime_connect(slot, fd)) == -EAGAIN && soft_monotonic_ms() < deadline) {
		keep_answering();
		poll(NULL, 0, CONNECT_WAIT_MS);
	}
	return err;
}

int soft_slot_request(uint32_t slot, uint32_t instance, struct wire_request request, struct wire_reply *reply, int *fds,
		      unsigned int wanted, int *connection)
{
	const int64_t deadline = soft_monotonic_ms() + WIRE_TIMEOUT_MS;
	const int64_t claimed = soft_runtime_claimed(slot);
	int received[REPLY_FDS];
	unsigned int count = 0;
	int fd = -1;
	int err;

	if (slot_is_deaf(slot, claimed))
		return -ETIMEDOUT;
	err = slot_connect(slot, deadline, &fd);
	if (err) {
		slot_note(slot, claimed, err);
		soft_slot_limit_report(slot, err);
		return err;
	}
	request.magic = WIRE_MAGIC;
	request.version = LAYOUT_VERSION;
	request.slot = soft_self.slot;
	request.instance = soft_self.instance;
	if (send(fd, &request, sizeof(request), MSG_NOSIGNAL) != sizeof(request))
		err = -errno;
	err = err ?: reply_receive(fd, deadline, reply, received, &count);
	slot_note(slot, claimed, err);
	if (!err && !reply_is_from(reply, slot, instance))
		err = -EPROTO;
	if (!err && request.kind == WIRE_REGION && reply->sysv_id >= 0)
		wanted = 0;
	if (!err && count != wanted)
		err = -EPROTO;
	if (err) {
		soft_slot_limit_report(slot, err);
		while (count)
			close(received[--count]);
		close(fd);
		return err;
	}
	if (wanted)
		memcpy(fds, received, wanted * sizeof(*fds));
	if (connection)
		*connection = fd;
	else
		close(fd);
	return 0;
}
