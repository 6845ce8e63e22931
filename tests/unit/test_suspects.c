// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Of many matrices, made up with the noise of a quiet and of a busy machine: is a host with a bad cable named and
 * nothing else, and of healthy hosts nothing?
 */
#include <math.h>

#include "cmocka_all.h"
#include "front/matrix/result.h"
#include "random_numbers.h"

#define NONE (~0U)

static const struct figure_kind bandwidth = {.key = "bandwidth"};
static const struct figure_kind latency = {.key = "latency_typical_usec", .lower_is_best = true};

/*
 * What is wrong with the cable of a host. TCP may make up for what it loses: only retransmissions show that. TAIL: one
 * of a hundred answers is late, and it loses beside others.
 */
enum fault { HEALTHY, RATE, LOSS, HIDDEN_LOSS, DELAY, TAIL, FAULTS };

struct slow_link {
	unsigned client, server;
	double share;
};

struct world {
	struct result *result;
	unsigned bad;	   /* NONE: no host is */
	unsigned more_bad; /* those behind it, which are, too */
	enum fault fault;
	double share;	  /* RATE, DELAY: of the speed; LOSS: typically; HIDDEN_LOSS: of what arrives */
	double congested; /* of healthy pairs, in so many tests some is lost where the pair fills its link */
	double deviation; /* of a pair */
	bool bursts;	  /* something else slows the machine down, for some measurements on end */
	bool is_burst;
	bool hangs; /* no pair can be measured again */
	const struct slow_link *links;
	unsigned num_links, num_named; /* links, not cleared */
	unsigned num_texts;	       /* all that is printed */
	unsigned measured;	       /* again */
	int ret;		       /* of a measurement */
};

static bool is_bad(const struct world *world, unsigned host)
{
	return world->bad != NONE && host - world->bad <= world->more_bad;
}

static double link_share(const struct world *world, unsigned client, unsigned server)
{
	for (unsigned i = 0; i < world->num_links; i++)
		if (client == world->links[i].client && server == world->links[i].server)
			return world->links[i].share;
	return 1;
}

static double rate_of(struct world *world, unsigned client, unsigned server)
{
	double rate = 1e9 * exp(world->deviation * random_normal());

	if (world->fault != HIDDEN_LOSS)
		rate *= link_share(world, client, server);
	if (world->bursts && random_below(world->is_burst ? 4 : 20) == 0)
		world->is_burst = !world->is_burst;
	if (world->is_burst)
		rate *= 0.2 + 0.6 * random_uniform();
	if (!is_bad(world, client) && !is_bad(world, server))
		return rate;
	/* It hits one test hard and leaves another alone. */
	if (world->fault == LOSS)
		return random_below(8) ? rate * fmin(1, world->share * exp(0.7 * random_normal())) : rate;
	return rate * world->share;
}

/* Of what was sent, how often each part was. */
static double sendings_of(const struct world *world, unsigned client, unsigned server)
{
	const bool is_congested = random_uniform() < world->congested;
	double lost = is_congested ? 0.02 * random_uniform() : 0;

	if (world->fault == HIDDEN_LOSS)
		lost += 1 - link_share(world, client, server);
	if (world->fault == HIDDEN_LOSS && (is_bad(world, client) || is_bad(world, server)))
		lost += (1 - world->share) * exp(0.4 * random_normal());
	if (world->fault == TAIL && !world->measured && (is_bad(world, client) || is_bad(world, server)))
		lost += 0.02 * exp(0.1 * random_normal());
	return 1 + lost;
}

/* Seconds. */
static double tail_of(struct world *world, unsigned client, unsigned server)
{
	return (world->fault == TAIL && (is_bad(world, client) || is_bad(world, server)) ? 50 : 5) /
	       rate_of(world, client, server);
}

static int measure(void *context, unsigned client, unsigned server, double rates[RESULT_SUBJECTS])
{
	struct world *world = context;

	world->measured++;
	rates[0] = world->hangs ? NAN : rate_of(world, client, server);
	for (unsigned subject = 1; subject < RESULT_SUBJECTS; subject++)
		rates[subject] = NAN;
	if (!world->hangs)
		rates[RESULT_LOSS] = 1 / sendings_of(world, client, server);
	for (unsigned tail = 0; tail < FIGURE_TAILS && !world->hangs && world->result->figure == &latency; tail++)
		rates[1 + tail] = 1 / tail_of(world, client, server);
	return world->ret;
}

/* Returns whether the bad hosts are named, or of healthy ones nothing, and nothing else is. */
static bool judge(struct world *world, const char *pattern, unsigned hosts)
{
	static char *names[1];
	const struct matrix_params params = {
		.min_share = 93, .adapters = {names, 1}, .program.name = "qperf", .pairing = pairing_find(pattern)};
	struct result result;
	unsigned found = 0;
	bool is_wrong = false;

	assert_int_equal(result_open(&result, &params, hosts), 0);
	world->result = &result;
	result.figure = world->fault == DELAY || world->fault == TAIL ? &latency : &bandwidth;
	for (unsigned round = 0; round < params.pairing->rounds(hosts); round++) {
		for (unsigned rank = 0; rank < hosts; rank++) {
			const unsigned peer = params.pairing->peer(round, hosts, rank);
			struct dispatch ended = {.type = MESSAGE_RESULT};

			if (peer == PAIRING_IDLE)
				continue;
			ended.value = result_speed(&result, rate_of(world, rank, peer));
			ended.sendings = sendings_of(world, rank, peer);
			for (unsigned tail = 0; tail < FIGURE_TAILS && result.figure == &latency; tail++)
				ended.tails[tail] = tail_of(world, rank, peer);
			result_set(result_cell(&result, rank, peer), &ended);
		}
	}
	assert_int_equal(suspects_judge(&result, measure, world), world->ret);
	for (unsigned i = 0; i < result.num_named; i++) {
		const struct verdict_finding *finding = &result.named[i].finding;
		const bool is_right = finding->kind != VERDICT_LINK && is_bad(world, finding->client) &&
				      (world->fault != HIDDEN_LOSS || result.named[i].subject == RESULT_LOSS) &&
				      (world->fault != TAIL || result_is_tail(&result.named[i]));

		world->num_named += finding->kind == VERDICT_LINK && !result.named[i].cleared;
		found |= is_right && !result.named[i].cleared ? 1U << finding->client : 0;
		is_wrong |= !is_right && !result.named[i].cleared;
	}
	world->num_texts = result.num_named;
	result_close(&result);
	return (unsigned)__builtin_popcount(found) == (world->bad == NONE ? 0 : 1 + world->more_bad) && !is_wrong;
}

/* Returns in how many of so many matrices all was right. congested: of the tests. */
static unsigned try_congested(unsigned trials, enum fault fault, double least, double most, double deviation,
			      bool bursts, double congested)
{
	unsigned right = 0;

	for (unsigned trial = 0; trial < trials; trial++) {
		const unsigned hosts = 4 + (unsigned)random_below(9);
		struct world world = {.bad = fault == HEALTHY ? NONE : (unsigned)random_below(hosts),
				      .fault = fault,
				      .share = least + (most - least) * random_uniform(),
				      .deviation = deviation,
				      .congested = congested,
				      .bursts = bursts};

		right += judge(&world, "all", hosts);
	}
	return right;
}

static unsigned try(unsigned trials, enum fault fault, double least, double most, double deviation, bool bursts)
{
	return try_congested(trials, fault, least, most, deviation, bursts, 0);
}

TEST(of_healthy_hosts_none_is_named)
{
	unsigned right = 0;

	right += try(250, HEALTHY, 1, 1, 0.01, false);
	right += try(250, HEALTHY, 1, 1, 0.15, true);
	right += try(250, HEALTHY, 1, 1, 0.3, false);
	right += try(250, HEALTHY, 1, 1, 0.6, true);
	assert_in_range(right, 990, 1000);
	right = try_congested(250, HEALTHY, 1, 1, 0.05, false, 0.1);
	right += try_congested(250, HEALTHY, 1, 1, 0.2, true, 0.5);
	right += try_congested(250, HEALTHY, 1, 1, 0.2, true, 0.9);
	assert_in_range(right, 742, 750);
}

TEST(a_bad_host_is_named_and_nothing_else)
{
	assert_in_range(try(200, RATE, 0.03, 0.8, 0.02, false), 196, 200);
	assert_in_range(try(200, RATE, 0.03, 0.4, 0.3, true), 196, 200);
	assert_in_range(try(200, DELAY, 0.005, 0.5, 0.1, true), 196, 200);
	assert_in_range(try(200, DELAY, 0.005, 0.3, 0.5, false), 196, 200);
	assert_in_range(try(200, LOSS, 0.05, 0.4, 0.02, false), 196, 200);
	assert_in_range(try(200, LOSS, 0.02, 0.3, 0.3, false), 196, 200);
}

/* The bandwidth is that of the others. */
TEST(a_host_that_loses_is_named_by_retransmissions)
{
	assert_in_range(try(200, HIDDEN_LOSS, 0.96, 0.99, 0.02, false), 196, 200);
	assert_in_range(try(200, HIDDEN_LOSS, 0.96, 0.99, 0.2, true), 190, 200);
	assert_in_range(try_congested(200, HIDDEN_LOSS, 0.96, 0.98, 0.05, false, 0.2), 190, 200);
}

TEST(a_slow_host_is_named_where_others_lose)
{
	assert_in_range(try_congested(200, RATE, 0.8, 0.9, 0.05, false, 0.6), 182, 200);
}

/* Three of eight. Of those that might be healthy only the two worst are suspected at first. */
static unsigned try_three(enum fault fault, double share, double deviation)
{
	unsigned right = 0;

	for (unsigned trial = 0; trial < 100; trial++) {
		struct world world = {.bad = (unsigned)random_below(6),
				      .more_bad = 2,
				      .fault = fault,
				      .share = share,
				      .deviation = deviation};

		right += judge(&world, "all", 8);
	}
	return right;
}

TEST(several_bad_hosts_are_named)
{
	assert_in_range(try_three(HIDDEN_LOSS, 0.98, 0.02), 98, 100);
	assert_in_range(try_three(RATE, 0.8, 0.05), 65, 100);
	assert_in_range(try_three(DELAY, 0.5, 0.2), 65, 100);
}

/* What it loses beside others, and not alone, does not explain it. */
TEST(a_slow_tail_is_named_where_loss_is_cleared)
{
	unsigned right = 0;

	for (unsigned trial = 0; trial < 100; trial++) {
		struct world world = {.bad = 3, .fault = TAIL, .share = 1, .deviation = 0.1};

		right += judge(&world, "all", 8);
	}
	assert_in_range(right, 98, 100);
}

/* Its tails are slow, too. */
TEST(a_slow_host_is_named_once_for_each_role)
{
	struct world world = {.bad = 2, .fault = DELAY, .share = 0.1, .deviation = 0.05};

	assert_true(judge(&world, "all", 8));
	assert_int_equal(world.num_texts, 2);
	assert_int_equal(world.measured, 12);
}

/* All others lose nothing. */
TEST(a_link_that_loses_is_named)
{
	static const struct slow_link links[] = {{0, 1, 0.98}};

	for (unsigned hosts = 4; hosts <= 8; hosts += 4) {
		struct world world = {
			.bad = NONE, .fault = HIDDEN_LOSS, .deviation = 0.02, .links = links, .num_links = 1};

		judge(&world, "all", hosts);
		assert_int_equal(world.num_named, 1);
	}
}

/* A quiet machine needs few measurements: three of the host in each role, and three of others. */
TEST(a_clear_case_is_soon_over)
{
	struct world world = {.bad = 2, .fault = RATE, .share = 0.4, .deviation = 0.01};

	assert_true(judge(&world, "all", 8));
	assert_int_equal(world.measured, 12);
	world = (struct world){.bad = NONE, .deviation = 0.01};
	assert_true(judge(&world, "all", 8));
	assert_int_equal(world.measured, 0);
}

/* A slow link is not what another one is compared with. */
TEST(several_slow_links_are_named)
{
	static const struct slow_link links[] = {{0, 1, 0.5}, {1, 2, 0.1}, {5, 1, 0.5}};
	struct world world = {.bad = NONE, .deviation = 0.002, .links = links, .num_links = 3};

	judge(&world, "all", 8);
	assert_int_equal(world.num_named, 3);
}

/* Of a bisection both ends of a slow pair are suspected, and have no other peer. */
TEST(a_single_pair_is_measured_again)
{
	unsigned right = 0;

	for (unsigned trial = 0; trial < 500; trial++) {
		struct world world = {.bad = NONE, .deviation = 0.05, .bursts = true};

		right += judge(&world, "bisection", 8);
	}
	assert_in_range(right, 495, 500);
}

/* Each may take as long as --limit. */
TEST(what_hangs_is_not_measured_for_ever)
{
	struct world world = {.bad = 2, .fault = RATE, .share = 0.4, .deviation = 0.01, .hangs = true};

	assert_true(judge(&world, "all", 8));
	assert_int_equal(world.measured, 2 * 2 * 3); /* as client and as server, with another pair each time */
}

TEST(an_interruption_names_what_is_clear)
{
	struct world world = {.bad = 1, .fault = RATE, .share = 0.2, .deviation = 0.01, .ret = -EINTR};

	assert_true(judge(&world, "all", 3));
	assert_int_equal(world.measured, 1);
}

TEST_MAIN(NULL, NULL)
