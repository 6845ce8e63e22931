/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the tests of the side channel: our end over loopback, and a peer whose bytes are written by hand. */
#pragma once

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "comm/perftest_communication.h"
#include "same_endpoints.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/stop.h"
#include "wire_message.h"

/* Long enough for any machine; a test that waits longer has failed. */
#define LISTEN_TIMEOUT_MS 30000

/* --- what each thread's end reported --- */

static _Thread_local char last_error[1024], last_classic[1024];
static _Thread_local unsigned num_errors;
static unsigned num_human;
static char notes[4096]; /* one line each */

/* Warnings about librdmacm's parameters and details are ignored: these tests connect over TCP. */
void log_line(enum log_kind kind, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (kind == LOG_OF_INFO)
		snprintf(notes + strlen(notes), sizeof(notes) - strlen(notes), "%s\n", text);
	if (kind == LOG_OF_ERROR)
		memcpy(last_error, text, sizeof(text));
	if (kind == LOG_OF_CLASSIC) {
		memcpy(last_classic, text, sizeof(text));
		assert_int_equal(num_errors, 0); /* it is before the error */
	}
	num_errors += kind == LOG_OF_ERROR;
	num_human += kind == LOG_OF_HUMAN; /* for a terminal */
}

static inline void forget_errors(void)
{
	last_classic[0] = '\0';
	last_error[0] = '\0';
	num_errors = 0;
}

static inline void assert_reported(const char *part)
{
	if (num_errors != 1 || !strstr(last_error, part))
		fail_msg("%u errors, the last \"%s\"; one with \"%s\" was expected", num_errors, last_error, part);
}

/* --- connections --- */

static const struct comm_address any_port = {.at = {.bind_ip = "127.0.0.1", .port_option = "-p"}};

static inline struct comm_address address_of(struct comm_listener *listener)
{
	return (struct comm_address){.at = {.host = "127.0.0.1", .port = listener->tcp.port}};
}

/* A raw TCP connection, for bytes written by hand. */
static inline int raw_connect(uint16_t port)
{
	const struct timeval limit = {.tv_sec = LISTEN_TIMEOUT_MS / 1000};
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
	return fd;
}

static inline void raw_write(int fd, const void *bytes, size_t length)
{
	assert_int_equal(send(fd, bytes, length, MSG_NOSIGNAL), length);
}

/* Reads exactly length bytes. */
static inline void raw_read(int fd, void *bytes, size_t length)
{
	for (size_t done = 0; done < length;) {
		ssize_t n = recv(fd, (char *)bytes + done, length - done, 0);

		assert_true(n > 0);
		done += (size_t)n;
	}
}

/* Accepts the connection that was just made, or is being made. */
static inline void take_connection(struct comm *server, struct comm_listener *listener, int timeout_ms)
{
	struct pollfd fd = {.fd = listener->tcp.fd[0], .events = POLLIN};

	assert_int_equal(poll(&fd, 1, LISTEN_TIMEOUT_MS), 1);
	assert_int_equal(pending_client_accept(server, listener, timeout_ms), 0);
}

/* A server's end whose client is a bare socket. */
static inline int raw_client(struct comm *server, int timeout_ms)
{
	struct comm_listener listener;
	int fd;

	assert_int_equal(comm_listen(&listener, &any_port), 0);
	fd = raw_connect(listener.tcp.port);
	take_connection(server, &listener, timeout_ms);
	comm_listener_close(&listener);
	return fd;
}

/* A client's end whose server is a bare socket. */
static inline int raw_server(struct comm *client, int timeout_ms)
{
	struct comm_listener listener;
	struct comm_address address;
	int fd, flags;

	assert_int_equal(comm_listen(&listener, &any_port), 0);
	address = address_of(&listener);
	assert_int_equal(comm_connect(client, &address, timeout_ms), 0);
	fd = accept(listener.tcp.fd[0], NULL, NULL);
	assert_true(fd >= 0);
	flags = fcntl(fd, F_GETFL);
	assert_int_equal(fcntl(fd, F_SETFL, flags & ~O_NONBLOCK), 0);
	comm_listener_close(&listener);
	return fd;
}

/* --- bytes by hand --- */

struct script {
	uint8_t bytes[4096];
	size_t length;
};

static inline void add_bytes(struct script *script, const void *bytes, size_t length)
{
	assert_true(script->length + length <= sizeof(script->bytes));
	memcpy(script->bytes + script->length, bytes, length);
	script->length += length;
}

static inline void add_greeting(struct script *script)
{
	const struct wire_greeting greeting = {.text = WIRE_GREETING_TEXT,
					       .native = true,
					       .newest = WIRE_NATIVE_VERSION,
					       .oldest = WIRE_NATIVE_VERSION};
	uint8_t bytes[WIRE_GREETING_SIZE];

	wire_greeting_encode(&greeting, bytes);
	add_bytes(script, bytes, sizeof(bytes));
}

static inline void add_message(struct script *script, const struct wire_message *message)
{
	uint8_t bytes[2048];
	size_t length = wire_native_encode(message, bytes, sizeof(bytes));

	assert_true(length <= sizeof(bytes));
	add_bytes(script, bytes, length);
}

static inline void add_hello(struct script *script, unsigned type)
{
	struct wire_message message = {.type = type};

	strcpy(message.hello.of.program, "ib_write_bw");
	strcpy(message.hello.of.version, "7.0");
	strcpy(message.hello.of.host, "alpha");
	message.hello.params = (struct codec_span){.text = "size=64\n", .length = 8};
	message.hello.of.site.page_bytes = 4096;
	add_message(script, &message);
}

static inline void add_endpoints(struct script *script, unsigned count)
{
	struct endpoint items[4] = {0};

	for (unsigned i = 0; i < count; i++)
		items[i] = (struct endpoint){.qpn = i + 1, .mtu = 1024};
	add_message(script,
		    &(struct wire_message){.type = MESSAGE_ENDPOINTS, .endpoints = {.items = items, .count = count}});
}

static inline void add_barrier(struct script *script, uint32_t tag)
{
	add_message(script, &(struct wire_message){.type = MESSAGE_BARRIER, .tag = tag});
}

static inline void add_done(struct script *script, uint64_t messages)
{
	add_message(script, &(struct wire_message){.type = MESSAGE_DONE, .done.messages = messages});
}

static inline void add_heartbeat(struct script *script)
{
	add_message(script, &(struct wire_message){.type = MESSAGE_ALIVE});
}

static inline void add_result(struct script *script)
{
	add_message(script,
		    &(struct wire_message){
			    .type = MESSAGE_RESULT,
			    .result = {.size = 64, .iterations = 5000, .bw_average = 64e7, .message_rate = 1e7}});
}

static inline void add_abort(struct script *script, const char *reason)
{
	struct wire_message message = {.type = MESSAGE_ABORT};

	snprintf(message.reason, sizeof(message.reason), "%s", reason);
	add_message(script, &message);
}

/* Everything that a client sends in a short test with two queue pairs. */
static inline void add_whole_client(struct script *script)
{
	add_greeting(script);
	add_hello(script, MESSAGE_HELLO);
	add_endpoints(script, 2);
	add_barrier(script, 7);
	add_heartbeat(script);
	add_done(script, 5000);
	add_result(script);
	add_barrier(script, 8);
}

/* The server's part of the same test. 0 or the first error. */
static inline int serve(struct comm *server)
{
	const struct endpoint local[2] = {{.qpn = 10, .mtu = 4096}, {.qpn = 11, .mtu = 4096}};
	const struct comm_result result = {.size = 64, .iterations = 5000};
	struct comm_hello hello = {0};
	struct endpoint remote[2];
	struct comm_result theirs;
	int rc;

	rc = comm_greet(server);
	if (!rc && !server->traits->negotiates) {
		log_error("a classic client");
		rc = -EPROTONOSUPPORT;
	}
	if (!rc)
		rc = comm_receive(server, MESSAGE_HELLO, &hello);
	if (!rc)
		rc = comm_transmit(server, MESSAGE_AGREE, &hello);
	comm_hello_clear(&hello);
	if (!rc)
		rc = comm_exchange_endpoints(server, local, remote, 2);
	if (!rc)
		rc = comm_barrier(server, 7);
	if (!rc)
		rc = comm_receive(server, MESSAGE_DONE, NULL);
	if (!rc)
		rc = comm_swap(server, MESSAGE_RESULT, &result, &theirs);
	if (!rc)
		rc = comm_barrier(server, 8);
	return rc;
}

/* --- whole conversations --- */

struct client_task {
	struct comm_address address;
	unsigned num_qps;
	int rc;
	char error[sizeof(last_error)];
	int64_t epoch_ns, epoch_error_ns;
	uint32_t remote_psn_sum;
	struct comm_result remote_result;
	char answer_host[64];
};

static inline void fill_endpoints(struct endpoint *items, unsigned count, uint32_t seed)
{
	for (unsigned i = 0; i < count; i++) {
		items[i] = (struct endpoint){
			.lid = (uint16_t)(seed + i),
			.qpn = (seed + i) & 0xffffff,
			.psn = (seed * 7 + i) & 0xffffff,
			.rkey = seed + i,
			.vaddr = UINT64_C(0x7f0000000000) + i * 4096,
			.out_reads = 16,
			.mtu = 256U << (i % 5),
		};
		memset(items[i].gid, (int)i, sizeof(items[i].gid));
	}
}

static inline void *client_thread(void *arg)
{
	struct client_task *task = arg;
	struct comm_hello hello = {.program = "ib_write_bw",
				   .version = "7.0",
				   .host = "alpha",
				   .site = {.page_bytes = 65536}},
			  answer = {0};
	const struct comm_result result = {
		.size = 65536, .iterations = 5000, .bw_average = 65536e5, .message_rate = 1e5};
	struct endpoint *local = calloc(task->num_qps, sizeof(*local));
	struct endpoint *remote = calloc(task->num_qps, sizeof(*remote));
	struct comm comm = {0};

	hello.params = (char *)"size=65536\niterations=5000\n";
	fill_endpoints(local, task->num_qps, 1);
	task->rc = comm_connect(&comm, &task->address, LISTEN_TIMEOUT_MS);
	if (!task->rc)
		task->rc = comm_greet(&comm);
	if (!task->rc)
		task->rc = comm_swap(&comm, MESSAGE_HELLO, &hello, &answer);
	if (!task->rc) {
		memcpy(task->answer_host, answer.host, sizeof(answer.host));
		task->rc = comm_exchange_endpoints(&comm, local, remote, task->num_qps);
	}
	for (unsigned i = 0; i < task->num_qps; i++)
		task->remote_psn_sum += remote[i].psn;
	if (!task->rc)
		task->rc = comm_compare_clocks(&comm);
	task->epoch_ns = comm.epoch_ns;
	task->epoch_error_ns = comm.epoch_error_ns;
	if (!task->rc)
		task->rc = comm_barrier(&comm, 1);
	if (!task->rc)
		task->rc = comm_transmit(&comm, MESSAGE_ALIVE, NULL);
	if (!task->rc)
		task->rc = comm_transmit(&comm, MESSAGE_DONE, &(struct comm_done){.messages = 5000});
	if (!task->rc)
		task->rc = comm_swap(&comm, MESSAGE_RESULT, &result, &task->remote_result);
	if (!task->rc)
		task->rc = comm_barrier(&comm, 2);
	comm_hello_clear(&answer);
	comm_close(&comm);
	free(local);
	free(remote);
	memcpy(task->error, last_error, sizeof(last_error));
	return NULL;
}

static inline void hold_conversation(const char *client_host, const struct comm_address *at, unsigned num_qps)
{
	struct client_task task = {.num_qps = num_qps};
	struct endpoint *local = calloc(num_qps, sizeof(*local));
	struct endpoint *remote = calloc(num_qps, sizeof(*remote));
	struct endpoint *expected = calloc(num_qps, sizeof(*expected));
	const struct comm_result result = {.size = 65536, .iterations = 4999, .partial = true};
	struct comm_hello hello = {0}, answer = {.program = "ib_write_bw",
						 .version = "7.0",
						 .host = "beta",
						 .site = {.page_bytes = 4096, .uid = 7}};
	struct comm_listener listener;
	struct comm_result theirs;
	struct comm comm = {0};
	uint32_t psn_sum = 0;
	pthread_t thread;
	int looked;

	forget_errors();
	assert_int_equal(comm_listen(&listener, at), 0);
	task.address = (struct comm_address){.at = {.host = client_host, .port = listener.tcp.port}};
	assert_int_equal(pthread_create(&thread, NULL, client_thread, &task), 0);

	assert_int_equal(comm_await_client(&comm, &listener, true /* greets */, LISTEN_TIMEOUT_MS), 0);
	assert_int_equal(comm_greet(&comm), 0);
	assert_string_equal(comm.peer_version, "6.06");
	assert_int_equal(comm_receive(&comm, MESSAGE_HELLO, &hello), 0);
	assert_string_equal(hello.program, "ib_write_bw");
	assert_string_equal(hello.version, "7.0");
	assert_string_equal(hello.host, "alpha");
	assert_string_equal(hello.params, "size=65536\niterations=5000\n");
	assert_int_equal(hello.site.page_bytes, 65536);
	answer.params = hello.params;
	assert_int_equal(comm_transmit(&comm, MESSAGE_AGREE, &answer), 0);

	fill_endpoints(local, num_qps, 1000);
	fill_endpoints(expected, num_qps, 1);
	assert_int_equal(comm_exchange_endpoints(&comm, local, remote, num_qps), 0);
	assert_same_endpoints(remote, expected, num_qps);
	for (unsigned i = 0; i < num_qps; i++)
		psn_sum += local[i].psn;

	assert_int_equal(comm_compare_clocks(&comm), 0);
	assert_int_equal(comm_barrier(&comm, 1), 0);
	assert_false(comm.peer_done);
	do
		looked = comm_look(&comm);
	while (looked == 0);
	assert_int_equal(looked, 1);
	assert_int_equal(comm.done.messages, 5000);
	assert_int_equal(comm_receive(&comm, MESSAGE_DONE, NULL), 0);
	assert_int_equal(comm_swap(&comm, MESSAGE_RESULT, &result, &theirs), 0);
	assert_int_equal(theirs.size, 65536);
	assert_int_equal(theirs.iterations, 5000);
	assert_true(theirs.bw_average == 65536e5 && theirs.message_rate == 1e5 && theirs.bw_peak == 0);
	assert_false(theirs.partial);
	assert_int_equal(comm_barrier(&comm, 2), 0);
	assert_false(comm.peer_done);

	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_string_equal(task.error, "");
	assert_int_equal(task.rc, 0);
	/* In fact it is the same clock. */
	assert_true(comm.epoch_ns && task.epoch_ns && comm.epoch_error_ns == task.epoch_error_ns);
	assert_in_range(comm.epoch_ns - task.epoch_ns + comm.epoch_error_ns, 0, 2 * comm.epoch_error_ns);
	assert_int_equal(task.remote_psn_sum, psn_sum);
	assert_int_equal(task.remote_result.iterations, 4999);
	assert_true(task.remote_result.partial);
	assert_string_equal(task.answer_host, "beta");
	assert_int_equal(num_errors, 0);
	comm_hello_clear(&hello);
	comm_close(&comm);
	comm_listener_close(&listener);
	free(local);
	free(remote);
	free(expected);
}

struct acceptor {
	int rc;
	int timeout_ms;
	struct comm_listener *listener;
	struct comm server;
	unsigned errors;
};

static inline void *acceptor_thread(void *arg)
{
	struct acceptor *acceptor = arg;

	acceptor->rc =
		comm_await_client(&acceptor->server, acceptor->listener, true /* greets */, acceptor->timeout_ms);
	acceptor->errors = num_errors;
	return NULL;
}
