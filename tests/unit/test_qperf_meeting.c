// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How long a side waits for the other one to close. Waits are simulated. */
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "net/tcp.h"
#include "qperf/control/session.h"
#include "util/deadline.h"

#define TURNS_IN_TIME 3
#define MOST_TURNS    100

int __wrap_wait_fds(struct pollfd *fds, unsigned num_fds, struct deadline deadline);

int __wrap_conn_over(const struct conn *conn, struct deadline deadline);

static int flood_fd; /* the peer's end of a connection on which it never stops */
static unsigned num_turns;

int __wrap_wait_fds(struct pollfd *fds, unsigned num_fds, struct deadline deadline)
{
	assert_true(num_turns++ < MOST_TURNS);
	assert_int_equal(write(flood_fd, "noise", 5), 5);
	return 0;
}

int __wrap_conn_over(const struct conn *conn, struct deadline deadline)
{
	return num_turns < TURNS_IN_TIME ? 0 : -ETIMEDOUT;
}

/* That it closes is awaited for some seconds, also of one that never stops. */
TEST(a_peer_that_goes_on_sending_is_not_awaited_for_longer)
{
	struct control control = {.native = true};
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(conn_open_fd(&control.conn, fds[0], "client"), 0);
	flood_fd = fds[1];
	control_fail(&control, "it fails");
	assert_int_equal(num_turns, TURNS_IN_TIME);
	control_close(&control);
	close(fds[1]);
}

TEST_MAIN(NULL, NULL)
