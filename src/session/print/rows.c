// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From a loop's counts to a row of the report. Bandwidth average = messages counted * size / time. The time is that
 * from the first post to the last completion (on a receiver both count from when the first arrival was seen), or with
 * -D the sample window; see the OUTPUT section of the manual pages.
 */
#include "session/print/print.h"

#include <math.h>

#include "session/measure/measurement.h"
#include "stats/clock.h"

void session_add_counts(struct report_row *sum, const struct report_row *row)
{
	sum->iterations += row->iterations;
	sum->first_arrivals = report_add_known(sum->first_arrivals, row->first_arrivals);
	sum->iterations_of[REPORT_OWN] += row->iterations_of[REPORT_OWN];
	sum->iterations_of[REPORT_PEER] += row->iterations_of[REPORT_PEER];
	sum->checked += row->checked;
	sum->wrong += row->wrong;
	sum->lost = report_add_known(sum->lost, row->lost);
	sum->partial |= row->partial;
	if (row->open_seconds > sum->open_seconds) {
		sum->open_seconds = row->open_seconds;
		sum->open_answered = row->open_answered;
	}
}

double session_add_peaks(double own, uint64_t own_messages, double peer, uint64_t peer_messages)
{
	/* One direction's peak is not that of the sum. Without messages it was 0, and needs no measurement. */
	const bool known = (own > 0 || !own_messages) && (peer > 0 || !peer_messages);

	return known ? own + peer : 0;
}

struct report_overlap session_overlap(const struct spans *spans, int64_t error_ns)
{
	return (struct report_overlap){true, spans_overlap_percent(spans), (double)error_ns / 1e9};
}

/*
 * A ping-pong by number with a classic peer has one exchange more than samples, and counts exchanges. Without a side
 * channel such a peer is recognised by the exchange that it omits.
 */
static bool counts_exchanges(const struct session *session, const struct run *run)
{
	const struct comm_traits *traits = session->comm.traits;
	const bool leaves_out = traits->silent && run->result.received < run->plan.iters;

	return (!traits->first_is_no_sample || leaves_out) && session->traffic.peer_measures && run->plan.iters;
}

/* Without a side channel a side knows what it sends, and prints a row of that. */
bool session_prints_both(const struct session *session)
{
	return session->params.spec.bidirectional && !session->comm.traits->silent;
}

/* The time is common to all ports. */
static void fill_ports(const struct run *run, struct report_row *row)
{
	for (unsigned i = 0; i < 2; i++) {
		const double counted = (double)(run->result.port_sampled[i] - run->result.port_unrated[i]);

		row->ports[i].message_rate = row->seconds > 0 ? counted / row->seconds : 0;
		row->ports[i].bw_average = row->ports[i].message_rate * (double)run->plan.size;
	}
}

void session_set_units(const struct session *session, const struct run *run)
{
	struct latency *const latencies[] = {run->plan.latency, run->plan.open.since_post};

	for (unsigned i = 0; i < 2; i++)
		if (latencies[i])
			latencies[i]->tick_seconds =
				clock_cycles_to_seconds(1) / (session->traffic.round_trips ? 2 : 1);
}

void session_row(const struct session *session, const struct run *run, struct report_row *row)
{
	const double size = (double)run->plan.size;
	uint64_t elapsed = run->result.finish_cycles > run->result.begin_cycles
				   ? run->result.finish_cycles - run->result.begin_cycles
				   : 0;

	row->size = run->plan.size;
	row->sl = session->params.verbs.sl;
	row->iterations = run->result.sampled;
	row->seconds = clock_cycles_to_seconds((double)elapsed);
	session_set_units(session, run);
	row->latency = run->plan.latency;
	row->since_post = run->plan.open.since_post;
	row->cpu_percent = NAN;
	row->repeats = series_of_one();
	if (session->traffic.metric == METRIC_LAT) {
		row->open_seconds = clock_cycles_to_seconds((double)run->result.open_cycles);
		row->open_answered = run->result.open_answered;
		/* A server of READ or atomics has no samples. */
		row->iterations = run->plan.latency ? run->plan.latency->histogram.count : 0;
		if (counts_exchanges(session, run) && row->iterations)
			row->iterations = run->result.received;
		if (session->traffic.open_loop)
			session_load_row(session, run, NULL /* of all */, row);
		return;
	}
	row->worst = session->worst;
	row->by_queue = run->plan.by_queue.sampled;
	row->first_arrivals = run->result.unrated;
	/* Everything arrived before this side had a start time. */
	if (run->result.unrated && run->result.unrated == run->result.sampled) {
		row->seconds = NAN;
		row->message_rate = NAN;
		row->bw_average = NAN;
	} else if (elapsed) {
		row->message_rate = (double)(run->result.sampled - run->result.unrated) / row->seconds;
		row->bw_average = row->message_rate * size;
	}
	if (run->plan.per_port)
		fill_ports(run, row);
	if (run->plan.want_peak)
		row->bw_peak = fmax(run->result.peak * clock_calibrate()->cycles_per_second * size, row->bw_average);
}
