// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What an interrupted member reports: its group's reason, that its group is gone, or that its user stopped it. */
#include <sys/socket.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "session/group/member.h"

static int sockets[2];
static char reason[sizeof(((struct member_message *)NULL)->reason)];

static int set_up(void **state)
{
	reason[0] = '\0';
	return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets);
}

static int tear_down(void **state)
{
	close(sockets[0]);
	close(sockets[1]);
	return 0;
}

static void group_says(enum member_message_type type, const char *text)
{
	struct member_message message = {.type = type};

	strcpy(message.reason, text);
	assert_int_equal(send(sockets[1], &message, sizeof(message), 0), sizeof(message));
}

static void expect_reason(const char *expected)
{
	const struct group_member member = {.fd = sockets[0]};

	pair_end_reason(member.fd, reason, sizeof(reason));
	assert_string_equal(reason, expected);
}

/* It was interrupted before it had read that it was taken. */
TEST(the_reason_of_the_group, set_up, tear_down)
{
	group_says(GROUP_TAKES, "");
	group_says(GROUP_ENDS, "no process");
	expect_reason("no process");
}

TEST(a_group_that_does_not_end, set_up, tear_down)
{
	group_says(GROUP_TAKES, "");
	expect_reason("stopped by its user");
}

TEST(a_group_that_is_gone, set_up, tear_down)
{
	shutdown(sockets[1], SHUT_RDWR);
	expect_reason("the process that coordinates this test is gone");
}

TEST_MAIN(NULL, NULL)
