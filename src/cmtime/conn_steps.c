// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The steps of a connection, its allocation, and its failures. See engine.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmtime/engine.h"

#define SLEEP_SLICE_US 20000 /* interval at which a sleeping thread checks whether the run is over */

/* --- failures --- */

void engine_doubt(struct engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	if (!atomic_load(&engine->failed))
		engine->is_echo = true;
	pthread_mutex_unlock(&engine->lock);
}

void engine_fail(struct engine *engine, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pthread_mutex_lock(&engine->lock);
	if (!engine->failure[0] && !atomic_load(&engine->failed))
		vsnprintf(engine->failure, sizeof(engine->failure), format, args);
	atomic_store(&engine->failed, true);
	pthread_mutex_unlock(&engine->lock);
	va_end(args);
	wakeup_ring(engine->wake);
}

void conn_fail(struct timed_conn *conn, enum step step, const char *format, ...)
{
	char text[FRAME_REASON_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	engine_fail(conn->engine, "%s of connection %" PRIu32 ": %s", step_name(step), conn->index + 1, text);
}

const char *engine_failure(struct engine *engine)
{
	return engine->failure;
}

/* --- steps --- */

static void step_begin(struct timed_conn *conn, enum step step)
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
	/* Calls on an ID whose peer has disconnected fail, as in a wrong state. */
	if (step >= STEP_INIT_QP_ATTR && step <= STEP_DISCONNECT)
		engine_doubt(conn->engine);
	hint = conn->engine->transport->hint(-error);
	conn_fail(conn, step, "%s%s%s", strerror(-error), hint ? ": " : "", hint ? hint : "");
	return false;
}

/* The call has returned, which completes the step. */
static bool step_end(struct timed_conn *conn, enum step step, int error)
{
	conn->times[step].end = clock_cycles();
	if (error) {
		conn->times[step].end = 0;
		return step_posted(conn, step, error);
	}
	step_done(conn->engine, step);
	return true;
}

static bool is_answered(enum step step)
{
	return step == STEP_RESOLVE_ADDR || step == STEP_RESOLVE_ROUTE || step == STEP_CM_CONNECT;
}

bool step_call(struct timed_conn *conn, enum step step)
{
	int (*const call)(struct timed_conn *) = conn->engine->transport->calls[step];

	step_begin(conn, step);
	return is_answered(step) ? step_posted(conn, step, call(conn)) : step_end(conn, step, call(conn));
}

/* Replaces a call with -m; returns early when the run ends. */
static void mimic_sleep(const struct engine *engine)
{
	int64_t left_us = engine->run.mimic_us;

	while (left_us > 0 && !atomic_load(&engine->failed)) {
		const int64_t slice_us = left_us < SLEEP_SLICE_US ? left_us : SLEEP_SLICE_US;
		const struct timespec slice = {.tv_nsec = slice_us * 1000};

		clock_nanosleep(CLOCK_MONOTONIC, 0, &slice, NULL);
		left_us -= slice_us;
	}
}

static bool qp_call(struct timed_conn *conn, enum step step, int (*call)(struct timed_conn *conn))
{
	int error = 0;

	step_begin(conn, step);
	if (conn->engine->run.makes_qps)
		error = call(conn);
	else
		mimic_sleep(conn->engine);
	return step_end(conn, step, error);
}

bool qp_make(struct timed_conn *conn)
{
	return qp_call(conn, STEP_CREATE_QP, conn->engine->transport->create_qp);
}

bool qp_move(struct timed_conn *conn, enum step step)
{
	const struct conn_ops *transport = conn->engine->transport;
	const enum step attr_step = (enum step)(step - 1);

	step_begin(conn, attr_step);
	return step_end(conn, attr_step, transport->qp_attr(conn, step)) && qp_call(conn, step, transport->modify_qp);
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

/* NULL: no memory. */
static struct timed_conn *conn_add(struct engine *engine)
{
	struct timed_conn *conn = calloc(1, sizeof(*conn));

	if (conn) {
		conn->sibling = engine->all;
		engine->all = conn;
	}
	return conn;
}

struct timed_conn *conn_get(struct engine *engine, uint32_t index)
{
	struct timed_conn *conn;

	pthread_mutex_lock(&engine->lock);
	conn = engine->free;
	if (conn)
		engine->free = conn->next;
	else if (engine->run.is_flow)
		conn = conn_add(engine);
	pthread_mutex_unlock(&engine->lock);
	if (!conn && engine->run.is_flow)
		engine_fail(engine, "no memory for another connection");
	else if (!conn)
		engine_fail(engine, "%s: more connections arrived than were agreed on", step_name(STEP_CM_CONNECT));
	if (!conn)
		return NULL;
	conn_reset(conn, engine, index);
	atomic_fetch_add(&engine->active, 1);
	return conn;
}

static void conn_put(struct timed_conn *conn)
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
	uint64_t since_start_ns;

	conn->established = true;
	pthread_mutex_lock(&engine->lock);
	since_start_ns = now > engine->start ? (uint64_t)clock_cycles_to_ns((double)(now - engine->start)) : 0;
	if (engine->run.stats) {
		engine->run.stats->totals.connections++;
		engine->established = now;
		rate_count(&engine->run.stats->totals.rate, since_start_ns, 1);
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

/* Steps before the connection request. */
static bool precedes_connect(unsigned step)
{
	return step >= STEP_CREATE_ID && step <= STEP_INIT_QP;
}

void conn_record_first_attempt(struct timed_conn *conn)
{
	struct engine *engine = conn->engine;

	if (conn->renewed || engine->run.is_flow)
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
	for (unsigned step = 0; step < STEP_COUNT && engine->run.stats; step++) {
		const struct step_times *times = &conn->times[step];

		if (!times->begin || !times->end)
			continue;
		/*
		 * A server only knows when a request arrived and when it was established, which is not the time a
		 * client waits.
		 */
		if (!engine->params->listen || step != STEP_CM_CONNECT)
			conn_stats_record(engine->run.stats, (enum step)step, times);
		if (!conn->renewed || engine->run.is_flow || !precedes_connect(step))
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
	if (engine->side->on_retired)
		engine->side->on_retired(engine);
	if (atomic_fetch_sub(&engine->active, 1) == 1)
		wakeup_ring(engine->wake);
}
