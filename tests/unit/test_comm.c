// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The side channel over loopback: whole conversations between two threads, and one end against
 * a peer whose bytes are written by hand, cut off, flipped, slow, absent or random.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "comm/perftest_communication.h"
#include "comm/wire.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/stop.h"

/* Long enough for any machine; a test that waits so long has failed. */
#define PATIENCE_MS 30000

/* --- what each thread's end reported --- */

static _Thread_local char last_error[1024];
static _Thread_local unsigned num_errors;

void log_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_error, sizeof(last_error), format, args);
	va_end(args);
	num_errors++;
}

/* Of what librdmacm is asked for; these tests meet over TCP. */
void log_warning(const char *format, ...)
{
	(void)format;
}

/* For whom looks at a terminal. */
void log_human(const char *format, ...)
{
	(void)format;
}

static char notes[4096]; /* one line each */

void log_info(const char *format, ...)
{
	const size_t used = strlen(notes);
	va_list args;

	va_start(args, format);
	vsnprintf(notes + used, sizeof(notes) - used, format, args);
	va_end(args);
	if (strlen(notes) + 1 < sizeof(notes))
		strcat(notes, "\n");
}

static _Thread_local char last_classic[1024];

void log_classic(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_classic, sizeof(last_classic), format, args);
	va_end(args);
	assert_int_equal(num_errors, 0); /* it stands in front of the error */
}

static void forget_errors(void)
{
	last_classic[0] = '\0';
	last_error[0] = '\0';
	num_errors = 0;
}

static void assert_reported(const char *part)
{
	if (num_errors != 1 || !strstr(last_error, part))
		fail_msg("%u errors, the last \"%s\"; one with \"%s\" was expected", num_errors, last_error, part);
}

/* --- connections --- */

static const struct comm_address any_port = {.at = {.bind_ip = "127.0.0.1", .port_option = "-p"}};

static struct comm_address address_of(const struct comm_listener *listener)
{
	return (struct comm_address){.at = {.host = "127.0.0.1", .port = listener->tcp.port}};
}

/* A TCP connection made by hand, for bytes made by hand. */
static int raw_connect(uint16_t port)
{
	const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
	return fd;
}

static void raw_write(int fd, const void *bytes, size_t length)
{
	assert_int_equal(send(fd, bytes, length, MSG_NOSIGNAL), length);
}

/* Reads exactly length bytes. */
static void raw_read(int fd, void *bytes, size_t length)
{
	for (size_t done = 0; done < length;) {
		ssize_t n = recv(fd, (char *)bytes + done, length - done, 0);

		assert_true(n > 0);
		done += (size_t)n;
	}
}

/* The connection that was just made, or is being made. */
static void take_connection(struct comm *server, const struct comm_listener *listener, int timeout_ms)
{
	struct pollfd fd = {.fd = listener->tcp.fd[0], .events = POLLIN};

	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
	assert_int_equal(comm_accept(server, listener, timeout_ms), 0);
}

/* A server's end whose client is a bare socket. */
static int raw_client(struct comm *server, int timeout_ms)
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
static int raw_server(struct comm *client, int timeout_ms)
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

static void add_bytes(struct script *script, const void *bytes, size_t length)
{
	assert_true(script->length + length <= sizeof(script->bytes));
	memcpy(script->bytes + script->length, bytes, length);
	script->length += length;
}

static void add_greeting(struct script *script)
{
	const struct wire_greeting greeting = {.text = WIRE_GREETING_TEXT, .native = true, .newest = 2, .oldest = 2};
	uint8_t bytes[WIRE_GREETING_SIZE];

	wire_greeting_encode(&greeting, bytes);
	add_bytes(script, bytes, sizeof(bytes));
}

static void add_message(struct script *script, const struct wire_message *message)
{
	uint8_t bytes[2048];
	size_t length = wire_native_encode(message, bytes, sizeof(bytes));

	assert_true(length <= sizeof(bytes));
	add_bytes(script, bytes, length);
}

static void add_hello(struct script *script, enum wire_type type)
{
	struct wire_message message = {.type = type};

	strcpy(message.hello.program, "ib_write_bw");
	strcpy(message.hello.version, "7.0");
	strcpy(message.hello.host, "alpha");
	message.hello.params = (struct wire_span){.text = "size=64\n", .length = 8};
	message.hello.site.page_bytes = 4096;
	add_message(script, &message);
}

static void add_endpoints(struct script *script, unsigned count)
{
	struct endpoint items[4] = {0};

	for (unsigned i = 0; i < count; i++)
		items[i] = (struct endpoint){.qpn = i + 1, .mtu = 1024};
	add_message(script,
		    &(struct wire_message){.type = WIRE_ENDPOINTS, .endpoints = {.items = items, .count = count}});
}

static void add_barrier(struct script *script, uint32_t tag)
{
	add_message(script, &(struct wire_message){.type = WIRE_BARRIER, .tag = tag});
}

static void add_done(struct script *script, uint64_t messages)
{
	add_message(script, &(struct wire_message){.type = WIRE_DONE, .done.messages = messages});
}

static void add_heartbeat(struct script *script)
{
	add_message(script, &(struct wire_message){.type = WIRE_HEARTBEAT});
}

static void add_result(struct script *script)
{
	add_message(script, &(struct wire_message){.type = WIRE_RESULT,
						   .result = {.size = 64, .iterations = 5000, .bw_average = 1e9}});
}

static void add_abort(struct script *script, const char *reason)
{
	struct wire_message message = {.type = WIRE_ABORT};

	snprintf(message.reason, sizeof(message.reason), "%s", reason);
	add_message(script, &message);
}

/* Everything that a client says in a short test with two queue pairs. */
static void add_whole_client(struct script *script)
{
	add_greeting(script);
	add_hello(script, WIRE_HELLO);
	add_endpoints(script, 2);
	add_barrier(script, 7);
	add_heartbeat(script);
	add_done(script, 5000);
	add_result(script);
	add_barrier(script, 8);
}

/* The server's part of the same test. 0 or the first error. */
static int serve(struct comm *server)
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
		rc = comm_read_hello(server, &hello);
	if (!rc)
		rc = comm_agree(server, &hello);
	comm_hello_clear(&hello);
	if (!rc)
		rc = comm_exchange_endpoints(server, local, remote, 2);
	if (!rc)
		rc = comm_barrier(server, 7);
	if (!rc)
		rc = comm_wait_done(server);
	if (!rc)
		rc = comm_exchange_result(server, &result, &theirs);
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
	uint32_t remote_psn_sum;
	struct comm_result remote_result;
	char answer_host[64];
};

static void fill_endpoints(struct endpoint *items, unsigned count, uint32_t seed)
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

static void *client_thread(void *arg)
{
	struct client_task *task = arg;
	struct comm_hello hello = {.program = "ib_write_bw",
				   .version = "7.0",
				   .host = "alpha",
				   .site = {.page_bytes = 65536}},
			  answer = {0};
	const struct comm_result result = {.size = 65536, .iterations = 5000, .bw_average = 2.5e9, .message_rate = 1e5};
	struct endpoint *local = calloc(task->num_qps, sizeof(*local));
	struct endpoint *remote = calloc(task->num_qps, sizeof(*remote));
	struct comm comm = {0};

	hello.params = (char *)"size=65536\niterations=5000\n";
	fill_endpoints(local, task->num_qps, 1);
	task->rc = comm_connect(&comm, &task->address, PATIENCE_MS);
	if (!task->rc)
		task->rc = comm_greet(&comm);
	if (!task->rc)
		task->rc = comm_ask(&comm, &hello, &answer);
	if (!task->rc) {
		memcpy(task->answer_host, answer.host, sizeof(answer.host));
		task->rc = comm_exchange_endpoints(&comm, local, remote, task->num_qps);
	}
	for (unsigned i = 0; i < task->num_qps; i++)
		task->remote_psn_sum += remote[i].psn;
	if (!task->rc)
		task->rc = comm_barrier(&comm, 1);
	if (!task->rc)
		task->rc = comm_send_heartbeat(&comm);
	if (!task->rc)
		task->rc = comm_send_done(&comm, &(struct comm_done){.messages = 5000});
	if (!task->rc)
		task->rc = comm_exchange_result(&comm, &result, &task->remote_result);
	if (!task->rc)
		task->rc = comm_barrier(&comm, 2);
	comm_hello_clear(&answer);
	comm_close(&comm);
	free(local);
	free(remote);
	memcpy(task->error, last_error, sizeof(last_error));
	return NULL;
}

static void hold_conversation(const char *client_host, const struct comm_address *at, unsigned num_qps)
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

	assert_int_equal(comm_await_client(&comm, &listener, true /* greets */, PATIENCE_MS), 0);
	assert_int_equal(comm_greet(&comm), 0);
	assert_string_equal(comm.peer_version, "6.06");
	assert_int_equal(comm_read_hello(&comm, &hello), 0);
	assert_string_equal(hello.program, "ib_write_bw");
	assert_string_equal(hello.version, "7.0");
	assert_string_equal(hello.host, "alpha");
	assert_string_equal(hello.params, "size=65536\niterations=5000\n");
	assert_int_equal(hello.site.page_bytes, 65536);
	answer.params = hello.params;
	assert_int_equal(comm_agree(&comm, &answer), 0);

	fill_endpoints(local, num_qps, 1000);
	fill_endpoints(expected, num_qps, 1);
	assert_int_equal(comm_exchange_endpoints(&comm, local, remote, num_qps), 0);
	assert_memory_equal(remote, expected, num_qps * sizeof(*remote));
	for (unsigned i = 0; i < num_qps; i++)
		psn_sum += local[i].psn;

	assert_int_equal(comm_barrier(&comm, 1), 0);
	assert_false(comm.peer_done);
	do
		looked = comm_look(&comm);
	while (looked == 0);
	assert_int_equal(looked, 1);
	assert_int_equal(comm.done.messages, 5000);
	assert_int_equal(comm_wait_done(&comm), 0);
	assert_int_equal(comm_exchange_result(&comm, &result, &theirs), 0);
	assert_int_equal(theirs.size, 65536);
	assert_int_equal(theirs.iterations, 5000);
	assert_true(theirs.bw_average == 2.5e9 && theirs.message_rate == 1e5 && theirs.bw_peak == 0);
	assert_false(theirs.partial);
	assert_int_equal(comm_barrier(&comm, 2), 0);
	assert_false(comm.peer_done);

	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_string_equal(task.error, "");
	assert_int_equal(task.rc, 0);
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

static void conversation_is_held(void **state)
{
	(void)state;
	hold_conversation("127.0.0.1", &any_port, 1);
}

static void conversation_is_held_by_name(void **state)
{
	struct addrinfo *found;

	(void)state;
	if (getaddrinfo("localhost", NULL, NULL, &found) != 0)
		skip(); /* a bare machine that packages are built on may have no /etc/hosts */
	freeaddrinfo(found);
	hold_conversation("localhost", &(struct comm_address){.at = {.port = 0}}, 3);
}

/* 800 KiB each way, more than the sockets' buffers. */
static void many_endpoints_fit_in_one_message(void **state)
{
	(void)state;
	hold_conversation("127.0.0.1", &any_port, WIRE_MAX_ENDPOINTS);
}

static void client_by_hand_is_served(void **state)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client(&server, PATIENCE_MS);

	(void)state;
	forget_errors();
	add_whole_client(&script);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(serve(&server), 0);
	assert_int_equal(num_errors, 0);
	comm_close(&server);
	close(fd);
}

/* --- peers that do wrong --- */

static void abort_is_reported_with_printable_words(void **state)
{
	struct script script = {.length = 0};
	struct comm client;
	int fd = raw_server(&client, PATIENCE_MS);

	(void)state;
	forget_errors();
	add_greeting(&script);
	add_abort(&script, "disk full\033[2J\n");
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_greet(&client), 0);
	assert_int_equal(comm_barrier(&client, 1), -ECANCELED);
	assert_reported("ended the test: disk full?[2J?");
	comm_close(&client);
	close(fd);
}

static void abort_reaches_the_peer(void **state)
{
	struct script script = {.length = 0}, expected = {.length = 0};
	struct comm server;
	uint8_t came[sizeof(script.bytes)];
	int fd = raw_client(&server, PATIENCE_MS);

	(void)state;
	forget_errors();
	add_greeting(&script);
	add_whole_client(&script); /* unread bytes must not turn the close into a reset */
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_greet(&server), 0);
	comm_abort(&server, "no such device");
	comm_close(&server);
	comm_close(&server);

	add_greeting(&expected);
	add_abort(&expected, "no such device");
	raw_read(fd, came, expected.length);
	assert_memory_equal(came, expected.bytes, expected.length);
	assert_int_equal(recv(fd, came, sizeof(came), 0), 0);
	close(fd);
}

static void refusal_is_reported_with_its_reason(void **state)
{
	const struct comm_hello hello = {.program = "ib_write_bw"};
	struct comm_hello answer = {.program = "untouched"};
	struct script script = {.length = 0};
	struct wire_message message = {.type = WIRE_REFUSE};
	struct comm client;
	int fd = raw_server(&client, PATIENCE_MS);

	(void)state;
	forget_errors();
	strcpy(message.reason, "the server runs ib_read_bw");
	add_greeting(&script);
	add_message(&script, &message);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_greet(&client), 0);
	assert_int_equal(comm_ask(&client, &hello, &answer), -ECANCELED);
	assert_reported("refuses: the server runs ib_read_bw");
	assert_string_equal(answer.program, "untouched");
	comm_close(&client);
	close(fd);
}

/* Serves a client that says this and then closes. Returns what serve() does. */
static int serve_script(const struct script *script, size_t length)
{
	struct comm server;
	int fd = raw_client(&server, PATIENCE_MS);
	int rc;

	forget_errors();
	raw_write(fd, script->bytes, length);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	rc = serve(&server);
	comm_close(&server);
	close(fd);
	return rc;
}

static void client_that_leaves_at_any_byte_is_noticed(void **state)
{
	struct script script = {.length = 0};

	(void)state;
	add_whole_client(&script);
	for (size_t length = 0; length < script.length; length++) {
		assert_int_equal(serve_script(&script, length), -ECONNRESET);
		assert_reported("closed the connection while this side waited for its ");
		assert_non_null(strstr(last_error, "the client (127.0.0.1:"));
	}
	assert_int_equal(serve_script(&script, script.length), 0);
	assert_int_equal(num_errors, 0);
}

static void flipped_bits_end_the_test_or_change_a_value(void **state)
{
	struct script script = {.length = 0};
	unsigned refused = 0;

	(void)state;
	add_whole_client(&script);
	for (size_t bit = 0; bit < script.length * 8; bit++) {
		int rc;

		script.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
		rc = serve_script(&script, script.length);
		script.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
		assert_true(rc == 0 || rc == -EBADMSG || rc == -ECONNRESET || rc == -EPROTO || rc == -ECANCELED ||
			    rc == -EPROTONOSUPPORT);
		assert_int_equal(num_errors, rc != 0);
		refused += rc != 0;
	}
	assert_true(refused > script.length);
}

/* Each byte is sent when the one before has been taken, so no read gets more than one. */
struct dribble {
	const struct script *script;
	int from, to; /* the sending end, and the receiving end's descriptor */
	int rc;
};

static void *dribble_thread(void *arg)
{
	struct dribble *dribble = arg;
	const struct deadline deadline = deadline_in_ms(PATIENCE_MS);

	for (size_t i = 0; i < dribble->script->length; i++) {
		int unread;

		do {
			if (ioctl(dribble->to, FIONREAD, &unread) || deadline_passed(deadline)) {
				dribble->rc = -ETIMEDOUT;
				return NULL;
			}
		} while (unread);
		if (send(dribble->from, dribble->script->bytes + i, 1, MSG_NOSIGNAL) != 1) {
			dribble->rc = -errno;
			return NULL;
		}
	}
	return NULL;
}

static void messages_may_come_byte_by_byte(void **state)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client(&server, PATIENCE_MS);
	struct dribble dribble = {.script = &script, .from = fd, .to = server.conn.fd};
	pthread_t thread;

	(void)state;
	forget_errors();
	add_whole_client(&script);
	assert_int_equal(pthread_create(&thread, NULL, dribble_thread, &dribble), 0);
	assert_int_equal(serve(&server), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(dribble.rc, 0);
	assert_int_equal(num_errors, 0);
	comm_close(&server);
	close(fd);
}

static void random_bytes_are_no_perftest(void **state)
{
	static uint8_t bytes[65536];
	struct comm_listener listener;
	struct comm server;
	uint32_t seed = 1;
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(seed >> 24);
	}
	forget_errors();
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	fd = raw_connect(listener.tcp.port);
	raw_write(fd, bytes, sizeof(bytes));
	take_connection(&server, &listener, PATIENCE_MS);
	assert_int_equal(comm_greet(&server), -EBADMSG);
	assert_reported("is no perftest");
	assert_true(conn_pending(&server.conn) <= 8192);
	for (const char *at = last_error; *at; at++)
		assert_in_range((unsigned char)*at, 0x20, 0x7e);
	comm_close(&server);
	close(fd);

	/* The listener is as good as before: a scan of the port, then a client. */
	forget_errors();
	fd = raw_connect(listener.tcp.port);
	close(fd);
	take_connection(&server, &listener, PATIENCE_MS);
	assert_int_equal(comm_greet(&server), -ECONNRESET);
	comm_close(&server);
	comm_listener_close(&listener);
	hold_conversation("127.0.0.1", &any_port, 1);
}

static void random_bytes_after_the_greeting_are_rubbish(void **state)
{
	struct script script = {.length = 0};

	(void)state;
	add_greeting(&script);
	add_bytes(&script, "\033[2J rubbish, and more of it", 28);
	assert_int_equal(serve_script(&script, script.length), -EBADMSG);
	assert_reported("sent rubbish, \".[2J rubbish\"");
}

static void absurd_length_is_not_waited_for(void **state)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client(&server, -1 /* no limit: a wait would not end */);

	(void)state;
	forget_errors();
	add_greeting(&script);
	add_bytes(&script, "PFTN\0\1\0\0\377\377\377\377", 12);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(serve(&server), -EBADMSG);
	assert_reported("longer than any of its type");
	comm_close(&server);
	close(fd);
}

static void message_out_of_order_is_named(void **state)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client(&server, -1 /* no limit: the header alone must be enough */);

	(void)state;
	forget_errors();
	add_greeting(&script);
	add_endpoints(&script, 2);
	raw_write(fd, script.bytes, WIRE_GREETING_SIZE + WIRE_HEADER_SIZE);
	assert_int_equal(serve(&server), -EBADMSG);
	assert_reported("sent its endpoints while this side waited for its parameters");
	comm_close(&server);
	close(fd);
}

/* Nothing prolongs the wait for parameters. */
static void heartbeat_before_the_agreement_is_out_of_order(void **state)
{
	struct script script = {.length = 0};

	(void)state;
	add_greeting(&script);
	add_heartbeat(&script);
	assert_int_equal(serve_script(&script, script.length), -EBADMSG);
	assert_reported("sent its heartbeat while this side waited for its parameters");
}

static void other_number_of_queue_pairs_is_named(void **state)
{
	struct script script = {.length = 0};

	(void)state;
	add_greeting(&script);
	add_hello(&script, WIRE_HELLO);
	add_endpoints(&script, 4);
	assert_int_equal(serve_script(&script, script.length), -EPROTO);
	assert_reported("has 4 queue pairs, this side 2");

	script.length = 0;
	add_greeting(&script);
	add_hello(&script, WIRE_HELLO);
	add_endpoints(&script, 1);
	assert_int_equal(serve_script(&script, script.length), -EPROTO);
	assert_reported("has 1 queue pairs, this side 2");
}

static void other_barrier_is_named(void **state)
{
	struct script script = {.length = 0};

	(void)state;
	add_greeting(&script);
	add_hello(&script, WIRE_HELLO);
	add_endpoints(&script, 2);
	add_barrier(&script, 9);
	assert_int_equal(serve_script(&script, script.length), -EPROTO);
	assert_reported("at another point of the test (9) than this side (7)");
}

/* A message of a later version, that an older end may skip. */
static void optional_messages_are_skipped(void **state)
{
	struct script script = {.length = 0};

	(void)state;
	add_greeting(&script);
	add_hello(&script, WIRE_HELLO);
	add_bytes(&script, "PFTN\1\0\0\1\0\0\0\3new", 15);
	add_endpoints(&script, 2);
	add_bytes(&script, "PFTN\1\0\0\1\0\0\0\0", 12);
	add_barrier(&script, 7);
	add_done(&script, 1);
	add_result(&script);
	add_barrier(&script, 8);
	assert_int_equal(serve_script(&script, script.length), 0);
	assert_int_equal(num_errors, 0);
}

static void greet_with(const uint8_t greeting[WIRE_GREETING_SIZE], int rc, const char *part)
{
	struct comm server;
	int fd = raw_client(&server, PATIENCE_MS);

	forget_errors();
	raw_write(fd, greeting, WIRE_GREETING_SIZE);
	assert_int_equal(comm_greet(&server), rc);
	assert_reported(part);
	comm_abort(&server, "nobody to tell");
	comm_close(&server);
	close(fd);
}

static void peers_of_other_kinds_are_named(void **state)
{
	(void)state;
	greet_with((const uint8_t *)"5.60\0\0\0\0\0\0\0\0\0\0\0", -EPROTONOSUPPORT, "is linux-rdma perftest 5.60");
	greet_with((const uint8_t *)"6.06\0perftest\11\7", -EPROTONOSUPPORT, "speaks versions 7 to 9");
	greet_with((const uint8_t *)"0012:0010:000123", -EPROTONOSUPPORT, "a perftest with --dont_xchg_versions");
	greet_with((const uint8_t *)"SSH-2.0-OpenSSH_", -EBADMSG, "\"SSH-2.0-OpenSSH_\"");
}

/* --- waits that end --- */

static void silent_client_is_given_up(void **state)
{
	struct comm server;
	int fd = raw_client(&server, 50);

	(void)state;
	forget_errors();
	assert_int_equal(comm_greet(&server), -ETIMEDOUT);
	assert_reported("was silent for 0.05 s while this side waited for its greeting");
	comm_close(&server);
	close(fd);
}

/* The kernel accepts the second client of a busy server, and the server does not speak. */
static void busy_server_is_given_up(void **state)
{
	struct comm_listener listener;
	struct comm_address address;
	struct comm client;

	(void)state;
	forget_errors();
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	address = address_of(&listener);
	assert_int_equal(comm_connect(&client, &address, 50), 0);
	assert_int_equal(comm_greet(&client), -ETIMEDOUT);
	assert_reported("probably serving another client");
	comm_close(&client);

	forget_errors();
	assert_int_equal(comm_connect(&client, &address, PATIENCE_MS), 0);
	comm_listener_close(&listener);
	assert_int_equal(comm_greet(&client), -ECONNRESET);
	assert_reported("closed the connection before it said anything");
	comm_close(&client);
}

struct trickle {
	int fd;
	int stop; /* readable: enough */
};

/* A byte of a long message every 10 ms, for ten minutes. */
static void *trickle_thread(void *arg)
{
	const struct trickle *trickle = arg;
	struct pollfd stop = {.fd = trickle->stop, .events = POLLIN};

	for (unsigned i = 0; i < 60000 && poll(&stop, 1, 10) == 0; i++) {
		if (send(trickle->fd, "x", 1, MSG_NOSIGNAL) != 1)
			break;
	}
	return NULL;
}

static void trickling_client_is_given_up(void **state)
{
	struct script script = {.length = 0};
	struct comm_hello hello;
	struct trickle trickle;
	struct comm server;
	pthread_t thread;
	int ends[2];

	(void)state;
	forget_errors();
	trickle.fd = raw_client(&server, 100);
	assert_int_equal(pipe(ends), 0);
	trickle.stop = ends[0];
	add_greeting(&script);
	add_bytes(&script, "PFTN\0\1\0\0\0\0\377\377", 12); /* parameters of 64 KiB */
	raw_write(trickle.fd, script.bytes, script.length);
	assert_int_equal(comm_greet(&server), 0);
	assert_int_equal(pthread_create(&thread, NULL, trickle_thread, &trickle), 0);
	assert_int_equal(comm_read_hello(&server, &hello), -ETIMEDOUT);
	assert_reported("was silent for 0.1 s while this side waited for its parameters");
	assert_int_equal(write(ends[1], "", 1), 1);
	assert_int_equal(pthread_join(thread, NULL), 0);
	comm_close(&server);
	close(trickle.fd);
	close(ends[0]);
	close(ends[1]);
}

/* A peer that reads nothing while this side has more to say than fits into the sockets. */
static void peer_that_does_not_read_is_given_up(void **state)
{
	struct endpoint *items = calloc(WIRE_MAX_ENDPOINTS, sizeof(*items));
	struct script script = {.length = 0};
	struct comm client;
	int fd = raw_server(&client, 100);

	(void)state;
	forget_errors();
	assert_int_equal(setsockopt(client.conn.fd, SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){4096}, sizeof(int)), 0);
	fill_endpoints(items, WIRE_MAX_ENDPOINTS, 0);
	add_greeting(&script);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_greet(&client), 0);
	assert_int_equal(comm_exchange_endpoints(&client, items, items, WIRE_MAX_ENDPOINTS), -ETIMEDOUT);
	assert_reported("while this side waited for its endpoints");
	/* The message was cut off; an ABORT inside it would be read as endpoints. */
	assert_true(client.conn.out_broken);
	comm_abort(&client, "no more");
	comm_close(&client);
	close(fd);
	free(items);
}

/* The server ended the test and closed while the client still has much to send: the reason counts. */
static void reason_is_found_when_sending_fails(void **state)
{
	struct endpoint *items = calloc(WIRE_MAX_ENDPOINTS, sizeof(*items));
	struct script script = {.length = 0};
	struct comm client;
	int fd = raw_server(&client, PATIENCE_MS);
	uint8_t greeting[WIRE_GREETING_SIZE];

	(void)state;
	forget_errors();
	fill_endpoints(items, WIRE_MAX_ENDPOINTS, 0);
	add_greeting(&script);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_greet(&client), 0);
	raw_read(fd, greeting, sizeof(greeting));
	script.length = 0;
	add_heartbeat(&script);
	add_abort(&script, "no memory for 16384 queue pairs");
	raw_write(fd, script.bytes, script.length);
	close(fd);
	assert_int_equal(comm_exchange_endpoints(&client, items, items, WIRE_MAX_ENDPOINTS), -ECANCELED);
	assert_reported("ended the test: no memory for 16384 queue pairs");
	comm_close(&client);
	free(items);
}

/* --- while a loop runs --- */

/* A server's end that has come as far as the loop, and the bare socket of its client. */
static int raw_client_in_loop(struct comm *server, int timeout_ms)
{
	struct script script = {.length = 0};
	struct comm_hello hello;
	uint8_t greeting[WIRE_GREETING_SIZE];
	int fd = raw_client(server, timeout_ms);

	forget_errors();
	add_greeting(&script);
	add_hello(&script, WIRE_HELLO);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_greet(server), 0);
	assert_int_equal(comm_read_hello(server, &hello), 0);
	comm_hello_clear(&hello);
	raw_read(fd, greeting, sizeof(greeting));
	return fd;
}

/* Looks until the bytes that were written to the other end have come. */
static int look_until(struct comm *comm, int nothing_yet)
{
	const struct deadline deadline = deadline_in_ms(PATIENCE_MS);
	int rc;

	do
		rc = comm_look(comm);
	while (rc == nothing_yet && !deadline_passed(deadline));
	return rc;
}

static void look_takes_what_concerns_the_loop_and_leaves_the_rest(void **state)
{
	const struct comm_result result = {0};
	struct script script = {.length = 0};
	struct comm_result theirs;
	struct comm server;
	int fd = raw_client_in_loop(&server, PATIENCE_MS);

	(void)state;
	assert_int_equal(comm_look(&server), 0);
	add_heartbeat(&script);
	add_heartbeat(&script);
	add_done(&script, 77);
	add_result(&script);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(look_until(&server, 0), 1);
	assert_true(server.peer_done);
	assert_int_equal(server.done.messages, 77);
	assert_int_equal(comm_look(&server), 1);
	assert_int_equal(comm_wait_done(&server), 0);
	assert_int_equal(comm_exchange_result(&server, &result, &theirs), 0);
	assert_int_equal(theirs.iterations, 5000);
	assert_int_equal(num_errors, 0);

	close(fd);
	assert_int_equal(look_until(&server, 1), -ECONNRESET);
	assert_reported("closed the connection");
	comm_close(&server);
}

static void look_sees_the_end(void **state)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client_in_loop(&server, PATIENCE_MS);

	(void)state;
	add_abort(&script, "stopped by its user");
	raw_write(fd, script.bytes, script.length);
	close(fd);
	assert_int_equal(look_until(&server, 0), -ECANCELED);
	assert_reported("ended the test: stopped by its user");
	comm_close(&server);

	fd = raw_client_in_loop(&server, PATIENCE_MS);
	raw_write(fd, "PFTNrubbish.", 12);
	assert_int_equal(look_until(&server, 0), -EBADMSG);
	assert_reported("sent rubbish");
	comm_close(&server);
	close(fd);
}

/* DONE is read by whatever waits, so a loop that ended by its own count never looks. */
static void done_is_noted_by_other_waits(void **state)
{
	const struct comm_result result = {0};
	struct script script = {.length = 0};
	struct comm_result theirs;
	struct comm server;
	int fd = raw_client_in_loop(&server, PATIENCE_MS);

	(void)state;
	add_done(&script, 88);
	add_result(&script);
	add_barrier(&script, 3);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_exchange_result(&server, &result, &theirs), 0);
	assert_true(server.peer_done);
	assert_int_equal(server.done.messages, 88);
	assert_int_equal(comm_barrier(&server, 3), 0);
	assert_false(server.peer_done);
	comm_close(&server);
	close(fd);
}

/* With full sockets a heartbeat is left out and DONE is kept; the stream stays whole. */
static void posting_does_not_block(void **state)
{
	struct comm server;
	int fd = raw_client_in_loop(&server, PATIENCE_MS);
	struct wire_message message;
	struct wire_header header;
	uint8_t bytes[512];
	const char *fault;
	size_t left;

	(void)state;
	assert_int_equal(setsockopt(server.conn.fd, SOL_SOCKET, SO_SNDBUF, &(int){1}, sizeof(int)), 0);
	do
		assert_int_equal(comm_send_heartbeat(&server), 0);
	while (!server.conn.out_used);
	left = server.conn.out_used;
	assert_in_range(left, 1, WIRE_HEADER_SIZE);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(comm_send_heartbeat(&server), 0);
	assert_true(server.conn.out_used <= left);
	assert_int_equal(comm_send_done(&server, &(struct comm_done){.messages = 99}), 0);
	assert_int_equal(num_errors, 0);

	do {
		/* Looking sends what was left, as the peer makes room. */
		assert_int_equal(comm_look(&server), 0);
		raw_read(fd, bytes, WIRE_HEADER_SIZE);
		assert_int_equal(wire_native_decode_header(bytes, &header, &fault), 0);
	} while (header.type == WIRE_HEARTBEAT);
	assert_int_equal(header.type, WIRE_DONE);
	raw_read(fd, bytes, header.length);
	assert_int_equal(wire_native_decode(&header, bytes, &message, &fault), 0);
	assert_int_equal(message.done.messages, 99);
	assert_int_equal(server.conn.out_used, 0);
	comm_close(&server);
	close(fd);
}

/* --- peers that keep something coming --- */

struct repeat {
	int fd;
	int stop; /* readable: enough */
	struct script script;
	unsigned count; /* so often; then what follows once */
	struct script last;
};

/* The same bytes every 10 ms. */
static void *repeat_thread(void *arg)
{
	const struct repeat *repeat = arg;
	struct pollfd stop = {.fd = repeat->stop, .events = POLLIN};

	for (unsigned i = 0; i < repeat->count && poll(&stop, 1, 10) == 0; i++) {
		if (send(repeat->fd, repeat->script.bytes, repeat->script.length, MSG_NOSIGNAL) < 0)
			return NULL;
	}
	(void)!send(repeat->fd, repeat->last.bytes, repeat->last.length, MSG_NOSIGNAL);
	return NULL;
}

static pthread_t start_repeat(struct repeat *repeat, int ends[2])
{
	pthread_t thread;

	assert_int_equal(pipe(ends), 0);
	repeat->stop = ends[0];
	assert_int_equal(pthread_create(&thread, NULL, repeat_thread, repeat), 0);
	return thread;
}

static void end_repeat(pthread_t thread, int ends[2])
{
	assert_int_equal(write(ends[1], "", 1), 1);
	assert_int_equal(pthread_join(thread, NULL), 0);
	close(ends[0]);
	close(ends[1]);
}

static void heartbeats_prolong_nothing_but_the_wait_for_a_loop(void **state)
{
	struct repeat repeat = {.count = 60000};
	struct comm server;
	pthread_t thread;
	int ends[2];

	(void)state;
	repeat.fd = raw_client_in_loop(&server, 100);
	add_heartbeat(&repeat.script);
	thread = start_repeat(&repeat, ends);
	assert_int_equal(comm_barrier(&server, 5), -ETIMEDOUT);
	assert_reported("was silent for 0.1 s while this side waited for its readiness");
	end_repeat(thread, ends);
	comm_close(&server);
	close(repeat.fd);

	/* Thirty of them are longer than the limit. */
	repeat.count = 30;
	repeat.fd = raw_client_in_loop(&server, 200);
	add_done(&repeat.last, 5);
	thread = start_repeat(&repeat, ends);
	assert_int_equal(comm_wait_done(&server), 0);
	assert_int_equal(server.done.messages, 5);
	assert_int_equal(num_errors, 0);
	end_repeat(thread, ends);
	comm_close(&server);
	close(repeat.fd);
}

/* The end of ib_write_lat with a classic peer is that of the connection. */
static void classic_peer_that_never_ends_is_given_up(void **state)
{
	static const struct program program = {.name = "ib_write_lat", .verb = VERB_WRITE, .metric = METRIC_LAT};
	const struct comm_plan plan = {.program = &program};
	struct repeat repeat = {.count = 60000};
	uint32_t page;
	struct comm server;
	pthread_t thread;
	int ends[2];

	(void)state;
	forget_errors();
	repeat.fd = raw_client(&server, 100);
	comm_assume_classic(&server);
	assert_int_equal(comm_settle(&server, &plan, &page), 0);
	add_bytes(&repeat.script, "more", 4);
	thread = start_repeat(&repeat, ends);
	assert_int_equal(comm_barrier(&server, COMM_CLOSE), -ETIMEDOUT);
	end_repeat(thread, ends);
	comm_close(&server);
	close(repeat.fd);
}

/* The end is seen although a message waits that belongs to a later exchange; so is the last word behind it. */
static void look_sees_the_end_behind_an_early_message(void **state)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client_in_loop(&server, PATIENCE_MS);

	(void)state;
	add_result(&script);
	raw_write(fd, script.bytes, script.length);
	close(fd);
	assert_int_equal(look_until(&server, 0), -ECONNRESET);
	assert_reported("closed the connection");
	comm_close(&server);

	fd = raw_client_in_loop(&server, PATIENCE_MS);
	add_abort(&script, "enough");
	raw_write(fd, script.bytes, script.length);
	close(fd);
	assert_int_equal(look_until(&server, 0), -ECANCELED);
	assert_reported("ended the test: enough");
	comm_close(&server);
}

static void look_refuses_a_flood_of_what_is_not_its_own(void **state)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client_in_loop(&server, PATIENCE_MS);

	(void)state;
	while (script.length + 64 < sizeof(script.bytes))
		add_result(&script);
	for (unsigned i = 0; i < 4; i++)
		raw_write(fd, script.bytes, script.length);
	assert_int_equal(look_until(&server, 0), -EBADMSG);
	assert_reported("sent more than it may while a test runs");
	comm_close(&server);
	close(fd);
}

/* --- who connects to a server --- */

static unsigned num_notes(void)
{
	unsigned count = 0;

	for (const char *at = notes; *at; at++)
		count += *at == '\n';
	return count;
}

static void say_hello(int fd)
{
	struct script script = {.length = 0};

	add_greeting(&script);
	add_hello(&script, WIRE_HELLO);
	raw_write(fd, script.bytes, script.length);
}

/* What ends, or is no perftest, before it has said what it wants is noted; the client behind it is served. */
static void strangers_do_not_count(void **state)
{
	static const char browser[] = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
	struct script script = {.length = 0};
	struct comm_listener listener;
	struct comm_hello hello;
	struct comm server;
	int fds[6];

	(void)state;
	forget_errors();
	notes[0] = '\0';
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	for (unsigned i = 0; i < 6; i++)
		fds[i] = raw_connect(listener.tcp.port);
	close(fds[0]);
	raw_write(fds[1], "6.06", 4);
	close(fds[1]);
	raw_write(fds[2], browser, sizeof(browser) - 1);
	/* fds[3] stays silent */
	add_greeting(&script);
	raw_write(fds[4], script.bytes, script.length);
	close(fds[4]);
	say_hello(fds[5]);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, PATIENCE_MS), 0);
	assert_int_equal(comm_greet(&server), 0);
	assert_int_equal(comm_read_hello(&server, &hello), 0);
	assert_string_equal(hello.host, "alpha");
	comm_close(&server);
	close(fds[5]);
	/* Of some the end is seen only now. */
	fds[5] = raw_connect(listener.tcp.port);
	say_hello(fds[5]);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, PATIENCE_MS), 0);
	assert_int_equal(num_errors, 0);
	if (num_notes() != 4 || !strstr(notes, "was closed before it said who it is") ||
	    !strstr(notes, "is no perftest, or one with --dont_xchg_versions: it started with \"GET / HTTP/1.1..\"") ||
	    !strstr(notes, "was closed before it said what it wants"))
		fail_msg("notes: %s", notes);
	comm_hello_clear(&hello);
	comm_close(&server);
	comm_listener_close(&listener);
	close(fds[2]);
	close(fds[3]);
	close(fds[5]);
}

/* Eight connections that say nothing, or only greet, are in front; the client does not wait until they are given up. */
static void silent_ones_hold_nobody_up(void **state)
{
	struct script script = {.length = 0};
	struct comm_listener listener;
	struct comm server;
	int fds[9];

	(void)state;
	forget_errors();
	notes[0] = '\0';
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	add_greeting(&script);
	for (unsigned i = 0; i < 9; i++) {
		fds[i] = raw_connect(listener.tcp.port);
		if (i % 2)
			raw_write(fds[i], script.bytes, script.length);
	}
	say_hello(fds[8]);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, PATIENCE_MS), 0);
	assert_string_equal(notes, "");
	comm_close(&server);
	/* They are still there, and one of them has made up its mind. */
	script.length = 0;
	add_hello(&script, WIRE_HELLO);
	raw_write(fds[1], script.bytes, script.length);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, PATIENCE_MS), 0);
	assert_int_equal(comm_greet(&server), 0);
	assert_string_equal(notes, "");
	comm_close(&server);
	comm_listener_close(&listener);
	for (unsigned i = 0; i < 9; i++)
		close(fds[i]);
}

struct acceptor {
	int rc;
	int timeout_ms;
	struct comm_listener *listener;
	struct comm server;
	unsigned errors;
};

static void *acceptor_thread(void *arg)
{
	struct acceptor *acceptor = arg;

	acceptor->rc =
		comm_await_client(&acceptor->server, acceptor->listener, true /* greets */, acceptor->timeout_ms);
	acceptor->errors = num_errors;
	return NULL;
}

/* They are given up in the end, and a crowd of them is told of in a few lines. */
static void silent_ones_are_given_up(void **state)
{
	struct comm_listener listener;
	struct acceptor acceptor = {.listener = &listener, .timeout_ms = 50};
	pthread_t thread;
	char byte;
	int fds[12];

	(void)state;
	notes[0] = '\0';
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	for (unsigned i = 0; i < 11; i++)
		fds[i] = raw_connect(listener.tcp.port);
	assert_int_equal(pthread_create(&thread, NULL, acceptor_thread, &acceptor), 0);
	for (unsigned i = 0; i < 11; i++)
		assert_int_equal(recv(fds[i], &byte, 1, 0), 0);
	acceptor.timeout_ms = PATIENCE_MS;
	fds[11] = raw_connect(listener.tcp.port);
	say_hello(fds[11]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(acceptor.rc, 0);
	assert_int_equal(acceptor.errors, 0);
	assert_int_equal(num_notes(), 8);
	assert_non_null(strstr(notes, "was silent for too long before it said who it is; others like it are not told"));
	comm_close(&acceptor.server);
	comm_listener_close(&listener);
	for (unsigned i = 0; i < 12; i++)
		close(fds[i]);
}

/* More of them than there are seats: the oldest go. */
static void a_crowd_of_silent_ones_finds_its_end(void **state)
{
	struct comm_listener listener;
	struct acceptor acceptor = {.listener = &listener, .timeout_ms = -1};
	pthread_t thread;
	char byte;
	int fds[100];

	(void)state;
	notes[0] = '\0';
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	assert_int_equal(pthread_create(&thread, NULL, acceptor_thread, &acceptor), 0);
	for (unsigned i = 0; i < 99; i++)
		fds[i] = raw_connect(listener.tcp.port);
	assert_int_equal(recv(fds[0], &byte, 1, 0), 0);
	fds[99] = raw_connect(listener.tcp.port);
	say_hello(fds[99]);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(acceptor.rc, 0);
	assert_non_null(strstr(notes, "was silent while others wait"));
	comm_close(&acceptor.server);
	comm_listener_close(&listener);
	for (unsigned i = 0; i < 100; i++)
		close(fds[i]);
}

/* That is a client, which was told why; its user and this side's know that their programs do not fit. */
static void client_of_another_version_counts(void **state)
{
	struct comm_listener listener;
	uint8_t greeting[WIRE_GREETING_SIZE];
	struct comm server;
	int fd;

	(void)state;
	forget_errors();
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	fd = raw_connect(listener.tcp.port);
	raw_write(fd, "6.06\0perftest\11\7", WIRE_GREETING_SIZE);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, PATIENCE_MS), 0);
	assert_int_equal(comm_greet(&server), -EPROTONOSUPPORT);
	assert_reported("speaks versions 7 to 9");
	raw_read(fd, greeting, sizeof(greeting));
	comm_close(&server);
	comm_listener_close(&listener);
	close(fd);
}

/* With --dont_xchg_versions any word is one, but an end is not. */
static void without_greetings_the_first_byte_counts(void **state)
{
	struct comm_listener listener;
	struct comm server;
	int probe, fd;

	(void)state;
	notes[0] = '\0';
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	probe = raw_connect(listener.tcp.port);
	close(probe);
	fd = raw_connect(listener.tcp.port);
	raw_write(fd, "0", 1);
	assert_int_equal(comm_await_client(&server, &listener, false /* greets */, PATIENCE_MS), 0);
	assert_int_equal(conn_pending(&server.conn), 1);
	assert_int_equal(num_notes(), 1);
	comm_close(&server);
	comm_listener_close(&listener);
	close(fd);
}

/* Who has been greeted by a server that goes away is told that this has nothing to do with it. */
static void greeted_guests_are_told_of_the_end(void **state)
{
	struct script script = {.length = 0}, expected = {.length = 0};
	uint8_t came[256];
	struct comm_listener listener;
	struct comm server;
	int fds[2];

	(void)state;
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	add_greeting(&script);
	fds[0] = raw_connect(listener.tcp.port);
	raw_write(fds[0], script.bytes, script.length);
	fds[1] = raw_connect(listener.tcp.port);
	say_hello(fds[1]);
	assert_int_equal(comm_await_client(&server, &listener, true /* greets */, PATIENCE_MS), 0);
	comm_listener_close(&listener);
	comm_listener_close(&listener); /* once more does nothing */
	add_greeting(&expected);
	add_abort(&expected, "it serves another client, or was stopped");
	raw_read(fds[0], came, expected.length);
	assert_memory_equal(came, expected.bytes, expected.length);
	comm_close(&server);
	close(fds[0]);
	close(fds[1]);
}

/* --- the user --- */

static void stop_ends_a_wait_without_limit(void **state)
{
	struct comm_listener listener;
	struct acceptor acceptor = {.listener = &listener, .timeout_ms = PATIENCE_MS};
	pthread_t thread;

	(void)state;
	assert_int_equal(stop_install(), 0);
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	assert_int_equal(pthread_create(&thread, NULL, acceptor_thread, &acceptor), 0);
	/* Before the thread waits or while it does: both must end it. */
	assert_int_equal(pthread_kill(thread, SIGINT), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(acceptor.rc, -EINTR);
	assert_int_equal(acceptor.errors, 0);
	comm_listener_close(&listener);
	stop_flag = 0;
}

static void stop_ends_a_conversation_and_the_peer_hears_of_it(void **state)
{
	struct script expected = {.length = 0};
	struct comm server;
	uint8_t came[256];
	int fd = raw_client_in_loop(&server, -1 /* no limit */);

	(void)state;
	stop_flag = SIGINT;
	assert_int_equal(comm_wait_done(&server), -EINTR);
	assert_int_equal(num_errors, 0);
	comm_abort(&server, "stopped by its user");
	comm_close(&server);
	stop_flag = 0;
	add_abort(&expected, "stopped by its user");
	raw_read(fd, came, expected.length);
	assert_memory_equal(came, expected.bytes, expected.length);
	close(fd);
}

/* --- addresses --- */

static void port_in_use_is_named(void **state)
{
	struct comm_listener first, second = {.tcp.num_fds = 77};
	struct comm_address address = any_port;
	char expected[64];

	(void)state;
	forget_errors();
	assert_int_equal(comm_listen(&first, &address), 0);
	address.at.port = first.tcp.port;
	assert_int_equal(comm_listen(&second, &address), -EADDRINUSE);
	snprintf(expected, sizeof(expected), "port %u is in use; choose another with -p", first.tcp.port);
	assert_reported(expected);
	assert_int_equal(second.tcp.num_fds, 77);
	comm_listener_close(&first);
	comm_listener_close(&first);
}

static void nobody_listening_is_named(void **state)
{
	char expected[64];
	struct comm_listener listener;
	struct comm_address address;
	struct comm client;

	(void)state;
	forget_errors();
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	address = address_of(&listener);
	comm_listener_close(&listener);
	assert_int_equal(comm_connect(&client, &address, PATIENCE_MS), -ECONNREFUSED);
	assert_reported("no server listens on 127.0.0.1 port ");
	snprintf(expected, sizeof(expected), "Couldn't connect to 127.0.0.1:%u", address.at.port);
	assert_string_equal(last_classic, expected);
}

static void name_that_does_not_resolve_is_named(void **state)
{
	const struct comm_address address = {.at = {.host = "no..such..host", .port = 18515}};
	struct comm client;

	(void)state;
	forget_errors();
	assert_int_equal(comm_connect(&client, &address, PATIENCE_MS), -EHOSTUNREACH);
	assert_reported("cannot resolve the server's name \"no..such..host\"");
}

static void bad_local_addresses_are_named(void **state)
{
	struct comm_address address = {.at = {.bind_ip = "192.0.2.1"}};
	struct comm_listener listener;
	struct comm client;

	(void)state;
	forget_errors();
	assert_int_equal(comm_listen(&listener, &address), -EADDRNOTAVAIL);
	assert_reported("cannot listen on 192.0.2.1 port 0: it is no address of this host");

	forget_errors();
	address.at.bind_ip = "nonsense..";
	assert_int_equal(comm_listen(&listener, &address), -EHOSTUNREACH);
	assert_reported("cannot listen on nonsense..");

	forget_errors();
	address = (struct comm_address){.at = {.host = "127.0.0.1", .bind_ip = "192.0.2.1", .port = 9}};
	assert_int_equal(comm_connect(&client, &address, PATIENCE_MS), -EADDRNOTAVAIL);
	assert_reported("from 192.0.2.1: it is no address of this host");

	forget_errors();
	address = (struct comm_address){.at = {.host = "fe80::1", .port = 9}};
	assert_int_equal(comm_connect(&client, &address, PATIENCE_MS), -EINVAL);
	assert_reported("cannot connect to fe80::1 port 9: a link-local address needs its interface");

	forget_errors();
	address = (struct comm_address){.at = {.host = "127.0.0.1", .bind_ip = "::1", .port = 9}};
	assert_int_equal(comm_connect(&client, &address, PATIENCE_MS), -EAFNOSUPPORT);
	assert_reported("no address that can be reached from ::1");
}

static void local_address_is_used(void **state)
{
	struct comm_listener listener;
	struct comm_address address;
	struct comm client, server;

	(void)state;
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	address = address_of(&listener);
	address.at.bind_ip = "127.0.0.2";
	assert_int_equal(comm_connect(&client, &address, PATIENCE_MS), 0);
	take_connection(&server, &listener, PATIENCE_MS);
	assert_memory_equal(server.conn.peer, "127.0.0.2:", 10);
	comm_close(&client);
	comm_close(&server);
	comm_listener_close(&listener);
}

static bool host_has_ipv6(void)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	bool has = fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof(address));

	if (fd >= 0)
		close(fd);
	return has;
}

static void ipv6_is_spoken(void **state)
{
	struct comm_listener listener;
	struct comm_address address = {.at = {.family = AF_INET6}};
	struct comm client, server;

	(void)state;
	if (!host_has_ipv6())
		skip();
	hold_conversation("::1", &address, 1);
	hold_conversation("::1", &(struct comm_address){.at = {.port = 0}}, 1); /* both families, one port */

	assert_int_equal(comm_listen(&listener, &address), 0);
	assert_int_equal(listener.tcp.num_fds, 1);
	address = (struct comm_address){.at = {.host = "::1", .port = listener.tcp.port, .family = AF_INET6}};
	assert_int_equal(comm_connect(&client, &address, PATIENCE_MS), 0);
	take_connection(&server, &listener, PATIENCE_MS);
	assert_memory_equal(server.conn.peer, "[::1]:", 6);
	comm_close(&client);
	comm_close(&server);

	forget_errors();
	address.at.host = "127.0.0.1";
	assert_int_equal(comm_connect(&client, &address, PATIENCE_MS), -EHOSTUNREACH);
	assert_reported("to an IPv6 address");
	comm_listener_close(&listener);
}

/* A listener whose queue is full does not answer further ones. */
static void unanswered_connect_is_given_up(void **state)
{
	struct sockaddr_in bound = {.sin_family = AF_INET};
	struct comm_address address = {.at = {.host = "127.0.0.1"}};
	socklen_t length = sizeof(bound);
	int listening = socket(AF_INET, SOCK_STREAM, 0);
	struct comm waiting[8], client;
	unsigned num_waiting = 0;
	int rc;

	(void)state;
	bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listening, (struct sockaddr *)&bound, length), 0);
	assert_int_equal(listen(listening, 0), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&bound, &length), 0);
	address.at.port = ntohs(bound.sin_port);
	for (;;) {
		forget_errors();
		rc = comm_connect(&client, &address, 200);
		if (rc)
			break;
		assert_true(num_waiting < 8);
		waiting[num_waiting++] = client;
	}
	assert_int_equal(rc, -ETIMEDOUT);
	assert_reported("within 0.2 s: is the host up, does a firewall block the port?");
	while (num_waiting)
		comm_close(&waiting[--num_waiting]);
	close(listening);
}

static void zeroed_structs_can_be_closed(void **state)
{
	const int flags_before = fcntl(0, F_GETFD);
	struct comm_listener listener = {0};
	struct comm comm = {0};

	(void)state;
	comm_listener_close(&listener);
	comm_abort(&comm, "nobody to tell");
	comm_close(&comm);
	assert_int_equal(fcntl(0, F_GETFD), flags_before); /* the zero is no descriptor of theirs */
	assert_int_equal(comm.conn.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conversation_is_held),
		cmocka_unit_test(conversation_is_held_by_name),
		cmocka_unit_test(many_endpoints_fit_in_one_message),
		cmocka_unit_test(client_by_hand_is_served),
		cmocka_unit_test(abort_is_reported_with_printable_words),
		cmocka_unit_test(abort_reaches_the_peer),
		cmocka_unit_test(refusal_is_reported_with_its_reason),
		cmocka_unit_test(client_that_leaves_at_any_byte_is_noticed),
		cmocka_unit_test(flipped_bits_end_the_test_or_change_a_value),
		cmocka_unit_test(messages_may_come_byte_by_byte),
		cmocka_unit_test(random_bytes_are_no_perftest),
		cmocka_unit_test(random_bytes_after_the_greeting_are_rubbish),
		cmocka_unit_test(absurd_length_is_not_waited_for),
		cmocka_unit_test(message_out_of_order_is_named),
		cmocka_unit_test(heartbeat_before_the_agreement_is_out_of_order),
		cmocka_unit_test(other_number_of_queue_pairs_is_named),
		cmocka_unit_test(other_barrier_is_named),
		cmocka_unit_test(optional_messages_are_skipped),
		cmocka_unit_test(peers_of_other_kinds_are_named),
		cmocka_unit_test(silent_client_is_given_up),
		cmocka_unit_test(busy_server_is_given_up),
		cmocka_unit_test(trickling_client_is_given_up),
		cmocka_unit_test(peer_that_does_not_read_is_given_up),
		cmocka_unit_test(reason_is_found_when_sending_fails),
		cmocka_unit_test(look_takes_what_concerns_the_loop_and_leaves_the_rest),
		cmocka_unit_test(look_sees_the_end),
		cmocka_unit_test(done_is_noted_by_other_waits),
		cmocka_unit_test(posting_does_not_block),
		cmocka_unit_test(heartbeats_prolong_nothing_but_the_wait_for_a_loop),
		cmocka_unit_test(classic_peer_that_never_ends_is_given_up),
		cmocka_unit_test(look_sees_the_end_behind_an_early_message),
		cmocka_unit_test(look_refuses_a_flood_of_what_is_not_its_own),
		cmocka_unit_test(strangers_do_not_count),
		cmocka_unit_test(silent_ones_hold_nobody_up),
		cmocka_unit_test(silent_ones_are_given_up),
		cmocka_unit_test(a_crowd_of_silent_ones_finds_its_end),
		cmocka_unit_test(client_of_another_version_counts),
		cmocka_unit_test(without_greetings_the_first_byte_counts),
		cmocka_unit_test(greeted_guests_are_told_of_the_end),
		cmocka_unit_test(stop_ends_a_wait_without_limit),
		cmocka_unit_test(stop_ends_a_conversation_and_the_peer_hears_of_it),
		cmocka_unit_test(port_in_use_is_named),
		cmocka_unit_test(nobody_listening_is_named),
		cmocka_unit_test(name_that_does_not_resolve_is_named),
		cmocka_unit_test(bad_local_addresses_are_named),
		cmocka_unit_test(local_address_is_used),
		cmocka_unit_test(ipv6_is_spoken),
		cmocka_unit_test(unanswered_connect_is_given_up),
		cmocka_unit_test(zeroed_structs_can_be_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
