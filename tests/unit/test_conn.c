// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A buffered connection between two ends on loopback, one of which is driven by hand. */
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "net/listener.h"
#include "net/message.h"
#include "net/tcp.h"
#include "util/stop.h"

/* Long enough for any machine; a test that waits so long has failed. */
#define LISTEN_TIMEOUT_MS 30000

static const struct address any_port = {.bind_ip = "127.0.0.1"};

/* The server's end of a connection, and the socket of its peer. */
static int meet(struct conn *server)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct listener listener;
	struct pollfd fds[LISTENER_FDS];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(listener_open(&listener, &any_port, 1), 0);
	assert_int_equal(listener_accept(&listener, server), -EAGAIN);
	to.sin_port = htons(listener.port);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(listener_poll_fds(&listener, fds), 1);
	assert_int_equal(poll(fds, 1, LISTEN_TIMEOUT_MS), 1);
	assert_int_equal(listener_accept(&listener, server), 0);
	listener_close(&listener);
	return fd;
}

static void say(int fd, const void *bytes, size_t length)
{
	assert_int_equal(send(fd, bytes, length, MSG_NOSIGNAL), length);
}

static struct deadline limit(void)
{
	return deadline_in_ms(LISTEN_TIMEOUT_MS);
}

static void fill(struct conn *conn, size_t want)
{
	while (conn_pending(conn) < want)
		assert_int_equal(conn_fill(conn, want, limit()), 0);
}

TEST(messages_are_taken_one_by_one)
{
	uint8_t bytes[3000];
	struct conn conn;
	int fd = meet(&conn);

	assert_string_equal(conn.role, "client");
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	/* more than the buffer holds in all, so that what is pending moves in it */
	for (unsigned round = 0; round < 20; round++) {
		say(fd, bytes, sizeof(bytes));
		for (size_t at = 0; at < sizeof(bytes); at += 100) {
			fill(&conn, 100);
			assert_memory_equal(conn_data(&conn), bytes + at, 100);
			conn_consume(&conn, 100);
		}
	}
	assert_int_equal(conn_pending(&conn), 0);
	assert_true(conn.in_size <= CONN_ROOM);
	conn_close(&conn);
	close(fd);
}

TEST(a_large_message_gets_room_and_no_more)
{
	static uint8_t bytes[100000];
	struct conn conn;
	int fd = meet(&conn);

	memset(bytes, 'x', sizeof(bytes));
	say(fd, bytes, sizeof(bytes));
	fill(&conn, 50000);
	assert_int_equal(conn_pending(&conn), 50000);
	assert_true(conn.in_size <= 50000);
	assert_true(conn_is_full(&conn));
	assert_int_equal(conn_fill_now(&conn, 0), 0);
	assert_int_equal(conn_pending(&conn), 50000); /* the rest waits in the socket */
	conn_consume(&conn, 40000);
	while (conn_pending(&conn) < 30000) {
		assert_int_equal(conn_wait(&conn, POLLIN, limit()), 0);
		assert_int_equal(conn_fill_all(&conn, 30000), 0);
	}
	assert_int_equal(conn_pending(&conn), 30000);
	conn_close(&conn);
	close(fd);
}

/* A child that is handed the socket reads on behind what was asked for. */
TEST(no_more_is_taken_than_was_asked_for)
{
	struct conn conn;
	int fd = meet(&conn), released;
	char rest[8];

	say(fd, "request and more", 16);
	while (conn_pending(&conn) < 7) {
		assert_int_equal(conn_wait(&conn, POLLIN, limit()), 0);
		assert_int_equal(conn_fill_all(&conn, 7), 0);
	}
	assert_int_equal(conn_pending(&conn), 7);
	released = conn_release(&conn);
	assert_int_equal(conn.fd, -1);
	assert_int_equal(recv(released, rest, sizeof(rest), 0), 8);
	assert_memory_equal(rest, " and mor", 8);
	close(released);
	close(fd);
}

TEST(an_end_is_reported_after_what_came_before)
{
	struct conn conn;
	int fd = meet(&conn);

	say(fd, "last words", 10);
	close(fd);
	while (!conn_fill_all(&conn, 1000))
		assert_int_equal(conn_wait(&conn, POLLIN, limit()), 0);
	assert_int_equal(conn_pending(&conn), 10);
	assert_memory_equal(conn_data(&conn), "last words", 10);
	assert_int_equal(conn_fill(&conn, 20, limit()), -ECONNRESET);
	conn_close(&conn);
	conn_close(&conn); /* once more does nothing */
	assert_int_equal(conn.fd, -1);
}

TEST(silence_and_the_user_end_a_wait)
{
	struct conn conn;
	int fd = meet(&conn);

	assert_int_equal(conn_fill(&conn, 1, deadline_in_ms(10)), -ETIMEDOUT);
	stop_flag = 15;
	assert_int_equal(conn_fill(&conn, 1, limit()), -EINTR);
	stop_flag = 0;
	conn_close(&conn);
	close(fd);
}

TEST(a_peer_that_does_not_read_holds_nobody)
{
	static uint8_t bytes[1 << 16];
	struct conn conn;
	uint8_t *room;
	int fd = meet(&conn), rc;

	assert_int_equal(setsockopt(conn.fd, SOL_SOCKET, SO_SNDBUF, &(int){1}, sizeof(int)), 0);
	while (!conn_has_output(&conn)) {
		rc = conn_post(&conn, bytes, CONN_POST, false /* not droppable */);
		assert_int_equal(rc, 0);
	}
	while (!(rc = conn_post(&conn, bytes, CONN_POST, false)))
		;
	assert_int_equal(rc, -EAGAIN);
	assert_int_equal(conn_post(&conn, bytes, 8, true /* droppable */), 0);
	assert_true(conn.out_used - conn.out_start <= CONN_POST);
	/* What may be kept is bounded. */
	assert_int_equal(conn_reserve(&conn, CONN_MOST_OUT, &room), -ENOBUFS);
	assert_int_equal(conn_reserve(&conn, sizeof(bytes), &room), 0);
	memset(room, 'r', sizeof(bytes));
	assert_int_equal(conn_flush(&conn), 0);
	assert_true(conn_has_output(&conn));
	assert_int_equal(conn_send(&conn, bytes, sizeof(bytes), deadline_in_ms(10)), -ETIMEDOUT);
	conn_close(&conn);
	close(fd);
}

TEST(what_waits_goes_out_in_order)
{
	static uint8_t came[300000], bytes[100000];
	size_t used = 0;
	struct conn conn;
	uint8_t *room;
	int fd = meet(&conn);

	assert_int_equal(setsockopt(conn.fd, SOL_SOCKET, SO_SNDBUF, &(int){1}, sizeof(int)), 0);
	for (unsigned i = 0; i < 3; i++) {
		memset(bytes, 'a' + (int)i, sizeof(bytes));
		assert_int_equal(conn_reserve(&conn, sizeof(bytes), &room), 0);
		memcpy(room, bytes, sizeof(bytes));
		assert_int_equal(conn_flush(&conn), 0);
	}
	while (used < sizeof(came)) {
		ssize_t got = recv(fd, came + used, sizeof(came) - used, MSG_DONTWAIT);

		assert_true(got > 0 || (got < 0 && errno == EAGAIN));
		used += got > 0 ? (size_t)got : 0;
		assert_int_equal(conn_flush(&conn), 0);
	}
	for (size_t i = 0; i < sizeof(came); i++)
		assert_int_equal(came[i], 'a' + i / sizeof(bytes));
	assert_false(conn_has_output(&conn));
	conn_close(&conn);
	close(fd);
}

static ssize_t boast(struct conn *conn, const void *bytes, size_t length)
{
	return (ssize_t)length + 1;
}

static ssize_t boast_received(struct conn *conn, void *bytes, size_t length)
{
	return boast(conn, bytes, length);
}

/* More than there was would be read behind a buffer's end. */
TEST(who_moves_more_than_there_was_is_not_believed)
{
	const struct carrier boaster = {.send_now = boast, .receive_now = boast_received};
	struct conn conn;
	int fd = meet(&conn);

	conn.carrier = &boaster;
	assert_int_equal(conn_send(&conn, "hello", 5, limit()), -EPROTO);
	assert_int_equal(conn_post(&conn, "hello", 5, false), -EPROTO);
	assert_int_equal(conn_fill_now(&conn, 0), -EPROTO);
	assert_int_equal(conn_pending(&conn), 0);
	conn.carrier = &carrier_tcp;
	conn_close(&conn);
	close(fd);
}

/* --- messages --- */

enum { NUMBER = MESSAGE_OWN };

static const struct codec_field number_fields[] = {
	{.kind = CODEC_UINT, .width = sizeof(uint32_t), .bytes = 4, .max = UINT32_MAX}};
static const struct message_row message_rows[] = {[NUMBER] = {"number", 64, {CODEC_TABLE(number_fields)}, 0}};
static const struct message_protocol numbers = {.foreign = "foreign",
						.magic = "PFTZ",
						.version = 1,
						.common = MESSAGE_BIT(MESSAGE_REFUSE),
						.num_types = NUMBER + 1,
						.rows = message_rows};

TEST(the_reason_is_found_behind_other_messages)
{
	char reason[2 * MESSAGE_REASON_SIZE], text[MESSAGE_REASON_SIZE];
	uint8_t end[MESSAGE_END_SIZE];
	struct message_header header;
	struct conn server, client;
	const char *fault;
	ssize_t at = -1;

	memset(reason, 'x', sizeof(reason));
	reason[sizeof(reason) - 1] = '\0';
	assert_int_equal(message_encode_end(&numbers, MESSAGE_REFUSE, reason, end), MESSAGE_END_SIZE);
	memset(&client, 0, sizeof(client));
	assert_int_equal(conn_open_fd(&client, meet(&server), "server"), 0);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(message_transmit(&client, &numbers, NUMBER, &i, limit()), 0);
	assert_int_equal(message_post(&client, &numbers, NUMBER, &(uint32_t){2}, true), 0);
	message_post_end(&client, &numbers, MESSAGE_REFUSE, reason);
	assert_int_equal(message_transmit(&client, &numbers, NUMBER, &(uint32_t){3}, limit()), -ECONNRESET);
	while (at < 0) {
		assert_int_equal(conn_fill(&server, CONN_ROOM, limit()), 0);
		at = message_find_end(&numbers, conn_data(&server), conn_pending(&server), &header);
	}
	assert_int_equal(at, 3 * (MESSAGE_HEADER_SIZE + 4));
	conn_consume(&server, (size_t)at);
	assert_int_equal(message_front(&server, &numbers, &header, &fault), 1);
	assert_int_equal(message_decode(&numbers, &header, message_payload(&server), text, &fault), 0);
	assert_int_equal(strlen(text), MESSAGE_REASON_SIZE - 1);
	conn_close(&client);
	conn_close(&server);
}

TEST(two_ends_meet_on_both_families)
{
	struct address at = {.port = 0};
	struct listener listener;
	struct pollfd fds[LISTENER_FDS];

	assert_int_equal(listener_open(&listener, &at, 4), 0);
	for (unsigned i = 0; i < listener.num_fds; i++) {
		struct sockaddr_storage own;
		socklen_t length = sizeof(own);
		struct conn client, server;

		assert_int_equal(getsockname(listener.fd[i], (struct sockaddr *)&own, &length), 0);
		at = (struct address){.host = own.ss_family == AF_INET6 ? "::1" : "127.0.0.1", .port = listener.port};
		assert_int_equal(address_port((struct sockaddr *)&own), listener.port);
		assert_int_equal(tcp_connect(&client, &at, LISTEN_TIMEOUT_MS), 0);
		assert_true(poll(fds, listener_poll_fds(&listener, fds), LISTEN_TIMEOUT_MS) > 0);
		assert_int_equal(listener_accept(&listener, &server), 0);
		assert_string_equal(client.role, "server");
		assert_int_equal(conn_send(&client, "hello", 5, limit()), 0);
		fill(&server, 5);
		assert_memory_equal(conn_data(&server), "hello", 5);
		conn_close(&client);
		conn_close(&server);
	}
	listener_close(&listener);
	listener_close(&listener);
}

TEST_MAIN(NULL, NULL)
