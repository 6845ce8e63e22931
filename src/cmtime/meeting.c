// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The instances find each other and agree. See meeting.h. */
#include "config.h" /* accept4() */

#include "cmtime/meeting.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmtime/address.h"
#include "util/deadline.h"
#include "util/log.h"

#define NS_PER_MS	 1000000
#define RETRY_MS	 100 /* between two looks for the controller */
#define TRIES_IN_SILENCE 10
#define CONNECT_MS	 2000  /* of one attempt: the address may be the wrong one of several */
#define STRANGER_MS	 10000 /* within which who connects must have said who it is */
#define MAX_STRANGERS	 64    /* connections at a time that have not said so yet */
#define MAX_LISTENERS	 2
#define MAX_QPN		 0xffffff
#define RUNS		 3 /* warm-up and up to two tests, each with queue pairs of its own */

struct stranger {
	struct channel channel;
	struct deadline deadline;
	struct sockaddr_storage address;
};

/* The controller's side until all have met. */
struct hall {
	const struct cmtime_params *params;
	const struct wake *wake;
	struct deadline deadline;
	int listeners[MAX_LISTENERS];
	unsigned num_listeners;
	struct stranger strangers[MAX_STRANGERS];
	unsigned num_strangers;
	struct member *members; /* FRAME_MAX_PEERS; the first is the controller itself */
	uint32_t num_members;
};

const char *meeting_name(uint32_t rank, bool listens, const char *host, char text[AGREEMENT_NAME_SIZE])
{
	snprintf(text, AGREEMENT_NAME_SIZE, "%s %" PRIu32 " (%.60s)", listens ? "server" : "client", rank, host);
	return text;
}

static int64_t left_ns(struct deadline deadline)
{
	return (int64_t)deadline_poll_ms(deadline) * NS_PER_MS;
}

void meeting_host(char host[FRAME_HOST_SIZE])
{
	if (gethostname(host, FRAME_HOST_SIZE - 1))
		snprintf(host, FRAME_HOST_SIZE, "unknown");
	host[FRAME_HOST_SIZE - 1] = '\0';
}

/* Small messages that are waited for; a host whose power went is noticed after 10 + 3 * 5 s. */
static void tune(int fd)
{
	static const struct {
		int level, option, value;
	} settings[] = {
		{IPPROTO_TCP, TCP_NODELAY, 1},	 {SOL_SOCKET, SO_KEEPALIVE, 1}, {IPPROTO_TCP, TCP_KEEPIDLE, 10},
		{IPPROTO_TCP, TCP_KEEPINTVL, 5}, {IPPROTO_TCP, TCP_KEEPCNT, 3},
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		(void)setsockopt(fd, settings[i].level, settings[i].option, &settings[i].value, sizeof(int));
}

/* --- numbers for queue pairs that are not made --- */

static bool range_is_free(const struct member *members, uint32_t num_members, uint64_t first, uint64_t count)
{
	for (uint32_t i = 0; i < num_members; i++)
		if (first < (uint64_t)members[i].qpn_first + members[i].qpn_count &&
		    members[i].qpn_first < first + count)
			return false;
	return first + count <= (uint64_t)MAX_QPN + 1;
}

/* The candidates are the wish, what lies behind each range, and 1. */
static int range_find(const struct member *members, uint32_t num_members, uint32_t wish, uint32_t count,
		      uint32_t *found)
{
	uint64_t best = UINT64_MAX, lowest = UINT64_MAX;

	for (uint32_t i = 0; i < num_members + 2; i++) {
		const uint64_t first = i == 0	? wish
				       : i == 1 ? 1
						: (uint64_t)members[i - 2].qpn_first + members[i - 2].qpn_count;

		if (!range_is_free(members, num_members, first, count))
			continue;
		if (first >= wish && first < best)
			best = first;
		if (first < lowest)
			lowest = first;
	}
	if (best == UINT64_MAX)
		best = lowest;
	if (best == UINT64_MAX)
		return -ERANGE;
	*found = (uint32_t)best;
	return 0;
}

int meeting_share_qpns(struct member *members, uint32_t num_members, uint32_t count)
{
	for (uint32_t i = 0; i < num_members; i++) {
		if (range_find(members, i, members[i].base_qpn, count, &members[i].qpn_first))
			return -ERANGE;
		members[i].qpn_count = count;
	}
	return 0;
}

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

/* --- the controller --- */

static void hall_close(struct hall *hall)
{
	for (unsigned i = 0; i < hall->num_listeners; i++)
		close(hall->listeners[i]);
	hall->num_listeners = 0;
	for (unsigned i = 0; i < hall->num_strangers; i++)
		channel_close(&hall->strangers[i].channel);
	hall->num_strangers = 0;
}

static void hall_refuse_all(struct hall *hall, const char *reason)
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
	if (bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, MAX_STRANGERS)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	return fd;
}

/* 0: this is the controller; -EADDRNOTAVAIL or -EADDRINUSE: somebody else is; others are reported. */
static int hall_open(struct hall *hall, const struct addrinfo *found)
{
	int ret = -EADDRNOTAVAIL;

	for (const struct addrinfo *at = found; at && hall->num_listeners < MAX_LISTENERS; at = at->ai_next) {
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

static void hall_accept(struct hall *hall, int listener)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);
	int fd;

	while ((fd = accept4(listener, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct stranger *stranger = &hall->strangers[hall->num_strangers];

		length = sizeof(address);
		if (hall->num_strangers == MAX_STRANGERS) {
			close(fd);
			continue;
		}
		tune(fd);
		channel_open(&stranger->channel, fd);
		stranger->deadline = deadline_in_ms(STRANGER_MS);
		stranger->address = address;
		hall->num_strangers++;
	}
}

/* All wishes so far, put together anew: a member that left has none any more. */
static int hall_agree(const struct hall *hall, struct agreement *agreement, char *reason, size_t reason_size)
{
	char name[AGREEMENT_NAME_SIZE];
	int ret = 0;

	memset(agreement, 0, sizeof(*agreement));
	for (uint32_t i = 0; i < hall->num_members && !ret; i++)
		ret = agreement_merge(agreement, meeting_name(i, hall->members[i].listens, hall->members[i].host, name),
				      hall->members[i].config, reason, reason_size);
	return ret;
}

/* 0: joined, or sent away; -EINVAL: what it wants contradicts the others, and so ends it for all. */
static int stranger_join(struct hall *hall, unsigned index, const struct frame *frame)
{
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
	if (!hall_agree(hall, &agreement, reason, sizeof(reason)))
		return 0;
	hall_refuse_all(hall, reason);
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
		if (!channel_fill(&member->channel) && !member->channel.in_used)
			continue;
		log_info("%s left", meeting_name(i, member->listens, member->host, name));
		channel_close(&member->channel);
		memmove(member, member + 1, (hall->num_members - i - 1) * sizeof(*member));
		hall->num_members--;
		i--;
	}
}

static uint32_t hall_expected(const struct hall *hall)
{
	struct agreement agreement;
	char reason[FRAME_REASON_SIZE];

	hall_agree(hall, &agreement, reason, sizeof(reason)); /* has been checked when they joined */
	return agreement_peers(&agreement);
}

/* Until as many are there as there shall be. */
static int hall_gather(struct hall *hall)
{
	/* one in front for the bell, then listeners, strangers, members */
	static struct pollfd fds[1 + MAX_LISTENERS + MAX_STRANGERS + FRAME_MAX_PEERS];
	uint32_t expected, told = 0;
	int ret;

	while (expected = hall_expected(hall), hall->num_members < expected) {
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
			hall_refuse_all(hall, "not all instances came in time");
			return -ETIMEDOUT;
		}
		/* Once a second strangers that say nothing are looked at, too. */
		ret = wake_wait(hall->wake, fds, n - 1, 1000LL * NS_PER_MS);
		if (ret) {
			hall_refuse_all(hall, "the controller was stopped by its user");
			return ret;
		}
		for (unsigned i = 0; i < hall->num_listeners; i++)
			hall_accept(hall, hall->listeners[i]);
		for (unsigned i = hall->num_strangers; i-- > 0 && hall->num_members < FRAME_MAX_PEERS;) {
			ret = stranger_hear(hall, i);
			if (ret < 0)
				return ret;
			if (hall->num_members == hall_expected(hall))
				break;
		}
		members_look(hall);
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
	hall_refuse_all(hall, reason);
	log_error("%s", reason);
	return -EINVAL;
}

/* All are there: what is run, by whom. */
static int hall_begin(struct hall *hall, struct cmtime_params *params)
{
	static struct frame frame; /* large; only the main thread meets */
	struct agreement agreement;
	char reason[FRAME_REASON_SIZE];
	uint32_t servers, clients;
	int ret;

	ret = count_roles(hall, &servers, &clients);
	if (ret)
		return ret;
	hall_agree(hall, &agreement, reason, sizeof(reason));
	memset(&frame, 0, sizeof(frame));
	frame.type = FRAME_WELCOME;
	agreement_write(&agreement, frame.welcome.config);
	ret = agreement_adopt(params, frame.welcome.config, reason, sizeof(reason));
	if (!ret && meeting_share_qpns(hall->members, hall->num_members, qpns_needed(params, servers, clients)))
		ret = opt_refuse(reason, sizeof(reason),
				 "there are not enough QP numbers for so many connections of so many instances");
	if (ret) {
		hall_refuse_all(hall, reason);
		log_error("%s", reason);
		return ret;
	}
	frame.welcome.count = hall->num_members;
	for (uint32_t i = 1; i < hall->num_members; i++) {
		frame.welcome.rank = i;
		frame.welcome.qpn_first = hall->members[i].qpn_first;
		frame.welcome.qpn_count = hall->members[i].qpn_count;
		channel_send(&hall->members[i].channel, &frame); /* who is gone will be noticed */
	}
	return 0;
}

static int control(struct meeting *meeting, struct hall *hall, struct cmtime_params *params)
{
	struct member *self;
	int ret;

	hall->members = calloc(FRAME_MAX_PEERS, sizeof(*hall->members));
	if (!hall->members) {
		log_error("no memory for the list of instances");
		return -ENOMEM;
	}
	self = &hall->members[0];
	self->channel.fd = -1;
	self->listens = params->listen;
	self->base_qpn = params->base_qpn;
	meeting_host(self->host);
	agreement_export(params, self->config);
	hall->num_members = 1;
	ret = hall_gather(hall);
	if (!ret)
		ret = hall_begin(hall, params);
	meeting->is_controller = true;
	meeting->members = hall->members;
	meeting->count = hall->num_members;
	meeting->qpn_first = self->qpn_first;
	meeting->qpn_count = self->qpn_count;
	if (ret)
		meeting_close(meeting);
	return ret;
}

/* --- the others --- */

/* 0 and a connection, or -errno, not reported. */
static int connect_to(const struct addrinfo *at, const struct wake *wake, struct deadline deadline, int *connected)
{
	struct pollfd fds[2];
	socklen_t length = sizeof(int);
	int fd, ret, error = 0;

	fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	ret = connect(fd, at->ai_addr, at->ai_addrlen) ? -errno : 0;
	fds[1] = (struct pollfd){.fd = fd, .events = POLLOUT};
	while (ret == -EINPROGRESS) {
		if (deadline_passed(deadline)) {
			ret = -ETIMEDOUT;
			break;
		}
		ret = wake_wait(wake, fds, 1, left_ns(deadline));
		if (ret)
			break;
		ret = -EINPROGRESS;
		if (!fds[1].revents)
			continue;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length))
			error = errno;
		ret = -error;
	}
	if (ret) {
		close(fd);
		return ret;
	}
	tune(fd);
	*connected = fd;
	return 0;
}

static int connect_any(const struct addrinfo *found, const struct wake *wake, int *connected)
{
	int ret = -ECONNREFUSED;

	for (const struct addrinfo *at = found; at; at = at->ai_next) {
		ret = connect_to(at, wake, deadline_in_ms(CONNECT_MS), connected);
		if (!ret || ret == -EINTR)
			break;
	}
	return ret;
}

static int say_join(struct meeting *meeting, const struct cmtime_params *params)
{
	static struct frame frame; /* large; only the main thread meets */

	memset(&frame, 0, sizeof(frame));
	frame.type = FRAME_JOIN;
	frame.join.listens = params->listen;
	frame.join.base_qpn = params->base_qpn;
	meeting_host(frame.join.host);
	agreement_export(params, frame.join.config);
	return channel_send(&meeting->controller, &frame);
}

static int adopt_welcome(struct meeting *meeting, struct cmtime_params *params, const struct frame *frame)
{
	char reason[FRAME_REASON_SIZE];
	int ret;

	ret = agreement_adopt(params, frame->welcome.config, reason, sizeof(reason));
	if (ret) {
		log_error("%s", reason);
		return ret;
	}
	meeting->rank = frame->welcome.rank;
	meeting->count = frame->welcome.count;
	meeting->qpn_first = frame->welcome.qpn_first;
	meeting->qpn_count = frame->welcome.qpn_count;
	return 0;
}

/* The controller's answer is there, or what stands in its place. */
static int hear_answer(struct meeting *meeting, struct cmtime_params *params, struct frame_header *header,
		       const uint8_t *payload, int found, const char *fault)
{
	static struct frame frame; /* large; only the main thread meets */

	/* REFUSE can be read whatever the version is. */
	if (found == -EPROTONOSUPPORT && header->type != FRAME_REFUSE) {
		log_error("the controller %s speaks version %u of the protocol, and this instance version %u: install "
			  "the same cmtime on all hosts",
			  params->controller, header->version, FRAME_VERSION);
		return -EPROTO;
	}
	if (found >= 0 || found == -EPROTONOSUPPORT)
		found = frame_decode(header, payload, &frame, &fault);
	if (!found && frame.type == FRAME_WELCOME) {
		channel_drop(&meeting->controller, header);
		return adopt_welcome(meeting, params, &frame);
	}
	if (!found && frame.type == FRAME_REFUSE)
		log_error("%s", frame.refuse);
	else
		log_error("what listens on %s port %u is no controller of cmtime (%s); -p chooses another port",
			  params->controller, params->port, found ? fault : "it does not say WELCOME");
	return -EPROTO;
}

/* -EAGAIN: the controller was gone before it answered; it may come back. */
static int await_answer(struct meeting *meeting, struct cmtime_params *params, const struct wake *wake,
			struct deadline deadline)
{
	struct channel *channel = &meeting->controller;
	struct frame_header header;
	const uint8_t *payload;
	const char *fault;
	struct pollfd fds[2];
	bool gone = false;
	int ret;

	for (;;) {
		ret = channel_peek(channel, &header, &payload, &fault);
		if (ret == -EPROTONOSUPPORT && header.type == FRAME_REFUSE &&
		    channel->in_used < FRAME_HEADER_SIZE + (size_t)header.length &&
		    header.length <= FRAME_REASON_SIZE && !gone)
			ret = 0; /* its sentence is still on the way */
		if (ret == -EPROTONOSUPPORT && channel->in_used < FRAME_HEADER_SIZE + (size_t)header.length)
			header.type = 0; /* and never came */
		if (ret)
			return hear_answer(meeting, params, &header, payload, ret, fault);
		if (gone)
			return -EAGAIN;
		if (deadline_passed(deadline)) {
			log_error("the controller %s has not all instances together after %" PRIu32
				  " s (--join_timeout)",
				  params->controller, params->join_timeout_s);
			return -ETIMEDOUT;
		}
		fds[1] = (struct pollfd){.fd = channel->fd, .events = POLLIN};
		ret = channel_flush(channel) ? 0 : wake_wait(wake, fds, 1, left_ns(deadline));
		if (ret)
			return ret;
		gone = channel_fill(channel) != 0;
	}
}

static int join(struct meeting *meeting, struct cmtime_params *params, const struct addrinfo *found,
		const struct wake *wake, struct deadline deadline)
{
	int fd = -1, ret;

	ret = connect_any(found, wake, &fd);
	if (ret == -EINTR)
		return ret;
	if (ret)
		return -EAGAIN;
	channel_open(&meeting->controller, fd);
	ret = say_join(meeting, params);
	if (ret)
		ret = -EAGAIN;
	else
		ret = await_answer(meeting, params, wake, deadline);
	if (ret)
		channel_close(&meeting->controller);
	return ret;
}

/* --- both --- */

static int resolve(const struct cmtime_params *params, struct addrinfo **found)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	char port[8];
	int ret;

	snprintf(port, sizeof(port), "%u", params->port);
	ret = getaddrinfo(params->controller, port, &hints, found);
	if (!ret)
		return 0;
	log_error("cannot resolve the controller's name \"%s\" (-C): %s", params->controller,
		  ret == EAI_SYSTEM ? strerror(errno) : gai_strerror(ret));
	return -EHOSTUNREACH;
}

int meeting_hold(struct meeting *meeting, struct cmtime_params *params, const struct wake *wake)
{
	const struct deadline deadline = deadline_in_ms(1000LL * params->join_timeout_s);
	static struct hall hall; /* large; one meeting a program */
	struct pollfd none[1];
	struct addrinfo *found;
	unsigned tries = 0;
	int ret;

	*meeting = (struct meeting){.controller.fd = -1};
	hall = (struct hall){.params = params, .wake = wake, .deadline = deadline};
	ret = resolve(params, &found);
	if (ret)
		return ret;
	/* Tried again and again: the address may be this host's, and the one who had it gone. */
	for (;;) {
		ret = hall_open(&hall, found);
		if (!ret) {
			ret = control(meeting, &hall, params);
			break;
		}
		if (ret != -EADDRNOTAVAIL && ret != -EADDRINUSE)
			break;
		ret = join(meeting, params, found, wake, deadline);
		if (ret != -EAGAIN)
			break;
		if (tries++ == TRIES_IN_SILENCE && isatty(STDERR_FILENO))
			log_info("waiting for the controller on %s port %u", params->controller, params->port);
		if (deadline_passed(deadline)) {
			log_error("no controller answers on %s port %u after %" PRIu32
				  " s (--join_timeout): start an instance on that host, with the same -C and -p",
				  params->controller, params->port, params->join_timeout_s);
			ret = -ETIMEDOUT;
			break;
		}
		ret = wake_wait(wake, none, 0, (int64_t)RETRY_MS * NS_PER_MS);
		if (ret)
			break;
	}
	hall_close(&hall);
	freeaddrinfo(found);
	return ret;
}

void meeting_close(struct meeting *meeting)
{
	for (uint32_t i = 0; i < meeting->count && meeting->members; i++)
		channel_close(&meeting->members[i].channel);
	free(meeting->members);
	meeting->members = NULL;
	channel_close(&meeting->controller);
}
