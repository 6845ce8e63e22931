// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the other side's account possible? See figures.h. */
#include "qperf/print/figures.h"

#include <math.h>

#include "util/claim.h"

#define TICKS_S		 0.08 /* of a CPU, whose times the kernel counts in several sums of ticks of up to 10 ms */
#define MOST_CPUS	 65536
#define MOST_BYTES_PER_S 1e13 /* more than any memory has */
#define MOST_RTT_S	 4295 /* 32 bits of microseconds */
#define LEAST_SIZE	 64   /* bytes of an atomic, with what is around it */
#define HEADER_SIZE	 40   /* that of a datagram may be counted with each message */
#define IN_FLIGHT	 128  /* messages of one call that this side had not counted yet */
#define MOST_TIMES_FAST	 1000 /* that messages may arrive faster than they were sent, in bursts */

/* What the peer counted of one direction. One more message may be counted in part. */
static const char *judge_tally(const struct qperf_witness *witness, const struct tally *tally)
{
	const double size = (double)(witness->size > LEAST_SIZE ? witness->size : LEAST_SIZE) + HEADER_SIZE;
	const double bytes = (double)tally->bytes;
	const struct claim claims[] = {
		CLAIM_COUNT(witness->since_s, tally->msgs, "messages"),
		CLAIM_COUNT(witness->since_s, tally->errors, "errors"),
		{bytes, size * ((double)tally->msgs + 1), "its bytes are not those of its messages"},
		{bytes, witness->since_s * MOST_BYTES_PER_S + size, "it has more bytes than are possible in this time"},
	};

	return CLAIM_JUDGE(claims);
}

static double total(const struct tally *sent, const struct tally *received)
{
	return (double)sent->msgs + (double)sent->bytes + (double)received->msgs + (double)received->bytes;
}

/* What it counted itself, and what it did for this side, if that is passive. */
static const char *judge_counts(const struct qperf_witness *witness, const struct account *peer)
{
	const struct tally *tallies[] = {&peer->sent, &peer->received, &peer->peer_sent, &peer->peer_received};
	const double arrived = (double)peer->received.msgs + (double)peer->late_received;
	const double most = (double)witness->sent * (witness->may_duplicate ? 2 : 1);
	const struct claim claims[] = {
		/* After the end of the duration. */
		CLAIM_COUNT(witness->since_s, peer->late_sent, "messages"),
		CLAIM_COUNT(witness->since_s, peer->late_received, "messages"),
		{total(&peer->peer_sent, &peer->peer_received), witness->active == QPERF_PEER_ALONE ? INFINITY : 0,
		 "it counted for this side, which counts for itself"},
		{total(&peer->sent, &peer->received), witness->active != QPERF_OWN_ALONE ? INFINITY : 0,
		 "it counted messages that only this side can see"},
		{(double)peer->sampled, witness->ping_pong ? (double)peer->received.msgs + 1 /* still open */ : 0,
		 "it sampled more exchanges than it had"},
		{(double)peer->lost, (double)peer->sent.msgs + (double)peer->sent.errors + 1,
		 "it lost more messages than it sent"},
		{arrived, witness->active == QPERF_BOTH ? most + (witness->ping_pong ? 1 : IN_FLIGHT) : INFINITY,
		 "more messages have arrived than were sent"},
	};
	const char *fault = NULL;

	for (unsigned i = 0; !fault && i < sizeof(tallies) / sizeof(tallies[0]); i++)
		fault = judge_tally(witness, tallies[i]);
	return fault ? fault : CLAIM_JUDGE(claims);
}

static const char too_busy[] = "its CPUs were busy for longer than the test has lasted";
static const char no_kernel[] = "its details are those of no kernel";

/* The machine's times were measured together with the elapsed one, those of the process with what is around it. */
static const char *judge_details(const struct qperf_witness *witness, const struct account *peer)
{
	const double longest_s = claim_longest_s(witness->since_s), most = claim_most(witness->since_s);
	const double busy_s = peer->user_s + peer->intr_s + peer->kernel_s + peer->iowait_s;
	const struct claim claims[] = {
		{peer->cpus, MOST_CPUS, "it has more CPUs than a machine can have"},
		{busy_s, peer->cpus * (claim_longest_s(peer->elapsed_s) + TICKS_S), too_busy},
		{peer->process_user_s + peer->process_kernel_s, (peer->cpus ? peer->cpus : MOST_CPUS) * longest_s,
		 too_busy},
		{peer->run_delay_s, longest_s, too_busy},
		{(double)peer->switches, most, no_kernel},
		{(double)peer->retransmits, most, no_kernel},
		{(double)peer->copied, most, no_kernel},
		{(double)peer->cwnd, UINT32_MAX, no_kernel},
		{peer->rtt_s, MOST_RTT_S, no_kernel},
	};

	return CLAIM_JUDGE(claims);
}

const char *qperf_claim_account(const struct qperf_witness *witness, const struct account *peer)
{
	const double arrived = (double)peer->received.msgs, sent = (double)witness->sent;
	const struct claim times[] = {
		CLAIM_TIME(witness->since_s, peer->elapsed_s),
		CLAIM_TIME(witness->since_s, peer->lost_s),
		CLAIM_TIME(witness->since_s, peer->sampled_s),
	};
	const char *fault = CLAIM_JUDGE(times);

	if (!fault)
		fault = judge_counts(witness, peer);
	/* A time of 0 is no figure: 0.4.11 has that after less than a tick. */
	if (!fault && witness->active == QPERF_BOTH && sent > 0 && peer->elapsed_s > 0 && witness->elapsed_s > 0 &&
	    arrived / peer->elapsed_s > sent / witness->elapsed_s * MOST_TIMES_FAST)
		fault = "its time is too short for what has arrived";
	return fault ? fault : judge_details(witness, peer);
}
