// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Accumulates the times of many connections, here and for the whole cluster. See conn_stats.h. */
#include "cmtime/conn_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/clock.h"

#define NS_PER_S 1e9

/* In tables, messages and documents: scripts depend on them. */
const char *step_name(enum step step)
{
	static const char *const names[STEP_COUNT] = {
		[STEP_FULL_CONNECT] = "full connect",	[STEP_CREATE_ID] = "create id",
		[STEP_BIND_ADDR] = "bind addr",		[STEP_RESOLVE_ADDR] = "resolve addr",
		[STEP_RESOLVE_ROUTE] = "resolve route", [STEP_CREATE_QP] = "create qp",
		[STEP_INIT_QP_ATTR] = "init qp attr",	[STEP_INIT_QP] = "init qp",
		[STEP_RTR_QP_ATTR] = "rtr qp attr",	[STEP_RTR_QP] = "rtr qp",
		[STEP_RTS_QP_ATTR] = "rts qp attr",	[STEP_RTS_QP] = "rts qp",
		[STEP_CM_CONNECT] = "cm connect",	[STEP_ESTABLISH] = "establish",
		[STEP_DISCONNECT] = "disconnect",	[STEP_DESTROY_ID] = "destroy id",
		[STEP_DESTROY_QP] = "destroy qp",
	};

	return names[step];
}

int conn_stats_open(struct conn_stats **stats)
{
	struct conn_stats *opened = calloc(1, sizeof(*opened));

	if (!opened)
		return -ENOMEM;
	for (unsigned step = 0; step < STEP_COUNT; step++)
		for (unsigned measure = 0; measure < MEASURE_COUNT; measure++) {
			struct latency *opening = &opened->steps[step].measures[measure];

			latency_open(opening, 0 /* no raw samples: nothing to fail */);
			opening->tick_seconds = 1 / NS_PER_S;
		}
	opened->totals.rate.width_ns = RATE_WIDTH_NS;
	*stats = opened;
	return 0;
}

void conn_stats_close(struct conn_stats *stats)
{
	free(stats);
}

void conn_stats_add_steps(struct conn_stats *into, const struct conn_stats *from)
{
	for (unsigned step = 0; step < STEP_COUNT; step++) {
		struct step_stats *to = &into->steps[step];
		const struct step_stats *other = &from->steps[step];

		if (other->total_ns > to->total_ns)
			to->total_ns = other->total_ns;
		for (unsigned measure = 0; measure < MEASURE_COUNT; measure++)
			latency_add(&to->measures[measure], &other->measures[measure]);
	}
}

/* Time stamps of two CPUs may differ by a few cycles. */
static uint64_t span_ns(uint64_t from, uint64_t to)
{
	return to > from ? (uint64_t)(clock_cycles_to_ns((double)(to - from)) + 0.5) : 0;
}

void conn_stats_record(struct conn_stats *stats, enum step step, const struct step_times *times)
{
	struct latency *measures = stats->steps[step].measures;
	uint64_t queued_ns = 0;

	if (!times->begin || !times->end)
		return;
	latency_record(&measures[MEASURE_TIME], span_ns(times->begin, times->end));
	if (step == STEP_FULL_CONNECT) /* consists of the others, which have these parts */
		return;
	latency_record(&measures[MEASURE_SERVICE], span_ns(times->begin, times->event ? times->event : times->end));
	if (!times->asked && !times->event)
		return;
	if (times->asked)
		queued_ns += span_ns(times->asked, times->begin);
	if (times->event)
		queued_ns += span_ns(times->event, times->taken);
	latency_record(&measures[MEASURE_QUEUED], queued_ns);
}

/* Doubles the width, and halves the number of intervals. */
static void rate_fold(struct rate *rate)
{
	for (uint32_t i = 0; i < RATE_INTERVALS / 2; i++)
		rate->counts[i] = rate->counts[2 * i] + rate->counts[2 * i + 1];
	for (uint32_t i = RATE_INTERVALS / 2; i < RATE_INTERVALS; i++)
		rate->counts[i] = 0;
	rate->used = (rate->used + 1) / 2;
	rate->width_ns *= 2;
}

void rate_count(struct rate *rate, uint64_t since_start_ns, uint64_t count)
{
	while (since_start_ns / rate->width_ns >= RATE_INTERVALS)
		rate_fold(rate);
	rate->counts[since_start_ns / rate->width_ns] += count;
	if (since_start_ns / rate->width_ns >= rate->used)
		rate->used = (uint32_t)(since_start_ns / rate->width_ns) + 1;
}

void rate_add(struct rate *into, const struct rate *from, int64_t shift_ns)
{
	const uint64_t later = ((uint64_t)shift_ns + from->width_ns / 2) / from->width_ns;

	while (into->width_ns < from->width_ns)
		rate_fold(into);
	for (uint32_t i = 0; i < from->used; i++)
		if (from->counts[i])
			rate_count(into, (i + later) * from->width_ns, from->counts[i]);
}

/* Of the interval with the most connections, ignoring the last one, which may be incomplete. */
static double rate_highest(const struct rate *rate)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i + 1 < rate->used; i++)
		if (rate->counts[i] > most)
			most = rate->counts[i];
	return (double)most * NS_PER_S / (double)rate->width_ns;
}

void conn_stats_append(struct conn_stats *into, const struct conn_stats *from)
{
	struct conn_totals *totals = &into->totals;

	conn_stats_add_steps(into, from);
	rate_add(&totals->rate, &from->totals.rate, totals->ended_ns - totals->began_ns);
	totals->connections += from->totals.connections;
	totals->retries += from->totals.retries;
	if (!totals->began_ns)
		totals->began_ns = totals->ended_ns = from->totals.began_ns;
	totals->ended_ns += from->totals.ended_ns - from->totals.began_ns;
}

double conn_rate_average(const struct conn_totals *totals)
{
	const int64_t span_ns = totals->ended_ns - totals->began_ns;

	return span_ns > 0 ? (double)totals->connections * NS_PER_S / (double)span_ns : 0;
}

double conn_rate_peak(const struct conn_totals *totals)
{
	return totals->rate.used > 1 ? fmax(rate_highest(&totals->rate), conn_rate_average(totals)) : NAN;
}
