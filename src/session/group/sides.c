// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What each side did, and what was lost. See measurement.h. */

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "session/measure/measurement.h"
#include "session/print/print.h"
#include "stats/clock.h"
#include "util/deadline.h"
#include "util/log.h"

#define SECOND_NS 1e9

static void row_from_result(const struct session *session, const struct comm_result *result, struct report_row *row)
{
	/* A side that only receives has no rate if all had arrived when it began to look, which known() tells as 0. */
	const bool may_lack = session->comm.traits->sends_results && !session->params.spec.bidirectional;
	const bool rated = result->message_rate > 0 || !result->iterations || !may_lack;

	row->size = result->size;
	row->iterations = result->iterations;
	row->bw_peak = result->bw_peak;
	row->bw_average = rated ? result->bw_average : NAN;
	row->message_rate = rated ? result->message_rate : NAN;
	for (unsigned i = 0; i < 2; i++)
		row->ports[i] = (struct report_port){result->ports[i].bw_average, result->ports[i].message_rate};
	row->partial = result->partial;
	row->repeats = series_of_one();
	row->seconds = result->message_rate > 0 ? (double)result->iterations / result->message_rate : 0;
	row->cpu_percent = NAN;
	/* What a peer that only receives leaves out of its rate, it does not tell. */
	row->first_arrivals =
		session->traffic.posts && !session->params.spec.bidirectional && may_lack ? REPORT_NOT_KNOWN : 0;
}

/* In a bidirectional test by time a classic peer does not report what it sent; this side knows what arrived. */
static bool keeps_arrivals_to_itself(const struct session *session)
{
	const struct params *params = &session->params;

	return !session->comm.traits->sends_results && params->spec.bidirectional && session->traffic.arrivals &&
	       params_by_time(params);
}

/*
 * A classic peer goes on when it has sent its messages. If it sent fewer than this side waits for, it counts
 * differently; on UC and UD they may also be lost, as long as some arrived.
 */
static int check_counts(const struct session *session, const struct run *run)
{
	const uint64_t due = session_messages_due(session, run) * run->queues.num_tx;
	const bool may_lose =
		!session->traffic.transport->reliable && !session->traffic.ping_pong && run->result.received;

	if (session->comm.traits->announces_done || session->ending.interrupted || run->result.received >= due ||
	    may_lose || !(session->traffic.receives || session->traffic.ping_pong))
		return 0;
	return log_fail(-EPROTO,
			"%s sent only %llu of %llu messages of %llu bytes: use the same -n, -q and -s on both sides",
			comm_peer(&session->comm), (unsigned long long)run->result.received, (unsigned long long)due,
			(unsigned long long)run->plan.size);
}

static void row_from_arrivals(const struct session *session, const struct run *run, struct report_row *row)
{
	struct run arrivals = *run;

	arrivals.result.sampled = run->result.sampled_arrivals;
	/* The peer measures it, and each port's part. */
	arrivals.plan.want_peak = false;
	session_row(session, &arrivals, row);
	for (unsigned i = 0; i < 2; i++)
		row->ports[i] = (struct report_port){NAN, NAN};
}

/* How a message encodes a figure that is not available. */
static double known(double figure)
{
	return isnan(figure) ? 0 : figure;
}

/*
 * Messages that were sent and did not arrive, if both numbers are known; to_peer: " to the peer", or "". With multicast
 * each has a copy for each queue pair of the receiver, and a mean of the queue pairs is lost: never more than was sent.
 */
static uint64_t lost_of(struct session *session, const struct run *run, uint64_t due, uint64_t arrived,
			const char *to_peer)
{
	const uint64_t copies = session_copies(session);
	const uint64_t lost = due > arrived ? (due - arrived + copies - 1) / copies : 0;
	char mean[64] = "";

	if (copies > 1)
		snprintf(mean, sizeof(mean), ", as a mean of %llu queue pairs", (unsigned long long)copies);
	if (lost && !arrived && to_peer[0]) {
		log_error("all %llu messages of %llu bytes were lost%s: the figures only say how fast they were sent",
			  (unsigned long long)lost, (unsigned long long)run->plan.size, to_peer);
		session_fail_as_empty(session);
	} else if (lost) {
		log_warning("%llu of %llu messages of %llu bytes were lost%s%s", (unsigned long long)lost,
			    (unsigned long long)(due / copies), (unsigned long long)run->plan.size, to_peer, mean);
	}
	return lost;
}

/*
 * UC and UD may lose messages; what was in flight when a user stopped the run is not lost. The receiver is told how
 * many were sent, and the sender how many arrived; a classic peer tells neither, but by number it was given the same
 * number as this side. The rows are of the directions in which the sides send.
 */
static void count_lost(struct session *session, const struct run *run, const struct comm_result *theirs,
		       struct report_row *local, struct report_row *remote)
{
	const struct traffic *traffic = &session->traffic;
	const bool by_time = params_by_time(&session->params), announces = session->comm.traits->announces_done;
	const uint64_t planned = run->plan.iters * run->queues.num_tx, copies = session_copies(session);
	uint64_t *arriving = session->params.spec.bidirectional ? &remote->lost : &local->lost;

	if (traffic->bursts) {
		local->lost = session->ending.interrupted ? REPORT_NOT_KNOWN : run->result.lost;
		session_report_lost_of_bursts(session, run);
	}
	if (traffic->transport->reliable || session->params.verbs.data_validation || traffic->metric != METRIC_BW)
		return;
	local->lost = REPORT_NOT_KNOWN;
	remote->lost = REPORT_NOT_KNOWN;
	if (session->ending.interrupted || !traffic->arrivals)
		return;
	if (traffic->posts && theirs->received != COMM_UNKNOWN)
		local->lost =
			lost_of(session, run, run->result.posted * copies, theirs->received, " on the way to the peer");
	if (traffic->receives && (announces || !by_time))
		*arriving = lost_of(session, run, announces ? session->comm.done.messages * copies : planned,
				    run->result.received, "");
	/* The other side's row, on a side without one of its own. */
	if (!session->params.spec.bidirectional)
		remote->lost = local->lost;
}

/* From the epoch to the measured time. Where the clock is not monotonic, now and then a reading is too early. */
static uint64_t begin_of(const struct session *session, const struct run *run)
{
	const uint64_t begin = run->result.begin_cycles, first = clock_cycles(), second = clock_cycles();
	const uint64_t now = first > second ? first : second;
	const int64_t since_ns = (int64_t)clock_gettime_ns() - session->comm.epoch_ns;
	double ago_ns;

	if (!session->comm.epoch_ns || !begin || begin > now || run->result.finish_cycles <= begin)
		return COMM_UNKNOWN;
	ago_ns = clock_cycles_to_ns((double)(now - begin));
	return ago_ns <= (double)since_ns ? (uint64_t)((double)since_ns - ago_ns) : COMM_UNKNOWN;
}

static uint64_t elapsed_of(const struct report_row *row)
{
	return row->seconds > 0 ? (uint64_t)(row->seconds * SECOND_NS) : COMM_UNKNOWN;
}

/* With -b, where messages may be lost: is the row of a direction of those that arrived? */
static bool rates_arrivals(const struct session *session)
{
	return session->params.spec.bidirectional && session->traffic.arrivals &&
	       !session->traffic.transport->reliable && session->comm.traits->sends_results &&
	       !session->params.verbs.data_validation;
}

/* Of those that this side received: how many in the measured time? */
static uint64_t arrived_of(const struct session *session, const struct run *run)
{
	if (!rates_arrivals(session))
		return COMM_UNKNOWN;
	return params_by_time(&session->params) ? run->result.sampled_arrivals : run->result.received;
}

/* Of the row of what a side sent: what arrived of it at the other, over the same time. No peak of that was measured. */
static void rate_arrived(struct report_row *row, uint64_t arrived)
{
	if (arrived == COMM_UNKNOWN)
		return;
	row->iterations = arrived;
	row->message_rate = row->seconds > 0 ? (double)arrived / row->seconds : 0;
	row->bw_average = row->message_rate * (double)row->size;
	row->bw_peak = 0;
}

int session_compare_sides(struct session *session, const struct run *run, struct report_row *local,
			  struct report_row *remote, struct comm_result results[2])
{
	uint64_t next = run->plan.size;
	struct comm_result mine = {
		.size = run->plan.size,
		.iterations = local->iterations,
		.bw_peak = local->bw_peak,
		.bw_average = known(local->bw_average),
		.message_rate = known(local->message_rate),
		.partial = session->ending.interrupted,
		.received = session->traffic.receives ? run->result.received : COMM_UNKNOWN,
		.begin_ns = begin_of(session, run),
		.elapsed_ns = elapsed_of(local),
		.arrived = arrived_of(session, run),
		.last = !session_next_size(session, &next),
	};
	struct comm_result theirs = comm_result_of_none();
	int ret;

	for (unsigned i = 0; i < 2; i++)
		mine.ports[i] =
			(struct comm_port){known(local->ports[i].bw_average), known(local->ports[i].message_rate)};
	ret = check_counts(session, run);
	if (!ret)
		ret = comm_swap(&session->comm, MESSAGE_RESULT, &mine, &theirs);
	if (ret)
		return ret;
	results[REPORT_OWN] = mine;
	results[REPORT_PEER] = theirs;
	row_from_result(session, &theirs, remote);
	rate_arrived(local, theirs.arrived);
	rate_arrived(remote, mine.arrived);
	if (keeps_arrivals_to_itself(session))
		row_from_arrivals(session, run, remote);
	if (theirs.partial && !session->ending.interrupted) {
		log_error("the %s (%s) ended the test early; the result is partial",
			  session->comm.client ? "server" : "client", comm_peer(&session->comm));
		snprintf(session->ending.failure, sizeof(session->ending.failure), "ended early by the peer");
		session->ending.interrupted = true;
	}
	local->partial = session->ending.interrupted;
	remote->partial = session->ending.interrupted;
	count_lost(session, run, &theirs, local, remote);
	return 0;
}
