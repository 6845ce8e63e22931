// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * cmtime's options: every row, what each rule refuses and accepts, how the requests of several instances become one
 * test, and how queue pair numbers are distributed.
 */
#include "cmocka_all.h"

#include "cmtime/members.h"
#include "cmtime/rendezvous.h"

static char reason[1024];

/* A command line as one text, behind the program's name. */
static int parse(struct cmtime_params *params, const char *text)
{
	static char words[1024];
	char *argv[64] = {"cmtime"}, *rest, *word;
	int argc = 1;

	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	cmtime_params_init(params);
	reason[0] = '\0';
	return cmtime_params_parse(params, argc, argv, reason, sizeof(reason));
}

static void assert_refused(const char *text, const char *words)
{
	struct cmtime_params params;

	if (!parse(&params, text))
		fail_msg("\"%s\" was taken", text);
	if (!strstr(reason, words))
		fail_msg("\"%s\": \"%s\" does not say \"%s\"", text, reason, words);
}

TEST(the_classic_defaults)
{
	struct cmtime_params params;

	assert_int_equal(parse(&params, ""), 0);
	assert_int_equal(params.connections, 100);
	assert_int_equal(params.peers, 2);
	assert_int_equal(params.port, 7471);
	assert_int_equal(params.base_qpn, 1000);
	assert_int_equal(params.threads, 1);
	assert_int_equal(params.retries, 2);
	assert_int_equal(params.timeout_ms, 2000);
	assert_true(params.mimic_us == -1);
	assert_false(params.listen);
	assert_false(params.sockets);
	assert_false(cmtime_is_flow(&params));
}

TEST(the_classic_letters)
{
	struct cmtime_params params;

	assert_int_equal(
		parse(&params, "-C ctl -b 10.0.0.1 -L -c 1000 -P 5 -p 7000 -q 5000 -n 4 -m 1500000 -r 7 -t 500"), 0);
	assert_string_equal(params.controller, "ctl");
	assert_string_equal(params.bind_address, "10.0.0.1");
	assert_true(params.listen);
	assert_int_equal(params.connections, 1000);
	assert_int_equal(params.peers, 5);
	assert_int_equal(params.port, 7000);
	assert_int_equal(params.base_qpn, 5000);
	assert_int_equal(params.threads, 4);
	assert_true(params.mimic_us == 1500000);
	assert_int_equal(params.retries, 7);
	assert_int_equal(params.timeout_ms, 500);
	assert_int_equal(parse(&params, "-B eth0 -S"), 0);
	assert_string_equal(params.bind_interface, "eth0");
	assert_true(params.sockets);
	assert_int_equal(parse(&params, "-m 0"), 0);
	assert_true(params.mimic_us == 0);
}

TEST(numbers_are_strict)
{
	assert_refused("-c 0", "--connections (-c): '0' is out of range");
	assert_refused("-n 0", "--threads (-n): '0' is out of range");
	assert_refused("-P 1", "--peers (-P): '1' is out of range");
	assert_refused("-P 1025", "out of range");
	assert_refused("-p 65536", "out of range");
	assert_refused("-p 0", "out of range");
	assert_refused("-q 0x1000000", "out of range");
	assert_refused("-m -2", "out of range");
	assert_refused("-c 10x", "'10x' is not a whole number");
	assert_refused("-c", "needs a value");
	assert_refused("-t 0", "out of range");
	assert_refused("-r two", "not a whole number");
	assert_refused("--rate nan", "not a number");
	assert_refused("--nosuch", "unknown option");
	assert_refused("--connection 5 -c 6", "given twice");
	assert_refused("-B a/b", "is not the name of a network interface");
	assert_refused("10.0.0.1", "'10.0.0.1' does not belong to an option");
	assert_refused("-y", "unknown option");
	assert_refused("-s", "give -C HOST to both sides");
}

TEST(each_rule_refuses_and_lets_through)
{
	static const struct {
		const char *broken, *kept, *words;
	} cases[] = {
		{"-S", "-S -C c -b a", "every instance needs -C, the address"},
		{"-b a", "-C c -b a", "needs -C: the name"},
		{"-C c", "-C c -B i", "needs -B or -b"},
		{"-C c -b a -B i", "-C c -B i", "give one of them"},
		{"-C c -b a --keep_serving", "-C c -b a -L --keep_serving", "is for a server"},
		{"-C c -b a -S -m 5", "-C c -b a -m 5", "simulates queue pairs"},
		{"-C c -b a --limit_intervals", "-C c -b a --limit_intervals --limit_rate 5 --report_interval 1",
		 "give both"},
		{"-C c -b a --limit_peers", "-C c -b a --limit_peers --max_lat 5", "give both"},
		{"-C c -b a --repeat 3 --until 5", "-C c -b a --repeat 3", "give one of them"},
		{"-C c -b a --max_time 3", "-C c -b a --max_time 3 --until 5", "are limits of --until"},
		{"-C c -b a --steady", "-C c -b a --steady --repeat 9", "selects among"},
		{"-C c -b a --repeat 3 --report_interval 1", "-C c -b a --report_interval 1", "give one of them"},
		{"-C c -b a --window 3 --rate 5", "-C c -b a --window 3", "--window starts"},
	};
	struct cmtime_params params;
	size_t rules = 0;

	while (cmtime_rule(NULL, rules))
		rules++;
	assert_int_equal(rules, sizeof(cases) / sizeof(cases[0]));
	for (size_t i = 0; i < rules; i++) {
		assert_int_equal(parse(&params, cases[i].broken), 0);
		assert_string_equal(cmtime_rules_check(&params), cmtime_rule(NULL, i));
		assert_non_null(strstr(cmtime_rule(NULL, i), cases[i].words));
		assert_int_equal(parse(&params, cases[i].kept), 0);
		assert_null(cmtime_rules_check(&params));
	}
}

/* --- agreeing --- */

static const char *export_of(const char *text)
{
	static struct frame_join join;
	struct cmtime_params params;

	assert_int_equal(parse(&params, text), 0);
	member_describe(&params, &join);
	return join.config;
}

static int add(struct option_merge *merge, const char *who, const char *text)
{
	return option_merge_add(merge, who, export_of(text), reason, sizeof(reason));
}

TEST(only_what_was_given_travels)
{
	assert_string_equal(export_of("-C c -b a -L -n 7 -q 5"), "");
	assert_string_equal(export_of("-c 0x10 -S -t 5"), "connections=16\nsockets=on\nresolve_timeout=5\n");
}

TEST(options_of_one_instance_are_enough)
{
	static struct option_merge merge;
	struct cmtime_params params;
	char text[FRAME_CONFIG_SIZE];

	option_merge_begin(&merge);
	assert_int_equal(add(&merge, "server 0 (a)", ""), 0);
	assert_int_equal(merge.values.peers, 2);
	assert_int_equal(add(&merge, "client 1 (b)", "-c 7 -P 3 -r 9"), 0);
	assert_int_equal(add(&merge, "client 2 (c)", "-c 7 --duration 5"), 0);
	assert_int_equal(merge.values.peers, 3);
	option_merge_write(&merge, text);
	assert_int_equal(parse(&params, "-C c -b a -r 1"), 0);
	assert_int_equal(option_merge_adopt(&params, text, reason, sizeof(reason)), 0);
	assert_int_equal(params.connections, 7);
	assert_int_equal(params.duration_s, 5);
	assert_int_equal(params.retries, 1); /* offered: its own stays */
	assert_int_equal(parse(&params, "-C c -b a"), 0);
	assert_int_equal(option_merge_adopt(&params, text, reason, sizeof(reason)), 0);
	assert_int_equal(params.retries, 9);
}

TEST(a_contradiction_names_both)
{
	static struct option_merge merge, before;

	option_merge_begin(&merge);
	assert_int_equal(add(&merge, "server 0 (a)", "-c 100"), 0);
	before = merge;
	assert_true(add(&merge, "client 1 (b)", "-S -c 200") < 0);
	assert_non_null(strstr(reason, "--connections (-c) is 100 for server 0 (a) and 200 for client 1 (b)"));
	assert_memory_equal(&merge, &before, sizeof(before));
	assert_int_equal(add(&merge, "client 1 (b)", "-c 0x64 -r 5"), 0);
	assert_int_equal(add(&merge, "client 2 (b)", "-r 6"), 0); /* offered */
}

TEST(texts_from_outside_are_checked)
{
	static const char *const bad[] = {
		"connections=0\n",
		"connections=5",
		"connections\n",
		"=5\n",
		"nosuch=1\n",
		"port=5\n",
		"connections=5\nconnections=5\n",
		"controller=x\n",
		"connections=111111111111111111111111111111111111111111111111111111111111111111111111\n",
	};
	static struct option_merge merge;
	struct cmtime_params params, before;

	assert_int_equal(parse(&params, "-C c -b a"), 0);
	before = params;
	option_merge_begin(&merge);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(option_merge_add(&merge, "x", bad[i], reason, sizeof(reason)) < 0);
		assert_true(option_merge_adopt(&params, bad[i], reason, sizeof(reason)) < 0);
		assert_memory_equal(&params, &before, sizeof(before));
	}
}

TEST(what_does_not_go_together_is_found_when_put_together)
{
	static struct option_merge merge;
	struct cmtime_params params;
	char text[FRAME_CONFIG_SIZE];

	option_merge_begin(&merge);
	assert_int_equal(add(&merge, "a", "-S"), 0);
	assert_int_equal(add(&merge, "b", "-m 5"), 0);
	assert_int_equal(parse(&params, "-C c -b a"), 0);
	option_merge_write(&merge, text);
	assert_true(option_merge_adopt(&params, text, reason, sizeof(reason)) < 0);
	assert_non_null(strstr(reason, "contradict each other"));
}

/* --- numbers for queue pairs that are not made --- */

static void assert_apart(const struct member *members, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert_true(members[i].place.qpn_first >= 1);
		assert_true(members[i].place.qpn_first + members[i].place.qpn_count <= 0x1000000);
		for (uint32_t k = 0; k < i; k++)
			assert_true(
				members[i].place.qpn_first >= members[k].place.qpn_first + members[k].place.qpn_count ||
				members[k].place.qpn_first >= members[i].place.qpn_first + members[i].place.qpn_count);
	}
}

TEST(ranges_do_not_overlap)
{
	static struct member members[5];

	for (unsigned i = 0; i < 5; i++)
		members[i].join.base_qpn = 1000;
	members[3].join.base_qpn = 1150;
	assert_int_equal(members_share_qpns(members, 5, 300), 0);
	assert_apart(members, 5);
	assert_int_equal(members[0].place.qpn_first, 1000);
	assert_int_equal(members[1].place.qpn_first, 1300);
}

TEST(a_request_is_kept_where_it_can_be)
{
	static struct member members[3];

	members[0].join.base_qpn = 100000;
	members[1].join.base_qpn = 200000;
	members[2].join.base_qpn = 0xffffff; /* room for one */
	assert_int_equal(members_share_qpns(members, 3, 10), 0);
	assert_int_equal(members[0].place.qpn_first, 100000);
	assert_int_equal(members[1].place.qpn_first, 200000);
	assert_int_equal(members[2].place.qpn_first, 1);
	assert_apart(members, 3);
	assert_true(members_share_qpns(members, 3, 0x700000) < 0);
}

TEST_MAIN(NULL, NULL)
