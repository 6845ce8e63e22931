// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Raw Ethernet with --sizes, on a side that only receives. The other side does not say when it goes on to the next
 * size, and between two runs the first frames of it would find no receive: so all sizes are received in one run, which
 * counts them by the length of their frames (struct length_count). Called by measure.c.
 */
#include "session/measure/measurement.h"

#include <errno.h>
#include <stdlib.h>

#include "util/log.h"

static struct length_count *count_of(const struct session *session, uint64_t size)
{
	return &session->lengths[size - session->traffic.transport->trailer_bytes];
}

int session_open_lengths(struct session *session)
{
	uint64_t size = session->params.verbs.sweep.first;
	struct run run = {0};

	if (!session->comm.traits->silent || !session->params.verbs.all_sizes || session->traffic.metric != METRIC_BW ||
	    !session->traffic.receives)
		return 0;
	session->lengths = calloc(session->largest, sizeof(*session->lengths));
	if (!session->lengths)
		return log_fail(-ENOMEM, "no memory for the counts of lengths up to %llu bytes",
				(unsigned long long)session->largest);
	do {
		session_fill_run(session, size, &run);
		*count_of(session, size) = (struct length_count){
			.left = run.plan.iters * run.queues.num_tx,
			.begin_after = run.plan.begin_after,
		};
	} while (session_next_size(session, &size));
	return 0;
}

void session_plan_lengths(const struct session *session, struct run *run)
{
	run->plan.lengths = session->lengths;
	run->plan.num_lengths = (uint32_t)(count_of(session, session->largest) - session->lengths) + 1;
	run->plan.sees_others = session->params.verbs.frames.promiscuous || session->params.verbs.frames.sniffer;
	run->plan.iters *= session_size_number(session, session->largest);
}

bool session_take_length(const struct session *session, uint64_t size, struct run *run)
{
	const struct length_count *count = count_of(session, size);

	run->plan.size = size;
	run->plan.iters = session->params.test.iters;
	run->result = (struct run_result){
		.received = count->frames,
		.sampled = count->frames,
		.unrated = count->unrated,
		.begin_cycles = count->begin_cycles,
		.finish_cycles = count->end_cycles,
	};
	return count->frames;
}

bool session_length_is_cut(const struct session *session, uint64_t size)
{
	const bool is_short = count_of(session, size)->left;

	while (session_next_size(session, &size))
		if (count_of(session, size)->frames)
			return false;
	return is_short;
}
