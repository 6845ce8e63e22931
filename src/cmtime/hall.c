// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who comes to the controller, and what do all agree on? See hall.h. */
#include "cmtime/hall.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "util/log.h"

#define STRANGER_MS 8000 /* within which who connects must have said who it is */
#define LOOK_MS	    1000 /* at most between two looks at the deadline of all */
#define NS_PER_MS   1000000LL
#define MAX_QPN	    0xffffff /* 24 bits */
#define RUNS	    3	     /* warm-up and up to two tests, each with queue pairs of its own */

/*
 * How many numbers each instance may need: one for every connection of every run; connecting without end it
 * goes round in what there is, and the wider the round the longer a number has rested.
 */
static uint32_t qpns_needed(const struct cmtime_params *params, uint32_t servers, uint32_t clients)
{
	const uint64_t most = MAX_QPN / (2ULL * (servers + clients));
	const uint64_t peers = servers > clients ? servers : clients;
	const uint64_t wanted = params->duration_s ? most : RUNS * peers * params->connections;

	return (uint32_t)(wanted < most ? wanted : most);
}

void hall_close(struct hall *hall)
{
	listener_close(&hall->listener);
	pending_close(&hall->strangers);
}

static void refuse_all(struct hall *hall, const char *reason)
{
	struct frame frame = {.type = FRAME_REFUSE};

	snprintf(frame.refuse, sizeof(frame.refuse), "%s", reason);
	for (uint32_t i = 1; i < hall->num_members; i++)
		frame_send(&hall->members[i].conn, &frame);
	for (unsigned i = 0; i < hall->strangers.count; i++)
		frame_send(hall->strangers.items[i].conn, &frame);
}

int hall_open(struct hall *hall, const struct addrinfo *found)
{
	const int ret = listener_open_found(&hall->listener, found, PENDING_MAX);

	if (ret && ret != -EADDRNOTAVAIL && ret != -EADDRINUSE && ret != -EAFNOSUPPORT)
		log_error("cannot listen as the controller on %s port %u: %s", hall->params->controller,
			  hall->params->port, strerror(-ret));
	return ret == -EAFNOSUPPORT ? -EADDRNOTAVAIL : ret;
}

/* --- strangers --- */

static int stranger_accept(void *context, struct conn **conn)
{
	struct hall *hall = context;
	struct conn *made = malloc(sizeof(*made));
	int ret = made ? listener_accept(&hall->listener, made) : -ENOMEM;

	if (ret)
		free(made);
	else
		*conn = made;
	return ret;
}

static void stranger_drop(void *context, struct conn *conn)
{
	(void)context;
	conn_close(conn);
	free(conn);
}

/* Is a JOIN there that can be understood? Who speaks another version is told so. */
static enum pending_state stranger_hear(void *context, struct conn *conn, char words[PENDING_WORDS_SIZE])
{
	const bool gone = frame_fill(conn) != 0;
	struct frame answer = {.type = FRAME_REFUSE};
	static struct frame frame; /* large; only the main thread meets */
	struct frame_header header;
	const uint8_t *payload;
	const char *fault;
	int ret;

	(void)context;
	ret = frame_peek(conn, &header, &payload, &fault);
	if (ret > 0) {
		fault = "it does not say JOIN";
		ret = header.type == FRAME_JOIN ? frame_decode(&header, payload, &frame, &fault) : -EPROTO;
		if (!ret)
			return PENDING_READY;
	}
	if (ret == -EPROTONOSUPPORT) {
		snprintf(answer.refuse, sizeof(answer.refuse),
			 "the controller speaks version %u of the protocol, and this instance version %u: install the "
			 "same cmtime on all hosts",
			 FRAME_VERSION, header.version);
		frame_send(conn, &answer);
		snprintf(words, PENDING_WORDS_SIZE,
			 "speaks version %u of the protocol, and this controller version %u: it is sent away",
			 header.version, FRAME_VERSION);
	} else if (ret < 0) {
		snprintf(words, PENDING_WORDS_SIZE,
			 "sent something that is no message of cmtime (%s): it is not listened to", fault);
	} else if (gone) {
		words[0] = '\0';
	} else {
		snprintf(words, PENDING_WORDS_SIZE,
			 "connected and has not said who it is: it is no instance of this cmtime, and is not listened "
			 "to");
	}
	return ret || gone ? PENDING_LEAVES : PENDING_STAYS;
}

static void stranger_tell(void *context, const struct conn *conn, const char *words)
{
	(void)context;
	log_warning("%s %s", conn->peer, words);
}

static const struct pending_ops stranger_ops = {
	.accept = stranger_accept, .hear = stranger_hear, .drop = stranger_drop, .tell = stranger_tell};

void hall_prepare(struct hall *hall)
{
	hall->listener = (struct listener){.fd = {-1, -1}};
	hall->strangers = (struct pending){.ops = &stranger_ops, .context = hall, .limit_ms = STRANGER_MS};
}

void hall_admit(struct hall *hall, int fd)
{
	struct conn *conn = malloc(sizeof(*conn));

	if (!conn || conn_open_fd(conn, fd, "instance")) {
		if (!conn)
			close(fd);
		free(conn);
		return;
	}
	pending_add(&hall->strangers, conn);
}

/* 0 or -errno, which has been reported. */
static int accept_strangers(struct hall *hall)
{
	const int ret = pending_admit(&hall->strangers);

	if (!ret)
		return 0;
	/* Who waits for a descriptor would wake this process again and again. */
	log_error("cannot take in instance %" PRIu32 ": %s%s", hall->num_members, strerror(-ret),
		  ret == -EMFILE ? "; see ulimit -n" : "");
	refuse_all(hall, "the controller can hold no more connections");
	return ret;
}

/* All wishes so far, put together anew: a member that left has none any more. */
static int agree(const struct hall *hall, struct agreement *agreement, char *reason, size_t reason_size)
{
	char name[AGREEMENT_NAME_SIZE];
	int ret = 0;

	memset(agreement, 0, sizeof(*agreement));
	for (uint32_t i = 0; i < hall->num_members && !ret; i++)
		ret = agreement_merge(agreement, member_name(i, hall->members[i].listens, hall->members[i].host, name),
				      hall->members[i].config, reason, reason_size);
	return ret;
}

/* Takes the connection over. 0: joined; -EINVAL: what it wants contradicts the others, and so ends it for all. */
static int stranger_join(struct hall *hall, struct conn *conn)
{
	const struct frame alive = {.type = FRAME_ALIVE, .step = STEP_COUNT};
	struct member *member = &hall->members[hall->num_members];
	static struct frame frame; /* large; only the main thread meets */
	struct frame_header header;
	struct agreement agreement;
	char reason[FRAME_REASON_SIZE];
	const uint8_t *payload;
	const char *fault;

	/* stranger_hear() has seen that it is all there. */
	frame_peek(conn, &header, &payload, &fault);
	frame_decode(&header, payload, &frame, &fault);
	frame_drop(conn, &header);
	memset(member, 0, sizeof(*member));
	member->listens = frame.join.listens;
	member->base_qpn = frame.join.base_qpn;
	memcpy(member->host, frame.join.host, sizeof(member->host));
	memcpy(member->config, frame.join.config, sizeof(member->config));
	member->conn = *conn;
	free(conn);
	hall->num_members++;
	if (!agree(hall, &agreement, reason, sizeof(reason))) {
		/* It has been heard, however long the others take to come. */
		frame_send(&member->conn, &alive);
		return 0;
	}
	refuse_all(hall, reason);
	log_error("%s", reason);
	return -EINVAL;
}

/* A member that died, or lost its manners, before the test began makes room for another. */
static void members_look(struct hall *hall)
{
	char name[AGREEMENT_NAME_SIZE];

	for (uint32_t i = 1; i < hall->num_members; i++) {
		struct member *member = &hall->members[i];

		/* It has nothing to say before it is welcome. */
		if (!frame_fill(&member->conn) && !conn_pending(&member->conn))
			continue;
		log_info("%s left", member_name(i, member->listens, member->host, name));
		conn_close(&member->conn);
		memmove(member, member + 1, (hall->num_members - i - 1) * sizeof(*member));
		hall->num_members--;
		i--;
	}
}

static uint32_t peers_expected(const struct hall *hall)
{
	struct agreement agreement;
	char reason[FRAME_REASON_SIZE];

	agree(hall, &agreement, reason, sizeof(reason)); /* has been checked when they joined */
	return agreement_peers(&agreement);
}

bool hall_is_full(const struct hall *hall)
{
	return hall->num_members >= peers_expected(hall);
}

int hall_listen(struct hall *hall)
{
	struct conn *conn;

	while (hall->num_members < FRAME_MAX_PEERS && !hall_is_full(hall) && !pending_take(&hall->strangers, &conn)) {
		const int ret = stranger_join(hall, conn);

		if (ret)
			return ret;
	}
	members_look(hall);
	return 0;
}

/* Until as many are there as there shall be. */
static int gather(struct hall *hall)
{
	/* one in front for the bell, then listeners, strangers, members */
	static struct pollfd fds[1 + LISTENER_FDS + PENDING_MAX_FDS + FRAME_MAX_PEERS];
	uint32_t expected, told = 0;
	int ret;

	while (expected = peers_expected(hall), hall->num_members < expected) {
		struct deadline nearest = deadline_in_ms(LOOK_MS);
		unsigned n = 1;

		if (hall->num_members != told && isatty(STDERR_FILENO))
			log_info("the controller waits: %" PRIu32 " of %" PRIu32 " instances are here",
				 hall->num_members, expected);
		told = hall->num_members;
		n += listener_watch(&hall->listener, fds + n);
		n += pending_watch(&hall->strangers, fds + n, &nearest);
		for (uint32_t i = 1; i < hall->num_members; i++)
			fds[n++] = (struct pollfd){.fd = hall->members[i].conn.fd, .events = POLLIN};
		if (deadline_passed(hall->deadline)) {
			log_error("only %" PRIu32 " of %" PRIu32 " instances have met within %" PRIu32
				  " s (--join_timeout); -P says how many there are",
				  hall->num_members, expected, hall->params->join_timeout_s);
			refuse_all(hall, "not all instances came in time");
			return -ETIMEDOUT;
		}
		ret = wakeup_wait(hall->wake, fds, n - 1, deadline_poll_ms(nearest) * NS_PER_MS);
		if (ret) {
			refuse_all(hall, "the controller was stopped by its user");
			return ret;
		}
		pending_wake(&hall->strangers);
		ret = accept_strangers(hall);
		if (!ret)
			ret = hall_listen(hall);
		if (ret)
			return ret;
	}
	return 0;
}

static int count_roles(struct hall *hall, uint32_t *servers, uint32_t *clients)
{
	const char *reason;

	*servers = *clients = 0;
	for (uint32_t i = 0; i < hall->num_members; i++)
		*(hall->members[i].listens ? servers : clients) += 1;
	if (*servers && *clients)
		return 0;
	reason = *servers ? "all instances are servers (-L), and nobody connects to them"
			  : "no instance is a server: at least one needs -L";
	refuse_all(hall, reason);
	log_error("%s", reason);
	return -EINVAL;
}

/* All are there: what is run, by whom. */
int hall_begin(struct hall *hall, struct cmtime_params *params)
{
	static struct frame frame; /* large; only the main thread meets */
	struct agreement agreement;
	char reason[FRAME_REASON_SIZE];
	uint32_t servers, clients;
	int ret;

	ret = count_roles(hall, &servers, &clients);
	if (ret)
		return ret;
	agree(hall, &agreement, reason, sizeof(reason));
	memset(&frame, 0, sizeof(frame));
	frame.type = FRAME_WELCOME;
	agreement_write(&agreement, frame.welcome.config);
	ret = agreement_adopt(params, frame.welcome.config, reason, sizeof(reason));
	if (!ret && members_share_qpns(hall->members, hall->num_members, qpns_needed(params, servers, clients)))
		ret = opt_refuse(reason, sizeof(reason),
				 "there are not enough QP numbers for so many connections of so many instances");
	if (!ret && getrandom(&hall->token, sizeof(hall->token), 0) != sizeof(hall->token))
		ret = opt_refuse(reason, sizeof(reason), "the controller has no random numbers: %s", strerror(errno));
	if (ret) {
		refuse_all(hall, reason);
		log_error("%s", reason);
		return ret;
	}
	frame.welcome.token = hall->token;
	frame.welcome.count = hall->num_members;
	for (uint32_t i = 1; i < hall->num_members; i++) {
		frame.welcome.rank = i;
		frame.welcome.qpn_first = hall->members[i].qpn_first;
		frame.welcome.qpn_count = hall->members[i].qpn_count;
		frame_send(&hall->members[i].conn, &frame); /* who is gone will be noticed */
	}
	return 0;
}

void hall_enter(struct hall *hall, const struct cmtime_params *params)
{
	struct member *self = &hall->members[0];

	self->conn.fd = -1;
	self->listens = params->listen;
	self->base_qpn = params->base_qpn;
	member_host(self->host);
	agreement_export(params, self->config);
	hall->num_members = 1;
}

int hall_hold(struct hall *hall, struct cmtime_params *params)
{
	int ret;

	hall_enter(hall, params);
	ret = gather(hall);
	return ret ? ret : hall_begin(hall, params);
}
