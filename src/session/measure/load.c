// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The loads of a test, and what a row says about them. See measurement.h. Called by measure.c and plan.c. */
#include "session/measure/measurement.h"

#include <errno.h>
#include <stdlib.h>

#include "stats/clock.h"
#include "util/log.h"

/*
 * The maximum is the number of answers per second with the maximum number of requests in flight: over a window in the
 * middle of a run of its own, which excludes its start and end.
 */
#define MAXIMUM_MARGIN_NS 50e6
#define MAXIMUM_WINDOW_NS 500e6

#define SLOW_RATE 100 /* messages per second: above it, requests of a Poisson process are never a second apart */

int session_load_open(struct session *session)
{
	struct session_load *load = &session->load;

	*load = (struct session_load){0};
	if (!session->traffic.open_loop)
		return 0;
	/* It was parsed when the rules were checked. */
	if (load_parse(session->params.rate.open_rate, &load->asked))
		return -EINVAL;
	if (!session->traffic.samples)
		return 0;
	while (load->mask + 1 < session->params.verbs.tx_depth)
		load->mask = 2 * load->mask + 1;
	load->requests = calloc(load->mask + 1, sizeof(*load->requests));
	if (load->requests)
		return 0;
	return log_fail(-ENOMEM, "no memory for %u requests; lower -t", session->params.verbs.tx_depth);
}

bool session_load_seeks_maximum(struct session *session)
{
	session->load.seeks_maximum = session->traffic.open_loop && load_is_shares(&session->load.asked);
	return session->load.seeks_maximum;
}

int session_load_take_maximum(struct session *session, const struct run *run)
{
	const double seconds = clock_cycles_to_seconds((double)(run->result.finish_cycles - run->result.begin_cycles));

	session->load.seeks_maximum = false;
	if (!session->traffic.samples)
		return 0;
	session->load.maximum = seconds > 0 ? (double)run->result.open.answered / seconds : 0;
	if (session->load.maximum > 0)
		return 0;
	return log_fail(-ENODATA,
			"no request was answered in the %g s in which the maximum is measured, so there are no shares "
			"of it; give --rate a number",
			MAXIMUM_WINDOW_NS / 1e9);
}

bool session_load_next(struct session *session)
{
	return session->traffic.open_loop && ++session->load.step < load_steps(&session->load.asked);
}

static unsigned load_share(const struct session_load *load)
{
	return load_is_shares(&load->asked) ? load->asked.first + load->step * load->asked.step : 0;
}

/* Messages per second. */
static double rate_of_load(const struct session_load *load)
{
	return load_is_shares(&load->asked) ? load->maximum * load_share(load) / 100 : load->asked.rate;
}

unsigned session_load_share(const struct session *session)
{
	const bool has_share = session->traffic.open_loop && !session->load.seeks_maximum;

	return has_share ? load_share(&session->load) : 0;
}

bool session_load_is_slow(const struct session *session)
{
	return session->traffic.open_loop && session->traffic.samples && !session->load.seeks_maximum &&
	       rate_of_load(&session->load) < SLOW_RATE;
}

void session_load_fill(const struct session *session, struct run *run)
{
	const struct session_load *load = &session->load;

	run->plan.open.numbered = session->traffic.numbered;
	run->plan.open.may_lose = session->traffic.numbered && !session->traffic.transport->reliable;
	if (load->seeks_maximum)
		run->plan.iters = 0;
	if (!session->traffic.open_loop || !session->traffic.samples)
		return;
	run->plan.open.requests = load->requests;
	run->plan.open.mask = load->mask;
	if (load->seeks_maximum)
		return;
	run->plan.open.pace = (struct pace){
		.mean_cycles = clock_calibrate()->cycles_per_second / rate_of_load(load),
		.is_poisson = session->params.rate.poisson,
		.seed = session->params.rate.seed,
	};
}

void session_load_bound(const struct session *session, struct run *run, uint64_t now)
{
	const uint64_t margin = clock_ns_to_cycles(MAXIMUM_MARGIN_NS);
	const uint64_t window = clock_ns_to_cycles(MAXIMUM_WINDOW_NS);

	if (!session->load.seeks_maximum)
		return;
	run->plan.begin_sample_cycles = now + margin;
	run->plan.end_sample_cycles = now + margin + window;
	run->plan.over_cycles = run->plan.end_sample_cycles;
	run->plan.end_cycles = session->traffic.samples ? run->plan.end_sample_cycles : UINT64_MAX;
}

void session_load_row(const struct session *session, const struct run *run, const struct run_result *before,
		      struct report_row *row)
{
	const struct open_counts *now = &run->result.open;
	/* An interval includes the margins of a run by time. */
	const uint64_t sent = before ? run->result.posted - before->posted : now->sent;

	row->load = (struct report_load){
		.share_percent = load_share(&session->load),
		.rate = rate_of_load(&session->load),
		.sent_rate = row->seconds > 0 ? (double)sent / row->seconds : 0,
		.late = now->late - (before ? before->open.late : 0),
		.lost = now->lost - (before ? before->open.lost : 0),
		.unanswered = now->unanswered - (before ? before->open.unanswered : 0),
		.unsent = now->unsent - (before ? before->open.unsent : 0),
		.stands_out = now->stands_out,
	};
}
