// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a server of qperf reports: what is possible, and what is not. */
#include "cmocka_all.h"
#include "qperf/print/figures.h"

#define SIZE 65536

/* A second, in which this side sent 10000 messages. */
static const struct qperf_witness sender = {.since_s = 1.1, .elapsed_s = 1, .sent = 10000, .size = SIZE};

static struct account received(uint64_t msgs, double elapsed_s)
{
	return (struct account){.elapsed_s = elapsed_s, .cpus = 2, .received = {.msgs = msgs, .bytes = msgs * SIZE}};
}

static void expect_fault(const struct qperf_witness *witness, struct account peer, const char *fault)
{
	const char *found = qperf_claim_account(witness, &peer);

	assert_non_null(found);
	assert_string_equal(found, fault);
}

static void expect_belief(const struct qperf_witness *witness, struct account peer)
{
	assert_null(qperf_claim_account(witness, &peer));
}

TEST(as_many_as_were_sent)
{
	struct qperf_witness lossy = sender;

	expect_belief(&sender, received(0, 1));
	expect_belief(&sender, received(10000, 1));
	expect_belief(&sender, received(10128, 1)); /* this side had not counted its last call */
	expect_fault(&sender, received(10129, 1), "more messages have arrived than were sent");
	lossy.may_duplicate = true;
	expect_belief(&lossy, received(20128, 1));
	expect_fault(&lossy, received(20129, 1), "more messages have arrived than were sent");
}

TEST(bytes_of_these_messages)
{
	struct account peer = received(10000, 1);

	peer.received.bytes = INT64_MAX;
	expect_fault(&sender, peer, "its bytes are not those of its messages");
	peer.received.bytes = UINT64_C(20000) * SIZE;
	expect_fault(&sender, peer, "its bytes are not those of its messages");
	/* Datagrams of a byte with their headers of 40. */
	peer.received.bytes = 41 * 10000;
	expect_belief(&(struct qperf_witness){.since_s = 1.1, .elapsed_s = 1, .sent = 10000, .size = 1}, peer);
	peer = received(10000, 1);
	peer.peer_sent.msgs = UINT64_MAX;
	expect_fault(&sender, peer, "it has more messages than are possible in this time");
}

TEST(a_time_like_this_sides)
{
	struct account peer = received(10000, 1);

	expect_belief(&sender, received(10000, 1.13));
	expect_fault(&sender, received(10000, 1.132), "its time is longer than the test has lasted");
	expect_fault(&sender, received(10000, 9e9), "its time is longer than the test has lasted");
	expect_fault(&sender, received(10000, 1e-9), "its time is too short for what has arrived");
	expect_belief(&sender, received(10000, 0)); /* less than a tick: no figure */
	expect_belief(&sender, received(1, 1e-6));
	peer.lost_s = 9e9;
	expect_fault(&sender, peer, "its time is longer than the test has lasted");
}

/* READ and atomics. */
TEST(what_only_one_side_sees)
{
	struct qperf_witness alone = {.since_s = 1.1, .elapsed_s = 1, .size = SIZE, .active = QPERF_PEER_ALONE};
	struct account peer = received(20000, 1);

	peer.peer_sent = peer.received;
	expect_belief(&alone, peer);
	expect_fault(&alone, received(UINT64_C(2000000000), 1), "it has more bytes than are possible in this time");
	/* 65 TB, of 10^9 messages that are possible */
	expect_fault(&alone, received(UINT64_C(1000000000), 1), "it has more bytes than are possible in this time");
	expect_fault(&sender, peer, "it counted for this side, which counts for itself");
	alone.active = QPERF_OWN_ALONE;
	expect_belief(&alone, received(0, 1));
	expect_fault(&alone, received(1, 1), "it counted messages that only this side can see");
	expect_fault(&alone, peer, "it counted for this side, which counts for itself");
}

TEST(one_message_at_a_time)
{
	struct qperf_witness asker = {
		.since_s = 1.1, .elapsed_s = 1, .sent = 1000, .size = SIZE, .ping_pong = true, .may_duplicate = true};
	struct account peer = received(2001, 1);

	expect_belief(&asker, peer);
	peer.lost = 2;
	expect_fault(&asker, peer, "it lost more messages than it sent");
	asker.may_duplicate = false;
	expect_belief(&asker, received(1001, 1));
	expect_fault(&asker, received(1002, 1), "more messages have arrived than were sent");
}

TEST(what_its_kernel_says)
{
	struct account peer = received(10000, 1);

	peer.switches = peer.retransmits = peer.copied = 1000000;
	peer.cwnd = UINT32_MAX;
	peer.rtt_s = 60;
	expect_belief(&sender, peer);
	peer.cwnd = UINT64_MAX;
	expect_fault(&sender, peer, "its details are those of no kernel");
	peer.cwnd = 10;
	peer.rtt_s = 9e9;
	expect_fault(&sender, peer, "its details are those of no kernel");
	peer.rtt_s = 0;
	peer.switches = UINT64_MAX;
	expect_fault(&sender, peer, "its details are those of no kernel");
	peer.switches = 0;
	peer.received.errors = UINT64_MAX;
	expect_fault(&sender, peer, "it has more errors than are possible in this time");
}

/* A ping-pong's answers, of which one may still be open at the end. */
TEST(no_more_samples_than_exchanges)
{
	struct qperf_witness asker = sender;
	struct account peer = received(10000, 1);

	asker.ping_pong = true;
	peer.sampled = peer.received.msgs + 1;
	peer.sampled_s = 1;
	expect_belief(&asker, peer);
	peer.sampled_s = 1e6;
	expect_fault(&asker, peer, "its time is longer than the test has lasted");
	peer.sampled_s = 1;
	peer.sampled++;
	expect_fault(&asker, peer, "it sampled more exchanges than it had");
	peer.sampled = 1;
	expect_fault(&sender, peer, "it sampled more exchanges than it had"); /* what has none */
}

TEST(busy_cpus)
{
	struct account peer = received(10000, 1);

	peer.user_s = 1.5;
	peer.kernel_s = 0.5;
	expect_belief(&sender, peer);
	peer.kernel_s = 1e6;
	expect_fault(&sender, peer, "its CPUs were busy for longer than the test has lasted");
	peer.cpus = UINT32_MAX;
	expect_fault(&sender, peer, "it has more CPUs than a machine can have");
	peer = received(10000, 1);
	peer.process_user_s = 2;
	peer.run_delay_s = 1;
	expect_belief(&sender, peer);
	peer.run_delay_s = 2;
	expect_fault(&sender, peer, "its CPUs were busy for longer than the test has lasted");
	peer.run_delay_s = 0;
	peer.process_user_s = 3;
	expect_fault(&sender, peer, "its CPUs were busy for longer than the test has lasted");
}

TEST_MAIN(NULL, NULL)
