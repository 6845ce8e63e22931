// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The row of several pairs. See group.h. */
#include "session/group/group.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "session/print/print.h"

int group_row_open(struct group_row *merged, unsigned num_pairs)
{
	*merged = (struct group_row){
		.list = calloc(num_pairs, sizeof(*merged->list)),
		.shares = calloc(num_pairs, sizeof(*merged->shares)),
	};
	if (merged->list && merged->shares)
		return 0;
	group_row_close(merged);
	return -ENOMEM;
}

void group_row_close(struct group_row *merged)
{
	free(merged->list);
	free(merged->shares);
	*merged = (struct group_row){0};
}

/* Of all pairs. */
struct pair_spans {
	struct spans of;
	int64_t error; /* the largest of a span */
	bool all;      /* all have a span, */
	bool known;    /* or moved nothing in the time that is missing */
};

static void add_span(struct pair_spans *spans, const struct member_slot *slot)
{
	if (slot->end_ns <= slot->begin_ns) {
		spans->all = false;
		spans->known &= !slot->row.iterations;
		return;
	}
	if (slot->error_ns > spans->error)
		spans->error = slot->error_ns;
	spans_add(&spans->of, slot->begin_ns, slot->end_ns);
}

static double share_of(const struct report_row *row)
{
	return row->latency ? latency_median(row->latency) : row->bw_average;
}

/*
 * What a pair moved in its time. With -b the row's rate is the sum of two, each over its own time, and the pair's time
 * is that of both: only the counts say what moved in it.
 */
static double moved_messages(const struct report_row *row)
{
	const uint64_t both = row->iterations_of[REPORT_OWN] + row->iterations_of[REPORT_PEER];

	return both ? (double)both : row->message_rate * row->seconds;
}

/*
 * Of all pairs: bytes and messages in their own times, per second of the common time. If that is unknown there is no
 * rate: rates of pairs that did not run together are never added up.
 */
static void take_rates(struct report_row *sum, const struct group_process *pairs, unsigned num_pairs,
		       const struct pair_spans *spans)
{
	double messages = 0;

	sum->bw_peak = 0; /* peaks of pairs do not add up */
	sum->seconds = sum->bw_average = sum->message_rate = NAN;
	if (!spans->of.any || !spans->known)
		return;
	sum->seconds = spans_seconds(&spans->of);
	for (unsigned i = 0; i < num_pairs; i++) {
		const struct report_row *row = &pairs[i].slot->row;

		if (!pairs[i].measured || !row->iterations)
			continue;
		messages += moved_messages(row);
	}
	sum->message_rate = messages / sum->seconds;
	sum->bw_average = sum->message_rate * (double)sum->size;
}

/* Uses the clock with the finest resolution. */
static void group_merge_samples(struct group_row *merged, const struct group_process *pairs, unsigned num_pairs)
{
	struct report_row *sum = &merged->row;

	latency_reset(&merged->samples);
	for (unsigned i = 0; i < num_pairs; i++)
		if (pairs[i].measured && pairs[i].slot->samples.tick_seconds < merged->samples.tick_seconds)
			merged->samples.tick_seconds = pairs[i].slot->samples.tick_seconds;
	for (unsigned i = 0; i < num_pairs; i++)
		if (pairs[i].measured)
			latency_add_scaled(&merged->samples, &pairs[i].slot->samples);
	sum->latency = &merged->samples;
}

static void list_pair(struct report_peer *listed, const struct group_process *pair)
{
	*listed = (struct report_peer){
		.address = pair->name,
		.host = pair->slot->host,
		.process = pair->slot->process,
		.row = pair->measured ? &pair->slot->row : NULL,
		.begin_s = NAN,
	};
}

/* Multicast: what one sent, and the mean of what was lost, as of several queue pairs of a receiver (sides.c). */
static void show_sent(struct report_row *sum, const struct report_row *sent, unsigned count)
{
	sum->iterations = sent->iterations;
	sum->seconds = sent->seconds;
	sum->bw_peak = sent->bw_peak;
	sum->bw_average = sent->bw_average;
	sum->message_rate = sent->message_rate;
	sum->first_arrivals = 0;
	if (sum->lost != REPORT_NOT_KNOWN)
		sum->lost = (sum->lost + count - 1) / count;
}

int group_row_make(struct group_row *merged, const struct group_process *pairs, unsigned num_pairs,
		   const struct report_row *sent)
{
	struct report_peers *peers = &merged->peers;
	struct report_row *sum = &merged->row;
	struct pair_spans spans = {.all = true, .known = true};
	unsigned num_shares = 0;

	*peers = (struct report_peers){.list = merged->list, .num_listed = num_pairs};
	for (unsigned i = 0; i < num_pairs; i++) {
		const struct member_slot *slot = pairs[i].slot;

		list_pair(&merged->list[i], &pairs[i]);
		if (!pairs[i].measured)
			continue;
		add_span(&spans, slot);
		if (!peers->count)
			*sum = slot->row;
		else if (slot->row.size != sum->size)
			return -EPROTO;
		else
			session_add_counts(sum, &slot->row);
		sum->cpu_percent = fmax(sum->cpu_percent, slot->row.cpu_percent);
		peers->count++;
		if (!isnan(share_of(&slot->row)))
			merged->shares[num_shares++] = share_of(&slot->row);
	}
	for (unsigned i = 0; i < num_pairs; i++)
		if (pairs[i].measured && pairs[i].slot->end_ns > pairs[i].slot->begin_ns)
			merged->list[i].begin_s = (double)(pairs[i].slot->begin_ns - spans.of.first_begin) / 1e9;
	if (num_shares < peers->count)
		num_shares = 0; /* of those that are known they would look like those of all */
	peers->least = peers->most = NAN;
	for (unsigned i = 0; i < num_shares; i++) {
		peers->least = fmin(peers->least, merged->shares[i]);
		peers->most = fmax(peers->most, merged->shares[i]);
	}
	peers->fairness = num_shares ? fairness_of(merged->shares, num_shares) : NAN;
	sum->overlap = spans.of.any && spans.all ? session_overlap(&spans.of, spans.error) : (struct report_overlap){0};
	sum->partial |= peers->count < num_pairs;
	if (sent)
		show_sent(sum, sent, peers->count);
	else
		take_rates(sum, pairs, num_pairs, &spans);
	if (sum->latency)
		group_merge_samples(merged, pairs, num_pairs);
	sum->peers = peers;
	return 0;
}
