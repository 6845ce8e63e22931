// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `perftest serve`. This process only accepts, and looks at the first bytes without taking them: they say whose client
 * it is (caller.c). Then that program's own server is executed in a process of its own, which is given the connection
 * as systemd would (net/listener.h), so that no program knows of this one.
 */
#define _GNU_SOURCE 1 /* POLLRDHUP */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "front/caller.h"
#include "front/command.h"
#include "front/launch/sibling.h"
#include "front/options.h"
#include "net/listener.h"
#include "net/pending.h"
#include "net/wakeup.h"
#include "params/engine/host.h"
#include "params/perftest_parameters.h"
#include "params/programs.h"
#include "util/log.h"
#include "util/process.h"
#include "util/starter.h"
#include "util/stop.h"
#include "util/units.h"
#include "util/wait.h"

#define BACKLOG	     128
#define GREETING_MS  10000 /* for the first bytes */
#define LOOK_MS	     1000  /* at most between two looks for processes that have ended */
#define REST_MS	     1000  /* pause if no more can be accepted */
#define SPARE_S	     15	   /* a program ends its test by itself, 10 s after --max_duration */
#define POLITE_MS    5000  /* between SIGTERM and SIGKILL, and after it */
#define MOST_PORTS   16	   /* of --port_of */
#define MOST_OPTIONS 16	   /* number of -- */
#define OWN_WORDS    12	   /* of a server's command line */
#define OWN_TEXTS    2	   /* of them that are made here */
#define OWN_SIZE     (ADDRESS_TEXT_SIZE + 32)
#define RDMA_CM_MS   10000 /* for the server of these clients to listen */
#define MS_PER_S     1000

/* The conn is first: pending_conn_drop() frees it. */
struct visitor {
	struct conn conn;
	bool refused; /* it only has yet to read that */
};

/* Whose program is executing. */
struct served {
	pid_t pid; /* 0: free */
	bool muted;
	bool ended; /* it was told to end */
	struct deadline limit;
	struct caller_kind caller;
	struct conn *conn; /* which the program has, too: its client is told if it never reads from it */
};

/* A port, of all programs or of one whose clients do not say which they are. */
struct port_of {
	const char *program; /* NULL: of all */
	struct listener listener;
	pid_t cm_pid; /* of the server for its clients with rdma_cm; 0: it has ended, or there is none */
};

/* Options of a server, behind --. */
struct server_words {
	const char *program; /* NULL: of all ib_* programs */
	char **words;
	unsigned count;
};

struct serve {
	const struct serve_params *params;
	struct allow allow;
	struct port_of ports[1 + MOST_PORTS]; /* the first is that of all programs */
	unsigned num_ports;
	struct server_words options[MOST_OPTIONS];
	unsigned num_options;
	unsigned num_words; /* of all of them */
	char **words;	    /* room for those of a program's command line */
	struct pending pending;
	struct deadline rest; /* none is accepted until then */
	struct complaints complaints;
	bool full; /* and its user was told so */
	struct served served[SERVE_MOST_CLIENTS];
};

static struct wakeup bell; /* rings when a program has ended */

/* --- a client's program --- */

static void pass_connection(int fd)
{
	char number[16];

	if (fd == PASSED_FIRST_FD)
		fcntl(fd, F_SETFD, 0);
	else
		dup2(fd, PASSED_FIRST_FD);
	snprintf(number, sizeof(number), "%ld", (long)getpid());
	setenv("LISTEN_FDS", "1", 1);
	setenv("LISTEN_PID", number, 1);
}

/*
 * The words of the server's command line, in text where they are made here. address: where the client has reached it,
 * which only cmtime asks for. Returns their number.
 */
static unsigned fill_words(const struct serve *serve, const char *program, const char *address, uint16_t port,
			   char text[OWN_TEXTS][OWN_SIZE])
{
	const bool is_family = program_find(program) != NULL;
	char **words = serve->words;
	unsigned used = 0;

	words[used++] = (char *)program;
	if (is_family) {
		snprintf(text[0], sizeof(text[0]), "--port=%u", port);
		snprintf(text[1], sizeof(text[1]), "--max_duration=%" PRIu32, serve->params->max_duration_s);
		words[used++] = text[0];
		words[used++] = text[1];
	} else if (strcmp(program, "qperf") == 0) {
		snprintf(text[0], sizeof(text[0]), "%" PRIu32, serve->params->max_duration_s);
		words[used++] = (char *)"--no_quit";
		words[used++] = (char *)"--max_time";
		words[used++] = text[0];
	} else if (strcmp(program, "cxi_send_bw") == 0) {
		snprintf(text[0], sizeof(text[0]), "--max_duration=%" PRIu32, serve->params->max_duration_s);
		words[used++] = text[0];
	} else if (strcmp(program, "cmtime") == 0) {
		snprintf(text[0], sizeof(text[0]), "--controller=%s", address);
		snprintf(text[1], sizeof(text[1]), "--bind_address=%s", address);
		words[used++] = text[0];
		words[used++] = text[1];
		words[used++] = (char *)"--listen";
		words[used++] = (char *)"--peers=2"; /* another instance would not come to this process */
		words[used++] = (char *)"--join_timeout=10";
	}
	for (unsigned i = 0; i < serve->num_options; i++) {
		const struct server_words *options = &serve->options[i];

		if (options->program ? strcmp(options->program, program) != 0 : !is_family)
			continue;
		memcpy(words + used, options->words, options->count * sizeof(*words));
		used += options->count;
	}
	words[used] = NULL;
	return used;
}

/* A connection to pass on, or -1; notify: where it says that it listens, or NULL. Returns its pid, or -1. */
static pid_t program_start(char **words, int fd, const char *notify, bool muted)
{
	const pid_t parent = getpid();
	pid_t pid;
	int nothing;

	fflush(NULL);
	pid = fork();
	if (pid > 0)
		setpgid(pid, pid); /* also here, so that it is one when a signal is sent to it */
	if (pid)
		return pid;
	nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	setpgid(0, 0);
	stop_with_parent(parent, SIGTERM);
	signal(SIGCHLD, SIG_DFL);
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO); /* the client has the results */
	if (muted)
		dup2(nothing, STDERR_FILENO);
	if (fd >= 0)
		pass_connection(fd);
	if (notify)
		setenv("NOTIFY_SOCKET", notify, 1);
	sibling_run((const char *const[]){words[0], NULL}, words);
	_exit(EXIT_STATUS_FAILURE);
}

static pid_t client_start(const struct serve *serve, const char *program, const struct conn *conn, uint16_t port,
			  bool muted)
{
	const int lowest = 1;
	char text[OWN_TEXTS][OWN_SIZE], address[ADDRESS_TEXT_SIZE];
	struct addresses addresses;

	conn_addresses(conn, &addresses);
	address_host_text(&addresses.local, address);
	fill_words(serve, program, address, port, text);
	(void)setsockopt(conn->fd, SOL_SOCKET, SO_RCVLOWAT, &lowest, sizeof(lowest));
	return program_start(serve->words, conn->fd, NULL, muted);
}

static void client_refuse(struct serve *serve, struct conn *conn, const struct caller_kind *caller,
			  const uint8_t bytes[CALLER_BYTES], const char *reason)
{
	const int lowest = 1;

	caller_refuse(caller, conn->fd, bytes, reason);
	/* Closed once it has: what it has sent, or still sends, would make the kernel discard the reason. */
	(void)setsockopt(conn->fd, SOL_SOCKET, SO_RCVLOWAT, &lowest, sizeof(lowest));
	((struct visitor *)conn)->refused = true;
	pending_add(&serve->pending, conn);
}

static void served_reap(struct serve *serve, struct served *served)
{
	uint8_t bytes[CALLER_BYTES];
	struct caller_kind found;
	char words[1];
	int status;

	if (waitpid(served->pid, &status, WNOHANG) != served->pid)
		return;
	kill(-served->pid, SIGKILL); /* what it may have left in its group */
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		complaints_add(&serve->complaints, served->muted);
	if (WIFSIGNALED(status) && !served->ended && !served->muted)
		log_error("the %s of the client %s was ended by signal %d", served->caller.program, served->conn->peer,
			  WTERMSIG(status));
	if (!served->ended && recv(served->conn->fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT) == sizeof(bytes) &&
	    !caller_recognize(&found, bytes, words, sizeof(words)))
		client_refuse(serve, served->conn, &served->caller, bytes,
			      "the server's program could not begin; the output of perftest serve there says why");
	else
		pending_conn_drop(serve, served->conn);
	*served = (struct served){0};
}

static void served_end(struct served *served, int number)
{
	kill(-served->pid, number);
	kill(-served->pid, SIGCONT);
	served->ended = true;
	served->limit = deadline_in_ms(POLITE_MS);
}

/* One that does not end by itself, which none does unless it is stopped, or the kernel holds it. */
static void served_limit(struct serve *serve, struct served *served)
{
	if (!deadline_passed(served->limit))
		return;
	if (!served->ended && !served->muted)
		log_error("the %s of the client %s was still running %d s after --max_duration=%" PRIu32
			  ", and is ended",
			  served->caller.program, served->conn->peer, SPARE_S, serve->params->max_duration_s);
	served_end(served, served->ended ? SIGKILL : SIGTERM);
}

static unsigned served_look(struct serve *serve)
{
	unsigned count = 0;

	for (unsigned i = 0; i < serve->params->max_clients; i++) {
		if (serve->served[i].pid)
			served_reap(serve, &serve->served[i]);
		if (serve->served[i].pid)
			served_limit(serve, &serve->served[i]);
		count += serve->served[i].pid != 0;
	}
	serve->full &= count == serve->params->max_clients;
	return count;
}

static struct served *find_free(struct serve *serve)
{
	for (unsigned i = 0; i < serve->params->max_clients; i++)
		if (!serve->served[i].pid)
			return &serve->served[i];
	return NULL;
}

/* The port at which it came, and that port's own program; NULL: it has none. */
static const char *program_of_port(const struct serve *serve, const struct conn *conn, uint16_t *port)
{
	struct addresses addresses;

	conn_addresses(conn, &addresses);
	*port = address_port((struct sockaddr *)&addresses.local);
	for (unsigned i = 0; i < serve->num_ports; i++)
		if (serve->ports[i].listener.port == *port)
			return serve->ports[i].program;
	return NULL;
}

/* Takes ownership of the connection, whose first bytes have been recognized before. */
static void client_serve(struct serve *serve, struct conn *conn)
{
	const bool muted = complaints_are_many(&serve->complaints);
	char known[1];
	uint8_t bytes[CALLER_BYTES];
	struct caller_kind caller;
	struct served *served;
	const char *own;
	uint16_t port;
	pid_t pid;

	if (recv(conn->fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT) != sizeof(bytes) ||
	    caller_recognize(&caller, bytes, known, sizeof(known))) {
		pending_conn_drop(serve, conn);
		return;
	}
	own = program_of_port(serve, conn, &port);
	served_look(serve);
	served = find_free(serve);
	if (!served) {
		if (!serve->full)
			log_warning("%" PRIu32 " clients are being served (--max_clients): others are refused",
				    serve->params->max_clients);
		serve->full = true;
		client_refuse(serve, conn, &caller, bytes,
			      "the server has as many clients as it accepts (--max_clients); try again");
		return;
	}
	if (!caller.program)
		caller.program = own;
	pid = client_start(serve, caller.program, conn, port, muted);
	if (pid < 0) {
		if (!muted)
			log_error("cannot create a process for the client %s: %s", conn->peer, strerror(errno));
		complaints_add(&serve->complaints, muted);
		client_refuse(serve, conn, &caller, bytes, "the server cannot create a process for this test");
		return;
	}
	*served = (struct served){
		.pid = pid,
		.muted = muted,
		.caller = caller,
		.conn = conn,
		.limit = deadline_in_ms(((int64_t)serve->params->max_duration_s + SPARE_S) * MS_PER_S),
	};
}

/* --- clients with -R and -z --- */

/*
 * A connection of rdma_cm cannot be passed on to another process. So one server waits for all of these clients,
 * whatever their program is, and serves one after the other; and one at each port of a program, whose clients neither
 * say that it is theirs nor that they have -R.
 */

static bool has_cm_server(const struct serve *serve, const struct port_of *port)
{
	return serve->params->rdma_cm && (!port->program || program_find(port->program));
}

/* Returns its pid, or -1. */
static pid_t cm_server_run(const struct serve *serve, const struct port_of *port, const char *notify)
{
	char text[OWN_TEXTS][OWN_SIZE], bind_ip[sizeof(serve->params->bind_ip) + 32];
	const char *program = port->program ? port->program : "ib_write_bw";
	unsigned used = fill_words(serve, program, "" /* no client's */, port->listener.port, text);

	serve->words[used++] = (char *)(port->program ? "--rdma_cm" : "--comm_rdma_cm");
	serve->words[used++] = (char *)"--keep_serving";
	snprintf(bind_ip, sizeof(bind_ip), "--bind_source_ip=%s", serve->params->bind_ip);
	if (serve->params->bind_ip[0])
		serve->words[used++] = bind_ip;
	serve->words[used] = NULL;
	return program_start(serve->words, -1 /* no connection */, notify, false /* muted */);
}

static bool cm_server_has_ended(struct port_of *port)
{
	int status;

	if (port->cm_pid && waitpid(port->cm_pid, &status, WNOHANG) == port->cm_pid) {
		kill(-port->cm_pid, SIGKILL);
		port->cm_pid = 0;
	}
	return !port->cm_pid;
}

/* Those that run, to which a signal is sent; 0: none is. Returns their number. */
static unsigned cm_servers_signal(struct serve *serve, int number)
{
	unsigned left = 0;

	for (unsigned i = 0; i < serve->num_ports; i++)
		left += !cm_server_has_ended(&serve->ports[i]) && !kill(-serve->ports[i].cm_pid, number);
	return left;
}

/* It says that it listens as it would say so to systemd. 0; or -errno, reported except -EINTR. */
static int cm_server_await(struct port_of *port, int notified)
{
	const struct deadline deadline = deadline_in_ms(RDMA_CM_MS);
	struct pollfd fds[2];
	char said[64];

	for (;;) {
		fds[1] = (struct pollfd){.fd = notified, .events = POLLIN};
		if (wakeup_wait(&bell, fds, 1, deadline_left_ns(deadline)))
			return -EINTR;
		if (recv(notified, said, sizeof(said), MSG_DONTWAIT) > 0)
			return 0;
		if (!cm_server_has_ended(port) && !deadline_passed(deadline))
			continue;
		log_error("the server for clients with -R and -z at port %u %s (--rdma_cm)", port->listener.port,
			  port->cm_pid ? "does not listen" : "could not begin");
		return -ECONNABORTED;
	}
}

static int cm_server_start(const struct serve *serve, struct port_of *port)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	const int notified = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t length = sizeof(at);
	char notify[sizeof(at.sun_path)];
	int ret;

	/* an abstract name that the kernel chooses, unix(7) */
	if (notified < 0 || bind(notified, (struct sockaddr *)&at, sizeof(at.sun_family)) ||
	    getsockname(notified, (struct sockaddr *)&at, &length))
		goto err;
	snprintf(notify, sizeof(notify), "@%.*s", (int)(length - offsetof(struct sockaddr_un, sun_path) - 1),
		 at.sun_path + 1);
	port->cm_pid = cm_server_run(serve, port, notify);
	if (port->cm_pid < 0)
		goto err;
	ret = cm_server_await(port, notified);
	close(notified);
	return ret;
err:
	ret = -errno;
	port->cm_pid = 0;
	log_error("cannot start the server for clients with -R and -z at port %u: %s", port->listener.port,
		  strerror(-ret));
	if (notified >= 0)
		close(notified);
	return ret;
}

/* --- visitors: connected, and whose client it is is not known yet --- */

static int accept_any(struct serve *serve, struct conn **conn)
{
	int ret = -EAGAIN;

	for (unsigned i = 0; ret == -EAGAIN && i < serve->num_ports; i++)
		ret = pending_conn_accept(&serve->ports[i].listener, sizeof(struct visitor), conn);
	return ret;
}

static bool is_allowed(struct serve *serve, const struct conn *conn)
{
	const bool muted = complaints_are_many(&serve->complaints);
	struct addresses addresses;

	conn_addresses(conn, &addresses);
	if (allow_has(&serve->allow, &addresses.peer))
		return true;
	if (!muted)
		log_info("%s is not allowed to come in (--allow)", conn->peer);
	complaints_add(&serve->complaints, muted);
	return false;
}

static int visitor_accept(void *context, struct conn **conn)
{
	const int enough = CALLER_BYTES;
	const int ret = accept_any(context, conn);

	if (ret)
		return ret;
	if (!is_allowed(context, *conn)) {
		pending_conn_drop(context, *conn);
		return -EAGAIN; /* the next one is accepted in the next turn */
	}
	/* A wait is over when that much has come: one byte at a time does not keep this process busy. */
	(void)setsockopt((*conn)->fd, SOL_SOCKET, SO_RCVLOWAT, &enough, sizeof(enough));
	return 0;
}

static enum pending_state drain(struct conn *conn)
{
	char dropped[4096];
	const ssize_t length = recv(conn->fd, dropped, sizeof(dropped), MSG_DONTWAIT);

	return length > 0 || (length < 0 && errno == EAGAIN) ? PENDING_STAYS : PENDING_LEAVES;
}

static enum pending_state visitor_read(void *context, struct conn *conn, char words[PENDING_TEXT_SIZE])
{
	struct pollfd end = {.fd = conn->fd, .events = POLLRDHUP};
	uint8_t bytes[CALLER_BYTES];
	struct caller_kind caller;
	bool gone;
	uint16_t port;

	if (((struct visitor *)conn)->refused) {
		words[0] = '\0';
		return drain(conn);
	}
	if (recv(conn->fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT) != sizeof(bytes)) {
		gone = poll(&end, 1, 0) > 0;
		snprintf(words, PENDING_TEXT_SIZE,
			 gone ? "left before it said what it wants" : "did not say what it wants");
		return gone ? PENDING_LEAVES : PENDING_STAYS;
	}
	if (caller_recognize(&caller, bytes, words, PENDING_TEXT_SIZE))
		return PENDING_LEAVES;
	if (caller.program || program_of_port(context, conn, &port))
		return PENDING_READY;
	snprintf(words, PENDING_TEXT_SIZE,
		 "is linux-rdma perftest, which does not say its program: it needs a port of its own "
		 "(--port_of=ib_write_bw:18516)");
	return PENDING_LEAVES;
}

static const struct pending_ops visitor_ops = {
	.accept = visitor_accept, .receive = visitor_read, .drop = pending_conn_drop};

/* --- life --- */

static struct deadline nearest_limit(const struct serve *serve)
{
	struct deadline nearest = deadline_in_ms(LOOK_MS);

	for (unsigned i = 0; i < serve->params->max_clients; i++)
		if (serve->served[i].pid)
			nearest = deadline_sooner(nearest, serve->served[i].limit);
	return nearest;
}

/* 0; or -ECONNABORTED, reported: a part of it has ended. */
static int serve_turn(struct serve *serve)
{
	struct pollfd fds[1 + (1 + MOST_PORTS) * LISTENER_FDS + PENDING_MAX_FDS], *others = fds + 1;
	struct deadline nearest = nearest_limit(serve);
	const bool rests = !deadline_passed(serve->rest);
	unsigned used = 0;
	struct conn *conn;
	int ret;

	for (unsigned i = 0; !rests && i < serve->num_ports; i++)
		used += listener_poll_fds(&serve->ports[i].listener, others + used);
	used += pending_poll_fds(&serve->pending, others + used, &nearest);
	wakeup_wait(&bell, fds, used, deadline_left_ns(nearest));
	pending_wake(&serve->pending);
	served_look(serve);
	complaints_renew(&serve->complaints);
	ret = rests ? 0 : pending_admit(&serve->pending);
	if (ret) {
		pending_error(ret, "a client");
		serve->rest = deadline_in_ms(REST_MS);
	}
	while (!pending_take(&serve->pending, &conn))
		client_serve(serve, conn);
	for (unsigned i = 0; i < serve->num_ports && !stop_requested(); i++) {
		if (!has_cm_server(serve, &serve->ports[i]) || !cm_server_has_ended(&serve->ports[i]))
			continue;
		log_error("the server for clients with -R and -z at port %u has ended (--rdma_cm)",
			  serve->ports[i].listener.port);
		return -ECONNABORTED;
	}
	return 0;
}

static void on_child(int number)
{
	const int error = errno;

	(void)number;
	wakeup_ring(&bell);
	errno = error;
}

static void listeners_close(struct serve *serve)
{
	for (unsigned i = 0; i < serve->num_ports; i++)
		listener_close(&serve->ports[i].listener);
}

static int listeners_open(struct serve *serve)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < serve->num_ports; i++) {
		const struct address address = {
			.bind_ip = serve->params->bind_ip[0] ? serve->params->bind_ip : NULL,
			.port = serve->ports[i].listener.port,
			.port_option = i ? "--port_of" : "-p",
		};

		ret = listener_open(&serve->ports[i].listener, &address, BACKLOG);
	}
	if (ret)
		listeners_close(serve);
	return ret;
}

/* Ends all programs, so that they tell their clients why. */
static void serve_end(struct serve *serve)
{
	listeners_close(serve);
	pending_close(&serve->pending);
	for (unsigned i = 0; i < serve->params->max_clients; i++)
		if (serve->served[i].pid)
			served_end(&serve->served[i], SIGTERM);
	cm_servers_signal(serve, SIGTERM);
	/* Twice that, and what the kernel holds in a call of its driver stays. */
	for (struct deadline end = deadline_in_ms(2 * POLITE_MS);
	     served_look(serve) + cm_servers_signal(serve, 0) && !deadline_passed(end);)
		wait_fds_after_stop(NULL, 0, deadline_in_ms(10));
	cm_servers_signal(serve, SIGKILL);
}

/* --- the command line --- */

static int port_parse(struct port_of *port, char *entry, char *reason, size_t size)
{
	char *colon = strrchr(entry, ':'), fault[SIBLING_FAULT_SIZE];
	const struct program *family;
	const struct sibling *sibling;
	uint64_t number;

	if (!colon || units_parse_u64(colon + 1, 1, UINT16_MAX, &number))
		return opt_refuse(reason, size, "--port_of: %s is no PROGRAM:PORT (ib_write_bw:18516)",
				  opt_quote(entry).text);
	*colon = '\0';
	family = program_find(entry);
	sibling = sibling_find(entry);
	if ((family && family->silent) || (sibling && !sibling->port_option))
		return opt_refuse(reason, size, "--port_of: %s has no server for a client", entry);
	if (!family && !sibling)
		return opt_refuse(reason, size, "--port_of: %s", sibling_fault(entry, fault));
	*port = (struct port_of){.program = family ? family->name : sibling->name,
				 .listener = {.fd = {-1, -1}, .port = (uint16_t)number}};
	return 0;
}

static int ports_parse(struct serve *serve, char *reason, size_t size)
{
	char list[sizeof(serve->params->port_of)], *rest, *entry;
	int ret;

	serve->ports[serve->num_ports++] = (struct port_of){.listener = {.fd = {-1, -1}, .port = serve->params->port}};
	snprintf(list, sizeof(list), "%s", serve->params->port_of);
	for (entry = strtok_r(list, ",", &rest); entry; entry = strtok_r(NULL, ",", &rest)) {
		if (serve->num_ports == 1 + MOST_PORTS)
			return opt_refuse(reason, size, "--port_of: more than %d ports", MOST_PORTS);
		ret = port_parse(&serve->ports[serve->num_ports++], entry, reason, size);
		if (ret)
			return ret;
	}
	return 0;
}

/* Would a server accept them? 0, or -EINVAL, reported. */
static int options_check(const struct program *program, const struct server_words *options)
{
	char **words = calloc(2 + options->count, sizeof(*words));
	static struct params params;
	int ret;

	if (!words) {
		log_error("no memory");
		return -ENOMEM;
	}
	words[0] = (char *)program->name;
	if (options->count)
		memcpy(words + 1, options->words, options->count * sizeof(*words));
	params_init(&params, program);
	ret = params_parse(&params, 1 + (int)options->count, words);
	if (!ret && (params.host[0] || params.verbs.num_clients || params.channel.keep_serving)) {
		log_error("a server that has its only client takes no %s", params.host[0] ? params.host
									   : params.verbs.num_clients
										   ? "--clients"
										   : "--keep_serving");
		ret = -EINVAL;
	}
	free(words);
	return ret;
}

/* [PROGRAM] OPTIONS. 0, or -EINVAL, reported. */
static int options_parse(struct serve *serve, char **words, unsigned count)
{
	struct server_words *options = &serve->options[serve->num_options];
	char fault[SIBLING_FAULT_SIZE];
	const struct program *family;
	int ret = 0;

	if (serve->num_options == MOST_OPTIONS) {
		log_error("more than %d times --", MOST_OPTIONS);
		return -EINVAL;
	}
	*options = (struct server_words){NULL, words, count};
	if (count && words[0][0] != '-') {
		family = program_find(words[0]);
		*options = (struct server_words){family ? family->name : words[0], words + 1, count - 1};
		if (!family && !sibling_find(words[0])) {
			log_error("%s", sibling_fault(words[0], fault));
			return -EINVAL;
		}
	}
	for (size_t i = 0; i < num_programs && !ret; i++)
		if (options->program ? strcmp(options->program, programs[i].name) == 0 : !programs[i].silent)
			ret = options_check(&programs[i], options);
	serve->num_options++;
	serve->num_words += options->count;
	return ret;
}

/* own: words of argv that are read already. 0, or -EINVAL and the reason; "": reported. */
static int serve_parse(struct serve *serve, int own, int argc, char **argv, char *reason, size_t size)
{
	const struct serve_params *params = serve->params;
	int ret;

	if (own < argc && strcmp(argv[own], "--") != 0)
		return opt_refuse(reason, size, "serve takes no %s; options of the servers follow --",
				  opt_quote(argv[own]).text);
	if (params->rdma_cm && params->allow[0])
		return opt_refuse(reason, size,
				  "--rdma_cm serves clients of any address: it cannot be combined with --allow");
	ret = allow_parse(params->allow, &serve->allow, reason, size);
	if (!ret)
		ret = ports_parse(serve, reason, size);
	while (!ret && own < argc) {
		unsigned count = 0;

		own++;
		while (own + (int)count < argc && strcmp(argv[own + (int)count], "--") != 0)
			count++;
		reason[0] = '\0';
		ret = options_parse(serve, argv + own, count);
		own += (int)count;
	}
	return ret;
}

int serve_main(int argc, char **argv)
{
	static struct serve_params params;
	static struct serve serve = {.params = &params};
	char reason[OPT_TEXT_SIZE];
	int ret = 0, status;
	const int own = command_begin(&serve_cli, argc, argv, &params, &status);

	if (!own)
		return status;
	if (serve_parse(&serve, own, argc, argv, reason, sizeof(reason)))
		return reason[0] ? cli_usage_error(reason) : EXIT_STATUS_USAGE;
	serve.pending = (struct pending){.ops = &visitor_ops, .context = &serve, .limit_ms = GREETING_MS};
	serve.words = calloc(OWN_WORDS + serve.num_words, sizeof(*serve.words));
	if (!serve.words || wakeup_open(&bell)) {
		log_error(serve.words ? "no descriptor is left" : "no memory");
		return EXIT_STATUS_FAILURE;
	}
	if (stop_install() || stop_handle(SIGCHLD, on_child) || listeners_open(&serve))
		return EXIT_STATUS_FAILURE;
	for (unsigned i = 0; i < serve.num_ports && !ret; i++)
		if (has_cm_server(&serve, &serve.ports[i]))
			ret = cm_server_start(&serve, &serve.ports[i]);
	if (!ret) {
		printf("ready\n");
		fflush(stdout);
		ready_notify();
	}
	while (!ret && !stop_requested())
		ret = serve_turn(&serve);
	serve_end(&serve);
	free(serve.words);
	return ret && ret != -EINTR ? EXIT_STATUS_FAILURE : EXIT_STATUS_OK;
}
