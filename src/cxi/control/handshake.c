// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connects the side channel. See channel.h. */
#include "cxi/control/channel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cxi/control/hpe.h"
#include "net/listener.h"
#include "net/pending.h"
#include "net/tcp.h"
#include "util/allowance.h"
#include "util/log.h"

#define GREETING_MS 10000 /* for a client's hello */

int cxi_transports_check(const char *client, const char *server, char *reason, size_t reason_size)
{
	if (strcmp(client, server) == 0)
		return 0;
	snprintf(reason, reason_size,
		 "the client sends with %s and the server with %s: give both the same --provider, or neither", client,
		 server);
	return -EPROTO;
}

static struct cxi_frame make_hello(const struct cxi_params *params, const char *transport, const struct run_id *run_id)
{
	struct cxi_frame frame = {.hello = {.run_id = *run_id, .gathers = cxi_gathers(params)}};

	snprintf(frame.hello.transport, sizeof(frame.hello.transport), "%s", transport);
	return frame;
}

/* --- the server --- */

/* The conn is first: pending_conn_drop() frees it. */
struct caller {
	struct conn conn;
	bool has_name;	/* its first message was that of HPE's program, and was answered */
	bool is_native; /* only frames of this suite follow */
};

static int acceptor_accept(void *context, struct conn **conn)
{
	return pending_conn_accept(&((struct cxi_acceptor *)context)->listener, sizeof(struct caller), conn);
}

static int invalid(char *reason, size_t reason_size, const char *fault)
{
	snprintf(reason, reason_size, "it sent an invalid message: %s", fault);
	return -EPROTO;
}

/*
 * 1: it is a client, of HPE's, or of this suite and has sent a message: whatever that is, it belongs to the test. Those
 * of this suite may begin like HPE's.
 */
static int acceptor_read_any(struct cxi_acceptor *acceptor, struct conn *conn, char *reason, size_t reason_size)
{
	struct caller *caller = (struct caller *)conn;
	struct message_header header;
	const char *fault;
	int ret = 0;

	while (!caller->is_native) {
		switch (hpe_receive(conn, caller->has_name, acceptor->hpe_version, &fault)) {
		case HPE_NATIVE:
			caller->is_native = true;
			break;
		case HPE_MARKED:
			caller->is_native = true;
			ret = hpe_post_mark(conn);
			break;
		case HPE_NAMED:
			caller->has_name = true;
			ret = hpe_post_name(conn);
			break;
		case HPE_GREETED:
			return 1;
		case HPE_UNKNOWN:
			return invalid(reason, reason_size, fault);
		case HPE_MORE:
			return 0;
		}
		if (ret)
			return invalid(reason, reason_size, strerror(-ret));
	}
	ret = message_front(conn, &cxi_messages, &header, &fault);
	return ret < 0 && !header.version ? invalid(reason, reason_size, fault) : ret != 0;
}

static enum pending_state acceptor_read(void *context, struct conn *conn, char text[PENDING_TEXT_SIZE])
{
	struct cxi_acceptor *acceptor = context;
	char reason[PENDING_TEXT_SIZE - 32];
	const int ret_fill = conn_fill_now(conn, 0);
	const int ret = acceptor_read_any(acceptor, conn, reason, sizeof(reason));

	if (ret > 0)
		return PENDING_READY;
	if (ret) {
		message_post_end(conn, &cxi_messages, MESSAGE_REFUSE, reason);
		snprintf(text, PENDING_TEXT_SIZE, "was refused: %s", reason);
		return PENDING_LEAVES;
	}
	snprintf(text, PENDING_TEXT_SIZE, ret_fill ? "left before it sent a request" : "did not send a request");
	return ret_fill ? PENDING_LEAVES : PENDING_STAYS;
}

static unsigned acceptor_watch(void *context, struct pollfd *fds)
{
	const struct cxi_acceptor *acceptor = context;

	return listener_poll_fds(&acceptor->listener, fds);
}

static const struct pending_ops acceptor_ops = {
	.accept = acceptor_accept, .receive = acceptor_read, .drop = pending_conn_drop};

/* Scripts wait for the line, if stdout has text. */
static void report_listening(const struct cxi_params *params, uint16_t port)
{
	if (params->output.format != FORMAT_TEXT) {
		log_info("listening on port %u for the client", port);
		return;
	}
	printf("Listening on port %u for client to connect...\n", port);
	fflush(stdout);
}

void cxi_acceptor_close(struct cxi_acceptor *acceptor)
{
	pending_close(&acceptor->pending);
	listener_close(&acceptor->listener);
}

static int acceptor_open(struct cxi_acceptor *acceptor, const struct address *address)
{
	const int ret = acceptor->is_open ? 0 : listener_open(&acceptor->listener, address, LISTENER_BACKLOG);

	if (ret || acceptor->is_open)
		return ret;
	acceptor->pending = (struct pending){.ops = &acceptor_ops, .context = acceptor, .limit_ms = GREETING_MS};
	acceptor->is_open = true;
	return 0;
}

int cxi_acceptor_listen(struct cxi_acceptor *acceptor, const struct cxi_params *params)
{
	const struct address address = {
		.port = params->port, .family = params->ipv6 ? AF_INET6 : AF_UNSPEC, .port_option = "-p"};

	const int ret = acceptor_open(acceptor, &address);

	if (!ret)
		report_listening(params, acceptor->listener.port);
	return ret;
}

int cxi_acceptor_next(struct cxi_acceptor *acceptor, struct conn *conn)
{
	struct conn *ready;
	int ret = pending_admit(&acceptor->pending);

	if (ret)
		return pending_error(ret, "a client");
	acceptor->hpe_version[0] = '\0';
	ret = pending_take(&acceptor->pending, &ready);
	if (ret)
		return ret;
	*conn = *ready;
	free(ready);
	return 0;
}

void cxi_acceptor_forget(struct cxi_acceptor *acceptor)
{
	for (unsigned i = 0; i < acceptor->pending.count; i++) {
		close(conn_release(acceptor->pending.items[i].conn));
		free(acceptor->pending.items[i].conn);
	}
	acceptor->pending.count = 0;
	listener_close(&acceptor->listener);
}

static int handshake_await(struct cxi_channel *channel, struct cxi_acceptor *acceptor, const struct cxi_params *params)
{
	struct conn *conn;
	int ret;

	report_listening(params, acceptor->listener.port);
	pending_renew(&acceptor->pending);
	acceptor->hpe_version[0] = '\0';
	ret = pending_await(&acceptor->pending, acceptor_watch, &conn);
	if (!ret) {
		cxi_channel_open(channel, conn, (int64_t)params->timeout_s * 1000);
		free(conn);
	} else if (ret != -EINTR && ret != -ENOTCONN) {
		ret = pending_error(ret, "a client");
	}
	if (!params->keep_serving)
		cxi_acceptor_close(acceptor);
	return ret;
}

static int handshake_serve(struct cxi_channel *channel, const struct cxi_acceptor *acceptor, struct cxi_params *params,
			   const char *transport, const struct cxi_address *own)
{
	char reason[OPT_TEXT_SIZE];
	struct cxi_frame hello;
	int ret;

	if (acceptor->hpe_version[0])
		return hpe_introduce_server(channel, params, acceptor->hpe_version, own);
	ret = channel_receive(&channel->is, MESSAGE_HELLO, &hello);
	if (ret)
		return ret;
	ret = cxi_transports_check(hello.hello.transport, transport, reason, sizeof(reason));
	if (!ret && hello.hello.gathers && cxi_gathers(params))
		ret = opt_refuse(reason, sizeof(reason),
				 "the client has several servers and this server several clients (--clients), so that "
				 "each would wait for the other");
	if (!ret)
		ret = cxi_options_adopt(params, hello.hello.options, reason, sizeof(reason));
	if (ret)
		return log_fail(ret, "%s", reason);
	channel->run_id = run_id_is_known(&acceptor->run_id) ? acceptor->run_id : hello.hello.run_id;
	hello = make_hello(params, transport, &channel->run_id);
	return channel_send(&channel->is, MESSAGE_AGREE, &hello);
}

/* --- the client --- */

/* Finds out whose server it is. version: "" if it is of this suite. 0 or -errno, reported. */
static int greet(struct cxi_channel *channel, char version[HPE_VERSION_SIZE])
{
	const struct deadline deadline = deadline_in_ms(channel->is.timeout_ms);
	struct conn *conn = &channel->is.conn;
	bool has_name = false;
	const char *fault;
	int ret;

	for (ret = hpe_call(conn, deadline); !ret;) {
		switch (hpe_receive(conn, has_name, version, &fault)) {
		case HPE_NATIVE:
			return 0;
		case HPE_NAMED:
			has_name = true;
			break;
		case HPE_GREETED:
			if (hpe_versions_agree(version, HPE_OUR_VERSION))
				return 0;
			return conn_error(conn, -EPROTO,
					  "is HPE's cxi_send_bw %s, and only serves clients of that version; this "
					  "program speaks as " HPE_OUR_VERSION,
					  version);
		case HPE_MORE:
			ret = conn_fill(conn, HPE_MAX_SIZE, deadline);
			break;
		case HPE_MARKED:
			fault = "it greets as a client";
			/* fall through */
		case HPE_UNKNOWN:
			return log_fail(-EPROTO, "the greeting from the server (%s) is invalid: %s", conn->peer, fault);
		}
	}
	return conn_report(conn, ret, "greeting", channel->is.timeout_ms);
}

static int handshake_ask(struct cxi_channel *channel, const struct cxi_acceptor *acceptor,
			 const struct cxi_params *params, const char *transport, const struct cxi_address *own)
{
	const struct run_id run_id = run_id_is_known(&acceptor->run_id) ? acceptor->run_id : run_id_draw();
	struct cxi_frame frame = make_hello(params, transport, &run_id);
	char version[HPE_VERSION_SIZE] = "";
	char reason[OPT_TEXT_SIZE];
	int ret;

	ret = greet(channel, version);
	/* It may be HPE's, or no such server at all: neither expects a message of this suite. */
	channel->is.is_over = ret != 0;
	if (!ret && version[0])
		return hpe_introduce_client(channel, params, own);
	cxi_options_export(params, frame.hello.options);
	if (!ret)
		ret = channel_send(&channel->is, MESSAGE_HELLO, &frame);
	if (!ret)
		ret = channel_receive(&channel->is, MESSAGE_AGREE, &frame);
	if (ret)
		return ret;
	ret = cxi_transports_check(transport, frame.hello.transport, reason, sizeof(reason));
	if (ret)
		log_error("%s", reason);
	channel->run_id = frame.hello.run_id;
	return ret;
}

int cxi_handshake_connect(struct cxi_channel *channel, struct cxi_acceptor *acceptor, const struct cxi_params *params)
{
	const struct address address = {
		.host = params->host,
		.port = params->port,
		.family = params->ipv6 ? AF_INET6 : AF_UNSPEC,
		.port_option = "-p",
		.refused = "; a server without --keep_serving does not listen while it serves another client",
	};
	const int64_t timeout_ms = (int64_t)params->timeout_s * 1000;
	struct conn conn;
	int ret;

	if (params->host[0]) {
		ret = tcp_connect(&conn, &address, timeout_ms);
		if (!ret)
			cxi_channel_open(channel, &conn, timeout_ms);
		return ret;
	}
	ret = acceptor_open(acceptor, &address);
	return ret ? ret : handshake_await(channel, acceptor, params);
}

int cxi_handshake_run(struct cxi_channel *channel, const struct cxi_acceptor *acceptor, struct cxi_params *params,
		      const char *transport, const struct cxi_address *own)
{
	int ret;

	if (params->host[0])
		return handshake_ask(channel, acceptor, params, transport, own);
	ret = handshake_serve(channel, acceptor, params, transport, own);
	channel->is.end = allowance_end(cxi_allowed_s(params));
	return ret;
}
