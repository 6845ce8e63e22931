// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How long a client tries to connect, and a server waits. Calls of the C library, and waits, are simulated. */
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "net/tcp.h"
#include "qperf/control/session.h"
#include "qperf/options/tests.h"
#include "qperf/sockets/socket.h"
#include "util/deadline.h"

#define REFUSALS   3 /* then packets to the peer are lost */
#define TIMEOUT_MS 60000

#define TURNS_IN_TIME 3
#define MOST_TURNS    100

int __wrap_wait_fds(struct pollfd *fds, unsigned num_fds, struct deadline deadline);
int __real_wait_fds(struct pollfd *fds, unsigned num_fds, struct deadline deadline);

int __wrap_conn_over(const struct conn *conn, struct deadline deadline);

static int data_fd, num_connects;
static int flood_fd = -1; /* the peer's end of a connection on which it never stops */
static unsigned num_turns;
static int64_t connect_end_ns, most_ns;

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	data_fd = fd;
	if (!num_connects)
		most_ns = deadline_in_ms(TIMEOUT_MS + 1).at_ns; /* rounded up; later ones would end later */
	errno = num_connects++ < REFUSALS ? ECONNREFUSED : EINPROGRESS;
	return -1;
}

int __wrap_wait_fds(struct pollfd *fds, unsigned num_fds, struct deadline deadline)
{
	if (flood_fd >= 0) {
		assert_true(num_turns++ < MOST_TURNS);
		assert_int_equal(write(flood_fd, "noise", 5), 5);
		return 0;
	}
	if (!num_fds) {
		/* of the time that a meeting may take, some passes */
		assert_int_equal(poll(NULL, 0, 5), 0);
		return -ETIMEDOUT;
	}
	if (fds->fd != data_fd || !num_connects)
		return __real_wait_fds(fds, num_fds, deadline);
	connect_end_ns = deadline.at_ns;
	return -ETIMEDOUT;
}

int __wrap_conn_over(const struct conn *conn, struct deadline deadline)
{
	return num_turns < TURNS_IN_TIME ? 0 : -ETIMEDOUT;
}

/* A qperf 0.4.11 tells its port before it listens there. */
TEST(attempts_to_connect_have_one_limit_together)
{
	static const uint8_t port[] = {0x12, 0x34, 0, 0};
	struct control control = {.client = true, .dialect = &control_classic, .channel.timeout_ms = TIMEOUT_MS};
	struct qperf_session session = {.test = test_find("rds_bw"), .control = &control, .client = true};
	struct sockaddr_in *peer = (struct sockaddr_in *)&control.peer;
	int fds[2];

	assert_non_null(session.test);
	session.side.number[PARAM_MSG_SIZE] = 64;
	*peer = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(conn_open_fd(&control.conn, fds[0], "server"), 0);
	assert_int_equal(write(fds[1], port, sizeof(port)), sizeof(port));
	assert_int_equal(socket_link_open(&session), -ETIMEDOUT);
	assert_int_equal(num_connects, REFUSALS + 1);
	assert_true(connect_end_ns <= most_ns);
	socket_link_close(&session);
	control_close(&control);
	close(fds[1]);
}

/* That it closes is awaited for some seconds, also of one that never stops. */
TEST(a_peer_that_goes_on_sending_is_not_awaited_for_longer)
{
	struct control control = {.dialect = &control_native, .channel.protocol = &qperf_messages};
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(conn_open_fd(&control.conn, fds[0], "client"), 0);
	flood_fd = fds[1];
	control_fail(&control, "it fails");
	assert_int_equal(num_turns, TURNS_IN_TIME);
	flood_fd = -1;
	control_close(&control);
	close(fds[1]);
}

TEST_MAIN(NULL, NULL)
