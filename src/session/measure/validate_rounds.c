// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The order in which a message size with --data_validation is measured. It consists of rounds of no more messages than
 * there are slots, so that all that arrived can be checked at the end of a round:
 *
 *   agree   how many messages of each queue pair are next; the last round has been checked by then
 *   fill    the data's side writes its messages, the other side fills its slots as vacant; receives are posted
 *   go      both are ready
 *   move    the loop that every test runs; only its time is measured
 *   check   validate_check.c, on the side where the data arrives
 *
 * Called by measure.c. Message numbers continue from round to round and from size to size.
 */
#include "session/measure/measurement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory/pattern.h"
#include "stats/clock.h"
#include "util/arith.h"
#include "util/log.h"
#include "util/stop.h"
#include "verbs/memory/mr.h"

/* By time, how long a round should take: long compared to the time between rounds, short compared to the run. */
#define SHORT_ROUND_S 0.1
#define LONG_ROUND_S  0.5

/* The rounds of one message size. */
struct rounds {
	struct session *session;
	struct run *total;
	struct run_progress *progress;
	uint64_t size;
	uint64_t left; /* messages of each queue pair to measure; UINT64_MAX by time */
	uint32_t most; /* maximum messages of a round */
	bool by_time;
	uint64_t begin_sample_cycles; /* rounds that begin in this window are in the averages */
	uint64_t end_sample_cycles;
	uint64_t end_cycles;
	uint64_t sampled_cycles;
};

/* Messages of the shortest round. */
static uint32_t fewest(const struct session *session)
{
	const uint32_t granule = session->resources.slots.granule;
	const uint32_t one_sample = (uint32_t)session_messages(session, 1);

	return granule > one_sample ? granule : one_sample;
}

static uint32_t round_down(uint64_t messages, uint64_t granule)
{
	return (uint32_t)(messages / granule * granule);
}

/*
 * Maximum. If messages may be lost, left over receives need room besides those of a round, and a round has no more
 * messages than receives: none must be dropped for lack of one.
 */
static uint32_t limit(const struct session *session)
{
	const struct slot_grid *slots = &session->resources.slots;
	const uint32_t list = session->params.verbs.recv_post_list;
	const uint32_t receives = session->params.verbs.rx_depth / list * list / session_sharers(session);
	uint32_t most = slots->count;

	/* A shared queue has slots for a power of two of queue pairs. */
	if (session_sharers(session) > 1)
		most /= 2;
	if (session->traffic.transport->reliable)
		return most;
	most /= 2;
	if (session->traffic.receives && receives < most)
		most = receives;
	return most < slots->granule ? slots->granule : most;
}

/* The number that this side is ready for. */
static uint32_t next_round(const struct rounds *rounds)
{
	const struct slot_grid *slots = &rounds->session->resources.slots;
	uint64_t samples = session_samples(rounds->session, rounds->most);

	if (rounds->session->ending.interrupted || (rounds->by_time && clock_cycles() >= rounds->end_cycles))
		return 0;
	if (!rounds->by_time && rounds->left < samples)
		samples = rounds->left;
	else if (!samples)
		return rounds->most; /* rounds_agree() refuses it */
	return samples ? round_down(session_messages(rounds->session, samples), slots->granule) : 0;
}

/* The user may stop this side while it waits; the peer relies on what was sent, so the answer is still read. */
static int receive_round(struct session *session, struct comm_round *round)
{
	int ret = comm_receive(&session->comm, WIRE_ROUND, round);

	if (ret != -EINTR || session->ending.interrupted)
		return ret;
	stop_flag = 0;
	session->ending.interrupted = true;
	return comm_receive(&session->comm, WIRE_ROUND, round);
}

static int exchange_round(struct session *session, const struct comm_round *local, struct comm_round *remote)
{
	int ret = comm_transmit(&session->comm, WIRE_ROUND, local);

	return ret ? ret : receive_round(session, remote);
}

/*
 * Both come to the same number: the smaller one, in whole lists of both. 0: there is no next round. The peer's number
 * never exceeds what this side is ready for, and each round makes progress.
 */
static int rounds_agree(struct rounds *rounds, uint32_t *messages)
{
	const uint32_t granule = rounds->session->resources.slots.granule;
	const struct comm_round local = {.messages = next_round(rounds), .granule = granule};
	struct comm_round remote;
	int ret = exchange_round(rounds->session, &local, &remote);

	if (ret)
		return ret;
	*messages = local.messages < remote.messages ? local.messages : remote.messages;
	if (!*messages)
		return 0;
	*messages = round_down(*messages, arith_common_multiple(granule, remote.granule));
	if (session_samples(rounds->session, *messages))
		return 0;
	if (*messages)
		log_error("the peer %s wants a --data_validation round of %u message, which cannot be measured",
			  comm_peer(&rounds->session->comm), *messages);
	else
		log_error("lists of %u messages on this side and of %u on the peer cannot fill a round of "
			  "--data_validation: give both the same -l and --recv_post_list",
			  granule, remote.granule);
	return -EPROTO;
}

static int go(struct rounds *rounds, uint32_t messages)
{
	const struct comm_round local = {
		.messages = messages,
		.granule = rounds->session->resources.slots.granule,
	};
	struct comm_round remote;
	int ret = exchange_round(rounds->session, &local, &remote);

	if (!ret && remote.messages != messages) {
		log_error("the peer %s expects a round of %u messages, this side of %u",
			  comm_peer(&rounds->session->comm), remote.messages, messages);
		ret = -EPROTO;
	}
	return ret;
}

/* --- filling --- */

static void rounds_fill(struct rounds *rounds, uint32_t messages)
{
	struct session *session = rounds->session;
	const struct resources *resources = &session->resources;
	const uint64_t first = session->validation.next_message;
	const bool is_server = !session->comm.client;

	for (unsigned qp = 0; qp < resources->num_qps; qp++) {
		const struct buffer *buffer = mr_buffer(resources, qp);
		struct pattern_source source = {.of_server = is_server, .qp = qp};

		for (uint32_t n = 0; session->traffic.source && n < messages; n++) {
			source.message = first + n;
			pattern_fill(buffer, session_source_slot(session, qp, n), rounds->size, &source,
				     false /* vacant */);
		}
		source.of_server = !is_server;
		for (uint32_t n = 0; session->traffic.sink && n < messages; n++) {
			uint8_t *slot = session_sink_slot(session, qp, n);

			source.message = first + n;
			pattern_fill(buffer, slot, rounds->size, &source, true /* vacant */);
			/* The byte that a write ping-pong waits for counts from 1. */
			if (session->traffic.polls_memory)
				buffer_copy_in(buffer, slot + rounds->size - 1, "", 1);
		}
	}
}

/* Posts receives for the round, and records where the first arrival of each queue pair will be. */
static int rounds_post_receives(struct session *session, struct run *round)
{
	const struct resources *resources = &session->resources;
	int ret;

	if (!session->traffic.receives)
		return 0;
	ret = loop_post_receives(round);
	if (ret)
		return log_fail(ret, "cannot post receives: %s", strerror(-ret));
	for (unsigned i = 0; i < resources->num_rx; i++) {
		const struct rx_queue *rx = &resources->rx[i];

		session->validation.first_arrival[i] = (rx->offset - (uint64_t)rx->posted * rx->step) & (rx->span - 1);
	}
	return 0;
}

/* --- moving --- */

static void begin_round(struct rounds *rounds, struct run *round, uint32_t messages)
{
	struct validation *validation = &rounds->session->validation;
	struct run_progress *progress = rounds->progress;

	*round = *rounds->total;
	round->plan.iters = messages;
	round->plan.all_iters = rounds->by_time ? messages : rounds->session->params.test.iters;
	round->plan.slots = &validation->slots;
	round->result = (struct run_result){0};
	round->hooks.next_tick_cycles = progress->next_heartbeat;
	validation->slots.first_message = validation->next_message;
	memset(validation->slots.num_arrivals, 0,
	       rounds->session->resources.num_qps * sizeof(*validation->slots.num_arrivals));
	progress->earlier =
		progress->counts_arrivals ? rounds->total->result.received : rounds->total->result.completed;
	progress->done_sent = false;
	progress->stop_sent = false;
	progress->idle_since = 0;
}

static void add_up(struct rounds *rounds, const struct run_result *round, uint64_t began)
{
	struct run_result *total = &rounds->total->result;

	total->posted += round->posted;
	total->completed += round->completed;
	total->received += round->received;
	total->sent_all = round->sent_all;
	total->stopped = round->stopped;
	total->failure = round->failure;
	if (round->open_cycles > total->open_cycles) {
		total->open_cycles = round->open_cycles;
		total->open_answered = round->open_answered;
	}
	if (began < rounds->begin_sample_cycles || began >= rounds->end_sample_cycles)
		return;
	total->sampled += round->sampled;
	total->unrated += round->unrated;
	if (round->peak > total->peak)
		total->peak = round->peak;
	rounds->sampled_cycles += round->finish_cycles - round->begin_cycles;
	total->begin_cycles = 1;
	total->finish_cycles = 1 + rounds->sampled_cycles;
}

/* By time: enough messages for a sufficiently long round, and no more. */
static void adapt(struct rounds *rounds, const struct run *round, uint32_t messages)
{
	const double seconds =
		clock_cycles_to_seconds((double)(round->result.finish_cycles - round->result.begin_cycles));

	if (!rounds->by_time ||
	    session_samples(rounds->session, messages) < session_samples(rounds->session, rounds->most))
		return;
	if (seconds < SHORT_ROUND_S && rounds->most * 2 <= limit(rounds->session))
		rounds->most *= 2;
	else if (seconds > LONG_ROUND_S && rounds->most / 2 >= fewest(rounds->session))
		rounds->most /= 2;
}

/* One round, agreed on. 0 or -errno, reported. */
static int run_round(struct rounds *rounds, uint32_t messages)
{
	struct session *session = rounds->session;
	const uint64_t everything = (uint64_t)messages * session->resources.num_qps;
	struct run round;
	bool pushed, pulled, sent;
	uint64_t began;
	int ret;

	begin_round(rounds, &round, messages);
	ret = rounds_post_receives(session, &round);
	if (ret)
		return ret;
	rounds_fill(rounds, messages);
	ret = go(rounds, messages);
	if (ret)
		return ret;
	began = clock_cycles();
	ret = session_run_loop(session, &round, rounds->progress);
	if (!ret && session->traffic.peer_measures)
		ret = comm_receive(&session->comm, MESSAGE_DONE, NULL);
	add_up(rounds, &round.result, began);
	if (ret)
		return ret;
	session->validation.found.moved += everything;
	if (session->traffic.source)
		session->validation.found.sent += everything;
	session->validation.total.messages += round.result.posted + session->comm.done.messages;
	/* A round that the user stopped is not checked: neither side knows which messages were in flight. */
	pushed = !session->ending.interrupted && !session->comm.done.stopped &&
		 session->comm.done.messages >= everything;
	pulled = !session->ending.interrupted && session->traffic.pulls && round.result.completed >= everything;
	if (session->traffic.sink && (session->traffic.pulls ? pulled : pushed))
		session_inspect_round(session, rounds->size, messages);
	if (session->traffic.source && session->traffic.pulls && pushed)
		session_inspect_source(session, messages);
	sent = round.result.posted >= everything && !round.result.stopped && !session->comm.done.stopped;
	if (session->traffic.source && (session->traffic.pulls ? pushed : sent))
		session->validation.found.due += everything;
	session->validation.next_message += messages;
	if (!rounds->by_time)
		rounds->left -= session_samples(session, messages);
	adapt(rounds, &round, messages);
	return 0;
}

int session_run_rounds(struct session *session, struct run *total, struct run_progress *progress)
{
	struct rounds rounds = {
		.session = session,
		.total = total,
		.progress = progress,
		.size = total->plan.size,
		.by_time = params_by_time(&session->params),
		.left = session->params.test.iters,
		.most = limit(session),
		.end_sample_cycles = UINT64_MAX,
		.end_cycles = UINT64_MAX,
	};
	uint32_t messages;
	int ret;

	session_start_clock(progress, total, clock_cycles());
	if (rounds.by_time) {
		rounds.begin_sample_cycles = total->plan.begin_sample_cycles;
		rounds.end_sample_cycles = total->plan.end_sample_cycles;
		rounds.end_cycles = total->plan.end_cycles;
		if (total->plan.end_cycles != UINT64_MAX)
			rounds.most = fewest(session) > 2 ? fewest(session) : 2;
		/* the other side ends it, or this side after the time for which it waits for a silent peer */
		else
			rounds.end_cycles =
				clock_cycles() + clock_ns_to_cycles(session->params.test.duration_s * 1e9 +
								    (double)params_timeout_ms(&session->params) * 1e6);
	} else {
		progress->planned = session->params.test.iters * session->resources.num_qps;
	}
	/* Rounds end by their count; each latency sample is still checked against the window. */
	total->plan.end_cycles = UINT64_MAX;
	if (!total->plan.latency) {
		total->plan.begin_sample_cycles = 0;
		total->plan.end_sample_cycles = UINT64_MAX;
	}
	do {
		ret = rounds_agree(&rounds, &messages);
		if (!ret && messages)
			ret = run_round(&rounds, messages);
	} while (!ret && messages);
	return ret;
}

int session_validation_open(struct session *session)
{
	struct validation *validation = &session->validation;
	const uint32_t num_qps = session->resources.num_qps;
	const uint32_t capacity = session->resources.slots.count;

	free(validation->slots.arrivals);
	free(validation->seen);
	validation->slots.capacity = capacity;
	validation->slots.arrivals = calloc((size_t)num_qps * capacity, sizeof(*validation->slots.arrivals));
	validation->seen = calloc(capacity, sizeof(*validation->seen));
	if (!validation->first_arrival)
		validation->first_arrival = calloc(num_qps, sizeof(*validation->first_arrival));
	if (!validation->slots.num_arrivals)
		validation->slots.num_arrivals = calloc(num_qps, sizeof(*validation->slots.num_arrivals));
	if (validation->slots.arrivals && validation->seen && validation->first_arrival &&
	    validation->slots.num_arrivals)
		return 0;
	return log_fail(-ENOMEM, "no memory to record arrivals on %u queue pairs; lower -q", num_qps);
}

void session_validation_close(struct session *session)
{
	struct validation *validation = &session->validation;

	free(validation->slots.arrivals);
	free(validation->slots.num_arrivals);
	free(validation->first_arrival);
	free(validation->seen);
}
