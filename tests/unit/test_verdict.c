// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the slow host suspected, and nothing else; and what does measuring it again say? */
#include <math.h>

#include "cmocka_all.h"
#include "front/matrix/pairing.h"
#include "front/matrix/verdict.h"
#include "random_numbers.h"
#include "stats/paired.h"

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

TEST(one_slow_host_is_named)
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

TEST(one_slow_link_is_named)
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

/* A quick look has few pairs of each host. */
TEST(few_pairs_name_a_host)
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
TEST(several_are_in_order)
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

TEST(two_are_not_compared)
{
	struct verdict verdict;

	measure("all", 2, 0);
	rates[1] /= 100;
	verdict = made(2);
	assert_int_equal(verdict.num_findings, 0);
	verdict_close(&verdict);
	rates[1] = rates[2] = NAN;
	verdict = made(2);
	assert_true(isnan(verdict.level));
	verdict_close(&verdict);
}

/* Of a machine whose pairs differ by a quarter. */
TEST(what_is_measured_again_decides)
{
	const struct verdict verdict = {.min_share = 0.93, .host_limit = 0.69, .link_limit = 0.37};
	double changes[VERDICT_MOST_AGAIN] = {0}, share;
	unsigned count;

	assert_int_equal(verdict_again(&verdict, 2, changes, 0, &share), VERDICT_OPEN);
	assert_true(isnan(share));
	for (unsigned i = 0; i < VERDICT_MOST_AGAIN; i++)
		changes[i] = log(0.2);
	assert_int_equal(verdict_again(&verdict, 2, changes, 2, &share), VERDICT_OPEN);
	assert_int_equal(verdict_again(&verdict, 2, changes, 3, &share), VERDICT_SLOW);
	assert_true(fabs(share - 0.2) < 1e-9);
	assert_int_equal(verdict_again(&verdict, 8, changes, 4, &share), VERDICT_OPEN);
	assert_int_equal(verdict_again(&verdict, 8, changes, 5, &share), VERDICT_SLOW);
	for (unsigned i = 0; i < VERDICT_MOST_AGAIN; i++)
		changes[i] = log(0.6);
	count = paired_least(0.0005);
	assert_int_equal(verdict_again(&verdict, 2, changes, count - 1, &share), VERDICT_OPEN);
	assert_int_equal(verdict_again(&verdict, 2, changes, count, &share), VERDICT_SLOW);
	for (unsigned i = 0; i < VERDICT_MOST_AGAIN; i++)
		changes[i] = i % 2 ? log(0.6) : log(1.3);
	assert_int_equal(verdict_again(&verdict, 2, changes, VERDICT_MOST_AGAIN - 1, &share), VERDICT_OPEN);
	assert_int_equal(verdict_again(&verdict, 2, changes, VERDICT_MOST_AGAIN, &share), VERDICT_AS_OTHERS);
	changes[0] = changes[1] = 0;
	assert_int_equal(verdict_again(&verdict, 2, changes, 3, &share), VERDICT_AS_OTHERS);
}

TEST_MAIN(NULL, NULL)
