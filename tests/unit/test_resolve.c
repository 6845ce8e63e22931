// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are values derived from other options as in the reference, and the same each time? */
#include "command_line.h"

/* -1: not looked at */
struct outcome {
	const char *text;
	int64_t tx_depth, rx_depth, cq_mod, margin_s, duration_s;
};

static const struct outcome outcomes[] = {
	/* completion moderation */
	{"ib_write_bw", 128, 1, 1, 0, 0},
	{"ib_write_bw -s 8192", 128, 1, 100, -1, -1},
	{"ib_write_bw -s 8193", 128, 1, 1, -1, -1},
	{"ib_write_bw -s 8193 -Q 50", 128, 1, 50, -1, -1},
	{"ib_write_bw -Q 1024", 128, 1, 128, -1, -1},
	{"ib_write_bw -a", 128, 1, 100, -1, -1},
	{"ib_send_bw -e", 128, 512, 100, -1, -1},
	{"ib_send_bw -c UD", 128, 1000, 100, -1, -1},
	{"ib_write_bw -l 64 -n 6400", 128, 1, 64, -1, -1},
	{"ib_write_bw -l 64 -n 6400 -Q 16", 128, 1, 16, -1, -1},
	{"ib_write_bw -s 8 -t 32", 32, 1, 32, -1, -1},
	{"ib_write_lat", 1, 1, 1, -1, -1},
	{"ib_write_lat -t 16", 16, 1, 1, -1, -1},
	/* depths are lowered to the iterations, but not in a run by time */
	{"ib_send_bw -n 50", 50, 50, 1, -1, -1},
	{"ib_send_bw -n 50 -D 4", 128, 512, 1, 1, 4},
	{"ib_send_bw -s 8 -n 5", 5, 6, 5, -1, -1},
	/* receives */
	{"ib_send_bw -r 7", 128, 8, 1, -1, -1},
	{"ib_send_bw -r 7 -a", 128, 7, 100, -1, -1},
	{"ib_send_bw -r 7 --run_infinitely", 128, 7, 1, 0, 5},
	{"ib_send_bw -c UC -n 700", 128, 700, 1, -1, -1},
	{"ib_send_bw -c UD -n 100000", 128, 16000, 100, -1, -1},
	{"ib_send_bw -c UD -n 100000 -r 64", 128, 64, 100, -1, -1},
	{"ib_send_bw -c UD -D 4", 128, 512, 100, -1, -1},
	{"raw_ethernet_bw --server -B 02:00:00:00:00:0a -E 02:00:00:00:00:0b", 128, 1000, 1, -1, -1},
	{"raw_ethernet_bw --server -B 02:00:00:00:00:0a -E 02:00:00:00:00:0b -n 100000", 128, 16000, 1, -1, -1},
	{"raw_ethernet_bw --server -B 02:00:00:00:00:0a -E 02:00:00:00:00:0b -D 4", 128, 512, 1, -1, -1},
	{"raw_ethernet_lat --server -B 02:00:00:00:00:0a -E 02:00:00:00:00:0b", 1, 512, 1, -1, -1},
	{"ib_write_bw --write_with_imm", 128, 512, 1, -1, -1},
	{"ib_write_lat --write_with_imm -r 100", 1, 100, 1, -1, -1},
	{"ib_write_bw -r 64", 128, 1, 1, -1, -1},
	/* time */
	{"ib_write_bw -D 5", 128, 1, 1, 1, 5},
	{"ib_write_bw -D 3", 128, 1, 1, 0, 3},
	{"ib_write_bw -D 20 -f 2", 128, 1, 1, 2, 20},
	{"ib_write_bw -D 20 -f 0", 128, 1, 1, 0, 20},
	{"ib_write_bw --run_infinitely", 128, 1, 1, 0, 5},
	{"ib_write_bw --run_infinitely -D 2 -f 7", 128, 1, 1, 0, 2},
};

static void is_or_any(const char *text, const char *what, int64_t found, int64_t expected)
{
	if (expected >= 0 && found != expected)
		fail_msg("%s: %s is %lld, not %lld", text, what, (long long)found, (long long)expected);
}

TEST(values_follow_from_each_other)
{
	struct params params;

	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
		const struct outcome *outcome = &outcomes[i];

		command_line_is_accepted(outcome->text, &params);
		is_or_any(outcome->text, "tx_depth", params.verbs.tx_depth, outcome->tx_depth);
		is_or_any(outcome->text, "rx_depth", params.verbs.rx_depth, outcome->rx_depth);
		is_or_any(outcome->text, "cq_mod", params.verbs.cq_mod, outcome->cq_mod);
		is_or_any(outcome->text, "margin_s", params.test.margin_s, outcome->margin_s);
		is_or_any(outcome->text, "duration_s", params.test.duration_s, outcome->duration_s);
	}
}

TEST(resolving_again_changes_nothing)
{
	struct params params, again;
	char reason[256];

	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
		command_line_is_accepted(outcomes[i].text, &params);
		again = params;
		assert_int_equal(params_resolve(&again, reason, sizeof(reason)), 0);
		/* assigned as a whole, with what their padding has */
		memcpy(&again.verbs.traffic, &params.verbs.traffic, sizeof(again.verbs.traffic));
		memcpy(&again.verbs.sweep, &params.verbs.sweep, sizeof(again.verbs.sweep));
		assert_memory_equal(&again, &params, sizeof(params));
	}
}

/* A server resolves its own few requests before it knows its client's: nothing of that may stick. */
TEST(requests_survive_resolving)
{
	struct params params;
	char reason[256];

	command_line_is_accepted("ib_send_bw -n 50", &params);
	assert_int_equal(params.verbs.tx_depth, 50);
	params.test.iters = 1000;
	assert_int_equal(params_resolve(&params, reason, sizeof(reason)), 0);
	assert_int_equal(params.verbs.tx_depth, 128);
	assert_int_equal(params.verbs.rx_depth, 512);
}

/* In a sweep the large messages ask for each completion, the small ones do not. */
TEST(moderation_goes_by_the_size)
{
	struct params params;

	command_line_is_accepted("ib_write_bw -a", &params);
	assert_int_equal(params_cq_mod(&params, 8192), 100);
	assert_int_equal(params_cq_mod(&params, 16384), 1);
	command_line_is_accepted("ib_write_bw -a -Q 7", &params);
	assert_int_equal(params_cq_mod(&params, 16384), 7);
	command_line_is_accepted("ib_write_bw -a -t 4", &params);
	assert_int_equal(params_cq_mod(&params, 2), 4);
	command_line_is_accepted("ib_write_lat -a", &params);
	assert_int_equal(params_cq_mod(&params, 2), 1);
}

TEST(a_rate_is_limited_by_the_program_unless_asked_otherwise)
{
	struct params params;

	command_line_is_accepted("ib_write_bw", &params);
	assert_int_equal(params.rate.limit_type, RATE_LIMIT_NONE);
	command_line_is_accepted("ib_write_bw --rate_limit 2.5", &params);
	assert_int_equal(params.rate.limit_type, RATE_LIMIT_SW);
	assert_int_equal(params.rate.units, RATE_UNITS_GIGABITS);
	command_line_is_accepted("ib_write_bw --rate_limit MAX --rate_limit_type=HW", &params);
	assert_true(params.rate.limit == 0);
	command_line_is_accepted("ib_write_bw --rate_limit 2.5 --rate_limit_type=HW", &params);
	assert_int_equal(params.rate.limit_type, RATE_LIMIT_HW);
}

/* A burst is what the limit allows in a millisecond, and ends with a signalled message. */
TEST(bursts_follow_the_limit)
{
	static const struct {
		const char *text;
		uint64_t size;
		double limit; /* messages per second */
		uint32_t burst;
		uint32_t cq_mod;
	} cases[] = {
		{"ib_write_bw", 8, 0, 0, 100},
		{"ib_write_bw --rate_limit 8 --rate_limit_type=HW", 8, 0, 0, 100},
		{"ib_write_bw --rate_limit 20 --rate_units=p", 8, 20, 1, 1},
		{"ib_write_bw --rate_limit 20500 --rate_units=p", 8, 20500, 20, 20},
		{"ib_write_bw --rate_limit 20500 --rate_units=p -t 10", 8, 20500, 10, 10},
		{"ib_write_bw --rate_limit 1 --rate_units=M", 4096, 256, 1, 1},
		{"ib_write_bw --rate_limit 8", 1000, 1e6, 128, 64},
		{"ib_write_bw --rate_limit 8", 65536, 1e9 / 65536, 15, 1},
		{"ib_write_bw --rate_limit 20 --rate_units=p --burst_size 150", 8, 20, 150, 75},
		{"ib_write_bw --rate_limit 20 --rate_units=p --burst_size 101", 8, 20, 101, 1},
		{"ib_write_bw --rate_limit 20 --rate_units=p --burst_size 6 -Q 4", 8, 20, 6, 3},
		{"ib_write_bw --rate_limit 20 --rate_units=p -l 8 -Q 4 -n 80", 8, 20, 1, 4},
	};
	struct params params;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		command_line_is_accepted(cases[i].text, &params);
		assert_true(params_message_limit(&params, cases[i].size) == cases[i].limit);
		if (cases[i].limit > 0)
			assert_int_equal(params_burst(&params, cases[i].size), cases[i].burst);
		assert_int_equal(params_cq_mod(&params, cases[i].size), cases[i].cq_mod);
	}
}

TEST(one_option_implies_another)
{
	struct params params;

	command_line_is_accepted("ib_write_bw", &params);
	assert_int_equal(params.queues.cqe_poll, 16);
	assert_false(params.queues.disable_dynamic_polling);
	assert_false(params.report.out_json);
	command_line_is_accepted("ib_write_bw --cqe_poll=16 --out_json_file=x.json", &params);
	assert_int_equal(params.queues.cqe_poll, 16);
	assert_true(params.queues.disable_dynamic_polling);
	assert_true(params.report.out_json);
	assert_string_equal(params.report.out_json_file, "x.json");
}

/* -Z with --reversed is what -P is without, to the addresses and to who sends. */
TEST(reversed_sides_without_a_side_channel)
{
	static const char ends[] = "-B 02:00:00:00:00:0b -E 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1 -k 2";
	struct params params;
	char text[160];

	for (unsigned reversed = 0; reversed < 2; reversed++) {
		snprintf(text, sizeof(text), "raw_ethernet_bw %s %s", reversed ? "-Z --reversed" : "-P", ends);
		command_line_is_accepted(text, &params);
		assert_true(params_is_client(&params));
		assert_string_equal(params_local_ip(&params), "10.0.0.2");
		assert_int_equal(params_remote_port(&params), 1);
		assert_true(params_traffic(&params, SIDE_CLIENT).posts);
		assert_false(params_traffic(&params, SIDE_SERVER).posts);
	}
}

TEST_MAIN(NULL, NULL)
