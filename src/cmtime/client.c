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
#include "util/stop.h"

#define NS_PER_S 1000000000LL

/* --- one step of one connection; in a flow the next one follows --- */

static void do_create_id(struct timed_conn *conn)
{
	struct step_times *full = &conn->times[STEP_FULL_CONNECT];

	step_begin(conn, STEP_CREATE_ID);
	full->begin = conn->due ? conn->due : conn->times[STEP_CREATE_ID].begin;
	step_end(conn, STEP_CREATE_ID, conn->engine->transport->create_id(conn));
}

static void do_bind_addr(struct timed_conn *conn)
{
	step_begin(conn, STEP_BIND_ADDR);
	step_end(conn, STEP_BIND_ADDR, conn->engine->transport->bind_addr(conn));
}

static void do_resolve_addr(struct timed_conn *conn)
{
	step_begin(conn, STEP_RESOLVE_ADDR);
	step_posted(conn, STEP_RESOLVE_ADDR, conn->engine->transport->resolve_addr(conn));
}

static void do_resolve_route(struct timed_conn *conn)
{
	conn->retries = conn->engine->params->retries;
	step_begin(conn, STEP_RESOLVE_ROUTE);
	step_posted(conn, STEP_RESOLVE_ROUTE, conn->engine->transport->resolve_route(conn));
}

static void do_create_qp(struct timed_conn *conn)
{
	qp_make(conn);
}

static void do_init_qp(struct timed_conn *conn)
{
	qp_move(conn, QP_TO_INIT);
}

static void do_connect(struct timed_conn *conn)
{
	step_begin(conn, STEP_CM_CONNECT);
	step_posted(conn, STEP_CM_CONNECT, conn->engine->transport->connect(conn));
}

static void do_disconnect(struct timed_conn *conn)
{
	const bool goes_on = conn->engine->is_flow;

	step_begin(conn, STEP_DISCONNECT);
	atomic_store(&conn->leaving, true);
	if (step_end(conn, STEP_DISCONNECT, conn->engine->transport->disconnect(conn)) && goes_on &&
	    atomic_fetch_sub(&conn->parts, 1) == 1)
		conn_retire(conn);
}

/* --- answers, in a thread of the pool --- */

static bool takes_next_step(const struct timed_conn *conn)
{
	return conn->engine->is_flow || conn->renewed;
}

static void answer_taken(struct timed_conn *conn, enum step step)
{
	conn->asked = 0; /* queueing is counted for the answer, not for the next step */
	conn->times[step].taken = clock_cycles();
}

static void on_addr(struct timed_conn *conn)
{
	struct step_times *times = &conn->times[STEP_RESOLVE_ADDR];
	const bool goes_on = takes_next_step(conn);

	answer_taken(conn, STEP_RESOLVE_ADDR);
	times->end = times->event;
	step_done(conn->engine, STEP_RESOLVE_ADDR);
	if (goes_on)
		do_resolve_route(conn);
}

static void on_route(struct timed_conn *conn)
{
	struct step_times *times = &conn->times[STEP_RESOLVE_ROUTE];
	const bool goes_on = takes_next_step(conn);

	answer_taken(conn, STEP_RESOLVE_ROUTE);
	times->end = times->event;
	step_done(conn->engine, STEP_RESOLVE_ROUTE);
	if (goes_on && qp_make(conn) && qp_move(conn, QP_TO_INIT))
		do_connect(conn);
}

/* Both sides have agreed. */
static void on_connected(struct timed_conn *conn)
{
	const struct engine *engine = conn->engine;
	const bool goes_on = engine->is_flow;

	conn->times[STEP_CM_CONNECT].end = clock_cycles();
	conn->times[STEP_FULL_CONNECT].end = conn->times[STEP_CM_CONNECT].end;
	/* After the last time stamp: only connecting is timed. */
	if (engine->transport->introduce && !step_posted(conn, STEP_CM_CONNECT, engine->transport->introduce(conn)))
		return;
	conn_established(conn);
	if (goes_on)
		do_disconnect(conn);
}

/* The server has accepted; the remaining steps are local. */
static void on_answer(struct timed_conn *conn)
{
	const struct conn_ops *transport = conn->engine->transport;

	answer_taken(conn, STEP_CM_CONNECT);
	if (transport->has_qps) {
		if (!qp_move(conn, QP_TO_RTR) || !qp_move(conn, QP_TO_RTS))
			return;
		step_begin(conn, STEP_ESTABLISH);
		if (!step_end(conn, STEP_ESTABLISH, transport->establish(conn)))
			return;
	}
	on_connected(conn);
}

/* iWARP: the kernel has moved the QP, and no rdma_establish() is needed. */
static void on_established(struct timed_conn *conn)
{
	answer_taken(conn, STEP_CM_CONNECT);
	on_connected(conn);
}

/* --- events, in the thread that reads them --- */

void client_on_addr(struct timed_conn *conn)
{
	conn->times[STEP_RESOLVE_ADDR].event = clock_cycles();
	pool_put(conn->engine->pool, conn, on_addr);
}

void client_on_route(struct timed_conn *conn)
{
	conn->times[STEP_RESOLVE_ROUTE].event = clock_cycles();
	pool_put(conn->engine->pool, conn, on_route);
}

void client_on_answer(struct timed_conn *conn)
{
	conn->times[STEP_CM_CONNECT].event = clock_cycles();
	pool_put(conn->engine->pool, conn, on_answer);
}

void client_on_established(struct timed_conn *conn)
{
	conn->times[STEP_CM_CONNECT].event = clock_cycles();
	pool_put(conn->engine->pool, conn, on_established);
}

static void count_retry(struct engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	if (engine->stats)
		engine->stats->retries++;
	pthread_mutex_unlock(&engine->lock);
}

void client_on_unresolved(struct timed_conn *conn, enum step step, int error)
{
	struct engine *engine = conn->engine;
	const struct conn_ops *transport = engine->transport;

	if (!conn->retries) {
		conn_fail(conn, step, "%s, after %u more tries (-r) of %u ms (-t)",
			  error ? strerror(error) : "it could not be resolved", engine->params->retries,
			  engine->params->timeout_ms);
		return;
	}
	conn->retries--;
	count_retry(engine);
	step_posted(conn, step,
		    step == STEP_RESOLVE_ADDR ? transport->resolve_addr(conn) : transport->resolve_route(conn));
}

/* --- step by step --- */

/* One connection after the other, in this thread. */
static int phase_serial(struct engine *engine, enum step step, const char *words, pool_work_fn work)
{
	engine_at_step(engine, step, words);
	for (uint32_t i = 0; i < engine->num_conns && !atomic_load(&engine->failed) && !stop_requested(); i++)
		work(&engine->conns[i]);
	return engine_ended(engine);
}

/* In the threads of the pool. */
static int phase_queued(struct engine *engine, enum step step, const char *words, pool_work_fn work)
{
	engine_at_step(engine, step, words);
	atomic_store(&engine->awaited, engine->num_conns);
	for (uint32_t i = 0; i < engine->num_conns; i++)
		pool_put(engine->pool, &engine->conns[i], work);
	return engine_await(engine, step, &engine->done[step], engine->num_conns);
}

static int prepare_all(struct engine *engine)
{
	int ret;

	while (engine->num_used < engine->num_conns) {
		struct timed_conn *conn = conn_get(engine, engine->num_used);

		conn->remote = &engine->servers[conn->index % engine->num_servers];
	}
	ret = phase_serial(engine, STEP_CREATE_ID, "Creating IDs", do_create_id);
	if (!ret)
		ret = phase_serial(engine, STEP_BIND_ADDR, "Binding addresses", do_bind_addr);
	if (ret || !engine->transport->has_qps)
		return ret;
	ret = phase_queued(engine, STEP_RESOLVE_ADDR, "Resolving addresses", do_resolve_addr);
	if (!ret)
		ret = phase_queued(engine, STEP_RESOLVE_ROUTE, "Resolving routes", do_resolve_route);
	if (!ret)
		ret = phase_queued(engine, STEP_CREATE_QP, "Creating QPs", do_create_qp);
	if (!ret)
		ret = phase_queued(engine, STEP_INIT_QP, "Modify QPs to INIT", do_init_qp);
	return ret;
}

static int client_connect_all(struct engine *engine)
{
	int ret;

	atomic_store(&engine->awaited, engine->num_conns);
	ret = phase_serial(engine, STEP_CM_CONNECT, "Connecting", do_connect);
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
		ret = phase_queued(engine, STEP_DISCONNECT, "Disconnecting", do_disconnect);
	if (!ret)
		ret = engine_sync(engine); /* the servers have noticed */
	if (!ret && !engine->transport->destroy_waits)
		ret = engine_await(engine, STEP_DISCONNECT, &engine->hung_up, engine->num_conns);
	if (!ret && engine->transport->has_qps)
		ret = phase_serial(engine, STEP_DESTROY_QP, "Destroying QPs", conn_destroy_qp);
	if (!ret)
		ret = phase_serial(engine, STEP_DESTROY_ID, "Destroying IDs", conn_destroy_id);
	return ret;
}

/* --- as a flow --- */

static void conn_begin(struct timed_conn *conn)
{
	const struct engine *engine = conn->engine;

	do_create_id(conn);
	if (!conn->times[STEP_CREATE_ID].end)
		return;
	do_bind_addr(conn);
	if (!conn->times[STEP_BIND_ADDR].end)
		return;
	if (engine->transport->has_qps)
		do_resolve_addr(conn);
	else
		do_connect(conn);
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
	} else if (!engine->is_flow) {
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
	struct pollfd bell[1];
	uint64_t now;
	int ret = 0;

	while (!ret && (now = clock_cycles()) < cycles) {
		const double left_ns = clock_cycles_to_ns((double)(cycles - now));

		ret = engine_ended(engine);
		if (!ret)
			ret = wakeup_wait(engine->wake, bell, 0,
					  left_ns < (double)NS_PER_S ? (int64_t)left_ns : NS_PER_S);
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
	const uint64_t all = (uint64_t)engine->per_pair * engine->num_servers;
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
	return engine->is_flow ? client_run_flow(engine) : client_run_steps(engine);
}

const struct engine_side client_side = {
	.run = client_run,
	.on_disconnected = client_on_disconnected,
	.on_retired = client_on_retired,
};
