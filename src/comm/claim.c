// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The facts of what the peer reports. See protocol.h. */
#include <math.h>

#include "comm/protocol.h"
#include "stats/latency.h"
#include "util/claim.h"

#define ROUNDING   0.01
#define ROUNDING_S 2e-9 /* times are told in ns */

/* Bytes have no limit of their own: in the null mode of the software device any message takes 10 ns. */
const char *comm_claim_rates(uint64_t size, double bw, double message_rate)
{
	const char *fault = "its rate is beyond any network";
	const struct claim claims[] = {
		{bw, CLAIM_MOST_PER_S * (double)size, fault},
		{message_rate, CLAIM_MOST_PER_S, fault},
	};

	return CLAIM_JUDGE(claims);
}

static double known(uint64_t value)
{
	return value == COMM_UNKNOWN ? 0 : (double)value;
}

/* Latency has no bandwidth, and its rate may be that which was asked for. */
static const char *judge_bandwidth(const struct comm_result *result)
{
	const double bw = result->bw_average, rate = result->message_rate;
	/* The rate may be of fewer messages: what arrived first is not in it. */
	const struct claim claims[] = {
		{fabs(bw - rate * (double)result->size), bw * ROUNDING, "its bandwidth is not that of its messages"},
		{rate * (known(result->elapsed_ns) / 1e9 - ROUNDING_S), (double)result->iterations * (1 + ROUNDING),
		 "its rate is not that of its messages in its time"},
	};

	return bw > 0 ? CLAIM_JUDGE(claims) : NULL;
}

const char *comm_claim_result(double since_s, uint64_t size, const struct comm_result *result)
{
	const struct claim claims[] = {
		CLAIM_EQUAL(result->size, size, "it is of another message size"),
		CLAIM_COUNT(since_s, result->iterations, "messages"),
		CLAIM_COUNT(since_s, known(result->arrived), "messages"),
		CLAIM_TIME(since_s, (known(result->begin_ns) + known(result->elapsed_ns)) / 1e9),
	};
	const char *fault = CLAIM_JUDGE(claims);

	if (!fault)
		fault = comm_claim_rates(size, result->bw_average, result->message_rate);
	if (!fault)
		fault = comm_claim_rates(size, result->bw_peak, 0);
	for (unsigned i = 0; !fault && i < 2; i++)
		fault = comm_claim_rates(size, result->ports[i].bw_average, result->ports[i].message_rate);
	return fault ? fault : judge_bandwidth(result);
}

/* In a ping-pong that polls memory, the last byte of a message is not checked. A message may be wrong in two ways. */
const char *comm_claim_verdict(const struct comm_verdict *own, const struct comm_verdict *theirs)
{
	const double checked = (double)theirs->checked, lost = (double)theirs->lost, wrong = (double)theirs->wrong;
	const double bytes = (double)theirs->bytes, size = (double)own->size;
	const struct claim claims[] = {
		{checked + lost, (double)own->sent, "it has more messages than were sent"},
		{lost, own->may_lose ? lost : 0, "it lost messages of a transport that loses none"},
		{bytes, checked * size, "its bytes are not those of its messages"},
		{checked * size, bytes + checked, "its bytes are not those of its messages"},
		{wrong, (double)own->moved * 2, "it has more wrong messages than were sent"},
		{(double)own->due, checked + lost + wrong, "it has fewer messages than were sent"},
	};

	return CLAIM_JUDGE(claims);
}

const char *comm_claim_samples(double since_s, const struct comm_samples *samples)
{
	const struct latency *latency = samples->latency;
	const struct claim claims[] = {
		CLAIM_COUNT(since_s, (double)latency->backward + (double)latency->histogram.count, "messages"),
		CLAIM_TIME(since_s, latency->histogram.count ? (double)latency->max * samples->tick_seconds : 0),
	};

	return CLAIM_JUDGE(claims);
}
