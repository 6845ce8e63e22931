// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The client's side. Step by step: all connections complete a step before the next one starts, so that the cost of each
 * step is visible. As a flow: each connection goes through all steps, with a window of them in flight, or with one
 * started whenever it is due.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmtime/engine.h"
#include "util/log.h"

#define NS_PER_S 1000000000LL

/* --- one step of one connection; in a flow the next one follows --- */

static bool client_hang_up(struct timed_conn *conn)
{
	const bool goes_on = conn->engine->run.is_flow;

	atomic_store(&conn->leaving, true);
	if (!step_call(conn, STEP_DISCONNECT))
		return false;
	if (goes_on && atomic_fetch_sub(&conn->parts, 1) == 1)
		conn_retire(conn);
	return true;
}

static bool client_step(struct timed_conn *conn, enum step step)
{
	bool done;

	switch (step) {
	case STEP_CREATE_ID:
		done = step_call(conn, step);
		conn->times[STEP_FULL_CONNECT].begin = conn->due ? conn->due : conn->times[step].begin;
		return done;
	case STEP_RESOLVE_ROUTE:
		conn->retries = conn->engine->params->retries;
		return step_call(conn, step);
	case STEP_CREATE_QP:
		return qp_make(conn);
	case STEP_INIT_QP:
		return qp_move(conn, STEP_INIT_QP);
	case STEP_DISCONNECT:
		return client_hang_up(conn);
	default:
		return step_call(conn, step);
	}
}

/* --- answers, in a thread of the pool --- */

/* The server has accepted; the remaining steps are local. With iWARP the kernel has done them. */
static void on_accepted(struct timed_conn *conn)
{
	const struct engine *engine = conn->engine;
	const struct conn_ops *transport = engine->transport;
	const bool goes_on = engine->run.is_flow;

	if (transport->has_qps && !engine->is_iwarp &&
	    (!qp_move(conn, STEP_RTR_QP) || !qp_move(conn, STEP_RTS_QP) || !step_call(conn, STEP_ESTABLISH)))
		return;
	conn->times[STEP_CM_CONNECT].end = clock_cycles();
	conn->times[STEP_FULL_CONNECT].end = conn->times[STEP_CM_CONNECT].end;
	/* After the last time stamp: only connecting is timed. */
	if (transport->introduce && !step_posted(conn, STEP_CM_CONNECT, transport->introduce(conn)))
		return;
	conn_established(conn);
	if (goes_on)
		client_hang_up(conn);
}

static void take_answer(struct timed_conn *conn)
{
	struct engine *engine = conn->engine;
	const enum step step = conn->step;
	struct step_times *times = &conn->times[step];
	/* Read before the step is counted: after the last one the next phase may start. */
	const bool goes_on = engine->run.is_flow || conn->renewed;

	conn->asked = 0; /* queueing is counted for the answer, not for the next step */
	times->taken = clock_cycles();
	if (step == STEP_CM_CONNECT) {
		on_accepted(conn);
		return;
	}
	times->end = times->event;
	step_done(engine, step);
	if (!goes_on)
		return;
	if (step == STEP_RESOLVE_ADDR)
		client_step(conn, STEP_RESOLVE_ROUTE);
	else if (qp_make(conn) && qp_move(conn, STEP_INIT_QP))
		step_call(conn, STEP_CM_CONNECT);
}

/* --- events, in the thread that reads them --- */

void client_on_answer(struct timed_conn *conn, enum step step)
{
	conn->times[step].event = clock_cycles();
	conn->step = step;
	pool_put(conn->engine->pool, conn, take_answer);
}

static void count_retry(struct engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	if (engine->run.stats)
		engine->run.stats->totals.retries++;
	pthread_mutex_unlock(&engine->lock);
}

void client_on_unresolved(struct timed_conn *conn, enum step step, int error)
{
	struct engine *engine = conn->engine;

	if (!conn->retries) {
		conn_fail(conn, step, "%s, after %u more tries (-r) of %u ms (-t)",
			  error ? strerror(error) : "it could not be resolved", engine->params->retries,
			  engine->params->timeout_ms);
		return;
	}
	conn->retries--;
	count_retry(engine);
	step_posted(conn, step, engine->transport->calls[step](conn));
}

/* --- step by step --- */

static void take_step(struct timed_conn *conn)
{
	client_step(conn, conn->step);
}

/* In the threads of the pool. */
static int phase_queued(struct engine *engine, enum step step, const char *text)
{
	engine_at_step(engine, step, text);
	atomic_store(&engine->awaited, engine->num_conns);
	for (uint32_t i = 0; i < engine->num_conns; i++) {
		engine->conns[i].step = step;
		pool_put(engine->pool, &engine->conns[i], take_step);
	}
	return engine_await(engine, step, &engine->done[step], engine->num_conns);
}

static int prepare_all(struct engine *engine)
{
	int ret;

	for (uint32_t i = 0; i < engine->num_conns; i++)
		conn_get(engine, i)->remote = &engine->servers[i % engine->num_servers];
	ret = engine_each(engine, STEP_CREATE_ID, "Creating IDs", take_step);
	if (!ret)
		ret = engine_each(engine, STEP_BIND_ADDR, "Binding addresses", take_step);
	if (ret || !engine->transport->has_qps)
		return ret;
	ret = phase_queued(engine, STEP_RESOLVE_ADDR, "Resolving addresses");
	if (!ret)
		ret = phase_queued(engine, STEP_RESOLVE_ROUTE, "Resolving routes");
	if (!ret)
		ret = phase_queued(engine, STEP_CREATE_QP, "Creating QPs");
	if (!ret)
		ret = phase_queued(engine, STEP_INIT_QP, "Modify QPs to INIT");
	return ret;
}

static int client_connect_all(struct engine *engine)
{
	int ret;

	atomic_store(&engine->awaited, engine->num_conns);
	ret = engine_each(engine, STEP_CM_CONNECT, "Connecting", take_step);
	if (!ret)
		ret = engine_await(engine, STEP_CM_CONNECT, &engine->done[STEP_CM_CONNECT], engine->num_conns);
	return ret;
}

static int client_run_steps(struct engine *engine)
{
	int ret;

	ret = prepare_all(engine);
	if (!ret)
		ret = engine_sync(engine); /* all clients are ready */
	if (!ret)
		ret = client_connect_all(engine);
	if (!ret)
		ret = engine_sync(engine); /* all are connected */
	if (!ret)
		ret = phase_queued(engine, STEP_DISCONNECT, "Disconnecting");
	if (!ret)
		ret = engine_sync(engine); /* the servers have noticed */
	if (!ret && !engine->transport->destroy_waits)
		ret = engine_await(engine, STEP_DISCONNECT, &engine->hung_up, engine->num_conns);
	return ret ? ret : engine_destroy_all(engine);
}

/* --- as a flow --- */

static void conn_begin(struct timed_conn *conn)
{
	const bool has_qps = conn->engine->transport->has_qps;

	if (client_step(conn, STEP_CREATE_ID) && client_step(conn, STEP_BIND_ADDR))
		step_call(conn, has_qps ? STEP_RESOLVE_ADDR : STEP_CM_CONNECT);
}

/*
 * A stale connection (InfiniBand Architecture Specification 1.3, 12.9.8.3): the server does not know yet that an
 * earlier connection with the same QP number has ended; this request tells it. A new QP number belongs to no
 * connection.
 */
static void begin_anew(struct timed_conn *conn)
{
	if (!conn->due) /* a full connect includes all attempts */
		conn->due = conn->times[STEP_FULL_CONNECT].begin;
	conn_record_first_attempt(conn);
	conn->renewed = true;
	conn->retries = conn->engine->params->retries;
	conn_number(conn);
	conn->engine->transport->renew(conn);
	conn_begin(conn);
}

bool client_on_stale(struct timed_conn *conn)
{
	struct engine *engine = conn->engine;

	if (!conn->renewals)
		return false;
	conn->renewals--;
	count_retry(engine);
	if (!engine->stale_reported)
		log_warning("the server mistook connection %" PRIu32
			    " for a stale one with the same QP number (reject reason 10): it is retried with another "
			    "number, as are any others, and counted as a retry",
			    conn->index + 1);
	engine->stale_reported = true;
	pool_put(engine->pool, conn, begin_anew);
	return true;
}

/* False if no more connections are to be started. */
static bool begin_one(struct engine *engine, uint64_t due)
{
	struct timed_conn *conn;
	uint64_t index;

	if (atomic_load(&engine->failed) || (engine->ends && clock_cycles() >= engine->ends))
		return false;
	index = atomic_fetch_add(&engine->begun, 1);
	conn = index < engine->limit ? conn_get(engine, (uint32_t)index) : NULL;
	if (!conn)
		return false;
	conn->remote = &engine->servers[conn->index % engine->num_servers];
	conn->due = due;
	pool_put(engine->pool, conn, conn_begin);
	return true;
}

static void client_on_disconnected(struct timed_conn *conn)
{
	struct engine *engine = conn->engine;
	const uint32_t all = engine->num_conns; /* read now: after the last connection the run may end */

	if (!atomic_load(&conn->leaving)) {
		engine_doubt(engine);
		conn_fail(conn, STEP_DISCONNECT, "the server hung up first");
	} else if (!engine->run.is_flow) {
		if (atomic_fetch_add(&engine->hung_up, 1) + 1 == all)
			wakeup_ring(engine->wake);
	} else if (atomic_fetch_sub(&conn->parts, 1) == 1) {
		pool_put(engine->pool, conn, conn_retire);
	}
}

static void client_on_retired(struct engine *engine)
{
	if (!(engine->params->rate > 0))
		begin_one(engine, 0 /* never due */);
}

static int wait_until(struct engine *engine, uint64_t cycles)
{
	uint64_t now;
	int ret = 0;

	while (!ret && (now = clock_cycles()) < cycles) {
		const double left_ns = clock_cycles_to_ns((double)(cycles - now));

		ret = engine_ended(engine);
		if (!ret)
			ret = engine_wait(engine, left_ns < (double)NS_PER_S ? (int64_t)left_ns : NS_PER_S);
	}
	return ret;
}

/* Open loop: connection n is started n / rate after the start, whatever the others do. */
static int begin_by_rate(struct engine *engine)
{
	uint64_t due = engine->start;
	int ret = 0;

	for (uint64_t n = 1; !ret && begin_one(engine, due); n++) {
		due = engine->start + clock_ns_to_cycles((double)n / engine->params->rate * 1e9);
		if (engine->ends && due >= engine->ends)
			break;
		ret = wait_until(engine, due);
	}
	return ret ? ret : engine_ended(engine);
}

static int client_run_flow(struct engine *engine)
{
	const struct cmtime_params *params = engine->params;
	const uint64_t all = (uint64_t)engine->run.per_pair * engine->num_servers;
	uint64_t window = params->window ? params->window : all;
	int ret;

	engine_at_step(engine, STEP_FULL_CONNECT, "Connecting and disconnecting");
	engine->limit = params->duration_s ? UINT64_MAX : all;
	engine->ends = params->duration_s
			       ? engine->start + clock_ns_to_cycles((double)params->duration_s * (double)NS_PER_S)
			       : 0;
	if (params->rate > 0) {
		ret = begin_by_rate(engine);
	} else {
		while (window-- && begin_one(engine, 0 /* never due */))
			;
		ret = engine->ends ? wait_until(engine, engine->ends) : engine_ended(engine);
	}
	if (!ret)
		ret = engine_await(engine, STEP_DISCONNECT, &engine->active, 0);
	if (!ret)
		ret = engine_sync(engine); /* no client starts another connection */
	return ret;
}

static int client_run(struct engine *engine)
{
	int ret;

	ret = engine_sync(engine); /* all start */
	engine->start = clock_cycles();
	if (ret)
		return ret;
	return engine->run.is_flow ? client_run_flow(engine) : client_run_steps(engine);
}

const struct engine_side client_side = {
	.run = client_run,
	.on_disconnected = client_on_disconnected,
	.on_retired = client_on_retired,
};
