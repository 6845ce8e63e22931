// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The instances find each other and agree on the options. See rendezvous.h; controller.c has the controller's part. */
#include "cmtime/rendezvous.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/tcp.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/wait.h"

#define NS_PER_MS	 1000000
#define RETRY_MS	 100 /* between attempts to find the controller */
#define TRIES_IN_SILENCE 10
#define CONNECT_MS	 4000 /* for one attempt at all addresses of the controller */
#define FOREIGN_MS	 8000 /* a controller answers HELLO immediately, however long it waits for the others */

static int send_join(struct cmtime_rendezvous *rendezvous, const struct cmtime_params *params)
{
	static struct frame frame; /* large; only the main thread does the rendezvous */

	memset(&frame, 0, sizeof(frame));
	member_describe(params, &frame.join);
	return message_send(&rendezvous->controller, &cmtime_messages, MESSAGE_HELLO, &frame);
}

static int adopt_welcome(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params, const struct frame *frame)
{
	char reason[FRAME_REASON_SIZE];
	int ret;

	ret = option_merge_adopt(params, frame->welcome.config, reason, sizeof(reason));
	if (ret)
		return log_fail(ret, "%s", reason);
	rendezvous->place = frame->welcome.place;
	return 0;
}

/* Handles the controller's answer, or whatever was received instead. */
static int read_answer(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params,
		       struct message_header *header, int found, const char *fault)
{
	static struct frame frame; /* large; only the main thread does the rendezvous */

	if (found == -EPROTONOSUPPORT)
		return log_fail(
			-EPROTO,
			"the controller %s speaks version %u of the protocol, this instance version %u: install the "
			"same cmtime on all hosts",
			params->controller, header->version, FRAME_VERSION);
	if (found > 0 && header->type != MESSAGE_AGREE && header->type != MESSAGE_REFUSE)
		fault = "it sent neither AGREE nor REFUSE";
	else if (found > 0)
		found = frame_read(&rendezvous->controller, header, &frame, &fault);
	rendezvous->has_begun |= !found;
	if (!found && frame.type == MESSAGE_AGREE) {
		message_drop(&rendezvous->controller, header);
		return adopt_welcome(rendezvous, params, &frame);
	}
	if (!found && frame.type == MESSAGE_REFUSE)
		log_error("%s", frame.refuse);
	else
		log_error(
			"the program listening on %s port %u is not a cmtime controller (%s); -p selects another port",
			params->controller, params->port, fault);
	return -EPROTO;
}

/* Was HELLO acknowledged? Then the controller may take its time. */
static bool is_alive(const struct conn *conn, const struct message_header *header)
{
	struct frame frame = {0};
	const char *fault;

	return header->type == MESSAGE_ALIVE && !frame_read(conn, header, &frame, &fault);
}

static int report_too_late(const struct cmtime_params *params, bool acknowledged)
{
	if (acknowledged)
		log_error("timed out after %" PRIu32
			  " s (--join_timeout) waiting for all instances to join controller %s",
			  params->join_timeout_s, params->controller);
	else
		log_error("the program listening on %s port %u has not answered: it is not a controller of this cmtime "
			  "(those of other versions, such as rdma-core's, cannot be joined), or it was stopped; -p "
			  "selects another port",
			  params->controller, params->port);
	return -ETIMEDOUT;
}

/* -EAGAIN: the connection was closed at once: it may be a controller that is full. */
static int report_gone(const struct cmtime_params *params, bool acknowledged)
{
	if (!acknowledged)
		return -EAGAIN;
	return log_fail(
		-ECONNRESET,
		"the controller %s ended before all instances had joined: it may have been killed or have crashed; "
		"see its own output",
		params->controller);
}

static int rendezvous_await_answer(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params,
				   const struct wakeup *wake, struct deadline deadline)
{
	const struct deadline foreign = deadline_in_ms(FOREIGN_MS);
	struct deadline quiet = deadline_in_ms(WAIT_QUIET_MS);
	struct conn *conn = &rendezvous->controller;
	bool gone = false, acknowledged = false;
	char limit[64];
	struct message_header header;
	const char *fault;
	struct pollfd fds[2];
	int ret;

	for (;;) {
		struct deadline nearest;

		ret = message_front(conn, &cmtime_messages, &header, &fault);
		if (ret > 0 && is_alive(conn, &header)) {
			acknowledged = rendezvous->has_begun = true;
			message_drop(conn, &header);
			continue;
		}
		if (ret)
			return read_answer(rendezvous, params, &header, ret, fault);
		if (gone)
			return report_gone(params, acknowledged);
		nearest = deadline_sooner(deadline, acknowledged ? quiet : foreign);
		if (deadline_passed(deadline) || (!acknowledged && deadline_passed(foreign)))
			return report_too_late(params, acknowledged);
		if (deadline_passed(nearest)) {
			snprintf(limit, sizeof(limit), "; giving up after %" PRIu32 " s (--join_timeout)",
				 params->join_timeout_s);
			log_human("waiting until all instances (-P) have joined controller %s%s", params->controller,
				  params->keep_serving ? "" : limit);
			quiet = deadline_in_ms(-1); /* only once */
			continue;
		}
		fds[1] = (struct pollfd){.fd = conn->fd, .events = POLLIN};
		ret = conn_flush(conn) ? 0 : wakeup_wait(wake, fds, 1, deadline_left_ns(nearest));
		if (ret)
			return ret;
		gone = conn_fill_all(conn, FRAME_MAX_SIZE) != 0;
	}
}

int rendezvous_ask(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params, const struct wakeup *wake,
		   struct deadline deadline)
{
	return send_join(rendezvous, params) ? -EAGAIN : rendezvous_await_answer(rendezvous, params, wake, deadline);
}

/* -ECONNREFUSED: no program listens there. Otherwise as rendezvous_ask(). */
static int rendezvous_join(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params,
			   const struct addrinfo *found, const struct wakeup *wake, struct deadline deadline)
{
	int ret = tcp_connect_any(&rendezvous->controller, found, deadline_in_ms(CONNECT_MS));

	if (ret)
		return ret == -EINTR ? ret : -ECONNREFUSED;
	ret = rendezvous_ask(rendezvous, params, wake, deadline);
	if (ret)
		conn_close(&rendezvous->controller);
	return ret;
}

static int rendezvous_resolve(const struct cmtime_params *params, struct addrinfo **found)
{
	const int ret = address_resolve(params->controller, params->port, AF_UNSPEC, 0 /* no flags */, found);

	if (!ret)
		return 0;
	return log_fail(-EHOSTUNREACH, "cannot resolve the controller's name \"%s\" (-C): %s", params->controller,
			address_resolve_error(ret));
}

static int control(struct cmtime_rendezvous *rendezvous, struct controller *controller, struct cmtime_params *params)
{
	int ret;

	controller->members = calloc(FRAME_MAX_PEERS, sizeof(*controller->members));
	if (!controller->members)
		return log_fail(-ENOMEM, "no memory for the list of instances");
	rendezvous->has_begun = true;
	ret = controller_run(controller, params);
	rendezvous->is_controller = true;
	rendezvous->members = controller->members;
	rendezvous->place = controller->members[0].place;
	rendezvous->place.count = controller->num_members; /* also after a failure */
	if (ret)
		rendezvous_close(rendezvous);
	return ret;
}

int rendezvous_run(struct cmtime_rendezvous *rendezvous, struct cmtime_params *params, const struct wakeup *wake)
{
	const struct deadline deadline = deadline_in_ms(params->keep_serving ? -1 : 1000LL * params->join_timeout_s);
	struct deadline foreign = deadline_in_ms(FOREIGN_MS);
	static struct controller controller; /* large; there is one rendezvous per program */
	struct pollfd none[1];
	struct addrinfo *found;
	unsigned tries = 0;
	int ret;

	*rendezvous = (struct cmtime_rendezvous){.controller.fd = -1};
	controller = (struct controller){.params = params, .wake = wake, .deadline = deadline};
	controller_prepare(&controller);
	ret = rendezvous_resolve(params, &found);
	if (ret)
		return ret;
	/* Retries: the address may be this host's, and become free. */
	while (!ret) {
		ret = controller_open(&controller, found);
		if (!ret) {
			ret = control(rendezvous, &controller, params);
			break;
		}
		if (ret != -EADDRNOTAVAIL && ret != -EADDRINUSE)
			break;
		ret = rendezvous_join(rendezvous, params, found, wake, deadline);
		if (ret != -EAGAIN && ret != -ECONNREFUSED)
			break;
		if (ret == -ECONNREFUSED) {
			foreign = deadline_in_ms(FOREIGN_MS);
		} else if (deadline_passed(foreign)) {
			/* May be a controller that is full, but most likely it is another program. */
			log_info("the program listening on %s port %u closes the connection at once: it may not be "
				 "a cmtime controller; -p selects another port",
				 params->controller, params->port);
			foreign = deadline_in_ms(-1); /* only once */
		}
		if (tries++ == TRIES_IN_SILENCE)
			log_human("waiting for the controller on %s port %u", params->controller, params->port);
		if (deadline_passed(deadline))
			ret = log_fail(-ETIMEDOUT,
				       "no controller answers on %s port %u after %" PRIu32
				       " s (--join_timeout): start an instance on that host, with the same -C and -p",
				       params->controller, params->port, params->join_timeout_s);
		else
			ret = wakeup_wait(wake, none, 0, (int64_t)RETRY_MS * NS_PER_MS);
	}
	controller_close(&controller);
	freeaddrinfo(found);
	return ret;
}

void rendezvous_close(struct cmtime_rendezvous *rendezvous)
{
	for (uint32_t i = 0; i < rendezvous->place.count && rendezvous->members; i++)
		conn_close(&rendezvous->members[i].conn);
	free(rendezvous->members);
	rendezvous->members = NULL;
	conn_close(&rendezvous->controller);
}
