// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See qperf.h. One process listens and receives requests, all concurrently and each with a timeout; a client costs it
 * a descriptor and 200 bytes. A test runs in a process of its own, which is free to change its CPU affinity, memory and
 * timers, and cannot harm other tests.
 */
#include "config.h" /* ppoll() */

#include "qperf/qperf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "net/listener.h"
#include "net/pending.h"
#include "params/engine/host.h"
#include "params/engine/opt.h"
#include "qperf/control/session.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/stop.h"

#define BACKLOG	    128
#define LOOK_MS	    1000  /* at most between two checks of signals and child processes */
#define REST_MS	    1000  /* pause if no more clients can be accepted */
#define END_MS	    15000 /* for child processes to exit; each may wait 3 s until its client has read the error */
#define EXIT_QUIT   42
#define SHOWN_BYTES 32 /* of an invalid request */
#define BUSY	    "the server already has as many clients as it accepts (--max_clients); try again"

/* A client whose test runs in a process of its own. */
struct served_client {
	pid_t pid; /* 0: free */
	bool muted;
	char peer[ADDRESS_TEXT_SIZE]; /* its address and port */
};

struct server {
	const struct qperf_params *params;
	struct allow allow;
	struct listener listener;
	struct deadline rest;	/* no client is accepted until then */
	struct pending pending; /* clients that have not sent their request */
	unsigned num_clients;
	struct served_client *clients; /* max_clients of them */
	struct complaints complaints;
	sigset_t waiting_mask; /* used while waiting */
	bool quits;
};

/* --- clients --- */

/* Sends a one-line refusal, without waiting: nothing was read, so closing discards nothing. */
static void server_send_away(const struct conn *conn, const char *text)
{
	refusal_send(conn->fd, conn_data(conn), conn_pending(conn), text);
}

static __attribute__((noreturn)) void run_client(struct server *server, struct conn *conn)
{
	int ret;

	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, &server->waiting_mask, NULL);
	listener_close(&server->listener);
	for (unsigned i = 0; i < server->pending.count; i++)
		close(conn_release(server->pending.items[i].conn)); /* still used by the parent */
	ret = client_serve(conn, server->params);
	free(conn);
	/* Not _exit(): a device's library may have files to remove at exit, as the software device has. */
	exit(ret == SERVE_QUIT ? EXIT_QUIT : ret ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* Discards this process's further messages. */
static void mute(void)
{
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	setlogmask(LOG_MASK(LOG_EMERG));
	if (null >= 0)
		dup2(null, STDERR_FILENO);
}

/* Takes ownership of the connection. */
static void start_client(struct server *server, struct conn *conn)
{
	const pid_t parent = getpid();
	unsigned slot = 0;
	bool muted;
	pid_t pid;

	while (slot < server->params->max_clients && server->clients[slot].pid)
		slot++;
	if (slot == server->params->max_clients) {
		server_send_away(conn, BUSY);
		pending_conn_drop(server, conn);
		return;
	}
	muted = complaints_are_many(&server->complaints);
	fflush(NULL); /* otherwise buffered output would be written twice */
	pid = fork();
	if (!pid) {
		stop_with_parent(parent, SIGTERM); /* the client is told why */
		if (muted)
			mute();
		run_client(server, conn);
	}
	if (pid < 0) {
		if (!muted)
			log_error("cannot create a process for %s: %s", conn->peer, strerror(errno));
		complaints_add(&server->complaints, muted);
		server_send_away(conn, "the server cannot create a process for this test");
		pending_conn_drop(server, conn);
		return;
	}
	server->clients[slot] = (struct served_client){pid, muted, ""};
	snprintf(server->clients[slot].peer, sizeof(server->clients[slot].peer), "%s", conn->peer);
	server->num_clients++;
	close(conn_release(conn)); /* used by the child */
	free(conn);
}

static void reap_clients(struct server *server)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		struct served_client client = {0};

		for (unsigned i = 0; i < server->params->max_clients; i++) {
			if (server->clients[i].pid != pid)
				continue;
			client = server->clients[i];
			server->clients[i] = (struct served_client){0};
			server->num_clients--;
		}
		if (!WIFEXITED(status) || WEXITSTATUS(status) == EXIT_FAILURE)
			complaints_add(&server->complaints, client.muted);
		if (WIFSIGNALED(status) && !client.muted)
			log_error("the process of %s died of signal %d", client.peer, WTERMSIG(status));
		server->quits |= WIFEXITED(status) && WEXITSTATUS(status) == EXIT_QUIT;
	}
}

/* --- pending: connected, but no complete request yet --- */

static bool is_allowed(const struct server *server, const struct conn *conn)
{
	struct addresses addresses;
	char text[ADDRESS_TEXT_SIZE];

	conn_addresses(conn, &addresses);
	if (allow_has(&server->allow, &addresses.peer))
		return true;
	log_info("%s is not allowed to come in (--allow)", address_host_text(&addresses.peer, text));
	return false;
}

static int guest_accept(void *context, struct conn **conn)
{
	struct server *server = context;
	struct conn *made;
	const int ret = pending_conn_accept(&server->listener, sizeof(*made), &made);

	if (ret)
		return ret;
	if (!is_allowed(server, made)) {
		pending_conn_drop(server, made);
		return -EAGAIN; /* the next client is accepted in the next turn */
	}
	*conn = made;
	return 0;
}

/* Prints the start of what is not a request, without control characters. */
static void report_unknown(struct server *server, const struct conn *conn)
{
	const bool muted = complaints_are_many(&server->complaints);
	const size_t length = conn_pending(conn) < SHOWN_BYTES ? conn_pending(conn) : SHOWN_BYTES;
	char began[SHOWN_BYTES + 1], host[ADDRESS_TEXT_SIZE] = "", reason[ADDRESS_TEXT_SIZE];
	uint8_t bytes[SHOWN_BYTES];
	uint16_t port = 0;

	if (!muted) {
		for (size_t i = 0; i < length; i++)
			bytes[i] = conn_data(conn)[i] ? conn_data(conn)[i] : '?'; /* NUL would end the text */
		wire_read_text(bytes, length, began, sizeof(began));
		/* without the port, as in other messages */
		(void)host_split(conn->peer, host, sizeof(host), &port, reason, sizeof(reason));
		log_error("%s: what it sent is no request of qperf 0.4: it begins with \"%s\"", host, began);
	}
	complaints_add(&server->complaints, muted);
}

/* Leaves what follows the request to the child. */
static enum pending_state guest_read(void *context, struct conn *conn, char text[PENDING_TEXT_SIZE])
{
	const bool gone = conn_fill_all(conn, REQUEST_SIZE) != 0;

	/* A client of another version is told so before it has sent a complete request. */
	if (conn_pending(conn) >= REQUEST_HEAD && !refusal_knows(conn_data(conn), conn_pending(conn))) {
		server_send_away(conn, "this server speaks version 0.4 of qperf's protocol");
		report_unknown(context, conn);
		return PENDING_LEAVES;
	}
	if (conn_pending(conn) == REQUEST_SIZE)
		return PENDING_READY;
	snprintf(text, PENDING_TEXT_SIZE, "%s before it sent a request", gone ? "left" : "was silent");
	return gone ? PENDING_LEAVES : PENDING_STAYS;
}

static void guest_report(void *context, const struct conn *conn, const char *text)
{
	(void)context;
	log_detail("%s %s", conn->peer, text);
}

static const struct pending_ops guest_ops = {
	.accept = guest_accept, .receive = guest_read, .drop = pending_conn_drop, .report = guest_report};

/* A client that waits for a descriptor would end each wait immediately. */
static void admit_pending(struct server *server)
{
	const int ret = pending_admit(&server->pending);

	if (!ret)
		return;
	pending_error(ret, "a client");
	server->rest = deadline_in_ms(REST_MS);
}

static void server_turn(struct server *server)
{
	struct pollfd fds[LISTENER_FDS + PENDING_MAX_FDS];
	struct deadline nearest = deadline_in_ms(LOOK_MS);
	const bool rests = !deadline_passed(server->rest);
	unsigned count = rests ? 0 : listener_poll_fds(&server->listener, fds);
	struct timespec limit;
	struct conn *conn;
	int ms;

	count += pending_poll_fds(&server->pending, fds + count, &nearest);
	ms = deadline_poll_ms(nearest);
	limit = (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
	if (ppoll(fds, count, &limit, &server->waiting_mask) > 0)
		pending_wake(&server->pending);
	reap_clients(server);
	complaints_renew(&server->complaints);
	if (!rests)
		admit_pending(server);
	while (!pending_take(&server->pending, &conn))
		start_client(server, conn);
}

/* --- life --- */

static void on_child(int number)
{
	(void)number; /* only interrupts the wait */
}

/* The signal that ends a 0.4.11 server, which its own child processes send. */
static volatile sig_atomic_t quit_requested;

static void on_quit(int number)
{
	(void)number;
	quit_requested = 1;
}

static int install(struct server *server)
{
	const int ret = stop_handle(SIGCHLD, on_child) || stop_handle(SIGQUIT, on_quit);
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	stop_add_to(&blocked);
	sigaddset(&blocked, SIGQUIT);
	return ret || sigprocmask(SIG_BLOCK, &blocked, &server->waiting_mask) ? -EIO : 0;
}

/* The only client there was to be, whose connection was passed on. */
static bool has_served(const struct server *server)
{
	return !server->listener.num_fds && !server->pending.count && !server->num_clients;
}

static int leave_terminal(void)
{
	if (daemon(0, 0))
		return log_fail(-errno, "cannot leave the terminal: %s", strerror(errno));
	log_to_syslog();
	return 0;
}

/* Until all clients are gone, or the time is over. */
static void await_clients(struct server *server, struct deadline deadline)
{
	reap_clients(server);
	while (server->num_clients && !deadline_passed(deadline)) {
		const struct timespec limit = {.tv_sec = LOOK_MS / 1000, .tv_nsec = LOOK_MS % 1000 * 1000000L};

		ppoll(NULL, 0, &limit, &server->waiting_mask);
		reap_clients(server);
	}
}

static void signal_clients(const struct server *server, int number)
{
	for (unsigned i = 0; i < server->params->max_clients; i++)
		if (server->clients[i].pid)
			kill(server->clients[i].pid, number);
}

/* Ends all tests, even stopped ones, so that they tell their clients why; kills those that do not react. */
static void end_clients(struct server *server)
{
	signal_clients(server, SIGTERM);
	signal_clients(server, SIGCONT);
	await_clients(server, deadline_in_ms(END_MS));
	signal_clients(server, SIGKILL);
	await_clients(server, deadline_in_ms(END_MS));
}

int server_main(const struct qperf_params *params)
{
	static struct server server;
	const struct address address = {
		.bind_ip = params->bind_address[0] ? params->bind_address : NULL,
		.port = (uint16_t)params->listen_port,
		.port_option = "--listen_port",
	};
	char reason[OPT_TEXT_SIZE];
	bool is_for_one;
	int ret;

	server.params = params;
	server.pending = (struct pending){
		.ops = &guest_ops,
		.context = &server,
		.limit_ms = (int64_t)(params->local.number[PARAM_TIMEOUT] / 1000000),
	};
	if (allow_parse(params->allow, &server.allow, reason, sizeof(reason)))
		return log_fail(-EINVAL, "%s", reason);
	server.clients = calloc(params->max_clients, sizeof(*server.clients));
	if (!server.clients)
		return log_fail(-ENOMEM, "no memory for %" PRIu64 " clients (--max_clients)", params->max_clients);
	memory_lock_open();
	ret = listener_open(&server.listener, &address, BACKLOG);
	is_for_one = !ret && server.listener.connected;
	if (!ret && params->daemon)
		ret = leave_terminal();
	if (!ret)
		ret = install(&server);
	while (!ret && !server.quits && !quit_requested && !stop_requested() && !has_served(&server))
		server_turn(&server);
	if (!ret) {
		listener_close(&server.listener);
		pending_close(&server.pending);
		end_clients(&server);
	}
	free(server.clients);
	/* The process that passed the connection on has to know. */
	return !ret && is_for_one && server.complaints.failed ? -EIO : ret;
}
