// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Communication during a run. See link.h. */
#include "config.h"

#include "cmtime/link.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/clock.h"
#include "util/claim.h"
#include "util/log.h"

#define NS_PER_S 1e9

/* What is known of a peer in addition to the star's state; by peer. */
struct link_end {
	bool ready;
	unsigned step;	/* STEP_COUNT: between steps */
	int64_t lag_ns; /* this instance's clock minus its: the least that its messages show */
	bool has_figures[LINK_MAX_TESTS][STEP_COUNT][MEASURE_COUNT];
	struct conn_totals *totals[LINK_MAX_TESTS];   /* NULL: it has not delivered them */
	struct latency *full_connect[LINK_MAX_TESTS]; /* --limit_peers, of a client, of all measurements; likewise */
	double connections;			      /* of all tests, as it has counted them */
	char *facts;				      /* of --explain; NULL: likewise */
};

struct cmtime_link {
	struct star star;
	struct link_end *ends; /* one for each connection of the star */
	bool listens;	       /* this instance is a server */
	bool keeps_clients;    /* controller, with --limit_peers: what each has measured */
	int64_t made_ns;       /* before the tests, of claim_now_ns() */
	uint32_t rank, count;
	struct frame_peer *peers; /* count of them, by rank */
	bool ready;		  /* this instance is ready */
	bool all_ready;
	uint8_t vote, agreed; /* the highest so far with the next point, and that with the last one */
	struct frame alive;   /* with the step that this instance is at */
	struct conn_stats *merged[LINK_MAX_TESTS];	  /* controller only; NULL: no instance has delivered results */
	bool is_merged[LINK_MAX_TESTS];			  /* with the totals */
	const struct conn_totals *totals[LINK_MAX_TESTS]; /* likewise: its own; NULL: not delivered */
	struct latency *latency;			  /* controller only: decoded, and about to be added up */
	char aborted[MEMBER_NAME_SIZE + FRAME_REASON_SIZE];
};

static const char no_memory[] = "no memory for it";

/* The star is its first member. */
static struct cmtime_link *link_of_star(struct star *star)
{
	return (struct cmtime_link *)(void *)star;
}

static struct link_end *link_end_of(struct cmtime_link *link, const struct star_conn *peer)
{
	return &link->ends[peer - link->star.conns];
}

static void name_of(const struct cmtime_link *link, uint32_t rank, char text[MEMBER_NAME_SIZE])
{
	if (link->peers[rank].host[0])
		member_name(rank, link->peers[rank].listens, link->peers[rank].host, text);
	else
		snprintf(text, MEMBER_NAME_SIZE, rank ? "instance %" PRIu32 : "the controller", rank);
}

/* --- with the lock held --- */

/* The first reason counts; the controller forwards it. */
static void abort_by(struct cmtime_link *link, uint32_t rank, const char *reason)
{
	struct frame frame = {.type = MESSAGE_ABORT};
	char name[MEMBER_NAME_SIZE];

	if (link->star.is_over || link->star.released == STAR_LAST_POINT)
		return;
	link->star.is_over = true;
	name_of(link, rank, name);
	snprintf(link->aborted, sizeof(link->aborted), "%s: %s", name, reason);
	if (link->star.is_hub) {
		frame.abort.rank = rank;
		snprintf(frame.abort.reason, sizeof(frame.abort.reason), "%s", reason);
		star_send(&link->star, frame.type, &frame);
	}
	wakeup_ring(link->star.main);
}

static void conn_lost(struct star *star, struct star_conn *peer, const char *how)
{
	struct cmtime_link *link = link_of_star(star);
	const struct link_end *end = link_end_of(link, peer);
	const unsigned step = star->is_hub ? end->step : link->alive.step;
	const int what = (int)strcspn(how, ":"); /* and behind it why */
	char reason[FRAME_REASON_SIZE];

	if (step >= STEP_COUNT)
		snprintf(reason, sizeof(reason), "%.*s between two steps%s", what, how, how + what);
	else
		snprintf(reason, sizeof(reason), "%.*s %s \"%s\"%s", what, how,
			 star->is_hub ? "at step" : "while this instance was at", step_name((enum step)step),
			 how + what);
	abort_by(link, peer->rank, reason);
}

/*
 * To all who all are. What hundreds of instances say of themselves does not fit into a message, nor all these messages
 * into memory; then the controller alone knows it.
 */
static void send_peers(struct cmtime_link *link)
{
	struct frame frame = {.type = FRAME_PEERS, .peers = {link->count, link->peers}};
	struct frame_peer *copies = NULL;

	if (frame_encode(&frame, NULL, 0) > FRAME_MAX_SIZE) {
		copies = calloc(link->count, sizeof(*copies));
		for (uint32_t i = 0; copies && i < link->count; i++) {
			copies[i] = link->peers[i];
			copies[i].self.provenance[0] = '\0';
		}
		frame.peers.items = copies;
	}
	if (frame.peers.items)
		star_send(&link->star, frame.type, &frame);
	else
		abort_by(link, link->rank, "no memory for the list of instances");
	free(copies);
}

/* Controller: are all instances ready? */
static void look_for_ready(struct star *star)
{
	struct cmtime_link *link = link_of_star(star);
	bool ready = link->ready;

	for (uint32_t i = 0; i < star->num_conns; i++)
		ready &= link->ends[i].ready;
	if (!ready || link->all_ready)
		return;
	link->all_ready = true;
	send_peers(link);
	wakeup_ring(star->main);
}

static void send_released(struct star *star, uint32_t point)
{
	struct cmtime_link *link = link_of_star(star);
	const struct frame frame = {.type = FRAME_RELEASE, .arrived = {.point = point, .vote = link->vote}};

	link->agreed = link->vote;
	link->vote = SERIES_ENOUGH;
	star_send(star, frame.type, &frame);
}

static bool all_delivered(const struct cmtime_link *link, unsigned test)
{
	bool all = link->totals[test] != NULL;

	for (uint32_t i = 0; i < link->star.num_conns; i++)
		all &= link->ends[i].totals[test] != NULL;
	return all;
}

/* Checks what this instance relies on: its own role, and a peer to connect to. */
static const char *judge_peers(const struct cmtime_link *link, const struct frame *frame)
{
	const struct frame_peer *peers = frame->peers.items;
	uint32_t servers = 0;

	if (frame->peers.count != link->count)
		return "it has another number of instances";
	if (peers[link->rank].listens != link->listens)
		return "it gives this instance another role";
	for (uint32_t i = 0; i < link->count; i++) {
		servers += peers[i].listens;
		if (peers[i].listens && !peers[i].self.address.ss_family)
			return "a server has no address";
	}
	return !servers || servers == link->count ? "it has no server, or no client" : NULL;
}

static const char *take_peers(struct cmtime_link *link, struct star_conn *peer, const struct message_header *header)
{
	struct frame frame = {.type = FRAME_PEERS};
	const char *fault = no_memory;

	frame.peers.items = calloc(FRAME_MAX_PEERS, sizeof(*frame.peers.items));
	if (!frame.peers.items)
		return fault;
	if (!frame_read(&peer->conn, header, &frame, &fault))
		fault = judge_peers(link, &frame);
	if (!fault)
		memcpy(link->peers, frame.peers.items, link->count * sizeof(*link->peers));
	free(frame.peers.items);
	link->all_ready |= !fault;
	return fault;
}

/* Of the controller itself or, from 1 on, of the others, with the time of their first call by the controller's clock.
 */
static const struct conn_totals *totals_of(const struct cmtime_link *link, uint32_t i, unsigned test, int64_t *began_ns)
{
	const struct link_end *end = i ? &link->ends[i - 1] : NULL;
	const struct conn_totals *totals = end ? end->totals[test] : link->totals[test];

	*began_ns = totals->began_ns + (end ? end->lag_ns : 0);
	if (*began_ns < link->made_ns) /* clocks drift */
		*began_ns = link->made_ns;
	return totals;
}

/* A connection has two ends; the client's is counted. Clients that did not run at the same time add up to no rate. */
static void merge_totals(const struct cmtime_link *link, unsigned test, struct conn_totals *merged)
{
	const struct conn_totals *totals;
	int64_t began_ns, ended_ns;

	merged->began_ns = INT64_MAX;
	for (uint32_t i = 0; i <= link->star.num_conns; i++) {
		totals = totals_of(link, i, test, &began_ns);
		merged->retries += totals->retries;
		if (link->peers[i].listens || !totals->connections)
			continue;
		ended_ns = began_ns + (totals->ended_ns - totals->began_ns);
		merged->connections += totals->connections;
		merged->began_ns = began_ns < merged->began_ns ? began_ns : merged->began_ns;
		merged->ended_ns = ended_ns > merged->ended_ns ? ended_ns : merged->ended_ns;
	}
	for (uint32_t i = 0; i <= link->star.num_conns; i++) {
		totals = totals_of(link, i, test, &began_ns);
		if (!link->peers[i].listens && totals->connections)
			rate_add(&merged->rate, &totals->rate, began_ns - merged->began_ns);
	}
}

/* NULL: no memory. */
static struct conn_stats *merged_of(struct cmtime_link *link, unsigned test)
{
	if (!link->merged[test])
		(void)conn_stats_open(&link->merged[test]);
	return link->merged[test];
}

/* What it measured cannot be longer, or more, than this instance's time allows. */
static const char *judge_figures(const struct cmtime_link *link, uint64_t total_ns, const struct latency *latency)
{
	const double since_s = claim_since_s(link->made_ns);
	const struct claim claims[] = {
		CLAIM_TIME(since_s, (double)total_ns / NS_PER_S),
		CLAIM_TIME(since_s, (double)latency->max / NS_PER_S),
		CLAIM_COUNT(since_s, latency->histogram.count, "measurements"),
	};

	return CLAIM_JUDGE(claims);
}

static double in_intervals(const struct rate *rate)
{
	double sum = 0;

	for (uint32_t i = 0; i < rate->used; i++)
		sum += (double)rate->counts[i];
	return sum;
}

static const char *judge_totals(const struct cmtime_link *link, const struct conn_totals *totals)
{
	const double since_s = claim_since_s(link->made_ns);
	const double span_ns = (double)(totals->ended_ns - totals->began_ns);
	const struct rate *rate = &totals->rate;
	const struct claim claims[] = {
		CLAIM_COUNT(since_s, totals->connections, "connections"),
		CLAIM_COUNT(since_s, totals->retries, "retries"),
		CLAIM_TIME(since_s, span_ns / NS_PER_S),
		CLAIM_TIME(since_s, rate->used ? (rate->used - 1) * ((double)rate->width_ns / NS_PER_S) : 0),
		{in_intervals(rate), (double)totals->connections, "its intervals have more connections than it has"},
		{(double)totals->connections, span_ns, "its connections took less than a nanosecond each"},
	};

	return CLAIM_JUDGE(claims);
}

/* What a message shows of the sender's clock is late by as long as it took. */
static void note_clock(struct link_end *end, int64_t sent_ns)
{
	const int64_t lag_ns = claim_now_ns() - sent_ns;

	end->lag_ns = lag_ns < end->lag_ns ? lag_ns : end->lag_ns;
}

static void take_vote(struct cmtime_link *link, uint8_t vote)
{
	link->vote = vote > link->vote ? vote : link->vote;
}

/* Adds a client's full connects to those of its other measurements of the test. 0 or -ENOMEM. */
static int keep_full_connect(struct link_end *end, unsigned test, const struct latency *latency)
{
	struct latency **kept = &end->full_connect[test];

	if (!*kept) {
		*kept = calloc(1, sizeof(**kept));
		if (!*kept)
			return -ENOMEM;
		latency_reset(*kept);
		(*kept)->tick_seconds = 1 / NS_PER_S;
	}
	latency_add(*kept, latency);
	return 0;
}

static const char not_of_a_test[] = "it is not about a test of this run";

static const char *take_figures(struct cmtime_link *link, struct star_conn *peer, const struct message_header *header)
{
	struct link_end *end = link_end_of(link, peer);
	struct frame frame = {.stats.latency = link->latency};
	struct conn_stats *merged;
	struct step_stats *to;
	bool *has_figures;
	const char *fault;

	latency_reset(link->latency);
	if (frame_read(&peer->conn, header, &frame, &fault))
		return fault;
	if (frame.stats.test >= LINK_MAX_TESTS || end->totals[frame.stats.test])
		return not_of_a_test;
	merged = merged_of(link, frame.stats.test);
	if (!merged)
		return no_memory;
	fault = judge_figures(link, frame.stats.total_ns, link->latency);
	if (fault)
		return fault;
	has_figures = &end->has_figures[frame.stats.test][frame.stats.step][frame.stats.measure];
	if (*has_figures)
		return "it came before";
	*has_figures = true;
	if (link->keeps_clients && !link->peers[peer->rank].listens && frame.stats.step == STEP_FULL_CONNECT &&
	    frame.stats.measure == MEASURE_TIME && keep_full_connect(end, frame.stats.test, link->latency))
		return no_memory;
	to = &merged->steps[frame.stats.step];
	if (frame.stats.total_ns > to->total_ns)
		to->total_ns = frame.stats.total_ns;
	latency_add(&to->measures[frame.stats.measure], link->latency);
	return NULL;
}

static const char *take_totals(struct cmtime_link *link, struct star_conn *peer, const struct message_header *header)
{
	struct link_end *end = link_end_of(link, peer);
	struct frame frame = {.rates.totals = calloc(1, sizeof(*frame.rates.totals))};
	const char *fault = no_memory;

	if (!frame.rates.totals)
		return fault;
	if (!frame_read(&peer->conn, header, &frame, &fault))
		fault = judge_totals(link, frame.rates.totals);
	if (!fault && (frame.rates.test >= LINK_MAX_TESTS || end->totals[frame.rates.test]))
		fault = not_of_a_test;
	if (!fault && !merged_of(link, frame.rates.test))
		fault = no_memory;
	if (fault) {
		free(frame.rates.totals);
		return fault;
	}
	note_clock(end, frame.rates.sent_ns);
	end->connections += (double)frame.rates.totals->connections;
	end->totals[frame.rates.test] = frame.rates.totals;
	peer->progress++;
	return NULL;
}

/* Handles a frame; NULL, or the error in it. */
static const char *link_take(struct star *star, struct star_conn *peer, const struct message_header *header)
{
	struct cmtime_link *link = link_of_star(star);
	static const char out_of_order[] = "it is out of order";
	const bool to_controller = header->type == FRAME_READY || header->type == MESSAGE_BARRIER ||
				   header->type == FRAME_FIGURES || header->type == FRAME_RATES;
	const bool to_others = header->type == FRAME_PEERS || header->type == FRAME_RELEASE;
	struct link_end *end = link_end_of(link, peer);
	struct frame frame = {0};
	const char *fault;

	if ((link->star.is_hub && to_others) || (!link->star.is_hub && to_controller) ||
	    header->type == MESSAGE_HELLO || header->type == MESSAGE_AGREE || header->type == MESSAGE_REFUSE)
		return out_of_order;
	if (header->type == FRAME_PEERS)
		return link->all_ready ? out_of_order : take_peers(link, peer, header);
	if (header->type == FRAME_FIGURES)
		return take_figures(link, peer, header);
	if (header->type == FRAME_RATES)
		return take_totals(link, peer, header);
	if (frame_read(&peer->conn, header, &frame, &fault))
		return fault;
	switch (frame.type) {
	case FRAME_READY:
		if (end->ready || (link->peers[peer->rank].listens && !frame.ready.address.ss_family))
			return out_of_order;
		end->ready = true;
		peer->progress++;
		link->peers[peer->rank].self = frame.ready;
		break;
	case MESSAGE_BARRIER:
		note_clock(end, frame.arrived.sent_ns);
		take_vote(link, frame.arrived.vote);
		return star_received_arrived(&link->star, peer, frame.arrived.point);
	case FRAME_RELEASE: /* whose vote is not below this instance's own, which would be measured forever */
		take_vote(link, frame.arrived.vote);
		link->agreed = link->vote;
		link->vote = SERIES_ENOUGH;
		return star_received_released(&link->star, frame.point);
	case MESSAGE_ALIVE:
		end->step = frame.step;
		return star_received_alive(peer);
	case MESSAGE_ABORT:
		/* An instance other than the controller can only report its own failure. */
		abort_by(link, link->star.is_hub || frame.abort.rank >= link->count ? peer->rank : frame.abort.rank,
			 frame.abort.reason);
		break;
	case MESSAGE_FACTS:
		if (end->facts || (link->count != 2 && !link->star.is_hub))
			return out_of_order;
		end->facts = strdup(frame.facts);
		if (!end->facts)
			return no_memory;
		peer->progress++;
		break;
	default:
		break;
	}
	return NULL;
}

static const struct star_ops star_ops = {
	.take = link_take, .send_released = send_released, .lose = conn_lost, .turned = look_for_ready};

bool link_turn(struct cmtime_link *link, int64_t limit_ns)
{
	return star_turn(&link->star, limit_ns);
}

/* --- called by the main thread --- */

void link_close(struct cmtime_link *link)
{
	if (!link)
		return;
	star_close(&link->star);
	for (unsigned test = 0; test < LINK_MAX_TESTS; test++)
		conn_stats_close(link->merged[test]);
	for (uint32_t i = 0; i < link->star.num_conns; i++) {
		for (unsigned test = 0; test < LINK_MAX_TESTS; test++) {
			free(link->ends[i].totals[test]);
			free(link->ends[i].full_connect[test]);
		}
		free(link->ends[i].facts);
	}
	free(link->latency);
	free(link->star.conns);
	free(link->ends);
	free(link->peers);
	free(link);
}

/* Fills in the peers and their names. */
static int link_fill(struct cmtime_link *link, struct cmtime_rendezvous *rendezvous)
{
	const uint32_t num_conns = rendezvous->is_controller ? rendezvous->place.count - 1 : 1;

	link->star.conns = calloc(num_conns, sizeof(*link->star.conns));
	link->ends = calloc(num_conns, sizeof(*link->ends));
	link->peers = calloc(rendezvous->place.count, sizeof(*link->peers));
	if (!link->star.conns || !link->ends || !link->peers)
		return -ENOMEM;
	link->star.num_conns = num_conns;
	for (uint32_t i = 0; i < num_conns; i++) {
		struct conn *conn =
			rendezvous->is_controller ? &rendezvous->members[i + 1].conn : &rendezvous->controller;

		link->star.conns[i] = (struct star_conn){.conn = *conn, .rank = rendezvous->is_controller ? i + 1 : 0};
		link->ends[i].step = STEP_COUNT;
		link->ends[i].lag_ns = INT64_MAX;
		*conn = (struct conn){.fd = -1};
	}
	for (uint32_t i = 0; i < rendezvous->place.count && rendezvous->is_controller; i++) {
		link->peers[i].listens = rendezvous->members[i].join.listens;
		memcpy(link->peers[i].host, rendezvous->members[i].join.host, FRAME_HOST_SIZE);
	}
	if (rendezvous->is_controller) {
		link->latency = calloc(1, sizeof(*link->latency));
		if (!link->latency)
			return -ENOMEM;
	}
	return 0;
}

int link_make(struct cmtime_link **link, struct cmtime_rendezvous *rendezvous, const struct cmtime_params *params,
	      const struct wakeup *wake)
{
	struct cmtime_link *made = calloc(1, sizeof(*made));
	int ret = -ENOMEM, ret_open;

	if (made) {
		made->made_ns = claim_now_ns();
		made->star.ops = &star_ops;
		made->star.protocol = &cmtime_messages;
		made->star.most = FRAME_MAX_SIZE;
		made->star.pulse = &made->alive;
		made->star.is_hub = rendezvous->is_controller;
		made->star.timeout_ms = 1000LL * params->timeout_s;
		made->star.main = wake;
		made->listens = params->listen;
		made->keeps_clients = params->limit_peers;
		made->rank = rendezvous->place.rank;
		made->count = rendezvous->place.count;
		made->alive = (struct frame){.type = MESSAGE_ALIVE, .step = STEP_COUNT};
		ret = link_fill(made, rendezvous);
		ret_open = star_open(&made->star);
		ret = ret ? ret : ret_open;
	}
	rendezvous_close(rendezvous);
	if (!ret)
		*link = made;
	else
		link_close(made);
	return ret;
}

int link_open(struct cmtime_link **link, struct cmtime_rendezvous *rendezvous, const struct cmtime_params *params,
	      const struct wakeup *wake)
{
	struct cmtime_link *opened;
	int ret;

	ret = link_make(&opened, rendezvous, params, wake);
	if (ret)
		return log_fail(ret, "cannot communicate with the other instances: %s", strerror(-ret));
	ret = star_start(&opened->star);
	if (ret) {
		log_error("cannot start the thread that communicates with the other instances: %s; see ulimit -u",
			  strerror(-ret));
		link_close(opened);
		return ret;
	}
	*link = opened;
	return 0;
}

void link_ready(struct cmtime_link *link, const struct frame_self *self)
{
	const struct frame frame = {.type = FRAME_READY, .ready = *self};

	pthread_mutex_lock(&link->star.lock);
	link->ready = true;
	link->star.progress++;
	if (link->star.is_hub)
		link->peers[0].self = *self;
	else
		star_send(&link->star, frame.type, &frame);
	star_wake(&link->star);
	pthread_mutex_unlock(&link->star.lock);
}

void link_arrive(struct cmtime_link *link, uint32_t point)
{
	struct frame frame = {.type = MESSAGE_BARRIER, .arrived.point = point};

	pthread_mutex_lock(&link->star.lock);
	star_arrive(&link->star, point);
	frame.arrived.sent_ns = claim_now_ns();
	frame.arrived.vote = link->vote;
	if (!link->star.is_hub)
		star_send(&link->star, frame.type, &frame);
	pthread_mutex_unlock(&link->star.lock);
}

void link_vote(struct cmtime_link *link, enum series_vote vote)
{
	pthread_mutex_lock(&link->star.lock);
	take_vote(link, (uint8_t)vote);
	pthread_mutex_unlock(&link->star.lock);
}

void link_at_step(struct cmtime_link *link, unsigned step)
{
	pthread_mutex_lock(&link->star.lock);
	if (link->alive.step != step) {
		link->alive.step = (uint8_t)step;
		star_send(&link->star, MESSAGE_ALIVE, &link->alive);
	}
	pthread_mutex_unlock(&link->star.lock);
}

void link_deliver(struct cmtime_link *link, unsigned test, const struct conn_stats *stats)
{
	struct frame frame;

	pthread_mutex_lock(&link->star.lock);
	if (link->star.is_hub) {
		struct conn_stats *merged = merged_of(link, test);

		if (merged) {
			conn_stats_add_steps(merged, stats);
			link->totals[test] = &stats->totals;
			link->star.progress++;
		} else {
			abort_by(link, link->rank, "no memory for the figures");
		}
		pthread_mutex_unlock(&link->star.lock);
		return;
	}
	for (unsigned step = 0; step < STEP_COUNT; step++) {
		for (unsigned measure = 0; measure < MEASURE_COUNT; measure++) {
			frame = (struct frame){.type = FRAME_FIGURES};
			frame.stats.test = (uint8_t)test;
			frame.stats.step = (uint8_t)step;
			frame.stats.measure = (uint8_t)measure;
			frame.stats.total_ns = stats->steps[step].total_ns;
			/* Only read. */
			frame.stats.latency = (struct latency *)(uintptr_t)&stats->steps[step].measures[measure];
			star_send(&link->star, frame.type, &frame);
		}
	}
	frame = (struct frame){.type = FRAME_RATES};
	frame.rates.test = (uint8_t)test;
	frame.rates.sent_ns = claim_now_ns();
	frame.rates.totals = (struct conn_totals *)(uintptr_t)&stats->totals;
	star_send(&link->star, frame.type, &frame);
	pthread_mutex_unlock(&link->star.lock);
}

void link_abort(struct cmtime_link *link, const char *reason)
{
	struct frame frame = {.type = MESSAGE_ABORT};

	frame.abort.rank = link->rank;
	snprintf(frame.abort.reason, sizeof(frame.abort.reason), "%s", reason);
	pthread_mutex_lock(&link->star.lock);
	if (!link->star.is_over) {
		link->star.is_over = true;
		star_send(&link->star, frame.type, &frame);
	}
	pthread_mutex_unlock(&link->star.lock);
}

void link_send_facts(struct cmtime_link *link, const char *facts)
{
	struct frame frame = {.type = MESSAGE_FACTS};

	snprintf(frame.facts, sizeof(frame.facts), "%s", facts);
	pthread_mutex_lock(&link->star.lock);
	if (link->count == 2 || !link->star.is_hub)
		star_send(&link->star, frame.type, &frame);
	pthread_mutex_unlock(&link->star.lock);
}

struct link_state link_look(struct cmtime_link *link)
{
	struct link_state state;

	pthread_mutex_lock(&link->star.lock);
	state = (struct link_state){
		.all_ready = link->all_ready,
		.released = link->star.released,
		.vote = (enum series_vote)link->agreed,
		.aborted = link->star.is_over && link->aborted[0] ? link->aborted : NULL,
	};
	pthread_mutex_unlock(&link->star.lock);
	return state;
}

bool link_merged(struct cmtime_link *link, unsigned test, const struct conn_stats **merged)
{
	bool all;

	pthread_mutex_lock(&link->star.lock);
	all = link->star.is_hub && all_delivered(link, test);
	if (all && !link->is_merged[test])
		merge_totals(link, test, &link->merged[test]->totals);
	link->is_merged[test] |= all;
	if (all)
		*merged = link->merged[test];
	pthread_mutex_unlock(&link->star.lock);
	return all;
}

bool link_client(struct cmtime_link *link, uint32_t rank, unsigned test, const struct conn_totals **totals,
		 const struct latency **full_connect)
{
	const struct link_end *end = rank ? &link->ends[rank - 1] : NULL;

	pthread_mutex_lock(&link->star.lock);
	*totals = end ? end->totals[test] : link->totals[test];
	*full_connect = end ? end->full_connect[test] : NULL;
	pthread_mutex_unlock(&link->star.lock);
	return !link->peers[rank].listens;
}

void link_renew(struct cmtime_link *link, unsigned test)
{
	pthread_mutex_lock(&link->star.lock);
	for (uint32_t i = 0; i < link->star.num_conns; i++) {
		free(link->ends[i].totals[test]);
		link->ends[i].totals[test] = NULL;
		memset(link->ends[i].has_figures[test], 0, sizeof(link->ends[i].has_figures[test]));
	}
	conn_stats_close(link->merged[test]);
	link->merged[test] = NULL;
	link->totals[test] = NULL;
	link->is_merged[test] = false;
	pthread_mutex_unlock(&link->star.lock);
}

const char *link_facts(struct cmtime_link *link, uint32_t rank, double *connections)
{
	const struct link_end *end = &link->ends[link->star.is_hub ? rank - 1 : 0];
	const char *facts;

	pthread_mutex_lock(&link->star.lock);
	facts = end->facts;
	*connections = end->connections;
	pthread_mutex_unlock(&link->star.lock);
	return facts;
}

int link_fd(const struct cmtime_link *link)
{
	return link->count == 2 ? link->star.conns[0].conn.fd : -1;
}

const struct frame_peer *link_peers(struct cmtime_link *link, uint32_t *count)
{
	*count = link->count;
	return link->peers;
}
