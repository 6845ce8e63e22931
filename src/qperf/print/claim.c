// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the other side's account possible? See claim.h. */
#include "qperf/print/claim.h"

#include <stddef.h>

#include "util/claim.h"

#define TICKS_S		 0.08 /* of a CPU, whose times the kernel counts in several sums of ticks of up to 10 ms */
#define MOST_CPUS	 65536
#define MOST_BYTES_PER_S 1e13 /* more than any memory has */
#define MOST_RTT_S	 4295 /* 32 bits of microseconds */
#define LEAST_SIZE	 64   /* bytes of an atomic, with what is around it */
#define HEADER_SIZE	 40   /* that of a datagram may be counted with each message */
#define IN_FLIGHT	 128  /* messages of one call that this side had not counted yet */
#define MOST_TIMES_FAST	 1000 /* that messages may arrive faster than they were sent, in bursts */

/* Could these messages pass in the time? */
static bool is_possible(const struct qperf_witness *witness, const struct tally *tally)
{
	const double size = (double)(witness->size > LEAST_SIZE ? witness->size : LEAST_SIZE) + HEADER_SIZE;
	const double msgs = (double)tally->msgs, bytes = (double)tally->bytes;

	/* One more message may be counted in part. */
	return claim_is_possible(witness->since_s, msgs) &&
	       claim_is_possible(witness->since_s, (double)tally->errors) && bytes <= size * (msgs + 1) &&
	       bytes <= witness->since_s * MOST_BYTES_PER_S + size;
}

static bool is_empty(const struct tally *tally)
{
	return !tally->msgs && !tally->bytes;
}

/* The machine's times were measured together with the elapsed one, those of the process with what is around it. */
static const char *judge_cpus(const struct account *peer, double longest_s)
{
	const double busy_s = peer->user_s + peer->intr_s + peer->kernel_s + peer->iowait_s;
	const double process_s = peer->process_user_s + peer->process_kernel_s;

	if (peer->cpus > MOST_CPUS)
		return "it has more CPUs than a machine can have";
	return busy_s > peer->cpus * (claim_longest_s(peer->elapsed_s) + TICKS_S) ||
			       process_s > (peer->cpus ? peer->cpus : MOST_CPUS) * longest_s ||
			       peer->run_delay_s > longest_s
		       ? "its CPUs were busy for longer than the test has lasted"
		       : NULL;
}

static const char no_kernel[] = "its details are those of no kernel";

/* What the kernel says about its process and its connection. */
static const char *judge_details(const struct qperf_witness *witness, const struct account *peer)
{
	const uint64_t counts[] = {peer->switches, peer->retransmits, peer->copied};

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (!claim_is_possible(witness->since_s, (double)counts[i]))
			return no_kernel;
	return peer->cwnd > UINT32_MAX || peer->rtt_s > MOST_RTT_S ? no_kernel : NULL;
}

/* What it counted itself, and what it did for this side, if that is passive. */
static const char *judge_counts(const struct qperf_witness *witness, const struct account *peer)
{
	/* After the end of the duration. */
	const struct tally late_sent = {.msgs = peer->late_sent}, late_received = {.msgs = peer->late_received};
	const double sent = (double)peer->sent.msgs + (double)peer->sent.errors;
	const double arrived = (double)peer->received.msgs + (double)peer->late_received;
	const double most = (double)witness->sent * (witness->may_duplicate ? 2 : 1);

	if (!is_possible(witness, &peer->sent) || !is_possible(witness, &peer->received) ||
	    !is_possible(witness, &peer->peer_sent) || !is_possible(witness, &peer->peer_received) ||
	    !is_possible(witness, &late_sent) || !is_possible(witness, &late_received))
		return "more has passed than is possible in this time";
	if (witness->active != QPERF_PEER_ALONE && !(is_empty(&peer->peer_sent) && is_empty(&peer->peer_received)))
		return "it counted for this side, which counts for itself";
	if (witness->active == QPERF_OWN_ALONE && !(is_empty(&peer->sent) && is_empty(&peer->received)))
		return "it counted messages that only this side can see";
	if (peer->sampled > (witness->ping_pong ? peer->received.msgs + 1 : 0)) /* one was still open */
		return "it sampled more exchanges than it had";
	if ((double)peer->lost > sent + 1)
		return "it lost more messages than it sent";
	if (witness->active == QPERF_BOTH && arrived > most + (witness->ping_pong ? 1 : IN_FLIGHT))
		return "more messages have arrived than were sent";
	return NULL;
}

const char *qperf_claim_account(const struct qperf_witness *witness, const struct account *peer)
{
	const double arrived = (double)peer->received.msgs, sent = (double)witness->sent;
	const double longest_s = claim_longest_s(witness->since_s);
	const char *fault;

	if (peer->elapsed_s > longest_s || peer->lost_s > longest_s || peer->sampled_s > longest_s)
		return "its time is longer than the test has lasted";
	fault = judge_counts(witness, peer);
	if (fault)
		return fault;
	/* A time of 0 is no figure: 0.4.11 has that after less than a tick. */
	if (witness->active == QPERF_BOTH && sent > 0 && peer->elapsed_s > 0 && witness->elapsed_s > 0 &&
	    arrived / peer->elapsed_s > sent / witness->elapsed_s * MOST_TIMES_FAST)
		return "its time is too short for what has arrived";
	fault = judge_cpus(peer, longest_s);
	return fault ? fault : judge_details(witness, peer);
}
