// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See server.h. One process listens and hears requests, all at once and with a limit of time for each; what it knows
 * of a client is a descriptor and 200 bytes. A test runs in a process of its own, which may do what it likes with its
 * CPU, its memory and its timers, and can't harm another.
 */
#define _GNU_SOURCE /* accept4(), ppoll() */
#include "qperf/server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "params/opt.h"
#include "qperf/allow.h"
#include "qperf/control.h"
#include "qperf/serve.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/stop.h"

#define BACKLOG	    128
#define MAX_WAITING 64 /* clients that have not said yet what they want */
#define EXIT_QUIT   42
#define BUSY	    "the server is busy with as many clients as it takes (--max_clients); try again"
#define ERROR_MARK  "?"

/* Has connected, and not yet sent a whole request. */
struct guest {
	int fd;
	size_t length;
	uint8_t request[REQUEST_SIZE];
	struct deadline deadline;
};

struct server {
	const struct qperf_params *params;
	struct allow allow;
	int listener;
	unsigned num_guests;
	struct guest guests[MAX_WAITING]; /* oldest first */
	unsigned num_clients;
	pid_t *clients;	       /* max_clients of them; 0: free */
	sigset_t waiting_mask; /* while it waits */
	bool quits;
};

/* --- listening --- */

static int listen_at(const struct addrinfo *address)
{
	const int fd = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol);
	const int one = 1, zero = 0;
	int ret;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (address->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (bind(fd, address->ai_addr, address->ai_addrlen) || listen(fd, BACKLOG)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return fd;
}

/* IPv6 for both families where the kernel has it. */
static int open_listener(struct server *server)
{
	const struct qperf_params *params = server->params;
	const char *host = params->bind_address[0] ? params->bind_address : NULL;
	const int families[] = {AF_INET6, AF_INET};
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found;
	char port[8];
	int fd = -EADDRNOTAVAIL, err = 0;

	snprintf(port, sizeof(port), "%" PRIu64, params->listen_port);
	for (unsigned i = 0; i < 2 && fd < 0; i++) {
		hints.ai_family = families[i];
		err = getaddrinfo(host, port, &hints, &found);
		if (err)
			continue;
		fd = listen_at(found);
		freeaddrinfo(found);
		if (fd == -EADDRINUSE)
			break;
	}
	server->listener = fd;
	if (fd >= 0)
		return 0;
	if (fd == -EADDRINUSE)
		log_error("port %" PRIu64 " is in use; choose another with --listen_port", params->listen_port);
	else if (err)
		log_error("cannot listen on %s: %s", params->bind_address, gai_strerror(err));
	else
		log_error("unable to bind to listen port %" PRIu64 ": %s (--listen_port, --bind)", params->listen_port,
			  strerror(-fd));
	return fd;
}

/* --- clients --- */

static void close_guest(struct server *server, unsigned n)
{
	close(server->guests[n].fd);
	server->num_guests--;
	memmove(&server->guests[n], &server->guests[n + 1], (server->num_guests - n) * sizeof(server->guests[0]));
}

/* In a word, and without waiting for anything: it has read nothing, so that nothing is lost by closing. */
static void send_away(const struct guest *guest, const char *text)
{
	struct request request;
	uint8_t bytes[HELLO_SIZE + FRAME_HEADER_SIZE + 256];
	const struct frame_header header = {.length = (uint32_t)strlen(text), .type = FRAME_ERROR};
	size_t length = 0;

	if (!wire_read_request(guest->request, &request) && request.increment == REQUEST_MARK) {
		memcpy(bytes, wire_hello, HELLO_SIZE);
		wire_header(&header, bytes + HELLO_SIZE);
		length = HELLO_SIZE + FRAME_HEADER_SIZE;
	} else if (send(guest->fd, ERROR_MARK, 1, MSG_OOB | MSG_NOSIGNAL | MSG_DONTWAIT) != 1) {
		return;
	}
	memcpy(bytes + length, text, strlen(text));
	(void)!send(guest->fd, bytes, length + strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
	shutdown(guest->fd, SHUT_WR);
}

static void run_client(struct server *server, const struct guest *guest) __attribute__((noreturn));
static void run_client(struct server *server, const struct guest *guest)
{
	const int fd = guest->fd;
	uint8_t request[REQUEST_SIZE];
	int ret;

	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, &server->waiting_mask, NULL);
	memcpy(request, guest->request, sizeof(request));
	close(server->listener);
	for (unsigned i = 0; i < server->num_guests; i++)
		if (server->guests[i].fd != fd)
			close(server->guests[i].fd);
	ret = serve(fd, request, server->params);
	_exit(ret == SERVE_QUIT ? EXIT_QUIT : ret ? EXIT_FAILURE : EXIT_SUCCESS);
}

static void start_client(struct server *server, unsigned n)
{
	struct guest *guest = &server->guests[n];
	unsigned slot = 0;
	pid_t pid;

	while (slot < server->params->max_clients && server->clients[slot])
		slot++;
	if (slot == server->params->max_clients) {
		send_away(guest, BUSY);
		close_guest(server, n);
		return;
	}
	pid = fork();
	if (!pid)
		run_client(server, guest);
	if (pid < 0) {
		log_error("cannot make a process for a client: %s", strerror(errno));
		send_away(guest, "the server can make no process for this test");
	} else {
		server->clients[slot] = pid;
		server->num_clients++;
	}
	close_guest(server, n);
}

static void reap_clients(struct server *server)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (unsigned i = 0; i < server->params->max_clients; i++) {
			if (server->clients[i] != pid)
				continue;
			server->clients[i] = 0;
			server->num_clients--;
		}
		if (WIFSIGNALED(status))
			log_error("the process of a client died of signal %d", WTERMSIG(status));
		server->quits |= WIFEXITED(status) && WEXITSTATUS(status) == EXIT_QUIT;
	}
}

/* --- guests --- */

static void accept_guest(struct server *server)
{
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	const int fd = accept4(server->listener, (struct sockaddr *)&from, &size, SOCK_CLOEXEC);
	char text[64];

	if (fd < 0)
		return;
	if (!allow_has(&server->allow, &from)) {
		log_detail("%s is not allowed to come in (--allow)", control_address_text(&from, text, sizeof(text)));
		close(fd);
		return;
	}
	if (server->num_guests == MAX_WAITING)
		close_guest(server, 0); /* has had the most time */
	server->guests[server->num_guests++] = (struct guest){
		.fd = fd,
		.deadline = deadline_in_ms((int64_t)(server->params->local.number[PARAM_TIMEOUT] / 1000000)),
	};
}

/* True: the guest is not there any more. */
static bool hear_guest(struct server *server, unsigned n)
{
	struct guest *guest = &server->guests[n];
	const ssize_t got = recv(guest->fd, guest->request + guest->length, REQUEST_SIZE - guest->length, MSG_DONTWAIT);
	struct request request;

	if (!got || (got < 0 && errno != EAGAIN && errno != EINTR)) {
		close_guest(server, n);
		return true;
	}
	guest->length += got > 0 ? (size_t)got : 0;
	/* Another version is told so before it has sent what that version would. */
	if (guest->length >= REQUEST_HEAD && wire_read_request(guest->request, &request)) {
		send_away(guest, "this server speaks version 0.4 of qperf's protocol");
		close_guest(server, n);
		return true;
	}
	if (guest->length < REQUEST_SIZE)
		return false;
	start_client(server, n);
	return true;
}

static struct timespec next_deadline(const struct server *server)
{
	int ms = 1000;

	for (unsigned i = 0; i < server->num_guests; i++) {
		const int left = deadline_poll_ms(server->guests[i].deadline);

		if (left < ms)
			ms = left;
	}
	return (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
}

static void turn(struct server *server)
{
	struct pollfd fds[1 + MAX_WAITING] = {{.fd = server->listener, .events = POLLIN}};
	const struct timespec limit = next_deadline(server);
	const unsigned num_guests = server->num_guests;
	int ready;

	for (unsigned i = 0; i < num_guests; i++)
		fds[1 + i] = (struct pollfd){.fd = server->guests[i].fd, .events = POLLIN};
	ready = ppoll(fds, 1 + num_guests, &limit, &server->waiting_mask);
	reap_clients(server);
	for (unsigned i = num_guests; i-- > 0;) { /* from the last, so that the others keep their places */
		if (ready > 0 && fds[1 + i].revents && hear_guest(server, i))
			continue;
		if (deadline_passed(server->guests[i].deadline))
			close_guest(server, i);
	}
	if (ready > 0 && fds[0].revents)
		accept_guest(server);
}

/* --- life --- */

static void on_child(int number)
{
	(void)number; /* it only ends the wait */
}

static int install(struct server *server)
{
	struct sigaction action = {.sa_handler = on_child};
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGQUIT);
	if (sigaction(SIGCHLD, &action, NULL) || sigprocmask(SIG_BLOCK, &blocked, &server->waiting_mask))
		return -errno;
	return 0;
}

static int leave_terminal(void)
{
	if (daemon(0, 0)) {
		log_error("cannot leave the terminal: %s", strerror(errno));
		return -errno;
	}
	log_to_syslog();
	return 0;
}

/* Their tests end, and they tell their clients why. */
static void end_clients(struct server *server)
{
	for (unsigned i = 0; i < server->params->max_clients; i++)
		if (server->clients[i])
			kill(server->clients[i], SIGTERM);
	while (server->num_clients) {
		int status;
		const pid_t pid = waitpid(-1, &status, 0);

		if (pid < 0 && errno != EINTR)
			break;
		server->num_clients -= pid > 0;
	}
}

int server_main(const struct qperf_params *params)
{
	static struct server server;
	char reason[OPT_TEXT_SIZE];
	int ret;

	server.params = params;
	if (allow_parse(params->allow, &server.allow, reason, sizeof(reason))) {
		log_error("%s", reason);
		return -EINVAL;
	}
	server.clients = calloc(params->max_clients, sizeof(*server.clients));
	ret = server.clients ? open_listener(&server) : -ENOMEM;
	if (!ret && params->daemon)
		ret = leave_terminal();
	if (!ret)
		ret = install(&server);
	while (!ret && !server.quits && !stop_requested())
		turn(&server);
	if (!ret) {
		close(server.listener);
		while (server.num_guests)
			close_guest(&server, 0);
		end_clients(&server);
	}
	free(server.clients);
	return ret;
}
