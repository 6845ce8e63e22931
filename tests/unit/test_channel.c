// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages in order between two programs: what ends a wait, and who is silent. */
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "net/channel.h"
#include "net/tcp.h"
#include "util/log.h"

static const struct message_row rows[] = {[MESSAGE_AGREE] = {"greeting", 0, {0}, 0}};
static const struct message_protocol protocol = {
	.foreign = "it is foreign",
	.magic = {'P', 'F', 'T', 'x'},
	.version = 1,
	.num_types = MESSAGE_AGREE + 1,
	.common = MESSAGE_BIT(MESSAGE_REFUSE) | MESSAGE_BIT(MESSAGE_ABORT) | MESSAGE_BIT(MESSAGE_ALIVE) |
		  MESSAGE_BIT(MESSAGE_BARRIER),
	.rows = rows,
};

static struct channel channel, peer;

static void open_end(struct channel *end, int fd, const char *role)
{
	*end = (struct channel){.protocol = &protocol, .timeout_ms = 20000};
	assert_int_equal(conn_open_fd(&end->conn, fd, role), 0);
}

static int open_both(void **state)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	open_end(&channel, fds[0], "server");
	open_end(&peer, fds[1], "client");
	return 0;
}

static int close_both(void **state)
{
	conn_close(&channel.conn);
	conn_close(&peer.conn);
	return 0;
}

TEST(what_is_out_of_order_is_named, open_both, close_both)
{
	struct message_header header;

	assert_int_equal(channel_send(&peer, MESSAGE_ALIVE, NULL), 0);
	assert_int_equal(channel_send(&peer, MESSAGE_AGREE, NULL), 0);
	assert_int_equal(channel_look(&channel, &header), 1);
	assert_int_equal(header.type, MESSAGE_AGREE);
	assert_int_equal(channel_receive(&channel, MESSAGE_ALIVE, NULL), -EBADMSG);
	assert_string_equal(log_last_error(),
			    "the server () sent its greeting while this side waited for its heartbeat");
}

/* Nothing is sent to a side that has ended, and its reason is reported once. */
TEST(the_end_of_a_side_is_the_last, open_both, close_both)
{
	struct message_header header;

	channel_end(&peer, MESSAGE_ABORT, "no such device");
	assert_int_equal(channel_receive(&channel, MESSAGE_AGREE, NULL), -ECANCELED);
	assert_string_equal(log_last_error(), "the server () ended the test: no such device");
	channel_end(&channel, MESSAGE_ABORT, "the other one has");
	assert_int_equal(channel_look(&channel, &header), -ECANCELED);
	assert_int_equal(channel_look(&peer, &header), -ECANCELED);
	assert_int_equal(conn_pending(&peer.conn), 0);
	assert_int_equal(recv(peer.conn.fd, &header, sizeof(header), MSG_DONTWAIT), -1);
}

TEST(a_side_that_is_alive_but_does_nothing, open_both, close_both)
{
	channel_watch(&channel, 1000, 20000);
	channel.next_alive = deadline_in_ms(0);
	channel.timeout_ms = 100;
	assert_int_equal(channel_send(&peer, MESSAGE_ALIVE, NULL), 0);
	assert_int_equal(channel_receive(&channel, MESSAGE_AGREE, NULL), -ETIMEDOUT);
	assert_string_equal(log_last_error(),
			    "the server () is alive, but has not sent its greeting within 0.1 s (--timeout)");
	/* this side was alive, too */
	assert_int_equal(channel_receive(&peer, MESSAGE_ALIVE, NULL), 0);
}

/* While this process is stopped, the time of the other side stands still. */
TEST(only_the_silence_of_the_other_side_counts, open_both, close_both)
{
	struct message_header header;

	channel_watch(&channel, 1000, 60000);
	assert_int_equal(channel_look(&channel, &header), 0);
	channel.due.at_ns -= INT64_C(70000000000);
	channel.silence.at_ns -= INT64_C(70000000000);
	assert_int_equal(channel_look(&channel, &header), 0);
	channel.silence = deadline_in_ms(0);
	assert_int_equal(channel_send(&peer, MESSAGE_ALIVE, NULL), 0);
	assert_int_equal(channel_look(&channel, &header), 0);
	channel.silence = deadline_in_ms(0);
	assert_int_equal(channel_look(&channel, &header), -ETIMEDOUT);
}

/* In a wait for a message there is no look. */
TEST(a_wait_is_no_silence, open_both, close_both)
{
	struct message_header header;

	channel_watch(&channel, 1000, 60000);
	channel.silence = deadline_in_ms(0);
	assert_int_equal(channel_send(&peer, MESSAGE_AGREE, NULL), 0);
	assert_int_equal(channel_receive(&channel, MESSAGE_AGREE, NULL), 0);
	assert_int_equal(channel_look(&channel, &header), 0);
}

static ssize_t lack_memory(struct conn *conn, void *bytes, size_t size)
{
	return -ENOMEM;
}

TEST(a_side_without_memory_says_so, open_both, close_both)
{
	struct carrier carrier = *channel.conn.carrier;

	carrier.receive_now = lack_memory;
	channel.conn.carrier = &carrier;
	assert_int_equal(channel_receive(&channel, MESSAGE_AGREE, NULL), -ENOMEM);
	channel.conn.carrier = peer.conn.carrier;
	channel_end(&channel, MESSAGE_ABORT, "out of memory");
	assert_int_equal(channel_receive(&peer, MESSAGE_AGREE, NULL), -ECANCELED);
	assert_string_equal(log_last_error(), "the client () ended the test: out of memory");
}

TEST_MAIN(NULL, NULL)
