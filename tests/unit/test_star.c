// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What does a star know of the time in which its process was stopped, and what of messages that it could not send? */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/star.h"

#define STOPPED_NS (15 * INT64_C(1000000000))

static const struct star_ops ops;

/* What was lost long after a stop was not lost by it. */
TEST(a_stop_is_known_until_all_have_sent_again)
{
	struct star star = {.ops = &ops, .timeout_ms = 15000};

	assert_int_equal(star_open(&star), 0);
	star_turn(&star, 0);
	assert_true(star.stopped_ns < STOPPED_NS);
	star.due.at_ns -= STOPPED_NS + 2 * INT64_C(1000000000);
	star_turn(&star, 0);
	assert_true(star.stopped_ns >= STOPPED_NS);
	star_turn(&star, 0);
	assert_true(star.stopped_ns >= STOPPED_NS);
	star.resumed = deadline_in_ms(0);
	star_turn(&star, 0);
	assert_true(star.stopped_ns < STOPPED_NS);
	star_close(&star);
}

#define ALIVE 1

static const struct message_row alive_rows[] = {[ALIVE] = {"heartbeat", 0, {0}, 0}};

static const struct message_protocol alive_messages = {.foreign = "", .num_types = ALIVE + 1, .rows = alive_rows};

static char lost[128];

static void note_lost(struct star *star, struct star_conn *peer, const char *how)
{
	(void)star;
	(void)peer;
	snprintf(lost, sizeof(lost), "%s", how);
}

/* Nobody would know that the other end waits for a message for which there was no room. */
TEST(a_peer_that_a_message_was_not_sent_to_is_lost)
{
	static const struct star_ops losing = {.lose = note_lost};
	struct star_conn peer = {.conn = {.carrier = &carrier_tcp}};
	struct star star = {.ops = &losing,
			    .protocol = &alive_messages,
			    .most = CONN_ROOM,
			    .timeout_ms = 15000,
			    .conns = &peer,
			    .num_conns = 1};
	struct wakeup main_thread;
	int fds[2];

	star.main = &main_thread;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	peer.conn.fd = fds[0];
	assert_int_equal(conn_open(&peer.conn), 0);
	assert_int_equal(wakeup_open(&main_thread), 0);
	assert_int_equal(star_open(&star), 0);
	star_send(&star, ALIVE, NULL);
	star_turn(&star, 0);
	assert_string_equal(lost, "");
	peer.conn.out_start = peer.conn.out_used = 0;
	peer.conn.out_size = peer.conn.out_used = CONN_MOST_OUT;
	star_send(&star, ALIVE, NULL);
	peer.conn.out_used = 0;
	star_turn(&star, 0);
	assert_string_equal(lost, "could not be sent a message: No buffer space available");
	assert_int_equal(peer.conn.fd, -1);
	star_close(&star);
	wakeup_close(&main_thread);
	close(fds[1]);
}

TEST_MAIN(NULL, NULL)
