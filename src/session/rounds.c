// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In which order is a validated message size measured (--data_validation)? In rounds of no more messages than
 * there are places for, so that whatever arrived can still be looked at when all of it is there:
 *
 *   agree   how many messages of each queue pair come next; the last round has been checked by then
 *   fill    the data's side writes its messages, the other side what a vacant place holds; receives are posted
 *   go      both are ready
 *   move    the loop that every test runs, and only its time is measured
 *   check   inspect.c, on the side where the data arrives
 *
 * Called by measure.c. Message numbers go on from round to round and from size to size.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory/pattern.h"
#include "session/state.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/stop.h"
#include "verbs/mr.h"

/* By time, how long a round should take: long beside what lies between rounds, short beside the whole run. */
#define SHORT_ROUND_S 0.1
#define LONG_ROUND_S  0.5

/* The rounds of one message size. */
struct rounds {
	struct session *session;
	struct run *total;
	struct pace *pace;
	uint64_t size;
	uint64_t left; /* messages of each queue pair to measure; UINT64_MAX by time */
	uint32_t most; /* messages of a round */
	bool by_time;
	uint64_t begin_sample_cycles; /* rounds that begin within these are in the averages */
	uint64_t end_sample_cycles;
	uint64_t end_cycles;
	uint64_t sampled_cycles;
};

/* Messages of the shortest round. */
static uint32_t fewest(const struct session *session)
{
	const uint32_t granule = session->resources.places.granule;
	const uint32_t one_sample = (uint32_t)session_messages(session, 1);

	return granule > one_sample ? granule : one_sample;
}

static uint32_t round_down(uint64_t messages, uint64_t granule)
{
	return (uint32_t)(messages / granule * granule);
}

/*
 * At most. Where messages may be lost, what is left over of receives needs room beside a round, and a round
 * has no more messages than receives: none shall be dropped for want of one.
 */
static uint32_t limit(const struct session *session)
{
	const struct place_grid *places = &session->resources.places;
	const uint32_t list = session->params.recv_post_list;
	uint32_t most = places->count;

	if (session->traffic.transport->reliable)
		return most;
	most /= 2;
	if (session->traffic.receives && session->resources.rx_depth / list * list < most)
		most = session->resources.rx_depth / list * list;
	return most < places->granule ? places->granule : most;
}

/* What this side is ready for. */
static uint32_t next_round(const struct rounds *rounds)
{
	const struct place_grid *places = &rounds->session->resources.places;
	uint64_t samples = session_samples(rounds->session, rounds->most);

	if (rounds->session->interrupted || (rounds->by_time && clock_cycles() >= rounds->end_cycles))
		return 0;
	if (!rounds->by_time && rounds->left < samples)
		samples = rounds->left;
	else if (!samples)
		return rounds->most; /* agree() refuses it */
	return samples ? round_down(session_messages(rounds->session, samples), places->granule) : 0;
}

/* The user may stop this side while it waits; the peer counts on what was said, so that the answer is still read. */
static int receive_round(struct session *session, struct comm_round *round)
{
	int ret = comm_receive_round(&session->comm, round);

	if (ret != -EINTR || session->interrupted)
		return ret;
	stop_flag = 0;
	session->interrupted = true;
	return comm_receive_round(&session->comm, round);
}

static int exchange_round(struct session *session, const struct comm_round *local, struct comm_round *remote)
{
	int ret = comm_send_round(&session->comm, local);

	return ret ? ret : receive_round(session, remote);
}

/*
 * Both come to the same number: the smaller, in whole lists of both. 0: there is no next round. What the peer says is
 * never more than this side is ready for, and each round gets on with the size.
 */
static int agree(struct rounds *rounds, uint32_t *messages)
{
	const uint32_t granule = rounds->session->resources.places.granule;
	const struct comm_round local = {.messages = next_round(rounds), .granule = granule};
	struct comm_round remote;
	int ret = exchange_round(rounds->session, &local, &remote);

	if (ret)
		return ret;
	*messages = local.messages < remote.messages ? local.messages : remote.messages;
	if (!*messages)
		return 0;
	*messages = round_down(*messages, places_common_multiple(granule, remote.granule));
	if (session_samples(rounds->session, *messages))
		return 0;
	if (*messages)
		log_error("the peer %s wants a round of --data_validation with %u message, which measures nothing",
			  rounds->session->comm.conn.peer, *messages);
	else
		log_error("lists of %u messages on this side and of %u at the peer never fill a round of "
			  "--data_validation: give both the same -l and --recv_post_list",
			  granule, remote.granule);
	return -EPROTO;
}

static int go(struct rounds *rounds, uint32_t messages)
{
	const struct comm_round local = {
		.messages = messages,
		.granule = rounds->session->resources.places.granule,
	};
	struct comm_round remote;
	int ret = exchange_round(rounds->session, &local, &remote);

	if (!ret && remote.messages != messages) {
		log_error("the peer %s is about to exchange %u messages and this side %u",
			  rounds->session->comm.conn.peer, remote.messages, messages);
		ret = -EPROTO;
	}
	return ret;
}

/* --- filling --- */

uint8_t *session_source_place(const struct session *session, unsigned qp, uint32_t n)
{
	const struct resources *resources = &session->resources;
	uint8_t *first = session->traffic.pulls ? mr_recv_slot(resources, qp) : mr_send_slot(resources, qp);

	return first + n * resources->places.step;
}

uint8_t *session_sink_place(const struct session *session, unsigned qp, uint32_t n)
{
	const struct resources *resources = &session->resources;
	const struct rx_queue *rx = &resources->rx[qp];
	const uint64_t header = session->traffic.transport->recv_header_bytes;
	uint64_t offset = n * resources->places.step;

	if (session->traffic.pulls)
		return mr_send_slot(resources, qp) + offset;
	if (session->traffic.verb == VERB_WRITE)
		return mr_recv_slot(resources, qp) + offset;
	/* Receives go round and round: the n-th arrival of the round follows the last one of the round before. */
	offset = (session->validation.first_arrival[qp] + offset) & (rx->span - 1);
	return (uint8_t *)(uintptr_t)rx->base + offset + header;
}

static void fill(struct rounds *rounds, uint32_t messages)
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
			pattern_fill(buffer, session_source_place(session, qp, n), rounds->size, &source,
				     false /* vacant */);
		}
		source.of_server = !is_server;
		for (uint32_t n = 0; session->traffic.sink && n < messages; n++) {
			uint8_t *place = session_sink_place(session, qp, n);

			source.message = first + n;
			pattern_fill(buffer, place, rounds->size, &source, true /* vacant */);
			/* The byte that a write ping-pong waits for counts from 1. */
			if (session->traffic.polls_memory)
				buffer->ops->copy_in(buffer, place + rounds->size - 1, "", 1);
		}
	}
}

/* Receives for the round, and where its first arrival of each queue pair will be. */
static int post_receives(struct session *session, struct run *round)
{
	const struct resources *resources = &session->resources;
	int ret;

	if (!session->traffic.receives)
		return 0;
	ret = loop_post_receives(round);
	if (ret) {
		log_error("can't post receives: %s", strerror(-ret));
		return ret;
	}
	for (unsigned qp = 0; qp < resources->num_qps; qp++) {
		const struct rx_queue *rx = &resources->rx[qp];

		session->validation.first_arrival[qp] = (rx->offset - (uint64_t)rx->posted * rx->step) & (rx->span - 1);
	}
	return 0;
}

/* --- moving --- */

static void begin_round(struct rounds *rounds, struct run *round, uint32_t messages)
{
	struct validation *validation = &rounds->session->validation;
	struct pace *pace = rounds->pace;

	*round = *rounds->total;
	round->plan.iters = messages;
	round->plan.all_iters = rounds->by_time ? messages : rounds->session->params.iters;
	round->plan.places = &validation->places;
	round->result = (struct run_result){0};
	round->hooks.next_tick_cycles = pace->next_heartbeat;
	validation->places.first_message = validation->next_message;
	memset(validation->places.num_arrivals, 0,
	       rounds->session->resources.num_qps * sizeof(*validation->places.num_arrivals));
	pace->earlier = pace->counts_arrivals ? rounds->total->result.received : rounds->total->result.completed;
	pace->done_sent = false;
	pace->idle_since = 0;
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

/* By time: as many messages as take a good while, and no more. */
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
	bool pushed, pulled;
	uint64_t began;
	int ret;

	begin_round(rounds, &round, messages);
	ret = post_receives(session, &round);
	if (ret)
		return ret;
	fill(rounds, messages);
	ret = go(rounds, messages);
	if (ret)
		return ret;
	session->comm.done = (struct comm_done){0};
	began = clock_cycles();
	ret = session_run_loop(session, &round, rounds->pace);
	if (!ret && session->traffic.peer_measures)
		ret = comm_wait_done(&session->comm);
	add_up(rounds, &round.result, began);
	if (ret)
		return ret;
	session->validation.total.messages += round.result.posted + session->comm.done.messages;
	/* What a user cut short is left unchecked: nobody knows which messages were on their way. */
	pushed = !session->interrupted && !session->comm.done.stopped && session->comm.done.messages >= everything;
	pulled = !session->interrupted && session->traffic.pulls && round.result.completed >= everything;
	if (session->traffic.sink && (session->traffic.pulls ? pulled : pushed))
		session_inspect_round(session, rounds->size, messages);
	if (session->traffic.source && session->traffic.pulls && pushed)
		session_inspect_source(session, messages);
	session->validation.next_message += messages;
	if (!rounds->by_time)
		rounds->left -= session_samples(session, messages);
	adapt(rounds, &round, messages);
	return 0;
}

int session_run_rounds(struct session *session, struct run *total, struct pace *pace)
{
	struct rounds rounds = {
		.session = session,
		.total = total,
		.pace = pace,
		.size = total->plan.size,
		.by_time = params_by_time(&session->params),
		.left = session->params.iters,
		.most = limit(session),
		.end_sample_cycles = UINT64_MAX,
		.end_cycles = UINT64_MAX,
	};
	uint32_t messages;
	int ret;

	session_start_clock(pace, total, clock_cycles());
	if (rounds.by_time) {
		rounds.begin_sample_cycles = total->plan.begin_sample_cycles;
		rounds.end_sample_cycles = total->plan.end_sample_cycles;
		rounds.end_cycles = total->plan.end_cycles;
		if (total->plan.end_cycles != UINT64_MAX)
			rounds.most = fewest(session) > 2 ? fewest(session) : 2;
		else /* the other side ends it; if not, this one does, when it would have given up a silent peer */
			rounds.end_cycles = clock_cycles() + clock_ns_to_cycles(session->params.duration_s * 1e9 +
										(double)session->comm.timeout_ms * 1e6);
	} else {
		pace->planned = session->params.iters * session->resources.num_qps;
	}
	/* Rounds end by their count; a latency sample is still looked at one by one. */
	total->plan.end_cycles = UINT64_MAX;
	if (!total->plan.latency) {
		total->plan.begin_sample_cycles = 0;
		total->plan.end_sample_cycles = UINT64_MAX;
	}
	do {
		ret = agree(&rounds, &messages);
		if (!ret && messages)
			ret = run_round(&rounds, messages);
	} while (!ret && messages);
	return ret;
}

int session_validation_open(struct session *session)
{
	struct validation *validation = &session->validation;
	const uint32_t num_qps = session->resources.num_qps;
	const uint32_t capacity = session->resources.places.count;

	free(validation->places.arrivals);
	free(validation->seen);
	validation->places.capacity = capacity;
	validation->places.arrivals = calloc((size_t)num_qps * capacity, sizeof(*validation->places.arrivals));
	validation->seen = calloc(capacity, sizeof(*validation->seen));
	if (!validation->first_arrival)
		validation->first_arrival = calloc(num_qps, sizeof(*validation->first_arrival));
	if (!validation->places.num_arrivals)
		validation->places.num_arrivals = calloc(num_qps, sizeof(*validation->places.num_arrivals));
	if (validation->places.arrivals && validation->seen && validation->first_arrival &&
	    validation->places.num_arrivals)
		return 0;
	log_error("no memory to note what arrives on %u queue pairs; lower -q", num_qps);
	return -ENOMEM;
}

void session_validation_close(struct session *session)
{
	struct validation *validation = &session->validation;

	free(validation->places.arrivals);
	free(validation->places.num_arrivals);
	free(validation->first_arrival);
	free(validation->seen);
}
