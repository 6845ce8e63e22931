// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a run does, when it begins and ends, and how many messages make its samples. See measurement.h. */
#include "session/measure/measurement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frames/frame.h"
#include "stats/clock.h"
#include "util/log.h"

#define SECOND_NS	1e9
#define MAX_RAW_SAMPLES (1U << 24) /* 128 MiB */

/* --latency_gap. A classic peer expects strict ping-pongs, and not a message more than -n. */
static bool takes_turns(const struct session *session)
{
	return session->params.verbs.takes_turns && session->comm.traits->takes_turns;
}

bool session_only_answers(const struct session *session)
{
	return session->comm.traits->silent && session->params.verbs.takes_turns && !session->traffic.begins;
}

uint64_t session_messages(const struct session *session, uint64_t samples)
{
	if (session->traffic.metric != METRIC_LAT || session->traffic.bursts ||
	    (session->traffic.ping_pong && !session->comm.traits->first_is_no_sample))
		return samples;
	return takes_turns(session) ? 3 * samples + 1 : samples + 1;
}

uint64_t session_samples(const struct session *session, uint64_t messages)
{
	if (session->traffic.metric != METRIC_LAT || session->traffic.bursts || !messages)
		return messages;
	return takes_turns(session) ? (messages - 1) / 3 : messages - 1;
}

uint64_t session_messages_due(const struct session *session, const struct run *run)
{
	const bool may_stay_out = session->comm.traits->silent && session->traffic.ping_pong && run->plan.iters;

	return run->plan.iters - may_stay_out;
}

uint64_t session_copies(const struct session *session)
{
	return session->params.verbs.group.is_used ? session->params.queues.num_qps : 1;
}

unsigned session_size_number(const struct session *session, uint64_t size)
{
	return session->params.verbs.all_sizes ? sweep_count(&session->params.verbs.sweep, size) : 1;
}

bool session_next_size(const struct session *session, uint64_t *size)
{
	return session->params.verbs.all_sizes && sweep_next(&session->params.verbs.sweep, session->largest, size);
}

size_t session_raw_samples(const struct session *session, uint64_t samples)
{
	const struct report_config *report = &session->params.report;

	if (!report->histogram && !report->unsorted)
		return 0;
	return samples < MAX_RAW_SAMPLES ? samples : MAX_RAW_SAMPLES;
}

/* --rate_limit by the program. A receiver needs it, too: it may have to wait, and its clock starts after a burst. */
static void fill_rate(const struct session *session, struct run *run)
{
	const struct params *params = &session->params;
	const double limit = params_message_limit(params, run->plan.size);
	const uint32_t list = params->verbs.post_list;

	run->plan.begin_after = 1;
	if (!(limit > 0))
		return;
	run->plan.burst_size = params_burst(params, run->plan.size);
	run->plan.message_cycles = clock_calibrate()->cycles_per_second / limit;
	/* The first post: whole lists whose time has passed. */
	run->plan.begin_after = run->plan.burst_size < list ? list : run->plan.burst_size / list * list;
	if (session->traffic.receives && !session->traffic.posts)
		run->plan.begin_after *= session_copies(session);
}

void session_fill_run(const struct session *session, uint64_t size, struct run *run)
{
	const struct params *params = &session->params;
	const struct resources *resources = &session->resources;
	const bool latency = session->traffic.metric == METRIC_LAT;

	run->queues = resources_all_queues(resources);
	run->plan.opcode = session->traffic.opcode;
	run->plan.inline_data = resources_inlines(resources, size);
	run->plan.size = size;
	run->plan.iters = params_by_time(params) ? 0 : session_messages(session, params->test.iters);
	run->plan.tx_depth = params->verbs.tx_depth;
	run->plan.rx_depth = params->verbs.rx_depth;
	run->plan.signals_all = session->signals_all;
	run->plan.yields = session->device.is_software && !params->verbs.events;
	run->plan.credits_restart = !session->comm.traits->credits_last;
	run->plan.cq_mod = params_cq_mod(params, size);
	run->plan.post_list = params->verbs.post_list;
	run->plan.recv_post_list = params->verbs.recv_post_list;
	run->plan.cqe_poll = params->queues.cqe_poll;
	run->plan.dynamic_poll = !params->queues.disable_dynamic_polling && !latency;
	/* A receiver sees when messages arrive, not when they were posted: it has no peak. */
	run->plan.want_peak = !latency && !session->params.test.no_peak &&
			      session->params.verbs.num_threads == 1 /* no common peak */ && session->traffic.posts &&
			      !session->traffic.forwards;
	run->plan.per_port = params->verbs.per_port;
	run->plan.by_queue = session->by_queue;
	run->plan.end_sample_cycles = UINT64_MAX;
	run->plan.end_cycles = UINT64_MAX;
	run->plan.gap_cycles =
		session_only_answers(session) ? 0 : clock_ns_to_cycles(params->rate.latency_gap_us * 1e3);
	run->plan.takes_turns = takes_turns(session);
	/* The mark is a message without payload, and a frame is never empty. */
	run->plan.marks_held = size && session->traffic.ping_pong && session->comm.traits->takes_turns &&
			       !run->plan.takes_turns && !params->verbs.data_validation &&
			       !session->traffic.transport->frames;
	run->plan.begins = session->traffic.begins;
	run->plan.recv_header_bytes = session->traffic.transport->recv_header_bytes;
	fill_rate(session, run);
	session_load_fill(session, run);
	/* Options are not exchanged: the peer may have been given another size. A frame is padded. */
	if (!session->comm.traits->negotiates && !session->traffic.transport->frames &&
	    (!latency || (session->traffic.ping_pong && !params->spec.with_imm)))
		run->plan.arrival_bytes = (uint32_t)size + run->plan.recv_header_bytes;
}

void session_take_window(const struct session *session, struct run *run)
{
	const bool whole = params_by_time(&session->params) && session->comm.traits->starts_at_barrier &&
			   !run->result.stopped && !session->comm.done.stopped;

	if (!(run->plan.message_cycles > 0) || session->traffic.posts || !session->traffic.receives || !whole)
		return;
	run->result.begin_cycles = run->plan.begin_sample_cycles;
	run->result.finish_cycles = run->plan.end_sample_cycles;
	run->result.unrated = 0;
	memset(run->result.port_unrated, 0, sizeof(run->result.port_unrated));
}

void session_start_clock(struct run_progress *progress, struct run *run, uint64_t now)
{
	const struct session *session = progress->session;
	const struct params *params = &session->params;

	progress->start_cycles = progress->beat_cycles = progress->idle_cycles = now;
	progress->peer_messages = session->comm.interim;
	progress->interval_end = params_by_time(params) && !params->test.run_infinitely
					 ? now + clock_ns_to_cycles((double)params->test.duration_s * SECOND_NS)
					 : UINT64_MAX;
	session_start_intervals(progress, now);
	progress->next_heartbeat = progress->heartbeat_cycles ? now + progress->heartbeat_cycles : UINT64_MAX;
	run->hooks.next_tick_cycles = session_next_tick(progress);
	if (params_by_time(params) && !params->test.run_infinitely) {
		const uint64_t margin = clock_ns_to_cycles(params->test.margin_s * SECOND_NS);
		const uint64_t end = now + clock_ns_to_cycles(params->test.duration_s * SECOND_NS);

		run->plan.begin_sample_cycles = now + margin;
		run->plan.end_sample_cycles = end - margin;
		run->plan.over_cycles = end;
		/* A side that only answers ends when the other says that it is done; a classic peer does not say so. */
		if (session->traffic.initiator || !session->comm.traits->announces_done)
			run->plan.end_cycles = end;
	}
	session_load_bound(session, run, now);
	/* Until the first answer arrives nothing counts, and each look is a tick that may start the clock. */
	if (progress->awaits_peer) {
		run->plan.begin_sample_cycles = UINT64_MAX;
		run->plan.end_cycles = UINT64_MAX;
		run->hooks.next_tick_cycles = 0;
	}
}

int session_open_bursts(struct session *session, struct run *run, unsigned before, struct burst_plan *burst)
{
	const struct params *params = &session->params;
	const bool asks = session->traffic.active;
	const bool goes_by_messages = !asks && !params_given(params, "reply_every");

	*burst = (struct burst_plan){0};
	if (!session->traffic.bursts)
		return 0;
	*burst = (struct burst_plan){
		.reply_every = goes_by_messages ? 0 : params->ethernet.reply_every,
		.mark_offset = frame_header_bytes(&session->params.verbs.frames.sent),
		.first = before * run->plan.iters,
		.end = session_size_number(session, session->largest) * run->plan.iters,
		.early = asks ? NULL : &session->early,
	};
	run->plan.burst = burst;
	run->plan.burst_size = params_burst(params, run->plan.size);
	if (!asks)
		return 0;
	burst->stamps = calloc(run->plan.burst_size / burst->reply_every + 1, sizeof(*burst->stamps));
	if (burst->stamps)
		return 0;
	return log_fail(-ENOMEM, "no memory for the send times of a burst of %u messages", run->plan.burst_size);
}

void session_report_lost_of_bursts(const struct session *session, const struct run *run)
{
	const uint64_t lost = run->result.lost, size = run->plan.size;

	if (!lost)
		return;
	if (session->traffic.active)
		log_warning("%llu of %llu frames of %llu bytes were not answered: they or their answers were lost",
			    (unsigned long long)lost, (unsigned long long)(lost + run->result.received),
			    (unsigned long long)size);
	else
		log_warning("%llu of %llu messages of %llu bytes were lost", (unsigned long long)lost,
			    (unsigned long long)(lost + run->result.received), (unsigned long long)size);
}
