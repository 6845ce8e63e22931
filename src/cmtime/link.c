// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The conversation during a run. See link.h. */
#include "config.h"

#include "cmtime/link.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmtime/address.h"
#include "util/deadline.h"
#include "util/log.h"

#define ALIVE_MS 1000
#define LAST_MS	 2000 /* for the last words at the end to go out */
/*
 * ALIVE comes once a second and at each of a run's steps, of which there are less than a hundred. Whoever sends
 * many more keeps the others from being heard. All other types are bounded by their order.
 */
#define MAX_ALIVE 1000 /* in ALIVE_MS */
/* Who says ALIVE and comes no further keeps all others waiting: so many times --timeout, and no longer. */
#define LATE_TIMEOUTS 5

/* One end of a ray. */
struct ray {
	struct conn conn;
	uint32_t rank; /* of who is at the other end */
	bool ready;
	uint32_t arrived; /* the newest point */
	unsigned step;	  /* STEP_COUNT: between steps */
	bool has_figures[LINK_MAX_TESTS][STEP_COUNT][MEASURE_COUNT];
	bool delivered[LINK_MAX_TESTS];
	struct deadline silence;
	struct deadline interval; /* of ALIVE_MS */
	unsigned num_alive;	  /* in it */
};

/* Where figures are decoded to, before they are added up. */
struct scratch {
	struct latency latency;
	struct rate rate;
};

struct link {
	pthread_t thread;
	bool has_thread;
	struct pollfd *fds;    /* the thread's: one for the bell, and one for each ray */
	struct deadline alive; /* the thread's: when it is said again */
	struct deadline last;  /* the thread's: of the end */
	pthread_mutex_t lock;  /* all below */
	struct wakeup kick;    /* of the thread */
	const struct wakeup *main;
	bool is_controller;
	bool listens; /* this instance does */
	uint32_t rank, count;
	int64_t timeout_ms;
	struct ray *rays;
	uint32_t num_rays;
	struct link_peer *peers; /* count of them, by rank */
	bool ready;		 /* this instance is */
	bool all_ready;
	uint32_t arrived, released;
	uint64_t progress;	  /* the controller's: of all, as look_for_late() counts it */
	struct deadline lateness; /* and how long it may stand still while somebody is behind */
	unsigned step;
	struct figures *merged[LINK_MAX_TESTS]; /* the controller's; NULL: nobody has delivered any */
	struct scratch *scratch;		/* the controller's */
	bool delivered[LINK_MAX_TESTS];
	bool stopping;
	bool is_aborted;
	char aborted[AGREEMENT_NAME_SIZE + FRAME_REASON_SIZE];
};

static void name_of(const struct link *link, uint32_t rank, char text[AGREEMENT_NAME_SIZE])
{
	if (link->peers[rank].host[0])
		member_name(rank, link->peers[rank].listens, link->peers[rank].host, text);
	else
		snprintf(text, AGREEMENT_NAME_SIZE, rank ? "instance %" PRIu32 : "the controller", rank);
}

/* --- with the lock held --- */

static void broadcast(struct link *link, const struct frame *frame)
{
	for (uint32_t i = 0; i < link->num_rays; i++)
		if (link->rays[i].conn.fd >= 0)
			frame_send(&link->rays[i].conn, frame);
	wakeup_ring(&link->kick);
}

/* The first reason counts; the controller passes it on. */
static void abort_by(struct link *link, uint32_t rank, const char *reason)
{
	struct frame frame = {.type = FRAME_ABORT};
	char name[AGREEMENT_NAME_SIZE];

	if (link->is_aborted || link->released == LINK_LAST_POINT)
		return;
	link->is_aborted = true;
	name_of(link, rank, name);
	snprintf(link->aborted, sizeof(link->aborted), "%s: %s", name, reason);
	if (link->is_controller) {
		frame.abort.rank = rank;
		snprintf(frame.abort.reason, sizeof(frame.abort.reason), "%s", reason);
		broadcast(link, &frame);
	}
	wakeup_ring(link->main);
}

static void ray_lose(struct link *link, struct ray *ray, const char *how)
{
	char reason[FRAME_REASON_SIZE];

	if (!link->is_controller)
		snprintf(reason, sizeof(reason), "%s while this instance was at \"%s\"", how,
			 link->step < STEP_COUNT ? step_name((enum step)link->step) : "between steps");
	else if (ray->step < STEP_COUNT)
		snprintf(reason, sizeof(reason), "%s at step \"%s\"", how, step_name((enum step)ray->step));
	else
		snprintf(reason, sizeof(reason), "%s between two steps", how);
	abort_by(link, ray->rank, reason);
	conn_close(&ray->conn);
}

static void tell_peers(struct link *link)
{
	struct frame frame = {.type = FRAME_PEERS};

	frame.peers.items = calloc(link->count, sizeof(*frame.peers.items));
	if (!frame.peers.items) {
		abort_by(link, link->rank, "there is no memory for the list of instances");
		return;
	}
	frame.peers.count = link->count;
	for (uint32_t i = 0; i < link->count; i++) {
		frame.peers.items[i].listens = link->peers[i].listens;
		memcpy(frame.peers.items[i].host, link->peers[i].host, FRAME_HOST_SIZE);
		frame.peers.items[i].address = link->peers[i].address;
	}
	broadcast(link, &frame);
	free(frame.peers.items);
}

/* The controller: has everybody come this far? */
static void look_around(struct link *link)
{
	struct frame frame = {.type = FRAME_RELEASE};
	uint32_t reached = link->arrived;
	bool ready = link->ready;

	for (uint32_t i = 0; i < link->num_rays; i++) {
		ready &= link->rays[i].ready;
		if (link->rays[i].arrived < reached)
			reached = link->rays[i].arrived;
	}
	if (ready && !link->all_ready) {
		link->all_ready = true;
		tell_peers(link);
		wakeup_ring(link->main);
	}
	if (reached > link->released) {
		link->released = reached;
		frame.point = reached;
		broadcast(link, &frame);
		wakeup_ring(link->main);
	}
}

static unsigned num_delivered(const bool delivered[LINK_MAX_TESTS])
{
	unsigned count = 0;

	for (unsigned test = 0; test < LINK_MAX_TESTS; test++)
		count += delivered[test];
	return count;
}

/* The controller: is somebody behind, and has nobody come further for long? */
static void look_for_late(struct link *link)
{
	const unsigned delivered = num_delivered(link->delivered);
	uint64_t progress = link->ready + (uint64_t)link->arrived + delivered;
	uint32_t furthest = link->arrived;
	struct ray *late = NULL;
	char how[64];

	for (uint32_t i = 0; i < link->num_rays; i++) {
		progress +=
			link->rays[i].ready + (uint64_t)link->rays[i].arrived + num_delivered(link->rays[i].delivered);
		if (link->rays[i].arrived > furthest)
			furthest = link->rays[i].arrived;
	}
	for (uint32_t i = 0; i < link->num_rays && !late; i++) {
		struct ray *ray = &link->rays[i];

		if (ray->conn.fd >= 0 && ((link->ready && !ray->ready) || ray->arrived < furthest ||
					  num_delivered(ray->delivered) < delivered))
			late = ray;
	}
	if (!late || progress != link->progress) {
		link->progress = progress;
		link->lateness = deadline_in_ms(LATE_TIMEOUTS * link->timeout_ms);
	} else if (deadline_passed(link->lateness)) {
		snprintf(how, sizeof(how), "has kept the others waiting for %" PRId64 " s",
			 LATE_TIMEOUTS * link->timeout_ms / 1000);
		ray_lose(link, late, how);
	}
}

static bool all_delivered(const struct link *link, unsigned test)
{
	bool all = link->delivered[test];

	for (uint32_t i = 0; i < link->num_rays; i++)
		all &= link->rays[i].delivered[test];
	return all;
}

/* What this instance is about to rely on: its own role, and somebody to connect with. */
static const char *judge_peers(const struct link *link, const struct frame *frame)
{
	const struct frame_peer *peers = frame->peers.items;
	uint32_t servers = 0;

	if (frame->peers.count != link->count)
		return "it counts other instances";
	if (peers[link->rank].listens != link->listens)
		return "it gives this instance another role";
	for (uint32_t i = 0; i < link->count; i++) {
		servers += peers[i].listens;
		if (peers[i].listens && !peers[i].address.family)
			return "a server has no address";
	}
	return !servers || servers == link->count ? "it has no server, or no client" : NULL;
}

static const char *take_peers(struct link *link, const struct frame_header *header, const uint8_t *payload)
{
	struct frame frame = {.type = FRAME_PEERS};
	const char *fault = "there is no memory for it";

	frame.peers.items = calloc(FRAME_MAX_PEERS, sizeof(*frame.peers.items));
	if (!frame.peers.items)
		return fault;
	if (!frame_decode(header, payload, &frame, &fault))
		fault = judge_peers(link, &frame);
	for (uint32_t i = 0; i < link->count && !fault; i++) {
		link->peers[i].listens = frame.peers.items[i].listens;
		memcpy(link->peers[i].host, frame.peers.items[i].host, FRAME_HOST_SIZE);
		link->peers[i].address = frame.peers.items[i].address;
	}
	free(frame.peers.items);
	link->all_ready |= !fault;
	return fault;
}

/* A connection has two ends; the client's counts. */
static void rates_merge(const struct link *link, uint32_t rank, struct figures *merged, uint64_t connections,
			uint64_t retries, const struct rate *rate)
{
	merged->retries += retries;
	if (link->peers[rank].listens)
		return;
	merged->connections += connections;
	rate_add(&merged->rate, rate);
}

/* NULL: there is no memory. */
static struct figures *merged_of(struct link *link, unsigned test)
{
	if (!link->merged[test])
		(void)figures_open(&link->merged[test]);
	return link->merged[test];
}

static const char *take_figures(struct link *link, struct ray *ray, const struct frame_header *header,
				const uint8_t *payload)
{
	struct latency *latency = &link->scratch->latency;
	struct rate *rate = &link->scratch->rate;
	struct frame frame = {0};
	struct figures *merged;
	bool *has_figures;
	const char *fault;

	if (header->type == FRAME_FIGURES) {
		latency_reset(latency);
		frame.figures.latency = latency;
	} else {
		memset(rate, 0, sizeof(*rate));
		frame.rates.rate = rate;
	}
	if (frame_decode(header, payload, &frame, &fault))
		return fault;
	/* The test stands first in both. */
	if (frame.figures.test >= LINK_MAX_TESTS || ray->delivered[frame.figures.test])
		return "it is about no test that is run";
	merged = merged_of(link, frame.figures.test);
	if (!merged)
		return "there is no memory for it";
	if (frame.type == FRAME_FIGURES) {
		struct step_figures *to = &merged->steps[frame.figures.step];

		has_figures = &ray->has_figures[frame.figures.test][frame.figures.step][frame.figures.measure];
		if (*has_figures)
			return "it came before";
		*has_figures = true;
		if (frame.figures.total_ns > to->total_ns)
			to->total_ns = frame.figures.total_ns;
		latency_add(&to->measures[frame.figures.measure], latency);
		return NULL;
	}
	rates_merge(link, ray->rank, merged, frame.rates.connections, frame.rates.retries, rate);
	ray->delivered[frame.rates.test] = true;
	return NULL;
}

/* The next one, of which the last release has told; or all is over. */
static bool point_is_next(const struct link *link, const struct ray *ray, uint32_t point)
{
	return point > ray->arrived && (point == link->released + 1 || point == LINK_LAST_POINT);
}

static const char *take_alive(struct ray *ray, unsigned step)
{
	if (deadline_passed(ray->interval)) {
		ray->interval = deadline_in_ms(ALIVE_MS);
		ray->num_alive = 0;
	}
	ray->step = step;
	return ++ray->num_alive > MAX_ALIVE ? "there are thousands of it" : NULL;
}

/* What a frame says; NULL, or what is wrong with it. */
static const char *hear(struct link *link, struct ray *ray, const struct frame_header *header, const uint8_t *payload)
{
	static const char out_of_order[] = "it is out of order";
	const bool to_controller = header->type == FRAME_READY || header->type == FRAME_ARRIVED ||
				   header->type == FRAME_FIGURES || header->type == FRAME_RATES;
	const bool to_others = header->type == FRAME_PEERS || header->type == FRAME_RELEASE;
	struct frame frame = {0};
	const char *fault;

	if ((link->is_controller && to_others) || (!link->is_controller && to_controller) ||
	    header->type == FRAME_JOIN || header->type == FRAME_WELCOME || header->type == FRAME_REFUSE)
		return out_of_order;
	if (header->type == FRAME_PEERS)
		return link->all_ready ? out_of_order : take_peers(link, header, payload);
	if (header->type == FRAME_FIGURES || header->type == FRAME_RATES)
		return take_figures(link, ray, header, payload);
	if (frame_decode(header, payload, &frame, &fault))
		return fault;
	switch (frame.type) {
	case FRAME_READY:
		if (ray->ready || (link->peers[ray->rank].listens && !frame.ready.family))
			return out_of_order;
		ray->ready = true;
		link->peers[ray->rank].address = frame.ready;
		break;
	case FRAME_ARRIVED:
		if (!point_is_next(link, ray, frame.point))
			return out_of_order;
		ray->arrived = frame.point;
		break;
	case FRAME_RELEASE:
		if (frame.point <= link->released || frame.point > link->arrived)
			return out_of_order;
		link->released = frame.point;
		break;
	case FRAME_ALIVE:
		return take_alive(ray, frame.step);
	case FRAME_ABORT:
		/* Who hangs on the controller speaks for himself only. */
		abort_by(link, link->is_controller || frame.abort.rank >= link->count ? ray->rank : frame.abort.rank,
			 frame.abort.reason);
		break;
	default:
		break;
	}
	return NULL;
}

/* One read, and the frames in it. What is left in the socket has its turn after the others. */
static void ray_read(struct link *link, struct ray *ray)
{
	const bool gone = frame_fill(&ray->conn) != 0;
	struct frame_header header;
	const uint8_t *payload;
	const char *fault = NULL;
	char how[128];
	int ret = 0;

	while (!fault && (ret = frame_peek(&ray->conn, &header, &payload, &fault)) > 0) {
		ray->silence = deadline_in_ms(link->timeout_ms);
		fault = hear(link, ray, &header, payload);
		if (header.type != FRAME_ALIVE)
			wakeup_ring(link->main);
		frame_drop(&ray->conn, &header);
	}
	if (fault) {
		snprintf(how, sizeof(how), "sent %s that can't be understood: %s",
			 ret > 0 ? frame_name(header.type) : "something", fault);
		ray_lose(link, ray, how);
	} else if (gone) {
		ray_lose(link, ray, "died or was cut off");
	}
}

static void say_alive(struct link *link)
{
	struct frame frame = {.type = FRAME_ALIVE};

	frame.step = (uint8_t)link->step;
	broadcast(link, &frame);
}

/* --- the thread --- */

static bool has_output(const struct link *link)
{
	for (uint32_t i = 0; i < link->num_rays; i++)
		if (link->rays[i].conn.fd >= 0 && conn_has_output(&link->rays[i].conn))
			return true;
	return false;
}

static void serve(struct link *link, const struct pollfd *fds)
{
	char how[64];

	for (uint32_t i = 0; i < link->num_rays; i++) {
		struct ray *ray = &link->rays[i];

		if (ray->conn.fd < 0)
			continue;
		if (fds[i].revents & (POLLIN | POLLHUP | POLLERR))
			ray_read(link, ray);
		if (ray->conn.fd >= 0)
			conn_flush(&ray->conn);
		if (ray->conn.fd >= 0 && deadline_passed(ray->silence)) {
			snprintf(how, sizeof(how), "has been silent for %" PRId64 " s", link->timeout_ms / 1000);
			ray_lose(link, ray, how);
		}
	}
	if (link->is_controller && !link->is_aborted) {
		look_around(link);
		look_for_late(link);
	}
}

bool link_turn(struct link *link, int64_t limit_ns)
{
	const int64_t alive_ns = (int64_t)deadline_poll_ms(link->alive) * 1000000;
	bool over;

	pthread_mutex_lock(&link->lock);
	if (link->stopping && link->last.at_ns == INT64_MAX)
		link->last = deadline_in_ms(LAST_MS);
	over = link->stopping && (!has_output(link) || deadline_passed(link->last));
	for (uint32_t i = 0; i < link->num_rays; i++) {
		struct conn *conn = &link->rays[i].conn;

		link->fds[i + 1].fd = conn->fd;
		link->fds[i + 1].events = (short)(POLLIN | (conn_has_output(conn) ? POLLOUT : 0));
	}
	pthread_mutex_unlock(&link->lock);
	if (over)
		return false;
	wakeup_wait_thread(&link->kick, link->fds, link->num_rays,
			   limit_ns >= 0 && limit_ns < alive_ns ? limit_ns : alive_ns);
	pthread_mutex_lock(&link->lock);
	if (deadline_passed(link->alive)) {
		say_alive(link);
		link->alive = deadline_in_ms(ALIVE_MS);
	}
	serve(link, link->fds + 1);
	pthread_mutex_unlock(&link->lock);
	return true;
}

static void *link_thread(void *arg)
{
	while (link_turn(arg, -1 /* as long as nothing is due */))
		;
	return NULL;
}

/* --- for the main thread --- */

static void link_free(struct link *link)
{
	for (uint32_t i = 0; i < link->num_rays && link->rays; i++)
		conn_close(&link->rays[i].conn);
	for (unsigned test = 0; test < LINK_MAX_TESTS; test++)
		figures_close(link->merged[test]);
	free(link->scratch);
	wakeup_close(&link->kick);
	free(link->fds);
	free(link->rays);
	free(link->peers);
	pthread_mutex_destroy(&link->lock);
	free(link);
}

static int fill(struct link *link, struct meeting *meeting)
{
	link->num_rays = meeting->is_controller ? meeting->count - 1 : 1;
	link->rays = calloc(link->num_rays, sizeof(*link->rays));
	link->peers = calloc(meeting->count, sizeof(*link->peers));
	link->fds = calloc(link->num_rays + 1, sizeof(*link->fds));
	if (!link->rays || !link->peers || !link->fds) {
		link->num_rays = 0;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < link->num_rays; i++) {
		struct conn *conn = meeting->is_controller ? &meeting->members[i + 1].conn : &meeting->controller;

		link->rays[i] = (struct ray){
			.conn = *conn,
			.rank = meeting->is_controller ? i + 1 : 0,
			.step = STEP_COUNT,
			.silence = deadline_in_ms(link->timeout_ms),
		};
		*conn = (struct conn){.fd = -1};
	}
	for (uint32_t i = 0; i < meeting->count && meeting->is_controller; i++) {
		link->peers[i].listens = meeting->members[i].listens;
		memcpy(link->peers[i].host, meeting->members[i].host, FRAME_HOST_SIZE);
	}
	if (meeting->is_controller) {
		link->scratch = calloc(1, sizeof(*link->scratch));
		if (!link->scratch)
			return -ENOMEM;
	}
	return wakeup_open(&link->kick);
}

int link_make(struct link **link, struct meeting *meeting, const struct cmtime_params *params,
	      const struct wakeup *wake)
{
	struct link *made = calloc(1, sizeof(*made));
	int ret = -ENOMEM;

	if (made) {
		pthread_mutex_init(&made->lock, NULL);
		made->kick.fd = -1;
		made->main = wake;
		made->is_controller = meeting->is_controller;
		made->listens = params->listen;
		made->rank = meeting->rank;
		made->count = meeting->count;
		made->timeout_ms = 1000LL * params->timeout_s;
		made->step = STEP_COUNT;
		made->alive = deadline_in_ms(ALIVE_MS);
		made->last = deadline_in_ms(-1); /* not yet */
		ret = fill(made, meeting);
	}
	meeting_close(meeting);
	if (!ret)
		*link = made;
	else if (made)
		link_free(made);
	return ret;
}

int link_open(struct link **link, struct meeting *meeting, const struct cmtime_params *params,
	      const struct wakeup *wake)
{
	struct link *opened;
	int ret;

	ret = link_make(&opened, meeting, params, wake);
	if (!ret) {
		ret = -pthread_create(&opened->thread, NULL, link_thread, opened);
		opened->has_thread = !ret;
		if (ret)
			link_free(opened);
	}
	if (ret) {
		log_error("cannot speak with the other instances: %s", strerror(-ret));
		return ret;
	}
	*link = opened;
	return 0;
}

void link_close(struct link *link)
{
	if (!link)
		return;
	pthread_mutex_lock(&link->lock);
	link->stopping = true;
	pthread_mutex_unlock(&link->lock);
	wakeup_ring(&link->kick);
	if (link->has_thread)
		pthread_join(link->thread, NULL);
	link_free(link);
}

void link_ready(struct link *link, const struct sockaddr_storage *address)
{
	struct frame frame = {.type = FRAME_READY};

	if (address)
		address_to_frame(address, &frame.ready);
	pthread_mutex_lock(&link->lock);
	link->ready = true;
	if (link->is_controller)
		link->peers[0].address = frame.ready;
	else
		broadcast(link, &frame);
	pthread_mutex_unlock(&link->lock);
	wakeup_ring(&link->kick);
}

void link_arrive(struct link *link, uint32_t point)
{
	struct frame frame = {.type = FRAME_ARRIVED, .point = point};

	pthread_mutex_lock(&link->lock);
	link->arrived = point;
	if (!link->is_controller)
		broadcast(link, &frame);
	pthread_mutex_unlock(&link->lock);
	wakeup_ring(&link->kick);
}

void link_at_step(struct link *link, unsigned step)
{
	pthread_mutex_lock(&link->lock);
	if (link->step != step) {
		link->step = step;
		say_alive(link);
	}
	pthread_mutex_unlock(&link->lock);
}

void link_deliver(struct link *link, unsigned test, const struct figures *figures)
{
	struct frame frame;

	pthread_mutex_lock(&link->lock);
	if (link->is_controller) {
		struct figures *merged = merged_of(link, test);

		if (merged) {
			figures_add_steps(merged, figures);
			rates_merge(link, 0 /* itself */, merged, figures->connections, figures->retries,
				    &figures->rate);
			link->delivered[test] = true;
		} else {
			abort_by(link, link->rank, "there is no memory for the figures");
		}
		pthread_mutex_unlock(&link->lock);
		return;
	}
	for (unsigned step = 0; step < STEP_COUNT; step++) {
		for (unsigned measure = 0; measure < MEASURE_COUNT; measure++) {
			frame = (struct frame){.type = FRAME_FIGURES};
			frame.figures.test = (uint8_t)test;
			frame.figures.step = (uint8_t)step;
			frame.figures.measure = (uint8_t)measure;
			frame.figures.total_ns = figures->steps[step].total_ns;
			/* It is only read. */
			frame.figures.latency = (struct latency *)(uintptr_t)&figures->steps[step].measures[measure];
			broadcast(link, &frame);
		}
	}
	frame = (struct frame){.type = FRAME_RATES};
	frame.rates.test = (uint8_t)test;
	frame.rates.connections = figures->connections;
	frame.rates.retries = figures->retries;
	frame.rates.rate = (struct rate *)(uintptr_t)&figures->rate;
	broadcast(link, &frame);
	pthread_mutex_unlock(&link->lock);
}

void link_abort(struct link *link, const char *reason)
{
	struct frame frame = {.type = FRAME_ABORT};

	frame.abort.rank = link->rank;
	snprintf(frame.abort.reason, sizeof(frame.abort.reason), "%s", reason);
	pthread_mutex_lock(&link->lock);
	if (!link->is_aborted) {
		link->is_aborted = true;
		broadcast(link, &frame);
	}
	pthread_mutex_unlock(&link->lock);
}

bool link_all_ready(struct link *link)
{
	bool all;

	pthread_mutex_lock(&link->lock);
	all = link->all_ready;
	pthread_mutex_unlock(&link->lock);
	return all;
}

bool link_released(struct link *link, uint32_t point)
{
	bool released;

	pthread_mutex_lock(&link->lock);
	released = link->released >= point;
	pthread_mutex_unlock(&link->lock);
	return released;
}

bool link_merged(struct link *link, unsigned test, const struct figures **merged)
{
	bool all;

	pthread_mutex_lock(&link->lock);
	all = link->is_controller && all_delivered(link, test);
	if (all)
		*merged = link->merged[test];
	pthread_mutex_unlock(&link->lock);
	return all;
}

const char *link_aborted(struct link *link)
{
	const char *reason = NULL;

	pthread_mutex_lock(&link->lock);
	if (link->is_aborted && link->aborted[0])
		reason = link->aborted;
	pthread_mutex_unlock(&link->lock);
	return reason;
}

const struct link_peer *link_peers(struct link *link, uint32_t *count)
{
	*count = link->count;
	return link->peers;
}
