// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A ping-pong of datagrams whose socket does not accept each of them. Calls of the C library are simulated. */
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "qperf/control/session.h"
#include "qperf/options/tests.h"
#include "qperf/sockets/socket.h"
#include "stats/clock.h"

#define WAIT_LIMIT_NS 1000000

static int data_fd;
static unsigned num_full; /* calls that find the queue full */
static struct qperf_session *ending;

/* The first message that is taken gets lost, and time is over by then. */
ssize_t send(int fd, const void *bytes, size_t length, int flags)
{
	if (fd != data_fd)
		return sendto(fd, bytes, length, flags, NULL, 0);
	if (!num_full) {
		ending->end_cycles = ending->begin_cycles;
		return (ssize_t)length;
	}
	num_full--;
	errno = ENOBUFS;
	return -1;
}

/* The timer's part: each look at the socket is followed by one at the clock. */
ssize_t recv(int fd, void *bytes, size_t length, int flags)
{
	qperf_session_attention = 1;
	return recvfrom(fd, bytes, length, flags, NULL, NULL);
}

TEST(a_first_message_that_was_not_taken_ends_nothing)
{
	char message[64];
	int control_fds[2], data_fds[2];
	struct control control = {.dialect = &control_native};
	struct link link = {
		.protocol = &protocol_rows[PROTOCOL_UDP],
		.listener = -1,
		.connected = true,
		.buffer = message,
		.capacity = sizeof(message),
		.size = sizeof(message),
		.spins = true,
	};
	struct qperf_session session = {
		.test = test_find("udp_lat"),
		.control = &control,
		.client = true,
		.sends = true,
		.answer_timeout_ns = WAIT_LIMIT_NS,
		.own = &link,
		.without_alarm = true,
	};

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, control_fds), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, data_fds), 0);
	control.conn.fd = control_fds[0];
	link.fd = data_fd = data_fds[0];
	num_full = 1;
	ending = &session;
	clock_start(false);
	session.begin_cycles = clock_cycles();
	session.end_cycles = UINT64_MAX;
	assert_int_equal(datagram_ping(&session), 0);
	assert_true(session.over);
	assert_int_equal(session.account.sent.errors, 1);
	assert_int_equal(session.account.sent.msgs, 1);
	for (unsigned i = 0; i < 2; i++) {
		close(control_fds[i]);
		close(data_fds[i]);
	}
}

TEST_MAIN(NULL, NULL)
