// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is what the peer reports possible? See protocol.h. */
#include "comm/protocol.h"

#include <math.h>
#include <stddef.h>

#include "stats/latency.h"
#include "util/claim.h"

#define ROUNDING   0.01
#define ROUNDING_S 2e-9 /* times are told in ns */

static const char too_long[] = "its time is longer than the test has lasted";
static const char too_many[] = "it has more messages than are possible in this time";

const char *comm_claim_messages(double since_s, uint64_t messages)
{
	return claim_is_possible(since_s, (double)messages) ? NULL : too_many;
}

/* Bytes have no limit of their own: in the null mode of the software device any message takes 10 ns. */
const char *comm_claim_rates(uint64_t size, double bw, double message_rate)
{
	return bw > CLAIM_MOST_PER_S * (double)size || message_rate > CLAIM_MOST_PER_S
		       ? "its rate is beyond any network"
		       : NULL;
}

static const char *judge_time(double since_s, const struct comm_result *result)
{
	const double begin_s = result->begin_ns == COMM_UNKNOWN ? 0 : (double)result->begin_ns / 1e9;
	const double elapsed_s = result->elapsed_ns == COMM_UNKNOWN ? 0 : (double)result->elapsed_ns / 1e9;

	return begin_s + elapsed_s > claim_longest_s(since_s) ? too_long : NULL;
}

/* Latency has no bandwidth, and its rate may be that which was asked for. */
static const char *judge_bandwidth(const struct comm_result *result)
{
	const double bw = result->bw_average, rate = result->message_rate;
	const double elapsed_s = (double)result->elapsed_ns / 1e9 - ROUNDING_S;

	if (!(bw > 0))
		return NULL;
	if (fabs(bw - rate * (double)result->size) > bw * ROUNDING)
		return "its bandwidth is not that of its messages";
	/* The rate may be of fewer messages: what arrived first is not in it. */
	if (result->elapsed_ns != COMM_UNKNOWN && rate * elapsed_s > (double)result->iterations * (1 + ROUNDING))
		return "its rate is not that of its messages in its time";
	return NULL;
}

const char *comm_claim_result(double since_s, uint64_t size, const struct comm_result *result)
{
	const char *fault = comm_claim_messages(since_s, result->iterations);

	if (result->size != size)
		return "it is of another message size";
	if (!fault && result->arrived != COMM_UNKNOWN)
		fault = comm_claim_messages(since_s, result->arrived);
	if (!fault)
		fault = judge_time(since_s, result);
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
	const uint64_t checked = theirs->checked, lost = theirs->lost, wrong = theirs->wrong;

	if (checked > own->sent || lost > own->sent - checked)
		return "it has more messages than were sent";
	if (lost && !own->may_lose)
		return "it lost messages of a transport that loses none";
	if (theirs->bytes > checked * own->size || theirs->bytes + checked < checked * own->size)
		return "its bytes are not those of its messages";
	if (wrong > own->moved * 2)
		return "it has more wrong messages than were sent";
	return checked + lost + wrong < own->due ? "it has fewer messages than were sent" : NULL;
}

const char *comm_claim_samples(double since_s, const struct comm_samples *samples)
{
	const struct latency *latency = samples->latency;

	if (!claim_is_possible(since_s, (double)latency->backward + (double)latency->histogram.count))
		return too_many;
	return latency->histogram.count && (double)latency->max * samples->tick_seconds > claim_longest_s(since_s)
		       ? too_long
		       : NULL;
}
