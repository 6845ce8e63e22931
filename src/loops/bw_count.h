/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counting in a bandwidth loop: what is in the sample window, in the margins, of each port and of each queue. */
#pragma once

#include <string.h>

#include "loops/bw_flags.h"
#include "loops/bw_work.h"
#include "loops/post.h"

static void update_sampled(struct run *run, unsigned flags)
{
	if (!(flags & BW_CLOCK))
		run->result.sampled = flags & BW_SENDS ? run->result.completed : run->result.received;
}

/* Messages outside the sample window. */
static void count_margin(struct run *run, struct work *work, uint64_t moved, unsigned flags)
{
	const bool both = (flags & BW_SENDS) && (flags & BW_RECEIVES);

	if (both && work->now < run->plan.begin_sample_cycles)
		work->early_arrivals = run->result.received;
	if (work->now <= run->plan.over_cycles)
		run->result.margins += moved;
}

/* BW_PORTS: the same per port. */
static void count_ports(struct run *run, const struct work *work)
{
	const bool is_sampled = work->now >= run->plan.begin_sample_cycles && work->now <= run->plan.end_sample_cycles;

	for (unsigned i = 0; i < 2; i++) {
		run->result.port_moved[i] += work->port_moved[i];
		run->result.port_sampled[i] += is_sampled ? work->port_moved[i] : 0;
	}
}

/* BW_QUEUES: counts what the last poll found, or the messages before the one that ended the run with an error. */
static void count_queues(struct run *run, const struct work *work, uint64_t messages, unsigned flags)
{
	const struct queue_counts *counts = &run->plan.by_queue;
	const bool is_sampled = (flags & BW_CLOCK) && work->now >= run->plan.begin_sample_cycles &&
				work->now <= run->plan.end_sample_cycles;

	for (uint64_t i = 0; i < messages; i++) {
		counts->received[work->wc[i].wr_id]++;
		counts->sampled[work->wc[i].wr_id] += is_sampled;
	}
}

/* BW_QUEUES: if everything that arrived is measured. */
static void sample_queues(struct run *run)
{
	memcpy(run->plan.by_queue.sampled, run->plan.by_queue.received,
	       run->queues.num_rx * sizeof(*run->plan.by_queue.sampled));
}

/* BW_CLOCK: messages that moved at work->now; with -b those that completed. */
LOOP_INLINE void count_sampled(struct run *run, struct work *work, uint64_t moved, const unsigned flags)
{
	const bool both = (flags & BW_SENDS) && (flags & BW_RECEIVES);

	if (flags & BW_PORTS)
		count_ports(run, work);
	if (work->now >= run->plan.begin_sample_cycles && work->now <= run->plan.end_sample_cycles) {
		run->result.sampled += moved;
		if (both)
			run->result.sampled_arrivals = run->result.received - work->early_arrivals;
	} else {
		count_margin(run, work, moved, flags);
	}
}
