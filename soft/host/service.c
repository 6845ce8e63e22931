// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Who answers for this process while its program computes? One thread, asleep on the slot's socket. It hands
 * out the descriptors that peers ask for, takes notices of what they did here beyond data, sees them die by
 * the end of their connections, and carries on waiting requests when the program does not poll. Started and
 * stopped by process.c. No message passes through it.
 *
 * It takes no local lock before it has made all locks real (soft_locks_contend()).
 */
#include "config.h"

#include "host/service.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "host/core.h"
#include "host/peer.h"
#include "host/runtime_dir.h"
#include "host/wire.h"
#include "memory/mr_backing.h"
#include "objects/mr.h"

#define TICK_MS	    4	/* while requests wait: how long the program may be away before we retry them */
#define QUIET_TICKS 250 /* without a waiting request: sleep again until one comes */
#define WATCH_FIXED 2	/* the listening socket and the bell come first */
#define REPLY_FDS   2

struct watch {
	int fd;
	uint32_t slot;	   /* outgoing: of the peer */
	uint32_t instance; /* of the process at the other end, 0: has not said yet */
	bool is_outgoing;  /* we are the initiator: its end tells of the peer, nothing else comes */
};

static struct {
	pthread_t thread;
	bool is_running;
	int listen_fd;
	int bell_fd;
	int data_fd;
	uint32_t is_ticking;
	uint32_t wants_stop;
	pthread_mutex_t awake; /* held by the thread but while it sleeps in poll() */
	pthread_mutex_t lock;  /* of watches */
	struct watch *watches;
	struct pollfd *polls; /* WATCH_FIXED + watch_room */
	size_t watch_count;
	size_t watch_room;
} service = {.listen_fd = -1, .bell_fd = -1, .awake = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

static void bell_ring(void)
{
	const uint64_t one = 1;

	if (service.bell_fd >= 0 && write(service.bell_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		soft_error("cannot wake the service thread: %s", strerror(errno));
}

static int watch_add(struct watch watch)
{
	int err = 0;

	pthread_mutex_lock(&service.lock);
	if (service.watch_count == service.watch_room) {
		size_t room = service.watch_room ? service.watch_room * 2 : 16;
		struct watch *watches = realloc(service.watches, room * sizeof(*watches));

		if (watches) {
			service.watches = watches;
			service.watch_room = room;
		} else {
			err = -ENOMEM;
		}
	}
	if (!err)
		service.watches[service.watch_count++] = watch;
	pthread_mutex_unlock(&service.lock);
	return err;
}

/* service.lock held. */
static struct watch *watch_find(int fd)
{
	for (size_t i = 0; i < service.watch_count; i++) {
		if (service.watches[i].fd == fd)
			return &service.watches[i];
	}
	return NULL;
}

static void watch_remove(int fd)
{
	struct watch *watch;

	pthread_mutex_lock(&service.lock);
	watch = watch_find(fd);
	if (watch)
		*watch = service.watches[--service.watch_count];
	pthread_mutex_unlock(&service.lock);
}

static void watch_name(int fd, uint32_t instance)
{
	struct watch *watch;

	pthread_mutex_lock(&service.lock);
	watch = watch_find(fd);
	if (watch)
		watch->instance = instance;
	pthread_mutex_unlock(&service.lock);
}

/* A process may have two, for the while that one thread of it lets go and another connects anew. */
bool soft_service_initiator_is_gone(uint32_t instance)
{
	bool is_gone = true;

	pthread_mutex_lock(&service.lock);
	for (size_t i = 0; i < service.watch_count && is_gone; i++) {
		const struct watch *watch = &service.watches[i];

		if (!watch->is_outgoing && watch->instance == instance)
			is_gone = soft_runtime_is_gone(watch->fd);
	}
	pthread_mutex_unlock(&service.lock);
	return is_gone;
}

/* Its process id, as this process knows it; 0: it is gone, or in a namespace of its own. */
pid_t soft_service_initiator_pid(uint32_t instance)
{
	struct ucred peer = {0};
	socklen_t length = sizeof(peer);

	pthread_mutex_lock(&service.lock);
	for (size_t i = 0; i < service.watch_count && !peer.pid; i++) {
		const struct watch *watch = &service.watches[i];

		if (!watch->is_outgoing && watch->instance == instance)
			getsockopt(watch->fd, SOL_SOCKET, SO_PEERCRED, &peer, &length);
	}
	pthread_mutex_unlock(&service.lock);
	return peer.pid;
}

int soft_service_watch(int fd, uint32_t slot, uint32_t instance)
{
	int err = watch_add((struct watch){.fd = fd, .slot = slot, .instance = instance, .is_outgoing = true});

	if (!err)
		bell_ring();
	return err;
}

void soft_service_forget(int fd)
{
	watch_remove(fd);
}

void soft_service_tick(void)
{
	if (!__atomic_load_n(&service.is_ticking, __ATOMIC_RELAXED) &&
	    !__atomic_exchange_n(&service.is_ticking, 1, __ATOMIC_RELAXED))
		bell_ring();
}

static void reply_send(int fd, const struct wire_reply *reply, const int *fds, unsigned int count)
{
	struct iovec part = {.iov_base = (void *)reply, .iov_len = sizeof(*reply)};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(REPLY_FDS * sizeof(int))];
	} control = {.room = {0}};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (count) {
		message.msg_control = control.room;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	}
	/* A peer that is gone or does not read finds out by its own time limit. */
	(void)!sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* True: the connection stays. */
static bool request_answer(int fd, const struct wire_request *request, ssize_t length)
{
	struct wire_reply reply = {.magic = WIRE_MAGIC,
				   .version = LAYOUT_VERSION,
				   .slot = soft_self.slot,
				   .instance = soft_self.instance,
				   .sysv_id = -1};
	struct mr_file file;
	int fds[REPLY_FDS];
	unsigned int count = 0;
	bool stays = false;

	if (length != sizeof(*request) || request->magic != WIRE_MAGIC)
		return false; /* none of ours */
	if (request->version != LAYOUT_VERSION) {
		reply.error = -EPROTONOSUPPORT;
	} else if (request->kind == WIRE_CONNECT) {
		fds[count++] = soft_self.control_fd;
		fds[count++] = service.data_fd;
		/* Before it has the means to take a lock: see soft_service_initiator_is_gone(). */
		watch_name(fd, request->instance);
		stays = true;
	} else if (request->kind == WIRE_REGION) {
		reply.error = soft_mr_file(request->number, &file);
		if (!reply.error) {
			reply.offset = file.offset;
			reply.page_size = file.page_size;
			reply.sysv_id = file.sysv_id;
			if (file.fd >= 0)
				fds[count++] = file.fd;
		}
	} else if (request->kind == WIRE_CHANNEL) {
		uint32_t index = CHANNEL_INDEX(request->number);
		struct core_channel *channel;

		pthread_mutex_lock(&soft_self.lock);
		channel = index < CHANNEL_COUNT ? soft_self.channels[index] : NULL;
		if (channel && channel->number == request->number)
			fds[count++] = channel->soft.base.fd;
		reply_send(fd, &reply, fds, count);
		pthread_mutex_unlock(&soft_self.lock);
		if (request->kind == WIRE_CHANNEL)
			return false;
	} else {
		reply.error = -EINVAL;
	}
	reply_send(fd, &reply, fds, count);
	if (request->kind == WIRE_REGION && !reply.error && file.fd >= 0)
		close(file.fd);
	return stays;
}

/* What a dead process held is freed here, by the owner of the memory, since nobody else can tell. */
static void initiator_ended(uint32_t instance)
{
	if (!soft_service_initiator_is_gone(instance))
		return;
	soft_locks_contend(); /* soft_receive_repair() looks into completion queues */
	pthread_mutex_lock(&soft_self.lock);
	for (uint32_t i = 1; i < LAYOUT_QP_COUNT; i++) {
		if (soft_self.qps[i])
			soft_receive_repair(soft_self.qps[i], instance);
	}
	for (uint32_t i = 1; i < LAYOUT_CQ_COUNT; i++) {
		if (!soft_self.cqs[i])
			continue;
		soft_cq_repair(soft_self.cqs[i], instance);
		/* It may have stored a completion and not woken whoever sleeps. */
		soft_channel_rouse_pending(soft_self.cqs[i]);
	}
	pthread_mutex_unlock(&soft_self.lock);
}

/* Whoever dies without a word takes what is connected to it along; whoever leaves in order is found missing. */
static void outgoing_ended(const struct watch *watch)
{
	struct soft_peer *peer = soft_peer_mark_dead(watch->slot, watch->instance);

	if (peer && !soft_peer_has_departed(peer))
		soft_qp_peer_died(peer);
	soft_peer_put(peer);
}

/* Something came on an incoming connection, or its end. False: it is to be closed. */
static bool connection_read(const struct watch *watch)
{
	union {
		struct wire_request request;
		struct notice notice;
	} message;
	ssize_t length = recv(watch->fd, &message, sizeof(message), MSG_DONTWAIT);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (length <= 0) {
		if (watch->instance)
			initiator_ended(watch->instance);
		return false;
	}
	if (watch->instance) {
		if (length == sizeof(message.notice))
			soft_notice_take(&message.notice);
		return true;
	}
	return request_answer(watch->fd, &message.request, length);
}

/* Not even another process of the same user's other namespaces gets in unless it is the same user. */
static bool is_same_user(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

static void connections_accept(void)
{
	int fd;

	while ((fd = accept4(service.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (!is_same_user(fd) || watch_add((struct watch){.fd = fd}))
			close(fd);
	}
	/* No descriptor left to accept it with: it stays, and poll() would say so at once. */
	if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		poll(NULL, 0, TICK_MS);
}

/* Copies what to poll; the list may change while we sleep. */
static size_t polls_fill(void)
{
	static size_t room;
	size_t count;

	pthread_mutex_lock(&service.lock);
	if (room < service.watch_room + WATCH_FIXED || !service.polls) {
		struct pollfd *polls =
			realloc(service.polls, (service.watch_room + WATCH_FIXED) * sizeof(*service.polls));

		if (polls) {
			service.polls = polls;
			room = service.watch_room + WATCH_FIXED;
		}
	}
	count = service.polls ? WATCH_FIXED : 0;
	for (size_t i = 0; i < service.watch_count && count < room && count; i++)
		service.polls[count++] = (struct pollfd){.fd = service.watches[i].fd, .events = POLLIN};
	pthread_mutex_unlock(&service.lock);
	if (count) {
		service.polls[0] = (struct pollfd){.fd = service.listen_fd, .events = POLLIN};
		service.polls[1] = (struct pollfd){.fd = service.bell_fd, .events = POLLIN};
	}
	return count;
}

/* Nothing but the end comes on an outgoing connection; what comes all the same must not wake us again and again. */
static bool outgoing_has_ended(int fd)
{
	struct notice ignored;
	ssize_t length = recv(fd, &ignored, sizeof(ignored), MSG_DONTWAIT);

	return length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR);
}

static void connection_serve(int fd)
{
	struct watch *found, watch = {.fd = -1};
	bool has_ended = false;

	pthread_mutex_lock(&service.lock);
	found = watch_find(fd);
	if (found)
		watch = *found;
	/* It belongs to its peer, which may close it, and the number be another's, unless we hold the lock. */
	if (watch.is_outgoing && outgoing_has_ended(fd)) {
		has_ended = true;
		*found = service.watches[--service.watch_count];
	}
	pthread_mutex_unlock(&service.lock);
	if (has_ended)
		outgoing_ended(&watch);
	if (watch.fd < 0 || watch.is_outgoing || connection_read(&watch))
		return;
	watch_remove(fd);
	close(fd);
}

/* Retries what waits if the program has not done so itself since the last tick. */
static void tick(void)
{
	static uint64_t last_progress;
	static unsigned int quiet;
	uint64_t progress = soft_retry_queue_progress_count();

	if (__atomic_load_n(&soft_retry_queue_count, __ATOMIC_RELAXED) == 0) {
		if (++quiet >= QUIET_TICKS) {
			quiet = 0;
			__atomic_store_n(&service.is_ticking, 0, __ATOMIC_SEQ_CST);
			/* One that came between the two loads rang no bell. */
			if (__atomic_load_n(&soft_retry_queue_count, __ATOMIC_SEQ_CST))
				__atomic_store_n(&service.is_ticking, 1, __ATOMIC_RELAXED);
		}
		return;
	}
	quiet = 0;
	if (progress == last_progress) {
		soft_locks_contend();
		soft_retry_queue_progress();
	}
	last_progress = soft_retry_queue_progress_count();
}

/* Where the program has no other thread, nothing but the program writes to its memory then. */
bool soft_service_rest(void)
{
	return pthread_mutex_trylock(&service.awake) == 0;
}

void soft_service_resume(void)
{
	pthread_mutex_unlock(&service.awake);
}

bool soft_service_is_running(void)
{
	return service.is_running;
}

static void *service_run(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&service.awake);
	while (!__atomic_load_n(&service.wants_stop, __ATOMIC_ACQUIRE)) {
		size_t count = polls_fill();
		bool is_ticking = __atomic_load_n(&service.is_ticking, __ATOMIC_RELAXED);
		int ready;

		pthread_mutex_unlock(&service.awake);
		ready = poll(service.polls, count, is_ticking ? TICK_MS : -1);
		pthread_mutex_lock(&service.awake);
		if (is_ticking)
			tick();
		if (ready <= 0)
			continue;
		if (service.polls[1].revents) {
			uint64_t rings;

			(void)!read(service.bell_fd, &rings, sizeof(rings));
		}
		if (service.polls[0].revents)
			connections_accept();
		for (size_t i = WATCH_FIXED; i < count; i++) {
			if (service.polls[i].revents)
				connection_serve(service.polls[i].fd);
		}
	}
	pthread_mutex_unlock(&service.awake);
	return NULL;
}

int soft_service_start(int data_fd)
{
	int err = soft_runtime_claim(&soft_self.slot, &service.listen_fd);

	if (err)
		return err;
	service.data_fd = data_fd;
	service.wants_stop = 0;
	service.is_ticking = 0;
	service.bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (service.bell_fd < 0) {
		err = -errno;
		goto err_leave;
	}
	err = -soft_thread_create(&service.thread, service_run, NULL);
	if (err) {
		soft_error("cannot start a thread: %s", strerror(-err));
		goto err_bell;
	}
	service.is_running = true;
	return 0;

err_bell:
	close(service.bell_fd);
	service.bell_fd = -1;
err_leave:
	soft_runtime_leave(soft_self.slot);
	close(service.listen_fd);
	service.listen_fd = -1;
	return err;
}

void soft_service_stop(void)
{
	if (!service.is_running)
		return;
	__atomic_store_n(&service.wants_stop, 1, __ATOMIC_RELEASE);
	bell_ring();
	pthread_join(service.thread, NULL);
	service.is_running = false;
	soft_runtime_leave(soft_self.slot);
	close(service.listen_fd);
	close(service.bell_fd);
	service.listen_fd = service.bell_fd = -1;
	for (size_t i = 0; i < service.watch_count; i++) {
		if (!service.watches[i].is_outgoing)
			close(service.watches[i].fd);
	}
	service.watch_count = 0;
}

void soft_service_fork_prepare(void)
{
	pthread_mutex_lock(&service.lock);
}

void soft_service_fork_parent(void)
{
	pthread_mutex_unlock(&service.lock);
}

void soft_service_reset(void)
{
	if (service.listen_fd >= 0)
		close(service.listen_fd);
	if (service.bell_fd >= 0)
		close(service.bell_fd);
	for (size_t i = 0; i < service.watch_count; i++) {
		if (!service.watches[i].is_outgoing)
			close(service.watches[i].fd);
	}
	service.listen_fd = service.bell_fd = -1;
	service.watches = NULL;
	service.polls = NULL;
	service.watch_count = service.watch_room = 0;
	service.is_running = false;
	pthread_mutex_init(&service.awake, NULL);
	pthread_mutex_init(&service.lock, NULL);
}

void soft_notice_take(const struct notice *notice)
{
	switch (notice->kind) {
	case NOTICE_QP_ERROR:
	case NOTICE_ESTABLISHED:
		soft_qp_notice(notice->number, notice->kind, notice->event);
		break;
	case NOTICE_CQ_OVERRUN:
		soft_cq_overrun(notice->number);
		break;
	case NOTICE_EVENT:
		soft_channel_wake(notice->number);
		break;
	}
}

void soft_notice_send(struct soft_peer *peer, uint32_t kind, uint32_t number, uint32_t event)
{
	struct notice notice = {.kind = kind, .number = number, .event = event};

	if (peer->connection < 0) {
		soft_notice_take(&notice);
		return;
	}
	/* Lost only when the peer is stopped with a full socket: it sees its queue pair's state when it goes on. */
	(void)!send(peer->connection, &notice, sizeof(notice), MSG_DONTWAIT | MSG_NOSIGNAL);
}
