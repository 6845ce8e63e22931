// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who comes to the controller, and what do all agree on? See hall.h. */
#include "config.h" /* accept4() */

#include "cmtime/hall.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cmtime/address.h"
#include "net/socket.h"
#include "util/log.h"

#define STRANGER_MS 8000	 /* within which who connects must have said who it is */
#define LOOK_NS	    1000000000LL /* between two looks at strangers that say nothing */
#define MAX_QPN	    0xffffff	 /* 24 bits */
#define RUNS	    3		 /* warm-up and up to two tests, each with queue pairs of its own */

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
	for (unsigned i = 0; i < hall->num_listeners; i++)
		close(hall->listeners[i]);
	hall->num_listeners = 0;
	for (unsigned i = 0; i < hall->num_strangers; i++)
		channel_close(&hall->strangers[i].channel);
	hall->num_strangers = 0;
}

static void refuse_all(struct hall *hall, const char *reason)
{
	struct frame frame = {.type = FRAME_REFUSE};

	snprintf(frame.refuse, sizeof(frame.refuse), "%s", reason);
	for (uint32_t i = 1; i < hall->num_members; i++)
		channel_send(&hall->members[i].channel, &frame);
	for (unsigned i = 0; i < hall->num_strangers; i++)
		channel_send(&hall->strangers[i].channel, &frame);
}

static int listen_at(const struct addrinfo *at)
{
	const int on = 1;
	int fd, ret;

	fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (at->ai_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	/* Of two that bind at once one fails here, when the other listens. */
	if (bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, HALL_MAX_STRANGERS)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	return fd;
}

int hall_open(struct hall *hall, const struct addrinfo *found)
{
	int ret = -EADDRNOTAVAIL;

	for (const struct addrinfo *at = found; at && hall->num_listeners < HALL_MAX_LISTENERS; at = at->ai_next) {
		const int fd = listen_at(at);

		if (fd >= 0)
			hall->listeners[hall->num_listeners++] = fd;
		else
			ret = fd;
		if (fd == -EADDRINUSE)
			break;
	}
	if (hall->num_listeners && ret != -EADDRINUSE)
		return 0;
	for (unsigned i = 0; i < hall->num_listeners; i++)
		close(hall->listeners[i]);
	hall->num_listeners = 0;
	if (ret != -EADDRNOTAVAIL && ret != -EADDRINUSE && ret != -EAFNOSUPPORT)
		log_error("cannot listen as the controller on %s port %u: %s", hall->params->controller,
			  hall->params->port, strerror(-ret));
	return ret == -EAFNOSUPPORT ? -EADDRNOTAVAIL : ret;
}

static void stranger_drop(struct hall *hall, unsigned index)
{
	channel_close(&hall->strangers[index].channel);
	hall->strangers[index] = hall->strangers[--hall->num_strangers];
}

void hall_admit(struct hall *hall, int fd, const struct sockaddr_storage *address)
{
	struct stranger *stranger = &hall->strangers[hall->num_strangers];

	if (hall->num_strangers == HALL_MAX_STRANGERS) {
		close(fd);
		return;
	}
	socket_tune(fd);
	channel_open(&stranger->channel, fd);
	stranger->deadline = deadline_in_ms(STRANGER_MS);
	stranger->address = *address;
	hall->num_strangers++;
}

/* Of those that have said nothing, the one who came first. False: there is none. */
static bool oldest_drop(struct hall *hall)
{
	unsigned oldest = 0;

	if (!hall->num_strangers)
		return false;
	for (unsigned i = 1; i < hall->num_strangers; i++) {
		if (hall->strangers[i].deadline.at_ns < hall->strangers[oldest].deadline.at_ns)
			oldest = i;
	}
	stranger_drop(hall, oldest);
	return true;
}

/* Not without end: members and the user have a word, too. 0 or -errno, which has been reported. */
static int accept_strangers(struct hall *hall, int listener)
{
	for (unsigned i = 0; i < HALL_MAX_STRANGERS; i++) {
		struct sockaddr_storage address = {0};
		socklen_t length = sizeof(address);
		const int fd = accept4(listener, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			hall_admit(hall, fd, &address);
		} else if ((errno != EMFILE && errno != ENFILE) || i) {
			return 0; /* those who were let in are heard before one of them has to go */
		} else if (!oldest_drop(hall)) {
			/* Who waits for a descriptor would wake this process again and again. */
			const int ret = -errno;

			log_error("cannot take in instance %" PRIu32 ": %s; see ulimit -n", hall->num_members,
				  strerror(-ret));
			refuse_all(hall, "the controller can hold no more connections");
			return ret;
		}
	}
	return 0;
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

/* 0: joined, or sent away; -EINVAL: what it wants contradicts the others, and so ends it for all. */
static int stranger_join(struct hall *hall, unsigned index, const struct frame *frame)
{
	const struct frame alive = {.type = FRAME_ALIVE, .step = STEP_COUNT};
	struct member *member = &hall->members[hall->num_members];
	struct agreement agreement;
	char reason[FRAME_REASON_SIZE];

	memset(member, 0, sizeof(*member));
	member->listens = frame->join.listens;
	member->base_qpn = frame->join.base_qpn;
	memcpy(member->host, frame->join.host, sizeof(member->host));
	memcpy(member->config, frame->join.config, sizeof(member->config));
	member->channel = hall->strangers[index].channel;
	hall->strangers[index] = hall->strangers[--hall->num_strangers];
	hall->num_members++;
	if (!agree(hall, &agreement, reason, sizeof(reason))) {
		/* It has been heard, however long the others take to come. */
		channel_send(&member->channel, &alive);
		return 0;
	}
	refuse_all(hall, reason);
	log_error("%s", reason);
	return -EINVAL;
}

/* What a stranger said. 1: it is dealt with and no longer a stranger; 0: not all is there yet; -EINVAL as above. */
static int stranger_hear(struct hall *hall, unsigned index)
{
	struct stranger *stranger = &hall->strangers[index];
	const bool gone = channel_fill(&stranger->channel) != 0;
	char text[ADDRESS_TEXT_SIZE];
	struct frame answer = {.type = FRAME_REFUSE};
	static struct frame frame; /* large; only the main thread meets */
	struct frame_header header;
	const uint8_t *payload;
	const char *fault;
	int ret;

	ret = channel_peek(&stranger->channel, &header, &payload, &fault);
	if (ret > 0) {
		fault = "it does not say JOIN";
		ret = header.type == FRAME_JOIN ? frame_decode(&header, payload, &frame, &fault) : -EPROTO;
		if (!ret) {
			channel_drop(&stranger->channel, &header);
			ret = stranger_join(hall, index, &frame);
			return ret ? ret : 1;
		}
	}
	if (ret == -EPROTONOSUPPORT) {
		snprintf(answer.refuse, sizeof(answer.refuse),
			 "the controller speaks version %u of the protocol, and this instance version %u: install the "
			 "same cmtime on all hosts",
			 FRAME_VERSION, header.version);
		channel_send(&stranger->channel, &answer);
		log_warning("an instance on %s speaks version %u of the protocol, and this controller version %u: it "
			    "is sent away",
			    address_text(&stranger->address, text), header.version, FRAME_VERSION);
	} else if (ret < 0) {
		log_warning("%s sent something that is no message of cmtime (%s): it is not listened to",
			    address_text(&stranger->address, text), fault);
	}
	if (!ret && !gone && !deadline_passed(stranger->deadline))
		return 0;
	if (!ret && !gone)
		log_warning("%s connected and has not said who it is: it is no instance of this cmtime, and is not "
			    "listened to",
			    address_text(&stranger->address, text));
	stranger_drop(hall, index);
	return 1;
}

/* A member that died, or lost its manners, before the test began makes room for another. */
static void members_look(struct hall *hall)
{
	char name[AGREEMENT_NAME_SIZE];

	for (uint32_t i = 1; i < hall->num_members; i++) {
		struct member *member = &hall->members[i];

		/* It has nothing to say before it is welcome. */
		if (!channel_fill(&member->channel) && !channel_pending(&member->channel))
			continue;
		log_info("%s left", member_name(i, member->listens, member->host, name));
		channel_close(&member->channel);
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
	for (unsigned i = hall->num_strangers; i-- > 0 && hall->num_members < FRAME_MAX_PEERS;) {
		const int ret = stranger_hear(hall, i);

		if (ret < 0)
			return ret;
		if (hall_is_full(hall))
			break;
	}
	members_look(hall);
	return 0;
}

/* Until as many are there as there shall be. */
static int gather(struct hall *hall)
{
	/* one in front for the bell, then listeners, strangers, members */
	static struct pollfd fds[1 + HALL_MAX_LISTENERS + HALL_MAX_STRANGERS + FRAME_MAX_PEERS];
	uint32_t expected, told = 0;
	int ret;

	while (expected = peers_expected(hall), hall->num_members < expected) {
		unsigned n = 1;

		if (hall->num_members != told && isatty(STDERR_FILENO))
			log_info("the controller waits: %" PRIu32 " of %" PRIu32 " instances are here",
				 hall->num_members, expected);
		told = hall->num_members;
		for (unsigned i = 0; i < hall->num_listeners; i++)
			fds[n++] = (struct pollfd){.fd = hall->listeners[i], .events = POLLIN};
		for (unsigned i = 0; i < hall->num_strangers; i++)
			fds[n++] = (struct pollfd){.fd = hall->strangers[i].channel.fd, .events = POLLIN};
		for (uint32_t i = 1; i < hall->num_members; i++)
			fds[n++] = (struct pollfd){.fd = hall->members[i].channel.fd, .events = POLLIN};
		if (deadline_passed(hall->deadline)) {
			log_error("only %" PRIu32 " of %" PRIu32 " instances have met within %" PRIu32
				  " s (--join_timeout); -P says how many there are",
				  hall->num_members, expected, hall->params->join_timeout_s);
			refuse_all(hall, "not all instances came in time");
			return -ETIMEDOUT;
		}
		/* Once a second strangers that say nothing are looked at, too. */
		ret = wake_wait(hall->wake, fds, n - 1, LOOK_NS);
		if (ret) {
			refuse_all(hall, "the controller was stopped by its user");
			return ret;
		}
		for (unsigned i = 0; i < hall->num_listeners && !ret; i++)
			ret = accept_strangers(hall, hall->listeners[i]);
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
		channel_send(&hall->members[i].channel, &frame); /* who is gone will be noticed */
	}
	return 0;
}

void hall_enter(struct hall *hall, const struct cmtime_params *params)
{
	struct member *self = &hall->members[0];

	self->channel.fd = -1;
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
