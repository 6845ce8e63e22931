// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The threads of a run, and how it waits. See engine.h. */
#include "config.h"

#include "cmtime/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/claim.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/stop.h"

#define LOOK_MS 1000 /* between two checks for progress */
#define ECHO_MS 2000 /* for the report of the original failure: silence is reported up to a second late */

/* --- waits of the main thread --- */

int engine_ended(struct engine *engine)
{
	if (stop_requested())
		return -EINTR;
	return atomic_load(&engine->failed) || link_look(engine->link).aborted ? -ECANCELED : 0;
}

static void interval_show(struct engine *engine, uint64_t end, bool is_cut)
{
	struct engine_interval interval = {
		.begin = engine->shown_at ? engine->shown_at : engine->start, .end = end, .is_cut = is_cut};
	uint64_t count;

	pthread_mutex_lock(&engine->lock);
	count = engine->run.stats->totals.connections;
	pthread_mutex_unlock(&engine->lock);
	interval.count = count - engine->shown;
	engine->shown = count;
	engine->shown_at = end;
	if (interval.count || !is_cut)
		engine->show_interval(engine->owner, &interval);
}

/* How long the current interval goes on; one that is over is shown. */
static int64_t interval_left_ns(struct engine *engine)
{
	const double length = (double)clock_ns_to_cycles(engine->params->report_interval_s * 1e9);
	const uint64_t start = engine->start, now = clock_cycles();
	uint64_t due;

	if (!engine->show_interval || !engine->run.stats || !engine->run.is_flow || !start || !(length > 0))
		return INT64_MAX;
	/* They begin at multiples of their length; if this process was stopped, one is longer. */
	due = start +
	      (uint64_t)((floor((double)(engine->shown_at ? engine->shown_at - start : 0) / length) + 1) * length);
	if (now < due)
		return (int64_t)clock_cycles_to_ns((double)(due - now)) + 1;
	interval_show(engine, now, false /* whole */);
	return 0;
}

int engine_wait(struct engine *engine, int64_t limit_ns)
{
	const int64_t left_ns = interval_left_ns(engine);
	struct pollfd bell[1];

	return wakeup_wait(engine->wake, bell, 0, left_ns < limit_ns ? left_ns : limit_ns);
}

int engine_pause(struct engine *engine)
{
	const int ret = engine_ended(engine);

	return ret ? ret : engine_wait(engine, LOOK_MS * 1000000LL);
}

int engine_sync(struct engine *engine)
{
	int ret = 0;

	link_at_step(engine->link, STEP_COUNT);
	link_arrive(engine->link, ++engine->point);
	while (!ret && link_look(engine->link).released < engine->point)
		ret = engine_pause(engine);
	return ret;
}

int engine_await(struct engine *engine, enum step step, _Atomic uint64_t *counter, uint64_t target)
{
	/* A thread may sleep in each call of a connection. */
	const int64_t limit_ms =
		1000LL * engine->params->timeout_s + (engine->run.mimic_us > 0 ? engine->run.mimic_us / 200 : 0);
	struct deadline deadline = deadline_in_ms(limit_ms), due = {0};
	uint64_t seen = atomic_load(counter), seen_step = 0, now;
	int ret;

	while ((now = atomic_load(counter)) != target) {
		if (now != seen || atomic_load(&engine->done[step]) != seen_step)
			deadline = deadline_in_ms(limit_ms);
		seen = now;
		seen_step = atomic_load(&engine->done[step]);
		deadline_postpone(&deadline, deadline_stopped_ns(&due, LOOK_MS));
		if (deadline_passed(deadline)) {
			engine_doubt(engine); /* a stopped instance is reported because it is silent */
			return engine_error(engine, -ECANCELED,
					    "%s: no progress for %" PRId64 " s, with %" PRIu64 " of %" PRIu64 " done",
					    step_name(step), limit_ms / 1000, now, target);
		}
		ret = engine_pause(engine);
		if (ret)
			return ret;
	}
	return engine_ended(engine);
}

void engine_at_step(struct engine *engine, enum step step, const char *text)
{
	link_at_step(engine->link, step);
	log_human("%s", text);
}

int engine_each(struct engine *engine, enum step step, const char *text, pool_work_fn work)
{
	engine_at_step(engine, step, text);
	for (uint32_t i = 0; i < engine->num_conns && !atomic_load(&engine->failed) && !stop_requested(); i++) {
		engine->conns[i].step = step;
		work(&engine->conns[i]);
	}
	return engine_ended(engine);
}

int engine_destroy_all(struct engine *engine)
{
	if (engine->transport->has_qps)
		engine_each(engine, STEP_DESTROY_QP, "Destroying QPs", conn_destroy_qp);
	return engine_each(engine, STEP_DESTROY_ID, "Destroying IDs", conn_destroy_id);
}

/* --- the threads of -n --- */

/* They take connections from one queue, in order, and do the work that is due; one is in the queue at most once. */
struct pool {
	pthread_mutex_t lock; /* protects all below */
	pthread_cond_t filled;
	struct timed_conn *first, *last;
	bool closing;
	uint32_t num_threads;
	pthread_t threads[];
};

static void *pool_thread(void *arg)
{
	struct pool *pool = arg;
	struct timed_conn *conn;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (!pool->first && !pool->closing)
			pthread_cond_wait(&pool->filled, &pool->lock);
		if (pool->closing)
			break;
		conn = pool->first;
		pool->first = conn->next;
		pthread_mutex_unlock(&pool->lock);
		conn->work(conn);
		pthread_mutex_lock(&pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Ends the threads; connections that are in the queue, or are added now, are not handled. Both accept NULL. */
static void pool_stop(struct pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->closing = true;
	pthread_cond_broadcast(&pool->filled);
	pthread_mutex_unlock(&pool->lock);
	for (uint32_t i = 0; i < pool->num_threads; i++)
		pthread_join(pool->threads[i], NULL);
	pool->num_threads = 0;
}

static void pool_close(struct pool *pool)
{
	if (!pool)
		return;
	pool_stop(pool);
	pthread_cond_destroy(&pool->filled);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

/* 0 or -errno, not reported. */
static int pool_open(struct pool **pool, uint32_t threads)
{
	struct pool *opened = calloc(1, sizeof(*opened) + threads * sizeof(opened->threads[0]));
	int ret = 0;

	if (!opened)
		return -ENOMEM;
	pthread_mutex_init(&opened->lock, NULL);
	pthread_cond_init(&opened->filled, NULL);
	while (opened->num_threads < threads && !ret) {
		ret = -pthread_create(&opened->threads[opened->num_threads], NULL, pool_thread, opened);
		if (!ret)
			opened->num_threads++;
	}
	if (ret) {
		pool_close(opened);
		return ret;
	}
	*pool = opened;
	return 0;
}

void pool_put(struct pool *pool, struct timed_conn *conn, pool_work_fn work)
{
	conn->next = NULL;
	conn->work = work;
	pthread_mutex_lock(&pool->lock);
	conn->asked = clock_cycles();
	if (pool->first)
		pool->last->next = conn;
	else
		pool->first = conn;
	pool->last = conn;
	pthread_cond_signal(&pool->filled);
	pthread_mutex_unlock(&pool->lock);
}

/* --- the life of an engine --- */

static void *event_thread(void *arg)
{
	struct engine *engine = arg;
	struct pollfd fds[2] = {[1] = {.fd = engine->transport->event_fd(engine), .events = POLLIN}};

	do {
		wakeup_wait_thread(&engine->event_stop, fds, 1, -1 /* no limit: the wakeup ends it */);
		if (!fds[1].revents)
			continue;
		/*
		 * Orders this thread after run_prepare(): an event is caused by a peer that was told that the run is
		 * prepared.
		 */
		pthread_mutex_lock(&engine->lock);
		pthread_mutex_unlock(&engine->lock);
		engine->transport->read_events(engine);
	} while (!fds[0].revents);
	return NULL;
}

int engine_open(struct engine *engine)
{
	int ret;

	clock_calibrate(); /* before other threads read it */
	pthread_mutex_init(&engine->lock, NULL);
	engine->event_stop.fd = -1;
	ret = engine->transport->open(engine);
	if (ret)
		return ret;
	ret = wakeup_open(&engine->event_stop);
	if (!ret)
		ret = pool_open(&engine->pool, engine->params->threads);
	if (!ret)
		ret = -pthread_create(&engine->event_thread, NULL, event_thread, engine);
	engine->has_event_thread = !ret;
	if (ret)
		engine_fail(engine, "cannot start %" PRIu32 " threads: %s", engine->params->threads, strerror(-ret));
	return ret;
}

static void conns_end(struct engine *engine)
{
	for (struct timed_conn *conn = engine->all; conn; conn = conn->sibling) {
		if (!conn->in_use)
			continue;
		if (engine->transport->has_qps)
			engine->transport->destroy_qp(conn);
		engine->transport->destroy_id(conn);
	}
}

static void event_thread_end(struct engine *engine)
{
	if (!engine->has_event_thread)
		return;
	wakeup_ring(&engine->event_stop);
	pthread_join(engine->event_thread, NULL);
	engine->has_event_thread = false;
}

/*
 * Wakes sleeping threads, starts nothing new, and closes what is open. The event thread ends last if closing waits for
 * it, and first if events would arrive too late.
 */
static void threads_end(struct engine *engine)
{
	atomic_store(&engine->failed, true);
	pool_stop(engine->pool);
	if (!engine->transport->destroy_waits)
		event_thread_end(engine);
	conns_end(engine);
	event_thread_end(engine);
}

static void conns_free(struct engine *engine)
{
	struct timed_conn *next;

	for (struct timed_conn *conn = engine->all; conn && !engine->conns; conn = next) {
		next = conn->sibling;
		free(conn);
	}
	free(engine->conns);
	engine->conns = engine->all = engine->free = NULL;
	engine->num_conns = 0;
}

void engine_close(struct engine *engine)
{
	if (!engine->transport)
		return;
	threads_end(engine);
	engine->transport->close(engine);
	pool_close(engine->pool);
	wakeup_close(&engine->event_stop);
	conns_free(engine);
	free(engine->servers);
	pthread_mutex_destroy(&engine->lock);
	engine->transport = NULL;
}

/* --- a run --- */

/* With the lock held. 0 or -ECANCELED, not reported. */
static int run_prepare(struct engine *engine, const struct engine_run *run)
{
	const uint32_t peers = engine->params->listen ? engine->num_clients : engine->num_servers;

	engine->run = *run;
	memset(engine->spans, 0, sizeof(engine->spans));
	for (unsigned step = 0; step < STEP_COUNT; step++)
		atomic_store(&engine->done[step], 0);
	atomic_store(&engine->hung_up, 0);
	atomic_store(&engine->active, 0);
	atomic_store(&engine->begun, 0);
	atomic_store(&engine->start, 0);
	engine->established = engine->shown = engine->shown_at = 0;
	if (run->is_flow)
		return 0;
	if ((uint64_t)peers * run->per_pair > UINT32_MAX / 2)
		return -ECANCELED;
	engine->conns = calloc(peers * run->per_pair, sizeof(*engine->conns));
	if (!engine->conns)
		return -ECANCELED;
	engine->num_conns = peers * run->per_pair;
	for (uint32_t i = engine->num_conns; i--;) { /* the first one is the first of both lists */
		engine->conns[i].next = engine->conns[i].sibling = engine->all;
		engine->all = engine->free = &engine->conns[i];
	}
	return 0;
}

static int64_t ns_of_span(uint64_t from, uint64_t to)
{
	return (int64_t)clock_cycles_to_ns((double)(to - from));
}

/* Between both clocks this thread may have to wait: then the run began and ended later than it did, never earlier. */
static void run_set_times(const struct engine *engine, struct conn_totals *totals)
{
	const bool listens = engine->params->listen;
	const struct span full = engine->spans[STEP_FULL_CONNECT];
	const struct span span = listens ? (struct span){engine->start, engine->established} : full;
	uint64_t now;

	if (!span.first || !span.last)
		return;
	now = clock_cycles();
	totals->began_ns = claim_now_ns() - ns_of_span(span.first, now);
	totals->ended_ns = totals->began_ns + ns_of_span(span.first, span.last);
}

/* The times of all connections, and the total of each step. */
static void run_sum_up(struct engine *engine)
{
	for (struct timed_conn *conn = engine->all; conn; conn = conn->sibling)
		if (conn->in_use)
			conn_record(conn);
	for (unsigned step = 0; step < STEP_COUNT && engine->run.stats; step++)
		engine->run.stats->steps[step].total_ns =
			(uint64_t)ns_of_span(engine->spans[step].first, engine->spans[step].last);
	if (engine->run.stats)
		run_set_times(engine, &engine->run.stats->totals);
}

/*
 * Tells all instances before anything is closed, which would cause failures of their own. If the failure may be a
 * consequence of another one, waits for the report of its cause, and discards its own when that arrives.
 */
static void failure_send(struct engine *engine)
{
	const struct deadline deadline = deadline_in_ms(ECHO_MS);
	char text[FRAME_REASON_SIZE];
	struct pollfd bell[1];
	bool is_echo;

	atomic_store(&engine->failed, true); /* from here on no thread records a failure */
	pthread_mutex_lock(&engine->lock);
	is_echo = engine->is_echo;
	snprintf(text, sizeof(text), "%s", engine->failure);
	pthread_mutex_unlock(&engine->lock);
	while (text[0] && is_echo && !link_look(engine->link).aborted && !deadline_passed(deadline))
		if (wakeup_wait(engine->wake, bell, 0, deadline_left_ns(deadline)))
			break;
	if (text[0] && is_echo && link_look(engine->link).aborted) {
		pthread_mutex_lock(&engine->lock);
		engine->failure[0] = '\0';
		pthread_mutex_unlock(&engine->lock);
	} else if (text[0]) {
		link_abort(engine->link, text);
	}
}

int engine_run(struct engine *engine, const struct engine_run *run)
{
	int ret;

	pthread_mutex_lock(&engine->lock);
	ret = run_prepare(engine, run);
	pthread_mutex_unlock(&engine->lock);
	if (ret)
		engine_fail(engine, "no memory for %" PRIu32 " connections with each instance", run->per_pair);
	else
		ret = engine->side->run(engine);
	if (ret) {
		failure_send(engine);
		threads_end(engine); /* keeps what was measured so far; no thread may add to it now */
	}
	if (interval_left_ns(engine) < INT64_MAX)
		interval_show(engine, clock_cycles(), true /* cut short */);
	run_sum_up(engine);
	engine->run.stats = NULL;
	if (!ret)
		conns_free(engine);
	return ret;
}
