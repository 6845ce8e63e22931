// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The values of a row of the ib_* programs for each column. See row_value.h. */
#include "report/row_value.h"

#include <math.h>

#define TYPICAL_PERCENTILE 50.0 /* "typical" is the median */

double row_message_size(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return (double)row->size;
}

double row_sl(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->sl;
}

double row_iterations(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return (double)row->iterations;
}

double row_seconds(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->seconds;
}

double row_bw_peak(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->bw_peak;
}

double row_bw_average(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->bw_average;
}

double row_message_rate(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->message_rate;
}

double row_port_bandwidth(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	return row->ports[column->index].bw_average;
}

double row_port_rate(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	return row->ports[column->index].message_rate;
}

double row_lost(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->lost == REPORT_NOT_KNOWN ? NAN : (double)row->lost;
}

double row_first_arrivals(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->first_arrivals == REPORT_NOT_KNOWN ? NAN : (double)row->first_arrivals;
}

/* If the row is a sum. */
static double iterations_of(const struct report_row *row, enum report_side side)
{
	const bool is_sum = row->iterations_of[REPORT_OWN] || row->iterations_of[REPORT_PEER];

	return is_sum ? (double)row->iterations_of[side] : NAN;
}

double row_iterations_own(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return iterations_of(row, REPORT_OWN);
}

double row_iterations_peer(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return iterations_of(row, REPORT_PEER);
}

double row_checked(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return (double)row->checked;
}

double row_wrong(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return (double)row->wrong;
}

/* The classic "tps": iterations of the ping-pong, whichever part of it the latency columns show. */
double row_transactions(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->seconds > 0 ? (double)row->iterations / row->seconds : NAN;
}

double row_removals(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->removal_seconds > 0 ? (double)row->iterations / row->removal_seconds : NAN;
}

double row_cpu_percent(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->cpu_percent < 0 ? NAN : row->cpu_percent;
}

double row_latency_open(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->open_seconds;
}

static const struct latency *latency_of(const struct report_row *row, const struct column *column)
{
	return column->index == SINCE_POST ? row->since_post : row->latency;
}

double row_backward(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->latency ? (double)row->latency->backward : 0;
}

uint64_t row_latency_samples(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	return row->latency ? latency_of(row, column)->histogram.count : 0;
}

double row_latency_min(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	return (double)latency_of(row, column)->min * row->tick_seconds;
}

double row_latency_max(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	return (double)latency_of(row, column)->max * row->tick_seconds;
}

double row_latency_mean(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	return latency_mean(latency_of(row, column)) * row->tick_seconds;
}

double row_latency_stdev(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	return latency_stdev(latency_of(row, column)) * row->tick_seconds;
}

double row_latency_percentile(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	return latency_percentile(latency_of(row, column), column->percent) * row->tick_seconds;
}

/* The median of few samples is still a median: "typical" is never marked. */
double row_latency_typical(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	return latency_percentile(latency_of(row, column), TYPICAL_PERCENTILE) * row->tick_seconds;
}

/* --- of an open loop --- */

double row_load_share(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->load.share_percent;
}

double row_load_rate(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->load.rate;
}

double row_load_sent(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->load.sent_rate;
}

double row_load_late(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return (double)row->load.late;
}

double row_load_lost(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return (double)row->load.lost;
}

double row_load_unanswered(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return (double)row->load.unanswered;
}

double row_load_unsent(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return (double)row->load.unsent;
}

double row_repeats(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->repeats.count;
}

double row_left_out(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->repeats.left_out;
}

double row_confidence_low(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->repeats.confidence.low;
}

double row_confidence_high(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->repeats.confidence.high;
}

double row_reached(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->repeats.reached;
}

double row_thread(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->thread ? row->thread : NAN;
}

double row_cpu(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->thread && row->cpu >= 0 ? row->cpu : NAN;
}

double row_peers(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->peers ? row->peers->count : NAN;
}

double row_least(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->peers ? row->peers->least : NAN;
}

double row_most(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->peers ? row->peers->most : NAN;
}

double row_fairness(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->peers ? row->peers->fairness : NAN;
}

double row_least_interval(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->least.known ? row->least.bandwidth : NAN;
}

double row_least_begin(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->least.known ? row->least.begin_s : NAN;
}

double row_overlap(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->overlap.known ? row->overlap.percent : NAN;
}

double row_clock_error(const void *of, const struct column *column)
{
	const struct report_row *row = of;

	(void)column;
	return row->overlap.known ? row->overlap.error_s : NAN;
}
