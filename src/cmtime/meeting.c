// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The instances find each other and agree. See meeting.h; hall.c is the controller's side. */
#include "cmtime/meeting.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmtime/hall.h"
#include "net/socket.h"
#include "util/deadline.h"
#include "util/log.h"

#define NS_PER_MS	 1000000
#define RETRY_MS	 100 /* between two looks for the controller */
#define TRIES_IN_SILENCE 10
#define CONNECT_MS	 2000 /* of one attempt: the address may be the wrong one of several */
#define FOREIGN_MS	 8000 /* a controller answers JOIN at once, however long it waits for the others */

static int64_t left_ns(struct deadline deadline)
{
	return (int64_t)deadline_poll_ms(deadline) * NS_PER_MS;
}

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
	socket_tune(fd);
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
	member_host(frame.join.host);
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
	meeting->token = frame->welcome.token;
	return 0;
}

/* The controller's answer is there, or what stands in its place. */
static int hear_answer(struct meeting *meeting, struct cmtime_params *params, struct frame_header *header,
		       const uint8_t *payload, int found, const char *fault)
{
	static struct frame frame; /* large; only the main thread meets */
	const bool is_answer = header->type == FRAME_WELCOME || header->type == FRAME_REFUSE;

	/* REFUSE can be read whatever the version is. */
	if (found == -EPROTONOSUPPORT && header->type != FRAME_REFUSE) {
		log_error("the controller %s speaks version %u of the protocol, and this instance version %u: install "
			  "the same cmtime on all hosts",
			  params->controller, header->version, FRAME_VERSION);
		return -EPROTO;
	}
	if (found >= 0 && !is_answer)
		fault = "it says neither WELCOME nor REFUSE";
	else if (found >= 0 || found == -EPROTONOSUPPORT)
		found = frame_decode(header, payload, &frame, &fault);
	if (!found && frame.type == FRAME_WELCOME) {
		channel_drop(&meeting->controller, header);
		return adopt_welcome(meeting, params, &frame);
	}
	if (!found && frame.type == FRAME_REFUSE)
		log_error("%s", frame.refuse);
	else
		log_error("what listens on %s port %u is no controller of cmtime (%s); -p chooses another port",
			  params->controller, params->port, fault);
	return -EPROTO;
}

/* Has JOIN been heard? Then the controller may take its time. */
static bool is_alive(const struct frame_header *header, const uint8_t *payload)
{
	struct frame frame = {0};
	const char *fault;

	return header->type == FRAME_ALIVE && !frame_decode(header, payload, &frame, &fault);
}

static int say_too_late(const struct cmtime_params *params, bool heard)
{
	if (heard)
		log_error("the controller %s has not all instances together after %" PRIu32 " s (--join_timeout)",
			  params->controller, params->join_timeout_s);
	else
		log_error("what listens on %s port %u has not answered: it is no controller of this cmtime (another "
			  "version's, as rdma-core's, can't be joined), or it was stopped; -p chooses another port",
			  params->controller, params->port);
	return -ETIMEDOUT;
}

/* -EAGAIN: the controller was gone before it answered; it may come back. */
static int await_answer(struct meeting *meeting, struct cmtime_params *params, const struct wake *wake,
			struct deadline deadline)
{
	const struct deadline foreign = deadline_in_ms(FOREIGN_MS);
	struct channel *channel = &meeting->controller;
	struct frame_header header;
	const uint8_t *payload;
	const char *fault;
	struct pollfd fds[2];
	bool gone = false, heard = false, is_whole;
	int ret;

	for (;;) {
		ret = channel_peek(channel, &header, &payload, &fault);
		if (ret > 0 && is_alive(&header, payload)) {
			heard = true;
			channel_drop(channel, &header);
			continue;
		}
		is_whole = ret && channel_pending(channel) >= FRAME_HEADER_SIZE &&
			   channel_pending(channel) - FRAME_HEADER_SIZE >= header.length;
		if (ret == -EPROTONOSUPPORT && header.type == FRAME_REFUSE && !is_whole &&
		    header.length <= FRAME_REASON_SIZE && !gone)
			ret = 0; /* its sentence is still on the way */
		if (ret == -EPROTONOSUPPORT && !is_whole)
			header.type = 0; /* and never came */
		if (ret)
			return hear_answer(meeting, params, &header, payload, ret, fault);
		if (gone)
			return -EAGAIN;
		if (deadline_passed(deadline) || (!heard && deadline_passed(foreign)))
			return say_too_late(params, heard);
		fds[1] = (struct pollfd){.fd = channel->fd, .events = POLLIN};
		ret = channel_flush(channel)
			      ? 0
			      : wake_wait(wake, fds, 1,
					  left_ns(heard || deadline.at_ns < foreign.at_ns ? deadline : foreign));
		if (ret)
			return ret;
		gone = channel_fill(channel) != 0;
	}
}

int meeting_ask(struct meeting *meeting, struct cmtime_params *params, const struct wake *wake,
		struct deadline deadline)
{
	return say_join(meeting, params) ? -EAGAIN : await_answer(meeting, params, wake, deadline);
}

/* *connected: somebody listens there. */
static int join(struct meeting *meeting, struct cmtime_params *params, const struct addrinfo *found,
		const struct wake *wake, struct deadline deadline, bool *connected)
{
	int fd = -1, ret;

	ret = connect_any(found, wake, &fd);
	if (ret == -EINTR)
		return ret;
	if (ret)
		return -EAGAIN;
	channel_open(&meeting->controller, fd);
	*connected = true;
	ret = meeting_ask(meeting, params, wake, deadline);
	if (ret)
		channel_close(&meeting->controller);
	return ret;
}

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

static int control(struct meeting *meeting, struct hall *hall, struct cmtime_params *params)
{
	int ret;

	hall->members = calloc(FRAME_MAX_PEERS, sizeof(*hall->members));
	if (!hall->members) {
		log_error("no memory for the list of instances");
		return -ENOMEM;
	}
	ret = hall_hold(hall, params);
	meeting->is_controller = true;
	meeting->members = hall->members;
	meeting->count = hall->num_members;
	meeting->qpn_first = hall->members[0].qpn_first;
	meeting->qpn_count = hall->members[0].qpn_count;
	meeting->token = hall->token;
	if (ret)
		meeting_close(meeting);
	return ret;
}

int meeting_hold(struct meeting *meeting, struct cmtime_params *params, const struct wake *wake)
{
	const struct deadline deadline = deadline_in_ms(1000LL * params->join_timeout_s);
	static struct hall hall; /* large; one meeting a program */
	struct pollfd none[1];
	struct addrinfo *found;
	struct deadline foreign = deadline_in_ms(FOREIGN_MS);
	bool connected, suspected = false;
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
		connected = false;
		ret = join(meeting, params, found, wake, deadline, &connected);
		if (ret != -EAGAIN)
			break;
		/* It may be a controller whose hall is full; most likely it is something else. */
		if (!connected)
			foreign = deadline_in_ms(FOREIGN_MS);
		if (connected && !suspected && deadline_passed(foreign)) {
			suspected = true;
			log_warning("what listens on %s port %u hangs up without a word: it may be no controller of "
				    "cmtime; -p chooses another port",
				    params->controller, params->port);
		}
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
