// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the kernel module's parser accept what krping(8) lists, refuse everything else with a reason, and never overrun?
 */
#include "cmocka_all.h"
#include "command.h"

static struct krping_command command;
static struct krping_reason reason;

/* From memory of exactly the size, so that a sanitizer sees a byte too many. */
static int parse_bytes(const char *text, size_t length)
{
	char *copy = malloc(length + 1);
	int err;

	assert_non_null(copy);
	memcpy(copy, text, length);
	copy[length] = '\0';
	memset(&reason, 'x', sizeof(reason));
	err = krping_command_parse(&command, copy, length, &reason);
	free(copy);
	return err;
}

static int parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

static void accepts(const char *text)
{
	if (parse(text))
		fail_msg("'%s' is refused: %s", text, reason.text);
}

static void refuses(const char *text, const char *why)
{
	assert_int_equal(parse(text), -EINVAL);
	assert_non_null(memchr(reason.text, '\0', sizeof(reason.text)));
	if (!strstr(reason.text, why))
		fail_msg("'%s' is refused with '%s'", text, reason.text);
}

#define BOTH "addr=10.0.0.1,port=9999"

TEST(defaults)
{
	accepts("client," BOTH);
	assert_true(krping_has(&command, KRPING_CLIENT));
	assert_false(krping_has(&command, KRPING_SERVER));
	assert_string_equal(command.address, "10.0.0.1");
	assert_int_equal(command.port, 9999);
	assert_int_equal(command.size, 64);
	assert_int_equal(command.count, 0);
	assert_int_equal(command.tx_depth, 64);
	assert_int_equal(command.timeout_s, 30);
	assert_false(command.dma);
	assert_string_equal(krping_test_name(&command), "ping");
}

TEST(ends_and_commas)
{
	accepts("client," BOTH ",count=3\n");
	assert_int_equal(command.count, 3);
	accepts("client," BOTH ",count=3");
	assert_int_equal(command.count, 3);
	accepts(",,client,," BOTH ",\n");
	refuses("client," BOTH "\n\n", "one line");
	refuses("", "empty");
	refuses("\n", "empty");
	refuses(",,,", "either client or server");
	assert_int_equal(parse_bytes("client\0," BOTH, sizeof("client\0," BOTH) - 1), -EINVAL);
	refuses("client,\x80" BOTH, "printable");
	refuses("client,\t" BOTH, "printable");
}

TEST(numbers)
{
	accepts("client," BOTH ",size=0x10,count=010");
	assert_int_equal(command.size, 16);
	assert_int_equal(command.count, 8);
	accepts("client," BOTH ",size=1");
	accepts("client," BOTH ",size=4194304");
	refuses("client," BOTH ",size=0", "not between 1 and 4194304");
	refuses("client," BOTH ",size=4194305", "not between");
	refuses("client," BOTH ",count=", "not a number");
	refuses("client," BOTH ",count=-1", "not a number");
	refuses("client," BOTH ",count=+1", "not a number");
	refuses("client," BOTH ",count= 1", "not a number");
	refuses("client," BOTH ",count=3x", "not a number");
	refuses("client," BOTH ",count=08", "not a number");
	refuses("client," BOTH ",count=18446744073709551616", "not a number");
	refuses("client,addr=10.0.0.1,port=0", "not between 1 and 65535");
	refuses("client,addr=10.0.0.1,port=65536", "not between");
}

/* A peer chooses the size of a server that was told none: all of them together stay below its limit. */
TEST(a_server_has_a_limit_of_memory)
{
	const u64 most = KRPING_MAX_SIZE;

	accepts("server," BOTH);
	assert_int_equal(command.memory, 64 << 20);
	command.size = most;
	assert_int_equal(krping_command_memory(&command), 2 * most);
	assert_true(krping_command_affords(&command, 0, 2 * most));
	assert_true(krping_command_affords(&command, 7 * 2 * most, 2 * most));
	assert_false(krping_command_affords(&command, 7 * 2 * most + 1, 2 * most));
	assert_false(krping_command_affords(&command, 8 * 2 * most, 2));
	assert_false(krping_command_affords(&command, ~0ULL, 2));
	accepts("server,size=4194304," BOTH);
	assert_true(krping_command_affords(&command, 1023 * 2 * most, 2 * most));
	accepts("server,size=4194304,memory=100," BOTH);
	assert_false(krping_command_affords(&command, 0, 2 * most));
	assert_true(krping_command_affords(&command, 0, 100));
	accepts("server,memory=18446744073709551615," BOTH);
	assert_true(krping_command_affords(&command, 1023 * 2 * most, 2 * most));
	refuses("server,memory=0," BOTH, "not between 1 and");
	refuses("client,memory=5," BOTH, "memory= is for the server");
}

TEST(type_of_service)
{
	accepts("client,tos=32," BOTH);
	assert_int_equal(command.tos, 32);
	accepts("server,tos=0x20," BOTH);
	refuses("client,tos=256," BOTH, "not between 0 and 255");
	refuses("client,tos," BOTH, "needs a value");
}

/* It goes to the kernel's log, and from there to terminals. */
TEST(data_is_shown_as_one_line_of_text)
{
	char text[32];

	assert_string_equal(krping_show(text, sizeof(text), "rdma-ping-3: [\\]", 16), "rdma-ping-3: [\\]");
	assert_string_equal(krping_show(text, sizeof(text), "a\x1b[2J\n\x9b|", 8), "a\\x1b[2J\\x0a\\x9b|");
	assert_string_equal(krping_show(text, sizeof(text), "ab\0cd", 5), "ab");
	assert_string_equal(krping_show(text, sizeof(text), "abcd", 2), "ab");
	assert_string_equal(krping_show(text, 9, "\x01\x02\x03", 3), "\\x01\\x02");
	assert_string_equal(krping_show(text, 1, "a", 1), "");
}

TEST(words)
{
	accepts("server," BOTH ",bw,duplex,tx-depth=9");
	assert_int_equal(command.tx_depth, 9);
	accepts("server," BOTH ",bw,txdepth=9");
	assert_int_equal(command.tx_depth, 9);
	accepts("client," BOTH ",mem_mode=dma");
	assert_true(command.dma);
	accepts("client," BOTH ",label=0123456789012345678901234567890");
	refuses("client," BOTH ",label=01234567890123456789012345678901", "longer than 31");
	refuses("client," BOTH ",label=", "empty");
	refuses("client," BOTH ",mem_mode=mr", "neither dma nor reg");
	refuses("client," BOTH ",bogus", "no option 'bogus'");
	refuses("client," BOTH ",bogus=1", "no option 'bogus'");
	refuses("client," BOTH ",=1", "no option ''");
	refuses("client=1," BOTH, "takes no value");
	refuses("client," BOTH ",count", "needs a value");
	refuses("client," BOTH ",size=1,size=1", "twice");
	refuses("client," BOTH ",tx-depth=1,txdepth=1,bw", "twice");
}

TEST(rules)
{
	refuses(BOTH, "either client or server");
	refuses("client,server," BOTH, "either client or server");
	refuses("client,port=9", "addr=");
	refuses("client,addr=10.0.0.1,addr6=::1,port=9", "addr=");
	refuses("client,addr=10.0.0.1", "port=");
	refuses("client," BOTH ",wlat,rlat", "only one of");
	refuses("client," BOTH ",duplex", "duplex");
	refuses("client," BOTH ",duplex,wlat", "duplex");
	refuses("client," BOTH ",tx-depth=4", "tx-depth");
	refuses("client," BOTH ",validate,rlat", "do not go with");
	refuses("client," BOTH ",server_inv,bw", "do not go with");
	refuses("client," BOTH ",mem_mode=dma,server_inv", "mem_mode=reg");
	refuses("client," BOTH ",clients=2", "for the server");
}

/* However long what is wrong may be, the reason has an end. */
TEST(long_words)
{
	char text[4000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	refuses(text, "no option");
	memcpy(text, "addr=", 5);
	refuses(text, "longer than 63");
	memcpy(text, "size=9", 6);
	refuses(text, "not a number");
	memset(text, '9', sizeof(text) - 1);
	memcpy(text, "size=", 5);
	refuses(text, "not a number");
}

TEST(every_name_is_found)
{
	char text[80];
	unsigned int i;

	for (i = 0; i < KRPING_OPTIONS; i++) {
		/* as if it took nothing: whatever is wrong with that, the name is known */
		snprintf(text, sizeof(text), "%s,nothing", krping_option_name(i));
		assert_int_equal(parse(text), -EINVAL);
		assert_true(strstr(reason.text, "'nothing'") || strstr(reason.text, "needs a value"));
	}
	assert_null(krping_option_name(KRPING_OPTIONS));
}

static int adopt(const char *given, const char *offered)
{
	struct krping_command server;
	int err;

	accepts(given);
	server = command;
	accepts(offered);
	err = krping_command_adopt(&server, krping_command_offer(&command), command.size, command.count, &reason);
	command = server;
	return err;
}

TEST(a_bare_server_adopts)
{
	assert_int_equal(adopt("server," BOTH, "client," BOTH ",bw,duplex,size=4096,count=7"), 0);
	assert_string_equal(krping_test_name(&command), "bw");
	assert_true(krping_has(&command, KRPING_DUPLEX));
	assert_true(krping_has(&command, KRPING_SERVER));
	assert_false(krping_has(&command, KRPING_CLIENT));
	assert_int_equal(command.size, 4096);
	assert_int_equal(command.count, 7);
	assert_int_equal(adopt("server," BOTH ",size=128", "client," BOTH ",validate,poll,verbose"), 0);
	assert_int_equal(command.size, 64);
	assert_true(krping_has(&command, KRPING_VALIDATE));
	assert_false(krping_has(&command, KRPING_POLL));
	assert_false(krping_has(&command, KRPING_VERBOSE));
}

TEST(contradictions_are_named)
{
	assert_int_equal(adopt("server," BOTH ",wlat", "client," BOTH ",rlat"), -EINVAL);
	assert_string_equal(reason.text, "the server was told wlat, the client rlat");
	assert_int_equal(adopt("server," BOTH ",size=64", "client," BOTH ",size=65"), -EINVAL);
	assert_string_equal(reason.text, "the server was told size=64, the client size=65");
	assert_int_equal(adopt("server," BOTH ",count=1", "client," BOTH), -EINVAL);
	assert_int_equal(adopt("server," BOTH ",bw,duplex", "client," BOTH ",bw"), -EINVAL);
	assert_int_equal(adopt("server," BOTH ",mem_mode=dma", "client," BOTH ",server_inv"), -EINVAL);
	assert_int_equal(adopt("server," BOTH ",verbose", "client," BOTH ",bw"), -EINVAL);
}

/* What a client sends may be anything. */
TEST(offers_are_checked)
{
	accepts("server," BOTH);
	assert_int_equal(krping_command_adopt(&command, 0, 0, 0, &reason), -EINVAL);
	assert_int_equal(krping_command_adopt(&command, 0, UINT32_MAX, 0, &reason), -EINVAL);
	assert_int_equal(krping_command_adopt(&command, ~0UL, 64, 0, &reason), -EINVAL);
	accepts("server," BOTH);
	/* only what travels is taken */
	assert_int_equal(krping_command_adopt(&command, 1UL << KRPING_CLIENT | 1UL << KRPING_POLL, 64, 0, &reason), 0);
	assert_false(krping_has(&command, KRPING_CLIENT));
	assert_false(krping_has(&command, KRPING_POLL));
}

TEST_MAIN(NULL, NULL)
