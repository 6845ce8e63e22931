// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What code that has a loop run asks about it: which loop, its errors as text, the sum of several. See run.h. */
#include "loops/run.h"

#include <errno.h>
#include <stdio.h>

#include "traffic/traffic.h"

loop_fn loop_of(const struct traffic *traffic)
{
	if (!traffic->measures)
		return NULL;
	if (traffic->forwards)
		return loop_forward;
	if (traffic->bursts)
		return traffic->active ? loop_burst_ask : loop_burst_answer;
	if (traffic->echoes && !traffic->samples)
		return traffic->polls_memory ? loop_echo_write : loop_echo_send;
	if (traffic->open_loop)
		return traffic->pulls ? loop_open_request : traffic->polls_memory ? loop_open_write : loop_open_send;
	if (traffic->metric == METRIC_LAT)
		return traffic->pulls ? loop_lat_request : traffic->polls_memory ? loop_lat_write : loop_lat_send;
	if (traffic->posts)
		return traffic->receives ? loop_bw_both : loop_bw_send;
	return loop_bw_recv;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The earlier of two stamps, of which 0 means not yet. */
static uint64_t earlier(uint64_t a, uint64_t b)
{
	if (!a || !b)
		return a + b;
	return a < b ? a : b;
}

static void add(struct run_result *sum, const struct run_result *one)
{
	sum->posted += one->posted;
	sum->completed += one->completed;
	sum->received += one->received;
	sum->sampled += one->sampled;
	sum->sampled_arrivals += one->sampled_arrivals;
	sum->margins += one->margins;
	sum->sent_all &= one->sent_all;
	sum->begin_cycles = earlier(sum->begin_cycles, one->begin_cycles);
	sum->unrated += one->unrated;
	sum->finish_cycles = later(sum->finish_cycles, one->finish_cycles);
	sum->last_cycles = later(sum->last_cycles, one->last_cycles);
	if (one->most_found > sum->most_found)
		sum->most_found = one->most_found;
	if (one->first_arrival_bytes)
		sum->first_arrival_bytes = one->first_arrival_bytes;
	if (one->open_cycles > sum->open_cycles) {
		sum->open_cycles = one->open_cycles;
		sum->open_answered = one->open_answered;
	}
	sum->stopped |= one->stopped;
	sum->clock_is_back |= one->clock_is_back;
}

/*
 * The common time begins with the first arrivals of one receiver. Those of another were found later: as many as that
 * one had found may have arrived by then, and the others arrived in the common time.
 */
static void rate_from_first(struct run_result *results, unsigned count)
{
	const struct run_result *first = NULL;

	for (unsigned i = 0; i < count; i++)
		if (results[i].begin_cycles && (!first || results[i].begin_cycles < first->begin_cycles))
			first = &results[i];
	for (unsigned i = 0; first && i < count; i++)
		if (results[i].unrated > first->unrated)
			results[i].unrated = first->unrated;
}

void run_sum(struct run_result *sum, struct run_result *results, unsigned count)
{
	*sum = (struct run_result){.sent_all = true};
	rate_from_first(results, count);
	for (unsigned i = 0; i < count; i++)
		add(sum, &results[i]);
}

void run_sum_cut_short(struct run_result *sum, const struct run_plan *plan, struct run_result *results, unsigned count)
{
	if (sum->begin_cycles >= plan->begin_sample_cycles)
		return;
	for (unsigned i = 0; i < count; i++) {
		if (results[i].begin_cycles >= plan->begin_sample_cycles) {
			sum->sampled += results[i].margins;
			results[i].sampled += results[i].margins;
		}
		results[i].margins = 0;
	}
	sum->margins = 0;
}

const char *run_error_text(int error, const char *device, char *text, size_t size)
{
	switch (error) {
	case -EBADMSG:
		snprintf(text, size, "%s completed a request that this side did not post", device);
		return text;
	case -EPROTO:
		snprintf(text, size, "the library of %s returned more completions than it was asked for", device);
		return text;
	case -EBADE:
		snprintf(text, size, "the peer marked more messages as delayed than is possible");
		return text;
	case -ETIME:
		snprintf(text, size, "the clock went backwards by more than a second, so there are no figures");
		return text;
	default:
		return NULL;
	}
}
