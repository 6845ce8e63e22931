// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Accepts instances at the controller, and merges their options. See rendezvous.h. */
#include "cmtime/rendezvous.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "net/listener.h"
#include "net/tcp.h"
#include "util/log.h"

#define PENDING_MS 8000	    /* within which a connection must have sent HELLO */
#define LOOK_MS	   1000	    /* at most between two checks of the overall deadline */
#define MAX_QPN	   0xffffff /* 24 bits */
#define RUNS	   3	    /* warm-up and up to two tests, each with its own QPs */

/*
 * QP numbers that each instance may need: one for every connection of every run. With --duration or repeats the numbers
 * are reused cyclically; the more there are, the later one is reused.
 */
static uint32_t qpns_needed(const struct cmtime_params *params, uint32_t servers, uint32_t clients)
{
	const uint64_t most = MAX_QPN / (2ULL * (servers + clients));
	const uint64_t peers = servers > clients ? servers : clients;
	const uint64_t wanted =
		params->duration_s || series_repeats(&params->repeat) ? most : RUNS * peers * params->connections;

	return (uint32_t)(wanted < most ? wanted : most);
}

void controller_close(struct controller *controller)
{
	listener_close(&controller->listener);
	pending_close(&controller->pending);
}

static void refuse_pending(struct controller *controller, const char *reason)
{
	for (unsigned i = 0; i < controller->pending.count; i++)
		message_post_end(controller->pending.items[i].conn, &cmtime_messages, MESSAGE_REFUSE, reason);
	pending_close(&controller->pending);
}

static void refuse_all(struct controller *controller, const char *reason)
{
	for (uint32_t i = 1; i < controller->num_members; i++)
		message_post_end(&controller->members[i].conn, &cmtime_messages, MESSAGE_REFUSE, reason);
	refuse_pending(controller, reason);
	/* Connections that were not accepted yet would keep waiting for a controller. */
	if (!pending_admit(&controller->pending))
		refuse_pending(controller, reason);
}

int controller_open(struct controller *controller, const struct addrinfo *found)
{
	int ret;

	if (passed_has())
		return listener_open(&controller->listener, &(struct address){0}, PENDING_MAX);
	ret = listener_open_found(&controller->listener, found, PENDING_MAX);
	if (ret && ret != -EADDRNOTAVAIL && ret != -EADDRINUSE && ret != -EAFNOSUPPORT)
		log_error("cannot listen as the controller on %s port %u: %s", controller->params->controller,
			  controller->params->port, strerror(-ret));
	return ret == -EAFNOSUPPORT ? -EADDRNOTAVAIL : ret;
}

/* --- connections that have not said HELLO --- */

static int instance_accept(void *context, struct conn **conn)
{
	return pending_conn_accept(&((struct controller *)context)->listener, sizeof(**conn), conn);
}

/* rdma-core's cmtime sends a sockaddr_storage, empty from a client, its role as an int, and padding. */
static bool is_rdma_cores(const struct conn *conn)
{
	struct {
		struct sockaddr_storage address;
		uint32_t listens, padding;
	} greeting;

	if (conn_pending(conn) != sizeof(greeting))
		return false;
	memcpy(&greeting, conn_data(conn), sizeof(greeting));
	return greeting.listens == (greeting.address.ss_family != AF_UNSPEC) &&
	       (!greeting.listens || greeting.address.ss_family == AF_INET || greeting.address.ss_family == AF_INET6);
}

/* Looks for a valid HELLO. A peer with another protocol version is told so. */
static enum pending_state instance_read(void *context, struct conn *conn, char text[PENDING_TEXT_SIZE])
{
	const bool gone = conn_fill_all(conn, FRAME_MAX_SIZE) != 0;
	static struct frame frame; /* large; only the main thread does the rendezvous */
	struct message_header header;
	char reason[FRAME_REASON_SIZE];
	const char *fault;
	int ret;

	ret = message_front(conn, &cmtime_messages, &header, &fault);
	if (ret < 0 && is_rdma_cores(conn)) {
		((struct controller *)context)->met_other = true;
		log_error("%s is rdma-core's cmtime, which cannot be joined with this one: run the same cmtime on all "
			  "hosts",
			  conn->peer);
		text[0] = '\0';
		return PENDING_LEAVES;
	}
	if (ret > 0) {
		fault = "it did not send HELLO";
		ret = header.type == MESSAGE_HELLO ? frame_read(conn, &header, &frame, &fault) : -EPROTO;
		if (!ret)
			return PENDING_READY;
	}
	if (ret == -EPROTONOSUPPORT) {
		snprintf(reason, sizeof(reason),
			 "the controller speaks version %u of the protocol, this instance version %u: install the same "
			 "cmtime on all hosts",
			 FRAME_VERSION, header.version);
		message_post_end(conn, &cmtime_messages, MESSAGE_REFUSE, reason);
		snprintf(text, PENDING_TEXT_SIZE,
			 "speaks version %u of the protocol, this controller version %u: it is refused", header.version,
			 FRAME_VERSION);
	} else if (ret < 0) {
		snprintf(text, PENDING_TEXT_SIZE,
			 "sent something that is not a cmtime message (%s): its connection is closed", fault);
	} else if (gone) {
		text[0] = '\0';
	} else {
		snprintf(text, PENDING_TEXT_SIZE,
			 "connected and did not identify itself: it is not an instance of this cmtime, and its "
			 "connection is closed");
	}
	return ret || gone ? PENDING_LEAVES : PENDING_STAYS;
}

static void instance_report(void *context, const struct conn *conn, const char *text)
{
	(void)context;
	log_info("%s %s", conn->peer, text);
}

static const struct pending_ops instance_ops = {
	.accept = instance_accept, .receive = instance_read, .drop = pending_conn_drop, .report = instance_report};

void controller_prepare(struct controller *controller)
{
	controller->listener = (struct listener){.fd = {-1, -1}};
	controller->pending = (struct pending){.ops = &instance_ops, .context = controller, .limit_ms = PENDING_MS};
}

void controller_admit(struct controller *controller, int fd)
{
	struct conn *conn = malloc(sizeof(*conn));

	if (!conn || conn_open_fd(conn, fd, "instance")) {
		if (!conn)
			close(fd);
		free(conn);
		return;
	}
	pending_add(&controller->pending, conn);
}

/* 0 or -errno, reported. */
static int accept_pending(struct controller *controller)
{
	const int ret = pending_admit(&controller->pending);
	char who[32];

	if (!ret)
		return 0;
	/* A connection that waits for a descriptor would wake this process endlessly. */
	snprintf(who, sizeof(who), "instance %" PRIu32, controller->num_members);
	pending_error(ret, who);
	refuse_all(controller, "the controller can hold no more connections");
	return ret;
}

/* Merges all requests again, since those of a member that left no longer count. */
static int controller_agree(struct controller *controller, char *reason, size_t reason_size)
{
	char name[MEMBER_NAME_SIZE];
	int ret = 0;

	option_merge_begin(&controller->merge);
	for (uint32_t i = 0; i < controller->num_members && !ret; i++) {
		const struct frame_join *join = &controller->members[i].join;

		ret = option_merge_add(&controller->merge, member_name(i, join->listens, join->host, name),
				       join->config, reason, reason_size);
	}
	return ret;
}

/* Takes ownership of the connection. 0: joined; -EINVAL: its options contradict the others, which ends it for all. */
static int controller_join_conn(struct controller *controller, struct conn *conn)
{
	const struct frame alive = {.type = MESSAGE_ALIVE, .step = STEP_COUNT};
	struct member *member = &controller->members[controller->num_members];
	static struct frame frame; /* large; only the main thread does the rendezvous */
	struct message_header header;
	char reason[FRAME_REASON_SIZE];
	const char *fault;

	/* instance_read() has checked that the frame is complete. */
	message_front(conn, &cmtime_messages, &header, &fault);
	frame_read(conn, &header, &frame, &fault);
	message_drop(conn, &header);
	*member = (struct member){.conn = *conn, .join = frame.join};
	free(conn);
	controller->num_members++;
	if (!controller_agree(controller, reason, sizeof(reason))) {
		/* acknowledges the HELLO, however long the others take */
		message_send(&member->conn, &cmtime_messages, MESSAGE_ALIVE, &alive);
		return 0;
	}
	refuse_all(controller, reason);
	return log_fail(-EINVAL, "%s", reason);
}

/* A member that died or violated the protocol before the test started makes room for another one. */
static void members_look(struct controller *controller)
{
	char name[MEMBER_NAME_SIZE], reason[FRAME_REASON_SIZE];

	for (uint32_t i = 1; i < controller->num_members; i++) {
		struct member *member = &controller->members[i];

		/* It must not send anything before AGREE. */
		if (!conn_fill_all(&member->conn, FRAME_MAX_SIZE) && !conn_pending(&member->conn))
			continue;
		log_info("%s left", member_name(i, member->join.listens, member->join.host, name));
		conn_close(&member->conn);
		memmove(member, member + 1, (controller->num_members - i - 1) * sizeof(*member));
		controller->num_members--;
		controller_agree(controller, reason, sizeof(reason)); /* as they did before */
		i--;
	}
}

bool controller_is_full(const struct controller *controller)
{
	return controller->num_members >= controller->merge.values.peers;
}

int controller_listen(struct controller *controller)
{
	struct conn *conn;

	while (controller->num_members < FRAME_MAX_PEERS && !controller_is_full(controller) &&
	       !pending_take(&controller->pending, &conn)) {
		const int ret = controller_join_conn(controller, conn);

		if (ret)
			return ret;
	}
	if (controller->met_other) {
		refuse_all(controller, "an instance is rdma-core's cmtime: run the same cmtime on all hosts");
		return -EPROTO;
	}
	members_look(controller);
	return 0;
}

/* Waits until the expected number of instances has joined. */
static int gather(struct controller *controller)
{
	/* the wakeup first, then listeners, pending connections, members */
	static struct pollfd fds[1 + LISTENER_FDS + PENDING_MAX_FDS + FRAME_MAX_PEERS];
	uint32_t expected, reported = 0;
	int ret;

	while (expected = controller->merge.values.peers, controller->num_members < expected) {
		struct deadline nearest = deadline_in_ms(LOOK_MS);
		unsigned n = 1;

		if (controller->num_members != reported)
			log_human("the controller is waiting: %" PRIu32 " of %" PRIu32 " instances have joined",
				  controller->num_members, expected);
		reported = controller->num_members;
		n += listener_poll_fds(&controller->listener, fds + n);
		n += pending_poll_fds(&controller->pending, fds + n, &nearest);
		for (uint32_t i = 1; i < controller->num_members; i++)
			fds[n++] = (struct pollfd){.fd = controller->members[i].conn.fd, .events = POLLIN};
		if (deadline_passed(controller->deadline)) {
			refuse_all(controller, "not all instances joined in time");
			return log_fail(-ETIMEDOUT,
					"only %" PRIu32 " of %" PRIu32 " instances joined within %" PRIu32
					" s (--join_timeout); -P sets the number of instances",
					controller->num_members, expected, controller->params->join_timeout_s);
		}
		ret = wakeup_wait(controller->wake, fds, n - 1, deadline_left_ns(nearest));
		if (ret) {
			refuse_all(controller, "the controller was stopped by the user");
			return ret;
		}
		pending_wake(&controller->pending);
		ret = accept_pending(controller);
		if (!ret)
			ret = controller_listen(controller);
		if (ret)
			return ret;
	}
	return 0;
}

static int count_roles(struct controller *controller, uint32_t *servers, uint32_t *clients)
{
	const char *reason;

	*servers = *clients = 0;
	for (uint32_t i = 0; i < controller->num_members; i++)
		*(controller->members[i].join.listens ? servers : clients) += 1;
	if (*servers && *clients)
		return 0;
	reason = *servers ? "all instances are servers (-L): at least one must be a client"
			  : "no instance is a server: at least one needs -L";
	refuse_all(controller, reason);
	return log_fail(-ENOTSUP, "%s", reason);
}

/* All have joined: tells them what is run, and by whom. */
int controller_begin(struct controller *controller, struct cmtime_params *params)
{
	static struct frame frame; /* large; only the main thread does the rendezvous */
	char reason[FRAME_REASON_SIZE];
	uint32_t servers, clients;
	struct run_id run_id;
	uint64_t token;
	int ret;

	ret = count_roles(controller, &servers, &clients);
	if (ret)
		return ret;
	memset(&frame, 0, sizeof(frame));
	option_merge_write(&controller->merge, frame.welcome.config);
	ret = option_merge_adopt(params, frame.welcome.config, reason, sizeof(reason));
	if (!ret &&
	    members_share_qpns(controller->members, controller->num_members, qpns_needed(params, servers, clients)))
		ret = opt_refuse(reason, sizeof(reason),
				 "there are not enough QP numbers for the connections of all instances");
	if (!ret && getrandom(&token, sizeof(token), 0) != sizeof(token))
		ret = opt_refuse(reason, sizeof(reason), "the controller cannot get random numbers: %s",
				 strerror(errno));
	if (ret) {
		refuse_all(controller, reason);
		return log_fail(ret, "%s", reason);
	}
	run_id = run_id_draw();
	for (uint32_t i = 0; i < controller->num_members; i++) {
		struct frame_place *place = &controller->members[i].place;

		*place = (struct frame_place){i,     controller->num_members, place->qpn_first, place->qpn_count, token,
					      run_id};
		frame.welcome.place = *place;
		/* To itself it is not sent; and a dead instance will be noticed later. */
		ret = message_send(&controller->members[i].conn, &cmtime_messages, MESSAGE_AGREE, &frame);
		if (ret == -ENOMEM)
			return log_fail(ret, "no memory to tell the instances what is run");
	}
	return 0;
}

void controller_enter(struct controller *controller, const struct cmtime_params *params)
{
	char reason[FRAME_REASON_SIZE];

	controller->members[0].conn.fd = -1;
	member_describe(params, &controller->members[0].join);
	controller->num_members = 1;
	controller_agree(controller, reason, sizeof(reason)); /* with itself */
}

int controller_run(struct controller *controller, struct cmtime_params *params)
{
	int ret;

	controller_enter(controller, params);
	ret = gather(controller);
	return ret ? ret : controller_begin(controller, params);
}
