// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connections that have not sent a request yet: a server that serves those that have sent "GO", among all others. */
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "net/listener.h"
#include "net/pending.h"

static struct listener listener;
static unsigned num_dropped;

static int take_in(void *context, struct conn **conn)
{
	struct conn *made = malloc(sizeof(*made));
	int rc = made ? listener_accept(context, made) : -ENOMEM;

	if (rc)
		free(made);
	else
		*conn = made;
	return rc;
}

static enum pending_state receive(void *context, struct conn *conn, char text[PENDING_TEXT_SIZE])
{
	int rc = conn_fill_now(conn, 0);

	if (conn_pending(conn) >= 2 && memcmp(conn_data(conn), "GO", 2) == 0)
		return PENDING_READY;
	if (rc || conn_pending(conn) >= 2) {
		snprintf(text, PENDING_TEXT_SIZE, "is none of us");
		return PENDING_LEAVES;
	}
	return conn_pending(conn) ? PENDING_GREETED : PENDING_STAYS;
}

static void drop(void *context, struct conn *conn)
{
	conn_close(conn);
	free(conn);
	num_dropped++;
}

static const struct pending_ops ops = {.accept = take_in, .receive = receive, .drop = drop};

static unsigned poll_fds(void *context, struct pollfd *fds)
{
	return listener_poll_fds(context, fds);
}

static int come(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_port = htons(listener.port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Closed by the other side, sooner or later. */
static void expect_end(int fd)
{
	char byte;

	assert_true(recv(fd, &byte, 1, 0) <= 0);
	close(fd);
}

static struct pending open_pending(int64_t limit_ms)
{
	static const struct address any_port = {.bind_ip = "127.0.0.1"};

	num_dropped = 0;
	assert_int_equal(listener_open(&listener, &any_port, 128), 0);
	return (struct pending){.ops = &ops, .context = &listener, .limit_ms = limit_ms};
}

static void close_all(struct pending *pending)
{
	pending_close(pending);
	assert_int_equal(pending->count, 0);
	listener_close(&listener);
}

TEST(silent_ones_hold_nobody_up)
{
	struct pending pending = open_pending(-1 /* no limit */);
	struct conn *conn;
	int silent = come(), half = come(), good = come();

	say(half, "G");
	say(good, "GO on");
	assert_int_equal(pending_await(&pending, poll_fds, &conn), 0);
	assert_int_equal(conn_pending(conn), 5);
	drop(NULL, conn);
	assert_int_equal(pending.count, 2);
	/* It comes to its end later. */
	say(half, "O");
	assert_int_equal(pending_await(&pending, poll_fds, &conn), 0);
	assert_int_equal(conn_pending(conn), 2);
	drop(NULL, conn);
	close(silent);
	close(half);
	close(good);
	close_all(&pending);
}

TEST(unknown_peers_are_sent_away)
{
	struct pending pending = open_pending(-1);
	struct conn *conn;
	int stray = come(), gone = come(), good;

	say(stray, "\x1b[2Jrubbish");
	close(gone);
	good = come();
	say(good, "GO");
	assert_int_equal(pending_await(&pending, poll_fds, &conn), 0);
	drop(NULL, conn);
	expect_end(stray);
	assert_int_equal(num_dropped, 3);
	close(good);
	close_all(&pending);
}

TEST(time_is_limited)
{
	struct pending pending = open_pending(20 /* ms */);
	struct conn *conn;
	int silent = come(), good;

	while (!pending.count) {
		assert_int_equal(pending_admit(&pending), 0);
		assert_int_equal(pending_take(&pending, &conn), -EAGAIN);
	}
	while (pending.count) {
		struct pollfd fds[PENDING_MAX_FDS];
		struct deadline nearest = deadline_in_ms(-1);

		assert_int_equal(pending_poll_fds(&pending, fds, &nearest), 1);
		assert_true(deadline_poll_ms(nearest) >= 0);
		poll(fds, 1, deadline_poll_ms(nearest));
		pending_wake(&pending);
		assert_int_equal(pending_take(&pending, &conn), -EAGAIN);
	}
	expect_end(silent);
	good = come();
	say(good, "GO");
	assert_int_equal(pending_await(&pending, poll_fds, &conn), 0);
	drop(NULL, conn);
	close(good);
	close_all(&pending);
}

/* The one that has been here longest makes room, and who speaks is served. */
TEST(a_crowd_is_bounded)
{
	struct pending pending = open_pending(-1);
	struct conn *conn;
	int fds[3 * PENDING_MAX];

	pending.max = 5;
	for (unsigned i = 0; i < 3 * PENDING_MAX; i++) {
		fds[i] = come();
		if (i % 40 == 39) {
			assert_int_equal(pending_admit(&pending), 0);
			assert_true(pending.count <= 5);
		}
	}
	say(fds[3 * PENDING_MAX - 1], "GO");
	assert_int_equal(pending_await(&pending, poll_fds, &conn), 0);
	assert_true(pending.count <= 5);
	drop(NULL, conn);
	for (unsigned i = 0; i < 3 * PENDING_MAX; i++)
		close(fds[i]);
	close_all(&pending);
}

TEST(silent_ones_displace_no_client)
{
	struct pending pending = open_pending(-1);
	struct conn *conn;
	int fds[40], client = come();

	pending.max = 5;
	say(client, "G");
	while (!pending.count || !pending.items[0].greeted) {
		assert_int_equal(pending_admit(&pending), 0);
		assert_int_equal(pending_take(&pending, &conn), -EAGAIN);
	}
	for (unsigned i = 0; i < 40; i++) {
		fds[i] = come();
		assert_int_equal(pending_admit(&pending), 0);
	}
	say(client, "O");
	assert_int_equal(pending_await(&pending, poll_fds, &conn), 0);
	drop(NULL, conn);
	close(client);
	for (unsigned i = 0; i < 40; i++)
		close(fds[i]);
	close_all(&pending);
}

TEST(used_up_descriptors_come_back)
{
	struct pending pending = open_pending(-1);
	struct rlimit before, few;
	struct conn *conn;
	int fds[24], next;

	for (unsigned i = 0; i < 24; i++)
		fds[i] = come();
	say(fds[23], "GO");
	next = dup(0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = (rlim_t)next + 3;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(pending_await(&pending, poll_fds, &conn), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	drop(NULL, conn);
	for (unsigned i = 0; i < 24; i++)
		close(fds[i]);
	close_all(&pending);
}

TEST_MAIN(NULL, NULL)
