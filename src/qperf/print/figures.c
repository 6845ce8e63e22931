// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Computes results. See figures.h; the formulas are those of qperf 0.4.11. */
#include "qperf/print/figures.h"

#include <math.h>

#include "stats/clock.h"
#include "stats/latency.h"

#define COST_BYTES 1e9

const double figures_percentiles[FIGURES_PERCENTILES] = {50, 90, 99, 99.9};

double figures_percentile_s(const struct figures *figures, double percent)
{
	const struct latency *samples = figures->samples;

	return samples && histogram_supports(samples->histogram.count, percent) ? latency_percentile(samples, percent)
										: NAN;
}

static void tally_add(struct tally *sum, const struct tally *more)
{
	sum->bytes += more->bytes;
	sum->msgs += more->msgs;
	sum->errors += more->errors;
}

static void compute_node(const struct account *own, const struct account *other, struct node *node)
{
	node->sent = own->sent;
	node->received = own->received;
	tally_add(&node->sent, &other->peer_sent);
	tally_add(&node->received, &other->peer_received);
	/* What the peer counted for this side refers to the peer's time. */
	node->sent_s = other->peer_sent.msgs ? other->elapsed_s : own->elapsed_s;
	node->received_s = other->peer_received.msgs ? other->elapsed_s : own->elapsed_s;
	node->cpu_s = own->user_s + own->intr_s + own->kernel_s + own->iowait_s;
	if (!(own->elapsed_s > 0))
		return;
	node->cpus_used = node->cpu_s / own->elapsed_s;
	node->cpus_user = own->user_s / own->elapsed_s;
	node->cpus_intr = own->intr_s / own->elapsed_s;
	node->cpus_kernel = own->kernel_s / own->elapsed_s;
	node->cpus_iowait = own->iowait_s / own->elapsed_s;
}

/* Per second, of what both sides counted, each in its own time; if both have counted, in the mean of both times. */
static double figures_rate(uint64_t a, double a_s, uint64_t b, double b_s)
{
	if (!(a_s > 0) || !(b_s > 0))
		return 0;
	if (!b)
		return (double)a / a_s;
	if (!a)
		return (double)b / b_s;
	return ((double)a + (double)b) / ((a_s + b_s) / 2);
}

static uint64_t total_lost(const struct figures *figures)
{
	const struct account *l = &figures->local_account, *r = &figures->remote_account;
	const uint64_t sent = figures->local.sent.msgs + figures->remote.sent.msgs + l->late_sent + r->late_sent;
	const uint64_t received =
		figures->local.received.msgs + figures->remote.received.msgs + l->late_received + r->late_received;

	return sent > received ? sent - received : 0;
}

static double cost_of(const struct node *node, uint64_t bytes)
{
	return bytes ? node->cpu_s / ((double)bytes / COST_BYTES) : 0;
}

static void compute_costs(struct figures *figures)
{
	const struct node *l = &figures->local, *r = &figures->remote;

	if (l->sent.bytes && r->received.bytes && !l->received.bytes && !r->sent.bytes) {
		figures->send_cost = cost_of(l, l->sent.bytes);
		figures->recv_cost = cost_of(r, r->received.bytes);
	} else if (r->sent.bytes && l->received.bytes && !r->received.bytes && !l->sent.bytes) {
		figures->send_cost = cost_of(r, r->sent.bytes);
		figures->recv_cost = cost_of(l, l->received.bytes);
	}
}

/*
 * Of whole exchanges, and exactly their time, if a side has samples. A qperf 0.4.11 that asks gives none: divided by
 * the messages of both sides, each round trip becomes half of one.
 */
static double figures_latency(const struct figures *figures)
{
	const struct account *local = &figures->local_account, *remote = &figures->remote_account;
	const struct account *sampler = local->sampled ? local : remote;
	const uint64_t here = figures->local.received.msgs, there = figures->remote.received.msgs;
	const double share = figures->sample_share;

	if (sampler->sampled)
		return share * sampler->sampled_s / (double)sampler->sampled;
	/* The time divided by the messages of one side is a round trip. */
	if (figures->one_sided)
		return here ? share * local->elapsed_s / (double)here : 0;
	/* What one side received and the other has no answer to is half of no round trip. */
	if (share < 1 ? !here || !there : !here && !there)
		return 0;
	return (here ? local : remote)->elapsed_s / ((double)here + (double)there);
}

static void figures_fill(enum measure measure, struct figures *figures)
{
	const struct account *local = &figures->local_account, *remote = &figures->remote_account;
	const struct node *l = &figures->local, *r = &figures->remote;

	compute_node(local, remote, &figures->local);
	compute_node(remote, local, &figures->remote);
	figures->latency_s = figures_latency(figures);
	figures->rate = figures_rate(l->received.msgs, l->received_s, r->received.msgs, r->received_s);
	figures->send_bandwidth = figures_rate(l->sent.bytes, l->sent_s, r->sent.bytes, r->sent_s);
	figures->recv_bandwidth = figures_rate(l->received.bytes, l->received_s, r->received.bytes, r->received_s);
	if (measure == MEASURE_LATENCY)
		figures->lost = local->lost + remote->lost;
	else if (!figures->one_sided)
		figures->lost = total_lost(figures);
	/* Of the same messages as the latency; the rates of others include the waits for lost ones. */
	if (measure == MEASURE_LATENCY && !figures->lost && figures->latency_s > 0)
		figures->rate = 1 / figures->latency_s;
	compute_costs(figures);
}

void figures_compute(enum measure measure, const struct account *local, const struct account *remote,
		     double sample_share, struct figures *figures)
{
	*figures = (struct figures){.local_account = *local, .remote_account = *remote, .sample_share = sample_share};
	figures_fill(measure, figures);
}

void figures_compute_own(enum measure measure, const struct account *local, double sample_share,
			 struct figures *figures)
{
	*figures =
		(struct figures){.local_account = *local,
				 /* Also rates for the other side, such as those of READ, refer to this side's time. */
				 .remote_account.elapsed_s = local->elapsed_s,
				 .sample_share = sample_share,
				 .partial = true,
				 .one_sided = true};
	figures_fill(measure, figures);
	/* Both directions: over RC and XRC what completed has arrived. */
	if (measure == MEASURE_BANDWIDTH && figures->local.sent.msgs && figures->local.received.msgs) {
		figures->recv_bandwidth += figures->send_bandwidth;
		figures->rate += (double)figures->local.sent.msgs / local->elapsed_s;
	}
}

void figures_of_mean(enum measure measure, double mean, uint64_t size, struct figures *figures)
{
	*figures = (struct figures){0};
	if (measure == MEASURE_LATENCY)
		figures->latency_s = mean;
	else
		figures->rate = measure == MEASURE_RATE ? mean : mean / (double)size;
	if (measure == MEASURE_BANDWIDTH || measure == MEASURE_BANDWIDTHS)
		figures->recv_bandwidth = mean;
}
