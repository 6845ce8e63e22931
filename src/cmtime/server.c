// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The server's side: answers each connection in a thread of the pool, and disconnects when the client does. It learns
 * of a connection from an event, so it has no times for the steps before that.
 */
#include "config.h"

#include "cmtime/engine.h"
#include "util/log.h"

/* In a thread of the pool. */
static void conn_answer(struct timed_conn *conn)
{
	if (!qp_make(conn) || !qp_move(conn, STEP_INIT_QP) || !qp_move(conn, STEP_RTR_QP) ||
	    !qp_move(conn, STEP_RTS_QP))
		return;
	step_posted(conn, STEP_CM_CONNECT, conn->engine->transport->accept(conn));
}

static void hang_up(struct timed_conn *conn)
{
	/* Read before the step is counted: after the last one the next run may start. */
	const bool goes_on = conn->engine->run.is_flow;

	if (step_call(conn, STEP_DISCONNECT) && goes_on)
		conn_retire(conn);
}

/* --- events, in the thread that reads them --- */

/* All have started: this side was told so, or a client's request came before that. */
static void note_start(struct engine *engine, uint64_t now)
{
	pthread_mutex_lock(&engine->lock);
	if (!engine->start)
		engine->start = now;
	pthread_mutex_unlock(&engine->lock);
}

struct timed_conn *server_on_request(struct engine *engine)
{
	const uint64_t now = clock_cycles();
	struct timed_conn *conn;

	if (atomic_load(&engine->failed))
		return NULL;
	conn = conn_get(engine, (uint32_t)atomic_fetch_add(&engine->begun, 1));
	if (!conn)
		return NULL;
	conn->times[STEP_CM_CONNECT].begin = now;
	note_start(engine, now);
	return conn;
}

/* Reported once: a port scanner would cause many messages. */
void server_on_unknown(struct engine *engine, const struct sockaddr_storage *address)
{
	char text[ADDRESS_TEXT_SIZE];

	if (engine->unknown_reported)
		return;
	engine->unknown_reported = true;
	log_info("a connection from %s does not belong to a client of this run: it is closed and not counted, as "
		 "are any others",
		 address_text((const struct sockaddr *)address, text));
}

void server_on_requested(struct timed_conn *conn)
{
	pool_put(conn->engine->pool, conn, conn_answer);
}

void server_on_established(struct timed_conn *conn)
{
	if (conn->established)
		return;
	conn->times[STEP_CM_CONNECT].end = clock_cycles();
	conn_established(conn);
}

static void server_on_disconnected(struct timed_conn *conn)
{
	/* The message that establishes the connection may be lost, and the disconnection may still arrive. */
	server_on_established(conn);
	pool_put(conn->engine->pool, conn, hang_up);
}

/* --- the main thread --- */

static int await_all(struct engine *engine, enum step step, const char *text)
{
	engine_at_step(engine, step, text);
	atomic_store(&engine->awaited, engine->num_conns);
	return engine_await(engine, step, &engine->done[step], engine->num_conns);
}

static int server_run_steps(struct engine *engine)
{
	int ret;

	ret = engine_sync(engine); /* all clients are ready */
	if (!ret)
		ret = await_all(engine, STEP_CM_CONNECT, "Accepting");
	if (!ret)
		ret = engine_sync(engine); /* all are connected */
	if (!ret)
		ret = await_all(engine, STEP_DISCONNECT, "Disconnecting");
	if (!ret)
		ret = engine_sync(engine); /* the clients may disconnect */
	return ret ? ret : engine_destroy_all(engine);
}

static int server_run_flow(struct engine *engine)
{
	int ret;

	engine_at_step(engine, STEP_CM_CONNECT, "Accepting and disconnecting");
	ret = engine_sync(engine); /* no client starts another connection */
	if (!ret)
		ret = engine_await(engine, STEP_DISCONNECT, &engine->active, 0);
	return ret;
}

static int server_run(struct engine *engine)
{
	int ret;

	ret = engine_sync(engine); /* all start */
	if (ret)
		return ret;
	note_start(engine, clock_cycles());
	return engine->run.is_flow ? server_run_flow(engine) : server_run_steps(engine);
}

const struct engine_side server_side = {
	.run = server_run,
	.on_disconnected = server_on_disconnected,
};
