// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The threads, the waits and the common steps of a run. See engine.h. */
#include "config.h"

#include "cmtime/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/deadline.h"
#include "util/log.h"
#include "util/stop.h"

#define NS_PER_S       1000000000LL
#define LOOK_NS	       NS_PER_S /* between two looks at whether there is progress */
#define ECHO_MS	       2000	/* for the news of what an echo comes from: a silence is told up to a second late */
#define SLEEP_SLICE_US 20000	/* after which a sleeping thread looks whether it is still wanted */

/* --- failures --- */

static void fail_text(struct engine *engine, const char *text)
{
	pthread_mutex_lock(&engine->lock);
	if (!engine->failure[0] && !atomic_load(&engine->failed))
		snprintf(engine->failure, sizeof(engine->failure), "%s", text);
	atomic_store(&engine->failed, true);
	pthread_mutex_unlock(&engine->lock);
	wakeup_ring(engine->wake);
}

void engine_doubt(struct engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	if (!atomic_load(&engine->failed))
		engine->is_echo = true;
	pthread_mutex_unlock(&engine->lock);
}

void engine_fail(struct engine *engine, const char *format, ...)
{
	char text[FRAME_REASON_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fail_text(engine, text);
}

void conn_fail(struct timed_conn *conn, enum step step, const char *format, ...)
{
	char text[FRAME_REASON_SIZE];
	va_list args;
	int used;

	used = snprintf(text, sizeof(text), "%s of connection %" PRIu32 ": ", step_name(step), conn->index + 1);
	va_start(args, format);
	vsnprintf(text + used, sizeof(text) - (size_t)used, format, args);
	va_end(args);
	fail_text(conn->engine, text);
}

const char *engine_failure(struct engine *engine)
{
	return engine->failure;
}

/* --- steps --- */

void step_begin(struct timed_conn *conn, enum step step)
{
	struct step_times *times = &conn->times[step];

	times->asked = conn->asked;
	conn->asked = 0;
	times->begin = clock_cycles();
}

void step_done(struct engine *engine, enum step step)
{
	if (atomic_fetch_add(&engine->done[step], 1) + 1 == atomic_load(&engine->awaited))
		wakeup_ring(engine->wake);
}

bool step_posted(struct timed_conn *conn, enum step step, int error)
{
	const char *hint;

	if (!error)
		return true;
	/* An ID whose other end is gone refuses calls, as one in a wrong state. */
	if (step >= STEP_INIT_QP_ATTR && step <= STEP_DISCONNECT)
		engine_doubt(conn->engine);
	hint = conn->engine->transport->hint(conn->engine, -error);
	conn_fail(conn, step, "%s%s%s", strerror(-error), hint ? ": " : "", hint ? hint : "");
	return false;
}

bool step_end(struct timed_conn *conn, enum step step, int error)
{
	conn->times[step].end = clock_cycles();
	if (error) {
		conn->times[step].end = 0;
		return step_posted(conn, step, error);
	}
	step_done(conn->engine, step);
	return true;
}

/* What -m puts in place of a call; ends early when the run does. */
static void mimic_sleep(const struct engine *engine)
{
	int64_t left_us = engine->mimic_us;

	while (left_us > 0 && !atomic_load(&engine->failed)) {
		const int64_t slice_us = left_us < SLEEP_SLICE_US ? left_us : SLEEP_SLICE_US;
		const struct timespec slice = {.tv_nsec = slice_us * 1000};

		clock_nanosleep(CLOCK_MONOTONIC, 0, &slice, NULL);
		left_us -= slice_us;
	}
}

bool qp_make(struct timed_conn *conn)
{
	const struct engine *engine = conn->engine;
	int error = 0;

	step_begin(conn, STEP_CREATE_QP);
	if (engine->makes_qps)
		error = engine->transport->create_qp(conn);
	else
		mimic_sleep(engine);
	return step_end(conn, STEP_CREATE_QP, error);
}

bool qp_move(struct timed_conn *conn, enum qp_state state)
{
	static const enum step attr_steps[] = {
		[QP_TO_INIT] = STEP_INIT_QP_ATTR,
		[QP_TO_RTR] = STEP_RTR_QP_ATTR,
		[QP_TO_RTS] = STEP_RTS_QP_ATTR,
	};
	const enum step attr_step = attr_steps[state], step = (enum step)(attr_step + 1);
	const struct engine *engine = conn->engine;
	int error = 0;

	step_begin(conn, attr_step);
	if (!step_end(conn, attr_step, engine->transport->qp_attr(conn, state)))
		return false;
	step_begin(conn, step);
	if (engine->makes_qps)
		error = engine->transport->modify_qp(conn);
	else
		mimic_sleep(engine);
	return step_end(conn, step, error);
}

/* --- connections --- */

void conn_number(struct timed_conn *conn)
{
	struct engine *engine = conn->engine;

	conn->qpn = engine->qpn_first + atomic_fetch_add(&engine->qpn_next, 1) % engine->qpn_count;
}

static void conn_reset(struct timed_conn *conn, struct engine *engine, uint32_t index)
{
	memset(conn->times, 0, sizeof(conn->times));
	conn->engine = engine;
	conn->index = index;
	conn->asked = conn->due = 0;
	conn->remote = NULL;
	conn->retries = conn->renewals = engine->params->retries;
	conn_number(conn);
	atomic_store(&conn->parts, 2);
	atomic_store(&conn->leaving, false);
	conn->in_use = true;
	conn->established = conn->connected = conn->renewed = false;
	conn->id = conn->qp = conn->stale_qp = NULL;
	conn->fd = -1;
}

struct timed_conn *conn_get(struct engine *engine, uint32_t index)
{
	struct timed_conn *conn;

	if (!engine->is_flow) {
		if (engine->num_used == engine->num_conns) {
			engine_fail(engine, "%s: there are more connections than were agreed on",
				    step_name(STEP_CM_CONNECT));
			return NULL;
		}
		conn = &engine->conns[engine->num_used++];
		conn_reset(conn, engine, index);
		return conn;
	}
	pthread_mutex_lock(&engine->lock);
	conn = engine->free;
	if (conn) {
		engine->free = conn->next;
	} else {
		conn = calloc(1, sizeof(*conn));
		if (conn) {
			conn->sibling = engine->all;
			engine->all = conn;
		}
	}
	pthread_mutex_unlock(&engine->lock);
	if (!conn) {
		engine_fail(engine, "there is no memory for another connection");
		return NULL;
	}
	conn_reset(conn, engine, index);
	atomic_fetch_add(&engine->active, 1);
	return conn;
}

void conn_put(struct timed_conn *conn)
{
	struct engine *engine = conn->engine;

	pthread_mutex_lock(&engine->lock);
	conn->in_use = false;
	conn->next = engine->free;
	engine->free = conn;
	pthread_mutex_unlock(&engine->lock);
}

void conn_established(struct timed_conn *conn)
{
	struct engine *engine = conn->engine;
	const uint64_t now = clock_cycles();

	conn->established = true;
	pthread_mutex_lock(&engine->lock);
	if (engine->stats) {
		engine->stats->connections++;
		rate_record(&engine->stats->rate,
			    now > engine->start ? (uint64_t)clock_cycles_to_ns((double)(now - engine->start)) : 0);
	}
	pthread_mutex_unlock(&engine->lock);
	step_done(engine, STEP_CM_CONNECT);
}

void conn_destroy_qp(struct timed_conn *conn)
{
	if (!conn->qp)
		return;
	step_begin(conn, STEP_DESTROY_QP);
	conn->engine->transport->destroy_qp(conn);
	step_end(conn, STEP_DESTROY_QP, 0 /* it can't fail */);
}

void conn_destroy_id(struct timed_conn *conn)
{
	if (!conn->id && conn->fd < 0)
		return;
	step_begin(conn, STEP_DESTROY_ID);
	conn->engine->transport->destroy_id(conn);
	step_end(conn, STEP_DESTROY_ID, 0 /* it can't fail */);
}

static void span_stretch(struct span *span, const struct step_times *times)
{
	if (!times->begin || !times->end)
		return;
	if (!span->first || times->begin < span->first)
		span->first = times->begin;
	if (times->end > span->last)
		span->last = times->end;
}

/* A step that comes before a connection is asked for. */
static bool precedes_connect(unsigned step)
{
	return step >= STEP_CREATE_ID && step <= STEP_INIT_QP;
}

void conn_record_first_attempt(struct timed_conn *conn)
{
	struct engine *engine = conn->engine;

	if (conn->renewed || engine->is_flow)
		return;
	pthread_mutex_lock(&engine->lock);
	for (unsigned step = 0; step < STEP_COUNT; step++)
		if (precedes_connect(step))
			span_stretch(&engine->spans[step], &conn->times[step]);
	pthread_mutex_unlock(&engine->lock);
}

void conn_record(struct timed_conn *conn)
{
	struct engine *engine = conn->engine;

	pthread_mutex_lock(&engine->lock);
	for (unsigned step = 0; step < STEP_COUNT && engine->stats; step++) {
		const struct step_times *times = &conn->times[step];

		if (!times->begin || !times->end)
			continue;
		/* A server knows when a connection came in and was established, which is not what a client waits
		 * for. */
		if (!engine->params->listen || step != STEP_CM_CONNECT)
			conn_stats_record(engine->stats, (enum step)step, times);
		if (!conn->renewed || engine->is_flow || !precedes_connect(step))
			span_stretch(&engine->spans[step], times);
	}
	pthread_mutex_unlock(&engine->lock);
}

void conn_retire(struct timed_conn *conn)
{
	struct engine *engine = conn->engine;

	conn->asked = 0;
	if (engine->transport->has_qps)
		conn_destroy_qp(conn);
	conn_destroy_id(conn);
	conn_record(conn);
	conn_put(conn);
	engine->side->on_retired(engine);
	if (atomic_fetch_sub(&engine->active, 1) == 1)
		wakeup_ring(engine->wake);
}

/* --- waits of the main thread --- */

int engine_ended(struct engine *engine)
{
	if (stop_requested())
		return -EINTR;
	return atomic_load(&engine->failed) || link_aborted(engine->link) ? -ECANCELED : 0;
}

int engine_sync(struct engine *engine)
{
	struct pollfd bell[1];
	int ret;

	link_at_step(engine->link, STEP_COUNT);
	link_arrive(engine->link, ++engine->point);
	while (!link_released(engine->link, engine->point)) {
		ret = engine_ended(engine);
		if (!ret)
			ret = wakeup_wait(engine->wake, bell, 0, LOOK_NS);
		if (ret)
			return ret;
	}
	return 0;
}

int engine_await(struct engine *engine, enum step step, _Atomic uint64_t *counter, uint64_t target)
{
	/* A thread may sleep for each of a connection's calls. */
	const int64_t limit_ms =
		1000LL * engine->params->timeout_s + (engine->mimic_us > 0 ? engine->mimic_us / 200 : 0);
	struct deadline deadline = deadline_in_ms(limit_ms);
	uint64_t seen = atomic_load(counter), seen_step = 0, now;
	struct pollfd bell[1];
	int ret;

	while ((now = atomic_load(counter)) != target) {
		ret = engine_ended(engine);
		if (ret)
			return ret;
		if (now != seen || atomic_load(&engine->done[step]) != seen_step)
			deadline = deadline_in_ms(limit_ms);
		seen = now;
		seen_step = atomic_load(&engine->done[step]);
		if (deadline_passed(deadline)) {
			engine_doubt(engine); /* an instance that was stopped is named for its silence */
			engine_fail(engine,
				    "%s: nothing has moved for %" PRId64 " s, with %" PRIu64 " of %" PRIu64 " done",
				    step_name(step), limit_ms / 1000, now, target);
			return -ECANCELED;
		}
		ret = wakeup_wait(engine->wake, bell, 0, LOOK_NS);
		if (ret)
			return ret;
	}
	return engine_ended(engine);
}

void engine_say(struct engine *engine, enum step step, const char *words)
{
	link_at_step(engine->link, step);
	if (engine->shows_progress)
		log_info("%s", words);
}

/* --- the life of an engine --- */

static void *event_thread(void *arg)
{
	struct engine *engine = arg;
	struct pollfd fds[2] = {[1] = {.fd = engine->transport->event_fd(engine), .events = POLLIN}};

	do {
		wakeup_wait_thread(&engine->event_stop, fds, 1, -1 /* no limit: the bell ends it */);
		if (!fds[1].revents)
			continue;
		/* An event comes from a peer that was told that this run was prepared; now this thread sees it, too. */
		pthread_mutex_lock(&engine->lock);
		pthread_mutex_unlock(&engine->lock);
		engine->transport->read_events(engine);
	} while (!fds[0].revents);
	return NULL;
}

int engine_open(struct engine *engine)
{
	int ret;

	clock_calibrate(); /* before there are threads that read it */
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
	for (uint32_t i = 0; i < engine->num_conns && engine->conns; i++) {
		struct timed_conn *conn = &engine->conns[i];

		if (!conn->in_use)
			continue;
		if (engine->transport->has_qps)
			engine->transport->destroy_qp(conn);
		engine->transport->destroy_id(conn);
	}
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
 * A thread that sleeps wakes up, nothing new is begun, and what is open is closed. The thread that reads events goes
 * last where closing waits for it, and first where events would come too late.
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

	free(engine->conns);
	engine->conns = NULL;
	engine->num_conns = engine->num_used = 0;
	for (struct timed_conn *conn = engine->all; conn; conn = next) {
		next = conn->sibling;
		free(conn);
	}
	engine->all = engine->free = NULL;
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

	engine->makes_qps = run->makes_qps;
	engine->mimic_us = run->mimic_us;
	engine->is_flow = run->is_flow;
	engine->per_pair = run->per_pair;
	engine->stats = run->stats;
	memset(engine->spans, 0, sizeof(engine->spans));
	for (unsigned step = 0; step < STEP_COUNT; step++)
		atomic_store(&engine->done[step], 0);
	atomic_store(&engine->hung_up, 0);
	atomic_store(&engine->active, 0);
	atomic_store(&engine->begun, 0);
	engine->start = 0;
	if (run->is_flow)
		return 0;
	if ((uint64_t)peers * run->per_pair > UINT32_MAX / 2)
		return -ECANCELED;
	engine->num_conns = peers * run->per_pair;
	engine->conns = calloc(engine->num_conns, sizeof(*engine->conns));
	return engine->conns ? 0 : -ECANCELED;
}

/* Every connection's times, and how long each step took for all of them. */
static void run_sum_up(struct engine *engine)
{
	for (uint32_t i = 0; i < engine->num_conns && engine->conns; i++)
		if (engine->conns[i].in_use)
			conn_record(&engine->conns[i]);
	for (struct timed_conn *conn = engine->all; conn; conn = conn->sibling)
		if (conn->in_use)
			conn_record(conn);
	for (unsigned step = 0; step < STEP_COUNT && engine->stats; step++)
		engine->stats->steps[step].total_ns =
			(uint64_t)clock_cycles_to_ns((double)(engine->spans[step].last - engine->spans[step].first));
}

/*
 * All are told before anything is closed, which would make them fail on their own account. An echo waits for
 * the news of its cause, and is forgotten when they come.
 */
static void failure_tell(struct engine *engine)
{
	const struct deadline deadline = deadline_in_ms(ECHO_MS);
	char text[FRAME_REASON_SIZE];
	struct pollfd bell[1];
	bool is_echo;

	atomic_store(&engine->failed, true); /* from here on no thread writes a failure */
	pthread_mutex_lock(&engine->lock);
	is_echo = engine->is_echo;
	snprintf(text, sizeof(text), "%s", engine->failure);
	pthread_mutex_unlock(&engine->lock);
	while (text[0] && is_echo && !link_aborted(engine->link) && !deadline_passed(deadline))
		if (wakeup_wait(engine->wake, bell, 0, deadline_left_ns(deadline)))
			break;
	if (text[0] && is_echo && link_aborted(engine->link)) {
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
		engine_fail(engine, "there is no room for %" PRIu32 " connections with each instance", run->per_pair);
	else
		ret = engine->side->run(engine);
	if (ret) {
		failure_tell(engine);
		threads_end(engine); /* what was measured so far is worth having; no thread may add to it now */
	}
	run_sum_up(engine);
	engine->stats = NULL;
	if (!ret)
		conns_free(engine);
	return ret;
}
