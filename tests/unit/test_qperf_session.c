// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Effects of a tick of a test's clock, and of its control connection. */
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "net/listener.h"
#include "net/tcp.h"
#include "qperf/control/session.h"
#include "stats/clock.h"
#include "util/log.h"

#define INTERVAL_CYCLES 1000

static uint64_t interval_ended_cycles;

static int note_interval(struct qperf_session *session, uint64_t now_cycles)
{
	interval_ended_cycles = now_cycles;
	return 0;
}

/* After several that nobody saw the end of, the next one ends at the first multiple that is still to come. */
TEST(missed_intervals_are_one)
{
	struct control control = {.dialect = &control_native};
	struct qperf_session session = {
		.control = &control,
		.end_cycles = UINT64_MAX,
		.without_alarm = true,
		.interval = note_interval,
		.interval_cycles = INTERVAL_CYCLES,
	};
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(conn_open_fd(&control.conn, fds[0], "peer"), 0);
	session.begin_cycles = clock_cycles() - 5 * INTERVAL_CYCLES;
	session.next_interval_cycles = session.begin_cycles + INTERVAL_CYCLES;
	assert_false(qperf_session_tick(&session));
	assert_true(session.next_interval_cycles > interval_ended_cycles);
	assert_true(session.next_interval_cycles <= interval_ended_cycles + INTERVAL_CYCLES);
	assert_int_equal((session.next_interval_cycles - session.begin_cycles) % INTERVAL_CYCLES, 0);
	control_close(&control);
	close(fds[1]);
}

/* Ten looks in a second in which nothing moves, and an outage of this process, which is none of the peer's. */
TEST(silence_of_the_peer_alone_counts)
{
	const uint64_t second = clock_ns_to_cycles(1e9), begin = 1000 * second;
	struct control control = {.dialect = &control_native,
				  .channel = {.protocol = &qperf_messages, .timeout_ms = 1000}};
	struct qperf_session session = {.control = &control};

	assert_false(session_stands_still(&session, begin, 7));
	assert_false(session_stands_still(&session, begin + 100 * second, 7));
	assert_false(session_stands_still(&session, begin + 100 * second - 1, 7)); /* a clock that goes back */
	for (unsigned i = 1; i <= 7; i++)
		assert_false(session_stands_still(&session, begin + 100 * second + i * second / 10, 7));
	assert_true(session_stands_still(&session, begin + 101 * second, 7));
	assert_false(session_stands_still(&session, begin + 102 * second, 8));
}

/* An exchange that is open at the end is a sample, or its time is in no figure. */
TEST(what_is_open_counts_whole_or_not)
{
	const uint64_t second = clock_ns_to_cycles(1e9), now = clock_cycles();
	static struct latency samples;
	struct control control = {.dialect = &control_native, .channel.conn = {.fd = -1}};
	struct qperf_session session = {
		.control = &control, .samples = &samples, .begin_cycles = now - 2 * second, .over = true};

	latency_reset(&samples);
	latency_record(&samples, second);
	session_count_open(&session, now - second / 2); /* is not the longest */
	assert_int_equal(samples.histogram.count, 1);
	assert_int_equal(session.finish_cycles, now - second / 2);
	session.over = false;
	session.stopped = true;
	session_count_open(&session, now - 3 * second / 2);
	assert_int_equal(samples.histogram.count, 2);
	assert_int_equal(session.finish_cycles, session.open_cycles + now - 3 * second / 2);
}

/* Half a second of round trip is no loss. */
TEST(a_long_path_has_time)
{
	assert_int_equal(session_timeout_ns(0), SESSION_LOST_NS);
	assert_int_equal(session_timeout_ns(0.02), SESSION_LOST_NS);
	assert_int_equal(session_timeout_ns(0.5), 2000000000);
}

TEST(a_failure_without_words_is_one)
{
	uint8_t bytes[MESSAGE_END_SIZE];
	const size_t size = message_encode_end(&qperf_messages, MESSAGE_ABORT, "", bytes);
	struct control control = {.dialect = &control_native,
				  .client = true,
				  .channel = {.protocol = &qperf_messages, .timeout_ms = 1000}};
	uint32_t port;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(conn_open_fd(&control.conn, fds[0], "peer"), 0);
	assert_int_equal(write(fds[1], bytes, size), size);
	assert_int_equal(control_receive_frame(&control, FRAME_READY, &port), -ECANCELED);
	assert_string_equal(log_last_error(), "the peer () ended the test: it failed without giving a reason");
	control_close(&control);
	close(fds[1]);
}

/* Loops look by poll() and MSG_PEEK whether the peer has said something. */
TEST(what_follows_a_message_stays_in_the_socket)
{
	struct control control = {.dialect = &control_native,
				  .client = true,
				  .channel = {.protocol = &qperf_messages, .timeout_ms = 1000}};
	struct pollfd ready;
	uint8_t bytes[4];
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(conn_open_fd(&control.conn, fds[0], "peer"), 0);
	ready = (struct pollfd){.fd = fds[0], .events = POLLIN};
	assert_int_equal(write(fds[1], "abcdefgh", 8), 8);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(control_look(&control), CONTROL_SPOKE);
		assert_int_equal(poll(&ready, 1, 0), 1);
		assert_int_equal(control_receive(&control, bytes, sizeof(bytes), "word"), 0);
		assert_memory_equal(bytes, i ? "efgh" : "abcd", sizeof(bytes));
	}
	assert_int_equal(control_look(&control), CONTROL_QUIET);
	control_close(&control);
	close(fds[1]);
}

/* They are taken while a side looks, and in front of what it waits for. */
TEST(signs_of_life_are_no_messages)
{
	struct control control = {.dialect = &control_native,
				  .client = true,
				  .channel = {.protocol = &qperf_messages, .timeout_ms = 1000}};
	uint8_t alive[MESSAGE_HEADER_SIZE], go[MESSAGE_HEADER_SIZE + sizeof(uint32_t)];
	uint32_t point = 0;
	int fds[2];

	message_encode(&qperf_messages, MESSAGE_ALIVE, NULL, alive, sizeof(alive));
	message_encode(&qperf_messages, MESSAGE_BARRIER, &point, go, sizeof(go));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(conn_open_fd(&control.conn, fds[0], "peer"), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(write(fds[1], alive, sizeof(alive)), sizeof(alive));
	assert_int_equal(control_look(&control), CONTROL_QUIET);
	assert_int_equal(write(fds[1], alive, sizeof(alive)), sizeof(alive));
	assert_int_equal(write(fds[1], go, sizeof(go)), sizeof(go));
	assert_int_equal(control_receive_frame(&control, MESSAGE_BARRIER, &point), 0);
	assert_int_equal(write(fds[1], go, sizeof(go)), sizeof(go));
	assert_int_equal(control_look(&control), CONTROL_SPOKE);
	close(fds[1]);
	control_close(&control);
}

/* A qperf 0.4.11 that fails says so by an urgent byte and a text, in the middle of what it was about to say. */
TEST(an_urgent_word_takes_the_place_of_a_message)
{
	static const struct address any_port = {.bind_ip = "127.0.0.1"};
	struct control control = {.client = true, .dialect = &control_classic, .channel.timeout_ms = 20000};
	struct pollfd fds[LISTENER_FDS];
	struct listener listener;
	struct address at;
	struct conn server;
	uint8_t bytes[100];

	assert_int_equal(listener_open(&listener, &any_port, 1), 0);
	at = (struct address){.host = "127.0.0.1", .port = listener.port};
	assert_int_equal(tcp_connect(&control.conn, &at, 20000), 0);
	assert_int_equal(listener_poll_fds(&listener, fds), 1);
	assert_int_equal(poll(fds, 1, 20000), 1);
	assert_int_equal(listener_accept(&listener, &server), 0);
	listener_close(&listener);
	assert_int_equal(send(server.fd, "beginning", 9, MSG_NOSIGNAL), 9);
	assert_int_equal(send(server.fd, "?", 1, MSG_OOB | MSG_NOSIGNAL), 1);
	assert_int_equal(send(server.fd, "no such device", 14, MSG_NOSIGNAL), 14);
	conn_close(&server);
	assert_int_equal(control_receive(&control, bytes, sizeof(bytes), "the results"), -ECANCELED);
	assert_non_null(strstr(log_last_error(), " ended the test: no such device"));
	control_close(&control);
}

TEST_MAIN(NULL, NULL)
