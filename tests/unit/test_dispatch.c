// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The messages of perftest matrix: do they arrive as they were sent, and is anything else refused? */
#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "front/matrix/dispatch.h"
#include "front/matrix/place.h"
#include "net/tcp.h"
#include "random_numbers.h"

static struct conn ends[2];

static int open_ends(void **state)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(conn_open_fd(&ends[0], fds[0], "client"), 0);
	assert_int_equal(conn_open_fd(&ends[1], fds[1], "server"), 0);
	return 0;
}

static int close_ends(void **state)
{
	conn_close(&ends[0]);
	conn_close(&ends[1]);
	return 0;
}

/* 1, 0 or -errno. */
static int received(struct dispatch *dispatch, size_t *length, const char **fault)
{
	dispatch_fill(&ends[1]);
	return dispatch_read(&ends[1], dispatch, length, fault);
}

static struct dispatch passed(const struct dispatch *sent)
{
	struct dispatch dispatch;
	const char *fault = NULL;
	size_t length;

	assert_int_equal(dispatch_send(&ends[0], sent), 0);
	assert_int_equal(received(&dispatch, &length, &fault), 1);
	assert_int_equal(dispatch.type, sent->type);
	conn_consume(&ends[1], length);
	assert_int_equal(conn_pending(&ends[1]), 0);
	return dispatch;
}

TEST(all_types_arrive, open_ends, close_ends)
{
	const struct dispatch join = {
		.type = MESSAGE_HELLO,
		.join = {.rank = PLACE_NONE, .run = 1ULL << 63, .host = "n1", .address = "10.0.0.1"}};
	const struct dispatch call = {
		.type = DISPATCH_CALL, .job = 7, .adapter = 3, .address = "fe80::1%eth0", .port = 65535};
	const struct dispatch ended = {
		.type = MESSAGE_RESULT, .kind = 4, .value = 1.5e-6, .document = {.text = "{}", .length = 2}};
	const struct dispatch unreached = {.type = MESSAGE_RESULT, .reason = "no connection", .unreached = 1};
	struct dispatch got;

	got = passed(&join);
	assert_int_equal(got.join.rank, PLACE_NONE);
	assert_true(got.join.run == 1ULL << 63);
	assert_string_equal(got.join.host, "n1");
	got = passed(&call);
	assert_string_equal(got.address, "fe80::1%eth0");
	assert_int_equal(got.port, 65535);
	assert_int_equal(got.job, 7);
	assert_int_equal(got.adapter, 3);
	got = passed(&ended);
	assert_true(got.value == 1.5e-6);
	assert_int_equal(got.document.length, 2);
	assert_int_equal(got.unreached, 0);
	assert_int_equal(passed(&unreached).unreached, 1);
	passed(&(struct dispatch){.type = MESSAGE_AGREE});
	passed(&(struct dispatch){.type = MESSAGE_REFUSE});
	passed(&(struct dispatch){.type = MESSAGE_ALIVE});
	for (unsigned type = MESSAGE_OWN; type < DISPATCH_TYPES; type++)
		if (type != DISPATCH_LISTENS && type != DISPATCH_CALL && type != DISPATCH_SERVE)
			passed(&(struct dispatch){.type = type});
}

static void refused(const struct dispatch *sent)
{
	struct dispatch dispatch;
	const char *fault = NULL;
	size_t length;

	open_ends(NULL);
	dispatch_send(&ends[0], sent);
	assert_true(received(&dispatch, &length, &fault) < 0);
	assert_non_null(fault);
	close_ends(NULL);
}

/* However long its reason is. */
TEST(refusals_arrive, open_ends, close_ends)
{
	char reason[2 * MESSAGE_REASON_SIZE];
	struct dispatch dispatch;
	const char *fault = NULL;
	size_t length;

	memset(reason, 'x', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	dispatch_refuse(&ends[0], reason);
	assert_int_equal(received(&dispatch, &length, &fault), 1);
	assert_int_equal(strlen(dispatch.reason), MESSAGE_REASON_SIZE - 1);
	conn_consume(&ends[1], length);
}

/* A word of a command line must not become an option or a path; a figure must be one. */
TEST(what_cannot_be_is_refused, open_ends, close_ends)
{
	close_ends(state);
	refused(&(struct dispatch){.type = DISPATCH_CALL, .address = "-d", .port = 1});
	refused(&(struct dispatch){.type = DISPATCH_CALL, .address = "a b", .port = 1});
	refused(&(struct dispatch){.type = DISPATCH_CALL, .address = "", .port = 1});
	refused(&(struct dispatch){.type = DISPATCH_CALL, .address = "a", .port = 0});
	refused(&(struct dispatch){.type = MESSAGE_HELLO, .join.address = "--x"});
	refused(&(struct dispatch){.type = MESSAGE_HELLO, .join.rank = DISPATCH_MOST_HOSTS});
	refused(&(struct dispatch){.type = MESSAGE_RESULT, .kind = 200});
	refused(&(struct dispatch){.type = MESSAGE_RESULT, .unreached = 2});
	refused(&(struct dispatch){.type = MESSAGE_RESULT, .value = -1});
	refused(&(struct dispatch){.type = MESSAGE_RESULT, .value = NAN});
	open_ends(state);
}

/* Whatever arrives is a message, waits for more or is refused; nothing is read beyond it. */
TEST(damaged_ones_do_no_harm, open_ends, close_ends)
{
	const struct dispatch ended = {
		.type = MESSAGE_RESULT, .reason = "why", .value = 1, .document = {.text = "{\"a\":1}", .length = 7}};

	close_ends(state);
	for (unsigned trial = 0; trial < 3000; trial++) {
		uint8_t bytes[256];
		struct dispatch dispatch;
		const char *fault = NULL;
		ssize_t length;
		size_t read_length;

		open_ends(state);
		dispatch_send(&ends[0], &ended);
		length = recv(ends[1].fd, bytes, sizeof(bytes), 0);
		assert_true(length > 0);
		for (unsigned i = 0; i < 1 + trial % 4; i++)
			bytes[4 + random_below((uint64_t)length - 4)] = (uint8_t)random_u64();
		assert_true(send(ends[0].fd, bytes, (size_t)(trial % 3 ? length : length / 2), 0) > 0);
		if (received(&dispatch, &read_length, &fault) < 0)
			assert_non_null(fault);
		close_ends(state);
	}
	open_ends(state);
}

TEST_MAIN(NULL, NULL)
