// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Values of --rate and --max_percentiles: which are accepted, and what they mean. */
#include "cmocka_all.h"
#include "params/engine/limits.h"
#include "params/perftest_parameters.h"

TEST(a_rate_is_one_load)
{
	struct load load;

	assert_int_equal(load_parse("2.5e4", &load), 0);
	assert_true(load.rate > 24999.99 && load.rate < 25000.01);
	assert_false(load_is_shares(&load));
	assert_int_equal(load_steps(&load), 1);
}

TEST(shares_are_steps)
{
	static const struct {
		const char *text;
		unsigned first, last, step, steps;
	} cases[] = {
		{"50%", 50, 50, 10, 1},		 {"10%..90%", 10, 90, 10, 9},	  {"10%..90%:20%", 10, 90, 20, 5},
		{"20%..80%:30%", 20, 80, 30, 3}, {"1%..100%:1%", 1, 100, 1, 100}, {"5%..99%", 5, 99, 10, 10},
		{"40%..50%:60%", 40, 50, 60, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct load load;

		assert_int_equal(load_parse(cases[i].text, &load), 0);
		assert_true(load_is_shares(&load));
		assert_int_equal(load.first, cases[i].first);
		assert_int_equal(load.last, cases[i].last);
		assert_int_equal(load.step, cases[i].step);
		assert_int_equal(load_steps(&load), cases[i].steps);
		assert_null(check_open_rate(cases[i].text));
	}
}

TEST(nothing_else_is_a_load)
{
	static const char *const texts[] = {
		"",	"0",	 "-5",	      "1e10",	     "0.0001",	 "ten",	      "10/s",	     "0%",
		"101%", "10%..", "10..90%",   "10%..90",     "90%..10%", "10%..90%:", "10%..90%:0%", "10%..90%:20",
		"%",	"50%x",	 "10%...90%", "4294967346%", " 50%",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_non_null(check_open_rate(texts[i]));
	assert_null(check_open_rate(LOAD_OFF));
}

TEST(limits_are_read_one_by_one)
{
	struct percentile_limit limit;

	assert_null(check_percentile_limits("50:2.5,99.9:10"));
	assert_true(percentile_limit_at("50:2.5,99.9:10", 0, &limit));
	assert_true(limit.percent == 50 && limit.usec == 2.5);
	assert_true(percentile_limit_at("50:2.5,99.9:10", 1, &limit));
	assert_true(limit.percent == 99.9 && limit.usec == 10);
	assert_false(percentile_limit_at("50:2.5,99.9:10", 2, &limit));
	assert_false(percentile_limit_at("", 0, &limit));
}

TEST(a_list_is_whole_or_refused)
{
	static const char *const texts[] = {"50",    "50:",  ":5",     "50:5,", ",50:5", "50:5,,99:9", "0:5",
					    "101:5", "50:0", "50:5:5", "x:5",	"50:x",	 "50;5"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_non_null(check_percentile_limits(texts[i]));
}

TEST_MAIN(NULL, NULL)
