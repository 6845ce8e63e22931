// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is a host named whose tail alone is slow, and one that is slow at all only once? */
#include <math.h>
#include <string.h>

#include "cmocka_all.h"
#include "front/result.h"
#include "random_numbers.h"

#define HOSTS 8
#define SLOW  3 /* one of them */

static const struct figure_kind latency = {.key = "latency_typical_usec", .lower_is_best = true};

/* Latencies of all pairs, those of a host in both roles so many times as long. */
static void measure(struct result *result, const struct matrix_params *params, double typical, double tail)
{
	struct dispatch ended = {.type = DISPATCH_ENDED};

	assert_int_equal(result_open(result, params, HOSTS), 0);
	result->figure = &latency;
	for (unsigned client = 0; client < HOSTS; client++) {
		for (unsigned server = 0; server < HOSTS; server++) {
			const bool is_slow = client == SLOW || server == SLOW;

			if (client == server)
				continue;
			ended.value = 2e-6 * exp(0.01 * random_normal()) * (is_slow ? typical : 1);
			ended.tails[0] = 4e-6 * exp(0.1 * random_normal()) * (is_slow ? typical : 1);
			ended.tails[1] = 9e-6 * exp(0.1 * random_normal()) * (is_slow ? tail : 1);
			result_set(result_cell(result, client, server), &ended);
		}
	}
	assert_int_equal(result_judge(result), 0);
}

static void a_tail_is_named(void **state)
{
	static char *names[1];
	const struct matrix_params params = {
		.min_share = 93, .adapters = {names, 1}, .program.name = "ib_write_lat", .pairing = pairings};
	char text[RESULT_TEXT_SIZE];
	struct result result;

	measure(&result, &params, 1, 1);
	assert_int_equal(result.num_named, 0);
	result_close(&result);
	measure(&result, &params, 1, 12);
	assert_int_equal(result.num_named, 2);
	for (unsigned i = 0; i < 2; i++) {
		const struct verdict_finding *finding = &result.named[i].finding;

		assert_int_equal(result.named[i].subject, 2);
		assert_int_equal(finding->kind == VERDICT_CLIENT ? finding->client : finding->server, SLOW);
		assert_non_null(
			strstr(result_describe(&result, &result.named[i], text), " at the percentile 99.9 in 1"));
	}
	result_close(&result);
	measure(&result, &params, 10, 10);
	assert_int_equal(result.num_named, 2);
	assert_int_equal(result.named[0].subject + result.named[1].subject, 0);
	result_close(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_tail_is_named)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
