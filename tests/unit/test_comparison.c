// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does a comparison find what differs, after few pairs, and what does not as rarely as promised? */
#include <math.h>

#include "cmocka_all.h"
#include "front/compare/comparison.h"
#include "front/figure.h"
#include "random_numbers.h"

#define LEVEL  0.05
#define TRIALS 500
#define NEVER  0 /* pairs after which the user stops: never */

/* The change of a pair, as a logarithm, where there is none. at: which pair. */
typedef double (*noise_fn)(unsigned at);

/* Runs of 2 % noise; of 40 one is slowed by a neighbour by 5 to 30 %. */
static double run_log(void)
{
	return 0.02 * random_normal() - (random_below(40) ? 0 : 0.05 + 0.25 * random_uniform());
}

static double quiet(unsigned at)
{
	return run_log() - run_log();
}

/* The noise grows with time; a second run of a pair is 3 % slower. */
static double drifting(unsigned at)
{
	const double second = run_log() * (1 + at / 16.0) - run_log() - 0.03;

	return random_below(2) ? second : -second;
}

/* Of two pairs one has a run that is slowed by up to a half. */
static double disturbed(unsigned at)
{
	const double slow = random_below(2) ? 0 : 0.7 * random_uniform();

	return 0.02 * random_normal() + (random_below(2) ? slow : -slow);
}

/* Adds a pair with so many results. */
static void pair_add(struct comparison *comparison, unsigned results, double shift, noise_fn noise)
{
	json_t *documents[COMPARE_NUM_SIDES], *of[COMPARE_NUM_SIDES];

	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++) {
		of[side] = json_array();
		documents[side] = json_pack("{s:o}", "measurements", of[side]);
	}
	for (unsigned i = 0; i < results; i++) {
		const double rates[COMPARE_NUM_SIDES] = {1e9, 1e9 * exp(shift + noise(comparison->num_pairs))};

		for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
			json_array_append_new(of[side], json_pack("{s:s, s:f}", "kind", "result",
								  "bandwidth_average_bytes_per_second", rates[side]));
	}
	assert_int_equal(comparison_add(comparison, documents), 0);
	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
		json_decref(documents[side]);
}

/* As compare.c does; the user stops it after so many pairs. Returns what all looks had of the level. */
static double compare(struct comparison *comparison, unsigned results, double shift, noise_fn noise, unsigned stop)
{
	double spent = 0, level;

	do {
		const unsigned judged = comparison->num_judged;

		pair_add(comparison, results, shift, noise);
		assert_int_equal(comparison_judge(comparison, comparison->num_pairs == stop), 0);
		level = 0; /* at all of it the highest p is judged */
		for (unsigned i = 0; i < results; i++)
			level = fmax(level, comparison->figures[i].level * results);
		if (comparison->num_judged > judged)
			spent += level;
	} while (comparison->num_pairs != stop && !comparison_is_over(comparison));
	return spent;
}

/* In how many of TRIALS is a difference of any result found? pairs: how many they made on average. */
static unsigned found(const struct compare_params *params, unsigned results, double shift, noise_fn noise,
		      double *pairs)
{
	unsigned count = 0;

	*pairs = 0;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct comparison comparison = {.params = params};
		bool differs = false;

		compare(&comparison, results, shift, noise, NEVER);
		for (unsigned i = 0; i < results; i++)
			differs |= comparison_verdict(&comparison, &comparison.figures[i]) >= COMPARISON_BETTER;
		count += differs;
		*pairs += (double)comparison.num_pairs / TRIALS;
		comparison_close(&comparison);
	}
	return count;
}

static const struct compare_params by_default;

/* Four standard errors of a share of 5 % above it. */
#define AT_MOST (LEVEL * TRIALS + 4 * sqrt(TRIALS * LEVEL * (1 - LEVEL)))

TEST(the_same_differs_as_rarely_as_promised)
{
	const struct compare_params until = {.until = 3.5};
	double pairs;

	assert_true(found(&by_default, 1, 0, quiet, &pairs) <= AT_MOST);
	assert_true(pairs > 16 && pairs < 64); /* it ends where the interval is narrow */
	assert_true(found(&by_default, 1, 0, drifting, &pairs) <= AT_MOST);
	assert_true(found(&by_default, 3, 0, quiet, &pairs) <= AT_MOST);
	assert_true(found(&until, 1, 0, quiet, &pairs) <= AT_MOST);
}

/* With disturbed pairs it goes on, and 16 of them would often miss 5 %. */
TEST(five_percent_is_found)
{
	const struct compare_params sixteen = {.runs = 16};
	double pairs;

	assert_true(found(&by_default, 1, log(0.95), quiet, &pairs) >= 0.95 * TRIALS);
	assert_true(pairs < 24);
	assert_true(found(&by_default, 1, log(0.95), disturbed, &pairs) >= 0.95 * TRIALS);
	assert_true(pairs < 64);
	assert_true(found(&sixteen, 1, log(0.95), disturbed, &pairs) < 0.8 * TRIALS);
}

/* Whenever it ends; a look is at twice the pairs of that before. */
TEST(looks_share_the_level)
{
	const struct compare_params narrow = {.until = 0.01}, few = {.until = 0.01, .runs = 100};
	struct comparison whole = {.params = &narrow}, capped = {.params = &few}, stopped = {.params = &narrow};

	assert_true(fabs(compare(&whole, 1, 0, disturbed, NEVER) - LEVEL) < 1e-12 && whole.num_pairs == 128);
	assert_true(fabs(compare(&capped, 1, 0, disturbed, NEVER) - LEVEL) < 1e-12 && capped.num_pairs == 100);
	assert_true(fabs(compare(&stopped, 1, 0, disturbed, 20) - LEVEL) < 1e-12 && stopped.num_judged == 20);
	assert_false(comparison_is_decided(&stopped));
	comparison_close(&whole);
	comparison_close(&capped);
	comparison_close(&stopped);
}

/* How many runs there were may differ (--until). A test that is not repeated stays a result. */
TEST(several_runs_are_one_row)
{
	static const char *const texts[COMPARE_NUM_SIDES] = {
		"{'measurements': [{'kind': 'result', 'test': 'tcp_lat', 'latency_usec': 9},"
		"{'kind': 'result', 'test': 'tcp_bw', 'receive_bandwidth_bytes_per_second': 1e9},"
		"{'kind': 'result', 'test': 'tcp_bw', 'receive_bandwidth_bytes_per_second': 3e9},"
		"{'kind': 'spread', 'test': 'tcp_bw', 'bandwidth_average_bytes_per_second': 2e9, 'repeats': 2}]}",
		"{'measurements': [{'kind': 'result', 'test': 'tcp_lat', 'latency_usec': 8},"
		"{'kind': 'result', 'test': 'tcp_bw', 'receive_bandwidth_bytes_per_second': 9e9},"
		"{'kind': 'interval', 'test': 'tcp_bw', 'bandwidth_bytes_per_second': 9e9},"
		"{'kind': 'result', 'test': 'tcp_bw', 'receive_bandwidth_bytes_per_second': 4e9},"
		"{'kind': 'result', 'test': 'tcp_bw', 'receive_bandwidth_bytes_per_second': 6e9},"
		"{'kind': 'spread', 'test': 'tcp_bw', 'bandwidth_average_bytes_per_second': 5e9, 'repeats': 2,"
		"'repeats_left_out': 1}]}"};
	struct comparison comparison = {.params = &by_default};
	json_t *documents[COMPARE_NUM_SIDES];
	const char *reason;
	char text[1024];
	double value;
	uint8_t kind;

	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++) {
		snprintf(text, sizeof(text), "%s", texts[side]);
		for (char *quote = strchr(text, '\''); quote; quote = strchr(quote, '\''))
			*quote = '"';
		documents[side] = json_loads(text, 0 /* no flags */, NULL);
		assert_int_equal(figure_find(documents[side], &kind, &value, &reason), 0);
		assert_string_equal(figure_kinds[kind].key, "bandwidth_average_bytes_per_second");
		assert_true(value == (side ? 5e9 : 2e9));
	}
	assert_int_equal(comparison_add(&comparison, documents), 0);
	assert_int_equal(comparison.num_figures, 2);
	assert_true(comparison.figures[0].values[0][0] == 9e-6 && comparison.figures[0].values[1][0] == 8e-6);
	assert_true(comparison.figures[1].values[0][0] == 2e9 && comparison.figures[1].values[1][0] == 5e9);
	comparison_close(&comparison);
	for (unsigned side = 0; side < COMPARE_NUM_SIDES; side++)
		json_decref(documents[side]);
}

TEST(a_change_that_rounds_to_zero_has_no_minus)
{
	char text[FIGURE_CHANGE_SIZE];

	assert_string_equal(figure_change(-0.04, 1, text), "+0.0");
	assert_string_equal(figure_change(-0.06, 1, text), "-0.1");
	assert_string_equal(figure_change(5, 2, text), "+5.00");
}

TEST_MAIN(NULL, NULL)
