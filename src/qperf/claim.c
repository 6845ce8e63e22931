// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the other side's account possible? See claim.h. */
#include "qperf/claim.h"

#include <stddef.h>

#define CLOCK_SHARE	1.01 /* one clock may be that much faster than the other */
#define CLOCK_S		0.05 /* and coarse: qperf 0.4.11 counts in ticks of 10 ms */
#define MOST_CPUS	65536
#define MOST_PER_S	1e9  /* messages: one in a nanosecond */
#define LEAST_SIZE	64   /* bytes; what is counted for a message may include a header of 40 */
#define IN_FLIGHT	128  /* messages of one call that this side had not counted yet */
#define MOST_TIMES_FAST 1000 /* that messages may arrive faster than they were sent, in bursts */

/* Could these messages pass in the time? */
static bool is_possible(const struct qperf_witness *witness, const struct tally *tally)
{
	const double size = (double)(witness->size > LEAST_SIZE ? witness->size : LEAST_SIZE);
	const double msgs = (double)tally->msgs;

	/* One more message may be counted in part. */
	return msgs <= witness->since_s * MOST_PER_S + 1 && (double)tally->bytes <= 2 * size * (msgs + 1);
}

static const char *judge_cpus(const struct account *peer)
{
	const double busy_s = peer->user_s + peer->intr_s + peer->kernel_s + peer->iowait_s;

	if (peer->cpus > MOST_CPUS)
		return "it has more CPUs than a machine can have";
	return busy_s > peer->cpus * (peer->elapsed_s * CLOCK_SHARE + 2 * CLOCK_S)
		       ? "its CPUs were busy for longer than the test has lasted"
		       : NULL;
}

const char *qperf_claim_account(const struct qperf_witness *witness, const struct account *peer)
{
	const double arrived = (double)peer->received.msgs, sent = (double)witness->sent;
	const double longest_s = witness->since_s * CLOCK_SHARE + CLOCK_S;

	if (peer->elapsed_s > longest_s || peer->lost_s > longest_s)
		return "its time is longer than the test has lasted";
	if (!is_possible(witness, &peer->sent) || !is_possible(witness, &peer->received) ||
	    !is_possible(witness, &peer->peer_sent) || !is_possible(witness, &peer->peer_received))
		return "more has passed than is possible in this time";
	if (witness->is_passive)
		return judge_cpus(peer);
	if (arrived > sent * (witness->may_duplicate ? 2 : 1) + IN_FLIGHT)
		return "more messages have arrived than were sent";
	/* A time of 0 is no figure: 0.4.11 has that after less than a tick. */
	if (sent > 0 && peer->elapsed_s > 0 && witness->elapsed_s > 0 &&
	    arrived / peer->elapsed_s > sent / witness->elapsed_s * MOST_TIMES_FAST)
		return "its time is too short for what has arrived";
	return judge_cpus(peer);
}
