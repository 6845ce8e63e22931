// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does every wait of the side channel end: at its limit, while a loop runs, with a peer that keeps sending, on the
 * user's interrupt?
 */
#include "comm_rig.h"

/* --- waits that end --- */

TEST(silent_client_is_given_up)
{
	struct comm server;
	int fd = raw_client(&server, 50);

	forget_errors();
	assert_int_equal(comm_greet(&server), -ETIMEDOUT);
	assert_reported("was silent for 0.05 s while this side waited for its greeting");
	comm_close(&server);
	close(fd);
}

/* The kernel accepts the second client of a busy server, and the server does not speak. */
TEST(busy_server_is_given_up)
{
	struct comm_listener listener;
	struct comm_address address;
	struct comm client;

	forget_errors();
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	address = address_of(&listener);
	assert_int_equal(comm_connect(&client, &address, 50), 0);
	assert_int_equal(comm_greet(&client), -ETIMEDOUT);
	assert_reported("probably serving another client");
	comm_close(&client);

	forget_errors();
	assert_int_equal(comm_connect(&client, &address, LISTEN_TIMEOUT_MS), 0);
	comm_listener_close(&listener);
	assert_int_equal(comm_greet(&client), -ECONNRESET);
	assert_reported("closed the connection without a greeting");
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

TEST(trickling_client_is_given_up)
{
	struct script script = {.length = 0};
	struct comm_hello hello;
	struct trickle trickle;
	struct comm server;
	pthread_t thread;
	int ends[2];

	forget_errors();
	trickle.fd = raw_client(&server, 100);
	assert_int_equal(pipe(ends), 0);
	trickle.stop = ends[0];
	add_greeting(&script);
	add_bytes(&script, "PFTN\0\11\0\1\0\0\377\377", 12); /* parameters of 64 KiB */
	raw_write(trickle.fd, script.bytes, script.length);
	assert_int_equal(comm_greet(&server), 0);
	assert_int_equal(pthread_create(&thread, NULL, trickle_thread, &trickle), 0);
	assert_int_equal(comm_receive(&server, MESSAGE_HELLO, &hello), -ETIMEDOUT);
	assert_reported("was silent for 0.1 s while this side waited for its parameters");
	assert_int_equal(write(ends[1], "", 1), 1);
	assert_int_equal(pthread_join(thread, NULL), 0);
	comm_close(&server);
	close(trickle.fd);
	close(ends[0]);
	close(ends[1]);
}

/* A peer that reads nothing while this side has more to say than fits into the sockets. */
TEST(peer_that_does_not_read_is_given_up)
{
	struct endpoint *items = calloc(WIRE_MAX_ENDPOINTS, sizeof(*items));
	struct script script = {.length = 0};
	struct comm client;
	int fd = raw_server(&client, 100);

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

static void forget_client(struct comm *server, int fd)
{
	const struct linger at_once = {.l_onoff = 1};

	assert_int_equal(comm_greet(server), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(fd);
	forget_errors();
}

/* What cannot be sent is no message of the peer. */
TEST(peer_that_is_gone_does_not_send_what_this_side_sends)
{
	const struct comm_hello hello = {.program = "ib_write_bw"};
	struct script script = {.length = 0};
	struct comm_hello theirs;
	struct comm comm;
	int fd;

	add_greeting(&script);
	fd = raw_server(&comm, LISTEN_TIMEOUT_MS);
	raw_write(fd, script.bytes, script.length);
	forget_client(&comm, fd);
	assert_int_equal(comm_swap(&comm, MESSAGE_HELLO, &hello, &theirs), -ECONNRESET);
	assert_reported("while this side waited for its agreement");
	comm_close(&comm);
	fd = raw_client(&comm, LISTEN_TIMEOUT_MS);
	raw_write(fd, script.bytes, script.length);
	forget_client(&comm, fd);
	assert_int_equal(comm_transmit(&comm, MESSAGE_AGREE, &hello), -ECONNRESET);
	assert_reported("while this side waited for its endpoints");
	comm_close(&comm);
}

/* It may have much memory to register. */
TEST(late_endpoints_name_the_limit)
{
	struct endpoint item, remote;
	struct script script = {.length = 0};
	struct comm client;
	int fd = raw_server(&client, 100);

	forget_errors();
	fill_endpoints(&item, 1, 0);
	add_greeting(&script);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_greet(&client), 0);
	assert_int_equal(comm_exchange_endpoints(&client, &item, &remote, 1), -ETIMEDOUT);
	assert_reported("was silent for 0.1 s while this side waited for its endpoints: if it is still registering its "
			"memory, give a longer --timeout here");
	comm_close(&client);
	close(fd);
}

/* The server ended the test and closed while the client still has much to send: the reason counts. */
TEST(reason_is_found_when_sending_fails)
{
	struct endpoint *items = calloc(WIRE_MAX_ENDPOINTS, sizeof(*items));
	struct script script = {.length = 0};
	struct comm client;
	int fd = raw_server(&client, LISTEN_TIMEOUT_MS);
	uint8_t greeting[WIRE_GREETING_SIZE];

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
	add_hello(&script, MESSAGE_HELLO);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_greet(server), 0);
	assert_int_equal(comm_receive(server, MESSAGE_HELLO, &hello), 0);
	comm_hello_clear(&hello);
	raw_read(fd, greeting, sizeof(greeting));
	return fd;
}

/* Looks until the bytes that were written to the other end have come. */
static int look_until(struct comm *comm, int nothing_yet)
{
	const struct deadline deadline = deadline_in_ms(LISTEN_TIMEOUT_MS);
	int rc;

	do
		rc = comm_look(comm);
	while (rc == nothing_yet && !deadline_passed(deadline));
	return rc;
}

TEST(look_takes_what_concerns_the_loop_and_leaves_the_rest)
{
	const struct comm_result result = {.size = 64};
	struct script script = {.length = 0};
	struct comm_result theirs;
	struct comm server;
	int fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);

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
	assert_int_equal(comm_receive(&server, MESSAGE_DONE, NULL), 0);
	assert_int_equal(comm_swap(&server, MESSAGE_RESULT, &result, &theirs), 0);
	assert_int_equal(theirs.iterations, 5000);
	assert_int_equal(num_errors, 0);

	close(fd);
	assert_int_equal(look_until(&server, 1), -ECONNRESET);
	assert_reported("closed the connection");
	comm_close(&server);
}

TEST(look_sees_the_end)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);

	add_abort(&script, "stopped by its user");
	raw_write(fd, script.bytes, script.length);
	close(fd);
	assert_int_equal(look_until(&server, 0), -ECANCELED);
	assert_reported("ended the test: stopped by its user");
	comm_close(&server);

	fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);
	raw_write(fd, "PFTNrubbish.", 12);
	assert_int_equal(look_until(&server, 0), -EBADMSG);
	assert_reported("of the protocol, not 9");
	comm_close(&server);
	close(fd);
}

/* DONE is read by whatever waits, so a loop that ended by its own count never looks. */
TEST(done_is_noted_by_other_waits)
{
	const struct comm_result result = {.size = 64};
	struct script script = {.length = 0};
	struct comm_result theirs;
	struct comm server;
	int fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);

	add_done(&script, 88);
	add_result(&script);
	add_barrier(&script, 3);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_swap(&server, MESSAGE_RESULT, &result, &theirs), 0);
	assert_true(server.peer_done);
	assert_int_equal(server.done.messages, 88);
	assert_int_equal(comm_barrier(&server, 3), 0);
	assert_false(server.peer_done);
	comm_close(&server);
	close(fd);
}

/* Of a stopped process only the answers are missing: there is one at first, and one for each. */
TEST(heartbeats_are_answered_while_done_is_awaited)
{
	struct script script = {.length = 0}, expected = {.length = 0};
	struct comm server;
	int fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);
	uint8_t came[256];

	add_heartbeat(&expected);
	for (unsigned i = 0; i < 2; i++) {
		add_heartbeat(&script);
		add_heartbeat(&expected);
	}
	add_done(&script, 88);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_receive(&server, MESSAGE_DONE, NULL), 0);
	comm_close(&server);
	raw_read(fd, came, expected.length);
	assert_memory_equal(came, expected.bytes, expected.length);
	close(fd);
}

/* With full sockets a heartbeat is left out and DONE is kept; the stream stays whole. */
TEST(posting_does_not_block)
{
	struct comm server;
	int fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);
	struct wire_message message;
	struct message_header header;
	uint8_t bytes[512];
	const char *fault;
	size_t left;

	assert_int_equal(setsockopt(server.conn.fd, SOL_SOCKET, SO_SNDBUF, &(int){1}, sizeof(int)), 0);
	do
		assert_int_equal(comm_transmit(&server, MESSAGE_ALIVE, NULL), 0);
	while (!server.conn.out_used);
	left = server.conn.out_used;
	assert_in_range(left, 1, MESSAGE_HEADER_SIZE);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(comm_transmit(&server, MESSAGE_ALIVE, NULL), 0);
	assert_true(server.conn.out_used <= left);
	assert_int_equal(comm_transmit(&server, MESSAGE_DONE, &(struct comm_done){.messages = 99}), 0);
	assert_int_equal(num_errors, 0);

	do {
		/* Looking sends what was left, as the peer makes room. */
		assert_int_equal(comm_look(&server), 0);
		raw_read(fd, bytes, MESSAGE_HEADER_SIZE);
		assert_true(message_peek(&wire_native, bytes, MESSAGE_HEADER_SIZE, &header, &fault) >= 0);
	} while (header.type == MESSAGE_ALIVE);
	assert_int_equal(header.type, MESSAGE_DONE);
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

TEST(heartbeats_prolong_nothing_but_the_wait_for_a_loop)
{
	struct repeat repeat = {.count = 60000};
	struct comm server;
	pthread_t thread;
	int ends[2];

	repeat.fd = raw_client_in_loop(&server, 100);
	add_heartbeat(&repeat.script);
	thread = start_repeat(&repeat, ends);
	assert_int_equal(comm_barrier(&server, 5), -ETIMEDOUT);
	assert_reported("was silent for 0.1 s while this side waited for its readiness");
	end_repeat(thread, ends);
	comm_close(&server);
	close(repeat.fd);

	/* Three hundred of them are longer than the limit, which is much longer than a busy machine delays one. */
	repeat.count = 300;
	repeat.fd = raw_client_in_loop(&server, 2000);
	add_done(&repeat.last, 5);
	thread = start_repeat(&repeat, ends);
	assert_int_equal(comm_receive(&server, MESSAGE_DONE, NULL), 0);
	assert_int_equal(server.done.messages, 5);
	assert_int_equal(num_errors, 0);
	end_repeat(thread, ends);
	comm_close(&server);
	close(repeat.fd);
}

/* A start may be waited for beyond the limit, while the peer says that others are missing; but not for ever. */
TEST(waits_prolong_nothing_but_the_wait_for_a_start)
{
	const struct wire_message wait = {.type = WIRE_WAIT, .missing = 2};
	struct repeat repeat = {.count = 300};
	struct comm server;
	pthread_t thread;
	int ends[2];

	add_message(&repeat.script, &wait);
	add_barrier(&repeat.last, 5);
	repeat.fd = raw_client_in_loop(&server, 2000); /* shorter than all of them */
	server.start_ms = LISTEN_TIMEOUT_MS;
	thread = start_repeat(&repeat, ends);
	assert_int_equal(comm_barrier(&server, 5), 0);
	assert_true(server.gathers);
	assert_int_equal(server.missing, 2);
	assert_int_equal(num_errors, 0);
	end_repeat(thread, ends);
	comm_close(&server);
	close(repeat.fd);

	repeat.count = 60000;
	repeat.fd = raw_client_in_loop(&server, 100);
	server.start_ms = 200;
	thread = start_repeat(&repeat, ends);
	assert_int_equal(comm_barrier(&server, 5), -ETIMEDOUT);
	assert_reported("delayed the start of the test for 0.2 s");
	end_repeat(thread, ends);
	comm_close(&server);
	close(repeat.fd);
}

/* In front of a barrier alone. */
TEST(waits_at_another_time_end_the_test)
{
	const struct wire_message wait = {.type = WIRE_WAIT, .missing = 2};
	struct script script = {.length = 0};
	struct comm server;
	int fd;

	add_message(&script, &wait);
	fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_receive(&server, MESSAGE_DONE, NULL), -EBADMSG);
	assert_reported("sent its wait while this side waited for its end of sending");
	comm_close(&server);
	close(fd);
}

/* One after the other, each of another number: a line for the first, and none for the others soon behind it. */
TEST(waits_are_reported_now_and_then)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd;

	for (unsigned i = 0; i < 100; i++)
		add_message(&script, &(struct wire_message){.type = WIRE_WAIT, .missing = 100 - i});
	add_barrier(&script, 5);
	fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);
	server.start_ms = LISTEN_TIMEOUT_MS;
	num_human = 0;
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_barrier(&server, 5), 0);
	assert_int_equal(num_human, 1);
	assert_int_equal(server.missing, 100);
	comm_close(&server);
	close(fd);
}

/* What a side lets its peer wait is no time of the peer's. */
TEST(a_bound_stands_still_while_this_side_waits_for_others)
{
	struct script script = {.length = 0};
	struct comm server;
	int64_t end_ns;
	int fd;

	add_barrier(&script, 5);
	fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);
	server.channel.end = deadline_in_ms(1);
	assert_int_equal(comm_transmit(&server, WIRE_WAIT, &(uint32_t){1}), 0);
	end_ns = server.held_end.at_ns;
	assert_int_equal(poll(NULL, 0, 20), 0);
	assert_int_equal(comm_look(&server), 0);
	assert_int_equal(comm_transmit(&server, WIRE_WAIT, &(uint32_t){0}), 0);
	server.held_end.at_ns = end_ns += INT64_C(1000000) * LISTEN_TIMEOUT_MS;
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_barrier(&server, 5), 0);
	assert_true(server.channel.end.at_ns >= end_ns + 20 * 1000000);
	server.channel.end = deadline_in_ms(0);
	assert_int_equal(comm_look(&server), -ETIMEDOUT);
	assert_reported("takes longer than this side allows");
	comm_close(&server);
	close(fd);
}

/* The end of ib_write_lat with a classic peer is that of the connection. */
TEST(classic_peer_that_never_ends_is_given_up)
{
	const struct comm_plan plan = {.traffic = {.verb = VERB_WRITE, .metric = METRIC_LAT}};
	struct repeat repeat = {.count = 60000};
	uint32_t page;
	struct comm server;
	pthread_t thread;
	int ends[2];

	forget_errors();
	repeat.fd = raw_client(&server, 100);
	comm_assume_classic(&server);
	assert_int_equal(comm_exchange_sizes(&server, &plan, &page), 0);
	add_bytes(&repeat.script, "more", 4);
	thread = start_repeat(&repeat, ends);
	assert_int_equal(comm_barrier(&server, COMM_CLOSE), -ETIMEDOUT);
	end_repeat(thread, ends);
	comm_close(&server);
	close(repeat.fd);
}

/* A completion that says more than the end of the connection is polled for in between. */
TEST(classic_peer_that_is_gone_is_reported_by_the_second_look)
{
	const struct comm_plan plan = {.traffic = {.verb = VERB_SEND, .metric = METRIC_LAT}};
	struct comm server;
	uint32_t page;
	int fd;

	forget_errors();
	fd = raw_client(&server, LISTEN_TIMEOUT_MS);
	comm_assume_classic(&server);
	assert_int_equal(comm_exchange_sizes(&server, &plan, &page), 0);
	assert_int_equal(comm_look(&server), 0);
	close(fd);
	assert_int_equal(conn_wait(&server.conn, POLLIN, deadline_in_ms(LISTEN_TIMEOUT_MS)), 0);
	assert_int_equal(comm_look(&server), 0);
	assert_int_equal(num_errors, 0);
	assert_int_equal(comm_look(&server), -ECONNRESET);
	assert_reported("closed the connection");
	comm_close(&server);
}

/* The end is seen although a message waits that belongs to a later exchange; so is the last word behind it. */
TEST(look_sees_the_end_behind_an_early_message)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);

	add_result(&script);
	raw_write(fd, script.bytes, script.length);
	close(fd);
	assert_int_equal(look_until(&server, 0), -ECONNRESET);
	assert_reported("closed the connection");
	comm_close(&server);

	fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);
	add_abort(&script, "enough");
	raw_write(fd, script.bytes, script.length);
	close(fd);
	assert_int_equal(look_until(&server, 0), -ECANCELED);
	assert_reported("ended the test: enough");
	comm_close(&server);
}

TEST(look_refuses_a_flood_of_what_is_not_its_own)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client_in_loop(&server, LISTEN_TIMEOUT_MS);

	while (script.length + 64 < sizeof(script.bytes))
		add_result(&script);
	for (unsigned i = 0; i < 4; i++)
		raw_write(fd, script.bytes, script.length);
	assert_int_equal(look_until(&server, 0), -EBADMSG);
	assert_reported("sent more than the protocol allows while a test runs");
	comm_close(&server);
	close(fd);
}

/* --- the user --- */

TEST(stop_ends_a_wait_without_limit)
{
	struct comm_listener listener;
	struct acceptor acceptor = {.listener = &listener, .timeout_ms = LISTEN_TIMEOUT_MS};
	pthread_t thread;

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

TEST(stop_ends_a_conversation_and_the_peer_gets_the_reason)
{
	struct script expected = {.length = 0};
	struct comm server;
	uint8_t came[256];
	int fd = raw_client_in_loop(&server, -1 /* no limit */);

	stop_flag = SIGINT;
	assert_int_equal(comm_receive(&server, MESSAGE_DONE, NULL), -EINTR);
	assert_int_equal(num_errors, 0);
	comm_abort(&server, "stopped by its user");
	comm_close(&server);
	stop_flag = 0;
	add_heartbeat(&expected);
	add_abort(&expected, "stopped by its user");
	raw_read(fd, came, expected.length);
	assert_memory_equal(came, expected.bytes, expected.length);
	close(fd);
}

TEST_MAIN(NULL, NULL)
