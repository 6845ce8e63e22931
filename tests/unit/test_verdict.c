// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the slow host named, and nothing else; and of healthy hosts nothing? */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cmocka_all.h"
#include "front/pairing.h"
#include "front/verdict.h"
#include "random_numbers.h"

#define MOST_HOSTS 32
#define SHARE	   0.93

static double rates[MOST_HOSTS * MOST_HOSTS];

/* Healthy pairs of a pattern, with this deviation. */
static void measure(const char *pattern, unsigned hosts, double deviation)
{
	const struct pairing *pairing = pairing_find(pattern);

	for (unsigned i = 0; i < hosts * hosts; i++)
		rates[i] = NAN;
	for (unsigned round = 0; round < pairing->rounds(hosts); round++) {
		for (unsigned rank = 0; rank < hosts; rank++) {
			const unsigned peer = pairing->peer(round, hosts, rank);

			if (peer != PAIRING_IDLE)
				rates[rank * hosts + peer] = 12e9 * exp(deviation * random_normal());
		}
	}
}

static void slow_down(unsigned hosts, unsigned host, bool client, bool server, double share)
{
	for (unsigned peer = 0; peer < hosts; peer++) {
		if (client)
			rates[host * hosts + peer] *= share;
		if (server)
			rates[peer * hosts + host] *= share;
	}
}

static struct verdict made(unsigned hosts)
{
	struct verdict verdict;

	assert_int_equal(verdict_make(&verdict, rates, hosts, SHARE), 0);
	return verdict;
}

static void one_slow_host_is_named(void **state)
{
	for (unsigned trial = 0; trial < 500; trial++) {
		const unsigned hosts = 3 + (unsigned)random_below(MOST_HOSTS - 2), bad = (unsigned)random_below(hosts);
		const bool client = trial % 3 != 1, server = trial % 3 != 2;
		const double share = 0.05 + 0.7 * random_uniform();
		struct verdict verdict;

		measure("all", hosts, 0.01);
		slow_down(hosts, bad, client, server, share);
		verdict = made(hosts);
		assert_int_equal(verdict.num_findings, client + server);
		for (unsigned i = 0; i < verdict.num_findings; i++) {
			const struct verdict_finding *finding = &verdict.findings[i];

			assert_int_equal(finding->kind == VERDICT_CLIENT ? finding->client : finding->server, bad);
			assert_true(finding->kind == VERDICT_CLIENT ? client
								    : finding->kind == VERDICT_SERVER && server);
			assert_true(fabs(finding->share / share - 1) < 0.1);
			assert_int_equal(finding->pairs, hosts - 1);
			assert_int_equal(finding->slow, hosts - 1);
		}
		verdict_close(&verdict);
	}
}

static void one_slow_link_is_named(void **state)
{
	for (unsigned trial = 0; trial < 500; trial++) {
		const unsigned hosts = 4 + (unsigned)random_below(MOST_HOSTS - 3),
			       client = (unsigned)random_below(hosts),
			       server = (client + 1 + (unsigned)random_below(hosts - 1)) % hosts;
		struct verdict verdict;

		measure("all", hosts, 0.01);
		rates[client * hosts + server] *= 0.5;
		verdict = made(hosts);
		assert_int_equal(verdict.num_findings, 1);
		assert_int_equal(verdict.findings[0].kind, VERDICT_LINK);
		assert_int_equal(verdict.findings[0].client, client);
		assert_int_equal(verdict.findings[0].server, server);
		verdict_close(&verdict);
	}
}

/* Is it slow again, when it is measured three times? */
static bool is_slow_again(const struct verdict *verdict, double deviation)
{
	double again[3];

	for (unsigned i = 0; i < 3; i++)
		again[i] = 12e9 * exp(deviation * random_normal());
	return verdict_share(verdict->level, again, 3) < verdict->limit;
}

/* Of any number, spread little or much. Suspects there may be; when they are measured again they are not slow. */
static void of_healthy_hosts_none_is_named(void **state)
{
	static const double deviations[] = {0, 0.005, 0.02, 0.05, 0.2, 0.6};
	unsigned suspects = 0, named = 0;

	for (unsigned trial = 0; trial < 600; trial++) {
		const double deviation = deviations[trial % 6];
		const unsigned hosts = 4 + (unsigned)random_below(MOST_HOSTS - 3);
		struct verdict verdict;

		measure(pairings[trial / 6 % 3].name, hosts, deviation);
		verdict = made(hosts);
		suspects += verdict.num_findings > 0;
		for (unsigned i = 0; i < verdict.num_findings; i++)
			named += is_slow_again(&verdict, deviation);
		verdict_close(&verdict);
	}
	assert_in_range(suspects, 0, 60);
	assert_int_equal(named, 0);
}

/* A quick look has few pairs of each host. */
static void few_pairs_name_a_host(void **state)
{
	struct verdict verdict;

	for (unsigned bad = 0; bad < 16; bad++) {
		measure("quick", 16, 0.01);
		slow_down(16, bad, true, true, 0.4);
		verdict = made(16);
		assert_int_equal(verdict.num_findings, 2);
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(verdict.findings[i].kind == VERDICT_CLIENT ? verdict.findings[i].client
										    : verdict.findings[i].server,
					 bad);
		verdict_close(&verdict);
	}
}

/* The worst is first; a host that failed has no figures, and does not count. */
static void several_are_in_order(void **state)
{
	struct verdict verdict;

	measure("all", 16, 0.01);
	slow_down(16, 3, false, true, 0.41);
	slow_down(16, 9, true, false, 0.2);
	rates[5 * 16 + 6] *= 0.6;
	for (unsigned peer = 0; peer < 16; peer++)
		rates[1 * 16 + peer] = rates[peer * 16 + 1] = NAN;
	verdict = made(16);
	assert_int_equal(verdict.num_findings, 3);
	assert_int_equal(verdict.findings[0].kind, VERDICT_CLIENT);
	assert_int_equal(verdict.findings[0].client, 9);
	assert_int_equal(verdict.findings[1].kind, VERDICT_SERVER);
	assert_int_equal(verdict.findings[1].server, 3);
	assert_int_equal(verdict.findings[1].pairs, 14);
	assert_int_equal(verdict.findings[1].slow, 14);
	assert_int_equal(verdict.findings[2].kind, VERDICT_LINK);
	verdict_close(&verdict);
}

static void two_are_not_compared(void **state)
{
	struct verdict verdict;
	double again[] = {1, 5, 4};

	measure("all", 2, 0);
	rates[1] /= 100;
	verdict = made(2);
	assert_int_equal(verdict.num_findings, 0);
	verdict.level = 8;
	assert_true(verdict_share(verdict.level, again, 3) == 0.625);
	assert_true(isnan(verdict_share(verdict.level, again, 0)));
	verdict_close(&verdict);
	rates[1] = rates[2] = NAN;
	verdict = made(2);
	assert_true(isnan(verdict.level));
	verdict_close(&verdict);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_slow_host_is_named),	  cmocka_unit_test(one_slow_link_is_named),
		cmocka_unit_test(of_healthy_hosts_none_is_named), cmocka_unit_test(few_pairs_name_a_host),
		cmocka_unit_test(several_are_in_order),		  cmocka_unit_test(two_are_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
