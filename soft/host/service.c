// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The service thread, which answers for this process while the program computes. It sleeps on the slot's socket, hands
 * out the descriptors that peers ask for, receives their notices, detects dead peers by the end of their
 * connections (liveness.c), and retries waiting requests when the program does not poll. The handler of each of these
 * is in struct service_ops, set by process.c, which starts and stops the thread. No message passes through it.
 *
 * It takes no local lock before soft_locks_contend() has made them effective.
 */
#include "config.h"

#include "host/service.h"

#include <sys/socket.h>

#include "host/liveness.h"
#include "host/peer.h"
#include "host/runtime_dir.h"
#include "host/threads.h"
#include "host/wire.h"

#define TICK_MS	    4	/* while requests wait: how long the program may not poll before we retry them */
#define QUIET_TICKS 250 /* without a waiting request: then sleep until there is one */
#define POLLS_FIXED 2	/* the listening socket and the bell are first */
#define ANSWERS_MAX 64	/* requests answered at once; each is from another slot, and few ask at the same time */

static struct {
	pthread_t thread;
	bool is_running;
	int listen_fd;
	int data_fd;
	const struct service_ops *ops;
	uint32_t is_ticking;
	pthread_mutex_t awake; /* held by the thread except while it sleeps in poll() */
	bool wants_stop;       /* under `awake` */
} service = {.listen_fd = -1, .awake = PTHREAD_MUTEX_INITIALIZER};

void soft_service_tick(void)
{
	if (!__atomic_load_n(&service.is_ticking, __ATOMIC_RELAXED) &&
	    !__atomic_exchange_n(&service.is_ticking, 1, __ATOMIC_RELAXED))
		soft_liveness_ring();
}

void soft_notice_send(struct soft_peer *peer, uint32_t kind, uint32_t number, uint32_t event)
{
	const struct notice notice = {.kind = kind, .number = number, .event = event};

	/* Lost only if the peer is stopped with a full socket: it sees its queue pair's state when it continues. */
	if (peer->connection < 0)
		service.ops->notice(&notice);
	else
		(void)!send(peer->connection, &notice, sizeof(notice), MSG_DONTWAIT | MSG_NOSIGNAL);
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
	/* A peer that does not read, or is gone, has its own time limit. */
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
	int fds[REPLY_FDS];
	unsigned int count = 0;
	bool stays = false;
	int fd_given = -1;

	if (length != sizeof(*request) || request->magic != WIRE_MAGIC)
		return false; /* not a process of ours */
	if (request->version != LAYOUT_VERSION) {
		reply.error = -EPROTONOSUPPORT;
	} else if (request->kind == WIRE_CONNECT && request->slot >= SOFT_MAX_PROCESSES) {
		reply.error = -EINVAL;
	} else if (request->kind == WIRE_CONNECT) {
		fds[count++] = soft_self.control_fd;
		fds[count++] = service.data_fd;
		/* Before it is able to take a lock: see soft_liveness_initiator_is_gone(). */
		soft_liveness_name(fd, request->slot, request->instance);
		stays = true;
	} else if (request->kind == WIRE_REGION) {
		reply.error = service.ops->region_find(request->number, &reply, &fd_given);
	} else if (request->kind == WIRE_DEMAND) {
		reply.error = service.ops->demand(request);
	} else if (request->kind == WIRE_CHANNEL) {
		fd_given = service.ops->channel_find(request->number);
	} else {
		reply.error = -EINVAL;
	}
	if (fd_given >= 0)
		fds[count++] = fd_given;
	reply_send(fd, &reply, fds, count);
	if (fd_given >= 0)
		close(fd_given);
	return stays;
}

/* Can a thread that holds locks answer it? Yes, unless it needs soft_self.lock and the thread holds that. */
static bool is_answerable(const struct wire_request *request)
{
	if (request->kind == WIRE_CONNECT)
		return true;
	if (pthread_mutex_trylock(&soft_self.lock))
		return false;
	pthread_mutex_unlock(&soft_self.lock);
	return true;
}

static void stranger_answer(int fd)
{
	struct wire_request request;
	ssize_t length = recv(fd, &request, sizeof(request), MSG_PEEK | MSG_DONTWAIT);

	if (length != sizeof(request) || request.magic != WIRE_MAGIC || !is_answerable(&request))
		return; /* for later */
	/* Unread data would discard the answer when the connection is closed. */
	length = recv(fd, &request, sizeof(request), MSG_DONTWAIT);
	if (request_answer(fd, &request, length))
		return;
	soft_liveness_forget(fd);
	close(fd);
}

/* A dead peer's connected queue pairs fail; one that exited in order is found missing later. */
static void outgoing_ended(const struct connection *connection)
{
	struct soft_peer *peer = soft_peer_mark_dead(connection->slot, connection->instance);

	if (peer && !__atomic_load_n(&peer->header->departed, __ATOMIC_ACQUIRE))
		service.ops->peer_died(peer);
	soft_peer_put(peer);
}

/* An incoming connection has data or has ended. False: the caller closes it. */
static bool connection_read(const struct connection *connection)
{
	union {
		struct wire_request request;
		struct notice notice;
	} message;
	ssize_t length = recv(connection->fd, &message, sizeof(message), MSG_DONTWAIT);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (length <= 0) {
		if (connection->instance)
			service.ops->initiator_ended(connection->instance);
		return false;
	}
	if (connection->instance) {
		if (length == sizeof(message.notice))
			service.ops->notice(&message.notice);
		return true;
	}
	return request_answer(connection->fd, &message.request, length);
}

static void connections_accept(void)
{
	int fd;

	while ((fd = accept4(service.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (!soft_runtime_is_same_user(fd) || soft_liveness_accept(fd))
			close(fd);
	}
	/* No descriptor is left to accept it with: it stays pending, and poll() would return at once. */
	if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		poll(NULL, 0, TICK_MS);
}

bool soft_service_answer_meanwhile(void)
{
	int fds[ANSWERS_MAX];
	size_t count;

	if (!soft_service_is_here())
		return false;
	connections_accept();
	count = soft_liveness_strangers(fds, ANSWERS_MAX);
	for (size_t i = 0; i < count; i++)
		stranger_answer(fds[i]);
	return true;
}

static void connection_serve(int fd)
{
	struct connection connection;

	if (soft_liveness_find(fd, &connection))
		outgoing_ended(&connection);
	if (connection.fd < 0 || connection.is_outgoing || connection_read(&connection))
		return;
	soft_liveness_forget(fd);
	close(fd);
}

static void service_tick(void)
{
	static unsigned int quiet;

	if (service.ops->retry()) {
		quiet = 0;
		return;
	}
	if (++quiet < QUIET_TICKS)
		return;
	quiet = 0;
	__atomic_store_n(&service.is_ticking, 0, __ATOMIC_SEQ_CST);
	/* A request added between the two checks did not ring the bell. */
	if (service.ops->waits())
		__atomic_store_n(&service.is_ticking, 1, __ATOMIC_RELAXED);
}

/* If the program has no other thread, only the calling thread writes to its memory then. */
bool soft_service_rest(void)
{
	return pthread_mutex_trylock(&service.awake) == 0;
}

void soft_service_resume(void)
{
	pthread_mutex_unlock(&service.awake);
}

bool soft_service_is_here(void)
{
	return service.is_running && pthread_equal(service.thread, pthread_self());
}

bool soft_service_lock(struct local_lock *lock, bool *biased)
{
	*biased = false;
	if (soft_service_is_here())
		return soft_local_lock_try(lock);
	*biased = local_lock_take(lock);
	return true;
}

bool soft_service_is_running(void)
{
	return service.is_running;
}

/* Copies the list of descriptors to poll, which may change while we sleep. */
static struct pollfd *polls_fill(size_t *count)
{
	struct pollfd *polls = soft_liveness_polls(POLLS_FIXED, count);

	if (*count) {
		polls[0] = (struct pollfd){.fd = service.listen_fd, .events = POLLIN};
		polls[1] = (struct pollfd){.fd = soft_liveness_bell(), .events = POLLIN};
	}
	return polls;
}

static void *service_run(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&service.awake);
	while (!service.wants_stop) {
		size_t count;
		struct pollfd *polls = polls_fill(&count);
		bool is_ticking = __atomic_load_n(&service.is_ticking, __ATOMIC_RELAXED);
		int ready;

		pthread_mutex_unlock(&service.awake);
		ready = poll(polls, count, is_ticking ? TICK_MS : -1);
		pthread_mutex_lock(&service.awake);
		if (is_ticking)
			service_tick();
		if (ready <= 0)
			continue;
		if (polls[1].revents)
			soft_liveness_received();
		if (polls[0].revents)
			connections_accept();
		for (size_t i = POLLS_FIXED; i < count; i++) {
			if (polls[i].revents)
				connection_serve(polls[i].fd);
		}
	}
	pthread_mutex_unlock(&service.awake);
	return NULL;
}

/* The thread may still listen on the socket, which is closed when the process exits. */
void soft_service_abandon(void)
{
	if (service.listen_fd >= 0) /* without a slot, the number may be another process's */
		soft_runtime_leave();
}

static void service_leave(void)
{
	soft_service_abandon();
	descriptor_close(&service.listen_fd);
}

int soft_service_start(int data_fd, const struct service_ops *ops)
{
	int err = soft_runtime_claim(&soft_self.slot, &service.listen_fd);

	if (err)
		return err;
	service.data_fd = data_fd;
	service.ops = ops;
	soft_slot_set_waiting(soft_service_answer_meanwhile);
	service.wants_stop = false;
	service.is_ticking = 0;
	err = soft_liveness_open();
	if (err)
		goto err_leave;
	err = -soft_thread_create(&service.thread, service_run, NULL);
	if (err) {
		soft_error("cannot start a thread: %s", strerror(-err));
		goto err_bell;
	}
	service.is_running = true;
	return 0;

err_bell:
	soft_liveness_close();
err_leave:
	service_leave();
	return err;
}

void soft_service_stop(void)
{
	if (!service.is_running)
		return;
	pthread_mutex_lock(&service.awake); /* it reads the flag under this lock */
	service.wants_stop = true;
	pthread_mutex_unlock(&service.awake);
	soft_liveness_ring();
	pthread_join(service.thread, NULL);
	service.is_running = false;
	service_leave();
	soft_liveness_close();
}

void soft_service_reset(void)
{
	descriptor_close(&service.listen_fd);
	service.is_running = false;
	pthread_mutex_init(&service.awake, NULL);
}
