// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a peer reports about its loop: what is possible, and what is not. */
#include <math.h>

#include "cmocka_all.h"
#include "comm/protocol.h"
#include "stats/latency.h"

#define SIZE 65536

/* Of a second. */
static struct comm_result result(uint64_t iterations)
{
	return (struct comm_result){
		.size = SIZE,
		.iterations = iterations,
		.bw_peak = (double)iterations * SIZE,
		.bw_average = (double)iterations * SIZE,
		.message_rate = (double)iterations,
		.received = COMM_UNKNOWN,
		.begin_ns = 1000,
		.elapsed_ns = 1000000000,
	};
}

static void expect_fault(struct comm_result claimed, const char *fault)
{
	const char *found = comm_claim_result(1.1, SIZE, &claimed);

	assert_non_null(found);
	assert_string_equal(found, fault);
}

static void expect_belief(struct comm_result claimed)
{
	assert_null(comm_claim_result(1.1, SIZE, &claimed));
}

TEST(what_was_measured)
{
	struct comm_result claimed = result(100000);

	expect_belief(claimed);
	claimed.bw_peak = 0; /* not measured */
	expect_belief(claimed);
	claimed.begin_ns = claimed.elapsed_ns = COMM_UNKNOWN;
	expect_belief(claimed);
	claimed = result(100000);
	claimed.message_rate /= 10; /* of what arrived after the first messages */
	claimed.bw_average /= 10;
	expect_belief(claimed);
	expect_belief((struct comm_result){.size = SIZE, .iterations = 5000}); /* latency */
	expect_belief((struct comm_result){.size = SIZE});
	/* A loop that took 100 ns: 99 in whole ns */
	claimed = result(10);
	claimed.message_rate = 1e8;
	claimed.bw_average = 1e8 * SIZE;
	claimed.elapsed_ns = 99;
	expect_belief(claimed);
}

TEST(another_size)
{
	struct comm_result claimed = result(100000);

	claimed.size = 2;
	expect_fault(claimed, "it is of another message size");
}

TEST(too_many_messages)
{
	struct comm_result claimed = result(100000);

	claimed.iterations = UINT64_MAX;
	expect_fault(claimed, "it has more messages than are possible in this time");
	claimed.iterations = 10 * (uint64_t)1e9;
	claimed.arrived = 2 * claimed.iterations;
	expect_fault(claimed, "it has more messages than are possible in this time");
}

TEST(times_longer_than_the_test)
{
	struct comm_result claimed = result(100000);

	claimed.begin_ns = 130000000;
	expect_belief(claimed);
	claimed.begin_ns = 132000000;
	expect_fault(claimed, "its time is longer than the test has lasted");
	claimed.begin_ns = 0;
	claimed.elapsed_ns = UINT64_MAX - 1;
	expect_fault(claimed, "its time is longer than the test has lasted");
}

TEST(rates_of_no_network)
{
	struct comm_result claimed = result(100000);

	claimed.bw_peak = 1e30;
	expect_fault(claimed, "its rate is beyond any network");
	claimed = result(100000);
	claimed.bw_average = 1e18;
	expect_fault(claimed, "its rate is beyond any network");
	claimed = result(100000);
	claimed.message_rate = 2e10;
	expect_fault(claimed, "its rate is beyond any network");
	claimed = result(100000);
	claimed.ports[1].bw_average = 1e30;
	expect_fault(claimed, "its rate is beyond any network");
}

/* Of a peer of which nothing else is known. */
TEST(rates_alone)
{
	assert_null(comm_claim_rates(1000, 1e12, 1e9));
	assert_non_null(comm_claim_rates(1000, 1e14, 1));
	assert_non_null(comm_claim_rates(1000, 0, 1e12));
	assert_non_null(comm_claim_rates(1000, NAN, 1));
	/* without data, on the software device */
	assert_null(comm_claim_rates(UINT64_C(1) << 31, 4e17, 2e8));
}

TEST(rates_of_other_messages)
{
	struct comm_result claimed = result(100000);

	claimed.bw_average *= 2;
	expect_fault(claimed, "its bandwidth is not that of its messages");
	claimed.message_rate *= 2;
	expect_fault(claimed, "its rate is not that of its messages in its time");
}

TEST(samples_of_a_second)
{
	static struct latency latency = {.max = 1000000000, .histogram = {.count = 100001}};
	const struct comm_samples samples = {.tick_seconds = 1e-9, .latency = &latency};

	assert_null(comm_claim_samples(1.1, &samples));
	latency.max *= 2;
	assert_string_equal(comm_claim_samples(1.1, &samples), "its time is longer than the test has lasted");
	latency.max = 1000;
	latency.backward = UINT64_MAX;
	assert_string_equal(comm_claim_samples(1.1, &samples), "it has more messages than are possible in this time");
	latency.backward = 0;
	latency.histogram.count = 1ULL << 50;
	assert_string_equal(comm_claim_samples(1.1, &samples), "it has more messages than are possible in this time");
}

static void expect_verdict(bool may_lose, struct comm_verdict theirs, const char *fault)
{
	const struct comm_verdict own = {.size = SIZE, .moved = 128, .sent = 64, .due = 64, .may_lose = may_lose};
	const char *found = comm_claim_verdict(&own, &theirs);

	assert_string_equal(found ? found : "none", fault);
}

TEST(what_was_checked)
{
	const char *many = "it has more messages than were sent", *few = "it has fewer messages than were sent";

	expect_verdict(false, (struct comm_verdict){.checked = 64, .bytes = 64 * SIZE, .wrong = 128}, "none");
	expect_verdict(false, (struct comm_verdict){.checked = 64, .bytes = 64 * (SIZE - 1)}, "none");
	expect_verdict(false, (struct comm_verdict){.wrong = 64}, "none");
	expect_verdict(true, (struct comm_verdict){.checked = 1, .bytes = SIZE, .lost = 63}, "none");
	expect_verdict(false, (struct comm_verdict){0}, few);
	expect_verdict(false, (struct comm_verdict){.checked = 1, .bytes = SIZE}, few);
	expect_verdict(false, (struct comm_verdict){.checked = 65, .bytes = 65 * SIZE}, many);
	expect_verdict(true, (struct comm_verdict){.checked = 64, .bytes = 64 * SIZE, .lost = UINT64_MAX}, many);
	expect_verdict(false, (struct comm_verdict){.lost = 64}, "it lost messages of a transport that loses none");
	expect_verdict(false, (struct comm_verdict){.checked = 64, .bytes = 64},
		       "its bytes are not those of its messages");
	expect_verdict(false, (struct comm_verdict){.checked = 64, .bytes = UINT64_MAX},
		       "its bytes are not those of its messages");
	expect_verdict(false, (struct comm_verdict){.checked = 64, .bytes = 64 * SIZE, .wrong = 67108864},
		       "it has more wrong messages than were sent");
}

TEST_MAIN(NULL, NULL)
