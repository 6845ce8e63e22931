// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The side channel over loopback: whole conversations between two threads, and one end against a peer whose bytes are
 * written by hand, truncated, flipped, slow, missing or random.
 */
#include "comm_rig.h"
#include "stats/clock.h"

TEST(conversation_is_held)
{
	hold_conversation("127.0.0.1", &any_port, 1);
}

TEST(conversation_is_held_by_name)
{
	struct addrinfo *found;

	if (getaddrinfo("localhost", NULL, NULL, &found) != 0)
		skip(); /* a bare machine that packages are built on may have no /etc/hosts */
	freeaddrinfo(found);
	hold_conversation("localhost", &(struct comm_address){.at = {.port = 0}}, 3);
}

/* 800 KiB each way, more than the sockets' buffers. */
TEST(many_endpoints_fit_in_one_message)
{
	hold_conversation("127.0.0.1", &any_port, WIRE_MAX_ENDPOINTS);
}

TEST(client_by_hand_is_served)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client(&server, LISTEN_TIMEOUT_MS);

	forget_errors();
	add_whole_client(&script);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(serve(&server), 0);
	assert_int_equal(num_errors, 0);
	comm_close(&server);
	close(fd);
}

/* --- clocks --- */

/* What a client says of its own clock, compared with the server's. */
static int compare_with(double error_s)
{
	struct wire_message message = {.type = WIRE_CLOCK};
	struct script script = {.length = 0};
	struct comm_hello hello = {0};
	struct comm server;
	int fd = raw_client(&server, LISTEN_TIMEOUT_MS), ret;
	int64_t now_ns;

	forget_errors();
	add_greeting(&script);
	add_hello(&script, MESSAGE_HELLO);
	for (unsigned i = 0; i < 5; i++)
		add_message(&script, &message);
	message.clock = (struct wire_clock){.question = 4, .error_ns = (uint64_t)(error_s * 1e9)};
	add_message(&script, &message);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_greet(&server), 0);
	assert_int_equal(comm_receive(&server, MESSAGE_HELLO, &hello), 0);
	comm_hello_clear(&hello);
	now_ns = (int64_t)clock_gettime_ns();
	ret = comm_compare_clocks(&server);
	assert_true(ret ? !server.epoch_ns : server.epoch_ns >= now_ns);
	comm_close(&server);
	close(fd);
	return ret;
}

/* The questions never take an hour, whatever the machine does. */
TEST(clocks_that_cannot_be)
{
	assert_int_equal(compare_with(0), 0);
	assert_int_equal(compare_with(3600), -EBADMSG);
	assert_reported("its error is longer than all of its questions took");
	assert_int_equal(compare_with(1e9), -EBADMSG);
}

/* --- peers that do wrong --- */

TEST(abort_is_reported_with_printable_words)
{
	struct script script = {.length = 0};
	struct comm client;
	int fd = raw_server(&client, LISTEN_TIMEOUT_MS);

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

TEST(abort_reaches_the_peer)
{
	struct script script = {.length = 0}, expected = {.length = 0};
	struct comm server;
	uint8_t came[sizeof(script.bytes)];
	int fd = raw_client(&server, LISTEN_TIMEOUT_MS);

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

TEST(refusal_is_reported_with_its_reason)
{
	const struct comm_hello hello = {.program = "ib_write_bw"};
	struct comm_hello answer = {.program = "untouched"};
	struct script script = {.length = 0};
	struct wire_message message = {.type = MESSAGE_REFUSE};
	struct comm client;
	int fd = raw_server(&client, LISTEN_TIMEOUT_MS);

	forget_errors();
	strcpy(message.reason, "the server runs ib_read_bw");
	add_greeting(&script);
	add_message(&script, &message);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(comm_greet(&client), 0);
	assert_int_equal(comm_swap(&client, MESSAGE_HELLO, &hello, &answer), -ECANCELED);
	assert_reported("refuses: the server runs ib_read_bw");
	assert_string_equal(answer.program, "untouched");
	comm_close(&client);
	close(fd);
}

/* Serves a client that says this and then closes. Returns what serve() does. */
static int serve_script(const struct script *script, size_t length)
{
	struct comm server;
	int fd = raw_client(&server, LISTEN_TIMEOUT_MS);
	int rc;

	forget_errors();
	raw_write(fd, script->bytes, length);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	rc = serve(&server);
	comm_close(&server);
	close(fd);
	return rc;
}

TEST(client_that_leaves_at_any_byte_is_noticed)
{
	struct script script = {.length = 0};

	add_whole_client(&script);
	for (size_t length = 0; length < script.length; length++) {
		assert_int_equal(serve_script(&script, length), -ECONNRESET);
		assert_reported("closed the connection while this side waited for its ");
		assert_non_null(strstr(last_error, "the client (127.0.0.1:"));
	}
	assert_int_equal(serve_script(&script, script.length), 0);
	assert_int_equal(num_errors, 0);
}

TEST(flipped_bits_end_the_test_or_change_a_value)
{
	struct script script = {.length = 0};
	unsigned refused = 0;

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
	const struct deadline deadline = deadline_in_ms(LISTEN_TIMEOUT_MS);

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

TEST(messages_may_come_byte_by_byte)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client(&server, LISTEN_TIMEOUT_MS);
	struct dribble dribble = {.script = &script, .from = fd, .to = server.conn.fd};
	pthread_t thread;

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

TEST(random_bytes_are_no_perftest)
{
	static uint8_t bytes[65536];
	struct comm_listener listener;
	struct comm server;
	uint32_t seed = 1;
	int fd;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(seed >> 24);
	}
	forget_errors();
	assert_int_equal(comm_listen(&listener, &any_port), 0);
	fd = raw_connect(listener.tcp.port);
	raw_write(fd, bytes, sizeof(bytes));
	take_connection(&server, &listener, LISTEN_TIMEOUT_MS);
	assert_int_equal(comm_greet(&server), -EBADMSG);
	assert_reported("is not perftest");
	assert_true(conn_pending(&server.conn) <= 8192);
	for (const char *at = last_error; *at; at++)
		assert_in_range((unsigned char)*at, 0x20, 0x7e);
	comm_close(&server);
	close(fd);

	/* The listener is as good as before: a scan of the port, then a client. */
	forget_errors();
	fd = raw_connect(listener.tcp.port);
	close(fd);
	take_connection(&server, &listener, LISTEN_TIMEOUT_MS);
	assert_int_equal(comm_greet(&server), -ECONNRESET);
	comm_close(&server);
	comm_listener_close(&listener);
	hold_conversation("127.0.0.1", &any_port, 1);
}

TEST(random_bytes_after_the_greeting_are_rubbish)
{
	struct script script = {.length = 0};

	add_greeting(&script);
	add_bytes(&script, "\033[2J rubbish, and more of it", 28);
	assert_int_equal(serve_script(&script, script.length), -EBADMSG);
	assert_reported("sent garbage, \".[2J rubbish\"");
}

TEST(absurd_length_is_not_waited_for)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client(&server, -1 /* no limit: a wait would not end */);

	forget_errors();
	add_greeting(&script);
	add_bytes(&script, "PFTN\0\11\0\1\377\377\377\377", 12);
	raw_write(fd, script.bytes, script.length);
	assert_int_equal(serve(&server), -EBADMSG);
	assert_reported("it is too long");
	comm_close(&server);
	close(fd);
}

TEST(message_out_of_order_is_named)
{
	struct script script = {.length = 0};
	struct comm server;
	int fd = raw_client(&server, -1 /* no limit: the header alone must be enough */);

	forget_errors();
	add_greeting(&script);
	add_endpoints(&script, 2);
	raw_write(fd, script.bytes, WIRE_GREETING_SIZE + MESSAGE_HEADER_SIZE);
	assert_int_equal(serve(&server), -EBADMSG);
	assert_reported("sent its endpoints while this side waited for its parameters");
	comm_close(&server);
	close(fd);
}

/* Nothing prolongs the wait for parameters. */
TEST(heartbeat_before_the_agreement_is_out_of_order)
{
	struct script script = {.length = 0};

	add_greeting(&script);
	add_heartbeat(&script);
	assert_int_equal(serve_script(&script, script.length), -EBADMSG);
	assert_reported("sent its heartbeat while this side waited for its parameters");
}

TEST(other_number_of_queue_pairs_is_named)
{
	struct script script = {.length = 0};

	add_greeting(&script);
	add_hello(&script, MESSAGE_HELLO);
	add_endpoints(&script, 4);
	assert_int_equal(serve_script(&script, script.length), -EPROTO);
	assert_reported("has 4 queue pairs, this side 2");

	script.length = 0;
	add_greeting(&script);
	add_hello(&script, MESSAGE_HELLO);
	add_endpoints(&script, 1);
	assert_int_equal(serve_script(&script, script.length), -EPROTO);
	assert_reported("has 1 queue pairs, this side 2");
}

TEST(other_barrier_is_named)
{
	struct script script = {.length = 0};

	add_greeting(&script);
	add_hello(&script, MESSAGE_HELLO);
	add_endpoints(&script, 2);
	add_barrier(&script, 9);
	assert_int_equal(serve_script(&script, script.length), -EPROTO);
	assert_reported("at step 9 of the test, but this side is at step 7");
}

static void greet_with(const uint8_t greeting[WIRE_GREETING_SIZE], int rc, const char *part)
{
	struct comm server;
	int fd = raw_client(&server, LISTEN_TIMEOUT_MS);

	forget_errors();
	raw_write(fd, greeting, WIRE_GREETING_SIZE);
	assert_int_equal(comm_greet(&server), rc);
	assert_reported(part);
	comm_abort(&server, "nobody to tell");
	comm_close(&server);
	close(fd);
}

TEST(peers_of_other_kinds_are_named)
{
	greet_with((const uint8_t *)"5.60\0\0\0\0\0\0\0\0\0\0\0", -EPROTONOSUPPORT, "is linux-rdma perftest 5.60");
	greet_with((const uint8_t *)"6.06\0perftest\13\12", -EPROTONOSUPPORT, "speaks versions 10 to 11");
	greet_with((const uint8_t *)"0012:0010:000123", -EPROTONOSUPPORT, "was started with --dont_xchg_versions");
	greet_with((const uint8_t *)"SSH-2.0-OpenSSH_", -EBADMSG, "\"SSH-2.0-OpenSSH_\"");
}

TEST(zeroed_structs_can_be_closed)
{
	const int flags_before = fcntl(0, F_GETFD);
	struct comm_listener listener = {0};
	struct comm comm = {0};

	comm_listener_close(&listener);
	comm_abort(&comm, "nobody to tell");
	comm_close(&comm);
	assert_int_equal(fcntl(0, F_GETFD), flags_before); /* the zero is no descriptor of theirs */
	assert_int_equal(comm.conn.fd, -1);
}

TEST_MAIN(NULL, NULL)
