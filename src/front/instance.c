// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An instance of `perftest matrix`: joins the controller, and starts and ends the program as the controller says, as a
 * server or as a client. It ends when the controller says so, or is gone. One order at a time; each is answered.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/figure.h"
#include "front/matrix.h"
#include "net/star.h"
#include "net/tcp.h"
#include "util/exit_status.h"
#include "util/log.h"
#include "util/stop.h"
#include "util/wait.h"

#define NS_PER_MS  1000000LL
#define RETRY_MS   100	 /* between two attempts to reach the controller */
#define CONNECT_MS 4000	 /* for one */
#define LOOK_MS	   10	 /* for what gives no event */
#define REST_MS	   1000	 /* while the program runs */
#define POLITE_MS  2000	 /* between SIGTERM and SIGKILL, and after it */
#define MORE_MS	   10000 /* the controller waits for all, and then tells them */

enum instance_state { IDLE, STARTING, LISTENING, CALLING, ENDING };

struct instance {
	struct star star; /* the first member; its lock is for these */
	struct dispatch order;
	bool has_order, stop, end;
	char lost[DISPATCH_REASON_SIZE];
	bool busy; /* an order is in progress */
	/* --- of the main thread --- */
	struct star_conn hub;
	struct wakeup wake;
	const struct matrix_params *params;
	struct child child;
	enum instance_state state;
	bool killed;
	struct deadline polite; /* of ENDING */
};

/* --- the thread of the star, with the lock --- */

static struct instance *instance_of(struct star *star)
{
	return (struct instance *)(void *)star;
}

static const char *instance_take(struct instance *instance, struct star_conn *peer, const struct dispatch *heard)
{
	switch (heard->type) {
	case DISPATCH_ALIVE:
		return star_heard_alive(peer);
	case DISPATCH_SERVE:
	case DISPATCH_CALL:
		if (instance->busy)
			return "it is out of order";
		instance->order = *heard;
		instance->has_order = instance->busy = true;
		instance->stop = false;
		return NULL;
	case DISPATCH_STOP:
		instance->stop = true;
		return NULL;
	case DISPATCH_END:
		instance->end = true;
		return NULL;
	default:
		return "it is out of order";
	}
}

static const char *instance_read(struct star *star, struct star_conn *peer, char *how, size_t size)
{
	const bool gone = dispatch_fill(&peer->conn) != 0;
	struct instance *instance = instance_of(star);
	struct dispatch heard;
	const char *fault = NULL;
	size_t length;
	int ret;

	while (!fault && (ret = dispatch_read(&peer->conn, &heard, &length, &fault)) > 0) {
		star_heard(star, peer);
		fault = instance_take(instance, peer, &heard);
		dispatch_drop(&peer->conn, length);
		wakeup_ring(star->main);
	}
	if (!fault)
		return gone ? "has ended" : NULL;
	snprintf(how, size, "sent an invalid message: %s", fault);
	return how;
}

static void instance_say_alive(struct star *star)
{
	dispatch_send_type(&star->conns[0].conn, DISPATCH_ALIVE);
}

static void instance_lose(struct star *star, struct star_conn *peer, const char *how)
{
	(void)peer;
	snprintf(instance_of(star)->lost, sizeof(instance_of(star)->lost), "%s", how);
	wakeup_ring(star->main);
}

static const struct star_ops instance_ops = {
	.read = instance_read, .say_alive = instance_say_alive, .lose = instance_lose};

/* --- orders --- */

static void say(struct instance *instance, const struct dispatch *dispatch)
{
	pthread_mutex_lock(&instance->star.lock);
	if (dispatch->type == DISPATCH_ENDED)
		instance->busy = false;
	dispatch_send(&instance->hub.conn, dispatch);
	star_wake(&instance->star);
	pthread_mutex_unlock(&instance->star.lock);
}

static void say_ended(struct instance *instance, const char *reason)
{
	struct dispatch ended = {.type = DISPATCH_ENDED};

	snprintf(ended.reason, sizeof(ended.reason), "%s", reason);
	instance->state = IDLE;
	child_close(&instance->child);
	say(instance, &ended);
}

/* A client that has ended well. */
/* missed: the program's own limit that it missed, or NULL. */
static void say_figure(struct instance *instance, const char *missed)
{
	struct dispatch ended = {.type = DISPATCH_ENDED};
	json_t *document = json_loadb(instance->child.text, instance->child.used, 0 /* no flags */, NULL), *measurement;
	const char *reason = "the program's JSON document cannot be read";
	char *text = NULL;
	int ret = -ENODATA;

	if (document)
		ret = figure_find(document, &ended.kind, &ended.value, &measurement, &reason);
	if (!ret) {
		json_object_del(measurement, "latency_histogram"); /* too large for all pairs */
		text = json_dumps(measurement, JSON_COMPACT | JSON_REAL_PRECISION(15));
	}
	if (missed)
		snprintf(ended.reason, sizeof(ended.reason), "%s", missed);
	if (text && strlen(text) <= DISPATCH_MOST_TEXT)
		ended.measurement = (struct codec_span){text, (uint32_t)strlen(text)};
	if (ret)
		say_ended(instance, reason);
	else
		say(instance, &ended);
	free(text);
	json_decref(document);
	instance->state = IDLE;
	child_close(&instance->child);
}

static void begin(struct instance *instance, const struct dispatch *order)
{
	const bool calls = order->type == DISPATCH_CALL;
	char reason[128];
	int ret = child_start(&instance->child, &instance->params->program, calls ? order->address : NULL,
			      calls ? order->port : 0);

	instance->state = calls ? CALLING : STARTING;
	instance->killed = false;
	if (!ret)
		return;
	snprintf(reason, sizeof(reason), "cannot start a process: %.80s", strerror(-ret));
	say_ended(instance, reason);
}

static void stop(struct instance *instance)
{
	if (instance->state == IDLE || instance->state == ENDING)
		return;
	child_signal(&instance->child, SIGTERM);
	instance->state = ENDING;
	instance->polite = deadline_in_ms(POLITE_MS);
}

/* Has the child done something? */
static void look(struct instance *instance)
{
	const enum instance_state state = instance->state;
	char reason[CHILD_WORDS_SIZE];
	const char *failure;
	struct pollfd fds[CHILD_FDS];
	int status;

	if (state == IDLE)
		return;
	child_read(&instance->child);
	if (child_ended(&instance->child, &status)) {
		while (poll(fds, child_poll_fds(&instance->child, fds), 0) > 0)
			child_read(&instance->child);
		failure = child_failure(&instance->child, status, reason, sizeof(reason));
		if (state == ENDING)
			say_ended(instance, "");
		else if (failure)
			say_ended(instance, failure);
		else if (state == CALLING)
			say_figure(instance, child_missed_limit(&instance->child, status, reason, sizeof(reason)));
		else
			say_ended(instance, state == STARTING ? "the server ended before it listened" : "");
	} else if (state == STARTING && child_listens(&instance->child)) {
		instance->state = LISTENING;
		say(instance, &(struct dispatch){.type = DISPATCH_LISTENS, .port = instance->child.port});
	} else if (state == ENDING && deadline_passed(instance->polite)) {
		if (instance->killed) {
			say_ended(instance, "the program does not end");
			return;
		}
		child_signal(&instance->child, SIGKILL);
		instance->killed = true;
		instance->polite = deadline_in_ms(POLITE_MS);
	}
}

/* 0: the controller has said that this is the end. -EINTR, or -ECONNRESET: the controller is gone. */
static int serve_orders(struct instance *instance)
{
	struct pollfd fds[1 + CHILD_FDS];
	struct dispatch order;
	bool has_order, has_stop;
	int ret = 0;

	while (!ret) {
		unsigned num_fds;
		int64_t wait_ms = REST_MS;

		pthread_mutex_lock(&instance->star.lock);
		order = instance->order;
		has_order = instance->has_order;
		has_stop = instance->stop;
		instance->has_order = instance->stop = false;
		ret = instance->lost[0] ? -ECONNRESET : 0;
		if (instance->end) {
			pthread_mutex_unlock(&instance->star.lock);
			return 0;
		}
		pthread_mutex_unlock(&instance->star.lock);
		if (ret)
			return ret;
		if (has_order)
			begin(instance, &order);
		if (has_stop)
			stop(instance);
		look(instance);
		num_fds = child_poll_fds(&instance->child, fds + 1);
		if (instance->state == STARTING || instance->state == ENDING || (instance->state != IDLE && !num_fds))
			wait_ms = LOOK_MS;
		ret = wakeup_wait(&instance->wake, fds, num_fds, wait_ms * NS_PER_MS);
	}
	return ret;
}

/* What still runs is ended politely, so that it leaves nothing behind. */
static void end_program(struct instance *instance)
{
	stop(instance);
	while (instance->state != IDLE) {
		wait_fds_after_stop(NULL, 0, deadline_in_ms(LOOK_MS));
		look(instance);
	}
}

/* --- joining --- */

static int instance_say_join(struct conn *conn, const struct matrix_params *params)
{
	struct dispatch join = {.type = DISPATCH_JOIN};

	join.join.rank = params->rank < 0 ? PLACE_NONE : (uint32_t)params->rank;
	join.join.run = params->run;
	if (gethostname(join.join.host, sizeof(join.join.host) - 1))
		join.join.host[0] = '\0';
	snprintf(join.join.address, sizeof(join.join.address), "%s", params->address);
	return dispatch_send(conn, &join);
}

/*
 * Waits for WELCOME, which comes when all are there; that it waits for them the controller says at once, with ALIVE.
 * 0 or -errno; reported, except -EINTR and -EAGAIN: the connection has ended.
 */
static int await_welcome(struct conn *conn, const struct matrix_params *params, struct deadline deadline)
{
	const struct deadline all = deadline_in_ms(1000LL * params->join_timeout_s + MATRIX_SILENCE_MS + MORE_MS);
	struct dispatch heard;
	const char *fault = NULL;
	bool gone = false;
	size_t length;
	int ret;

	for (;;) {
		ret = dispatch_read(conn, &heard, &length, &fault);
		if (ret > 0 && heard.type == DISPATCH_ALIVE) {
			dispatch_drop(conn, length);
			deadline = all;
			continue;
		}
		if (ret > 0 && heard.type != DISPATCH_WELCOME && heard.type != DISPATCH_REFUSE) {
			fault = "it is out of order";
			ret = -EPROTO;
		}
		if (ret < 0)
			log_error("what listens on %s port %u is no controller of this perftest: %s",
				  params->controller, params->port, fault);
		else if (ret && heard.type == DISPATCH_REFUSE)
			log_error("the controller %s refuses this instance: %s", params->controller, heard.reason);
		else if (ret)
			dispatch_drop(conn, length);
		if (ret)
			return ret > 0 && heard.type == DISPATCH_WELCOME ? 0 : -EPROTO;
		if (gone)
			return -EAGAIN;
		ret = conn_wait(conn, POLLIN, deadline);
		if (ret == -ETIMEDOUT)
			log_error("what listens on %s port %u says nothing for %u s (--join_timeout): is it the "
				  "controller?",
				  params->controller, params->port, params->join_timeout_s);
		if (ret)
			return ret;
		gone = dispatch_fill(conn) != 0;
	}
}

/* Names may appear late, too, as those of pods do. */
static int join_once(struct conn *conn, const struct matrix_params *params, struct deadline deadline, int *unresolved)
{
	struct addrinfo *found;
	int ret;

	*unresolved = address_resolve(params->controller, params->port, AF_UNSPEC, 0 /* no flags */, &found);
	if (*unresolved)
		return -EAGAIN;
	ret = tcp_connect_any(conn, found, deadline_sooner(deadline, deadline_in_ms(CONNECT_MS)));
	freeaddrinfo(found);
	if (ret)
		return ret == -EINTR ? ret : -EAGAIN;
	ret = instance_say_join(conn, params) ? -EAGAIN : await_welcome(conn, params, deadline);
	if (ret == -EINTR)
		dispatch_send_type(conn, DISPATCH_LEAVE);
	if (ret)
		conn_close(conn);
	return ret;
}

static int join_controller(struct conn *conn, const struct matrix_params *params)
{
	const struct deadline deadline = deadline_in_ms(1000LL * params->join_timeout_s);
	int ret, unresolved;

	for (;;) {
		ret = join_once(conn, params, deadline, &unresolved);
		if (ret != -EAGAIN)
			return ret;
		if (deadline_passed(deadline)) {
			if (unresolved)
				log_error("the controller's name '%s' has no address, for %u s (--join_timeout): %s",
					  params->controller, params->join_timeout_s,
					  address_resolve_error(unresolved));
			else
				log_error("no controller answers on %s port %u within %u s (--join_timeout)",
					  params->controller, params->port, params->join_timeout_s);
			return -ETIMEDOUT;
		}
		ret = wait_fds(NULL, 0, deadline_in_ms(RETRY_MS));
		if (ret == -EINTR)
			return ret;
	}
}

int instance_main(const struct matrix_params *params)
{
	struct instance instance = {.star = {.ops = &instance_ops, .timeout_ms = MATRIX_SILENCE_MS, .num_conns = 1},
				    .hub = {.conn.fd = -1},
				    .wake.fd = -1,
				    .params = params};
	int ret = join_controller(&instance.hub.conn, params);

	if (ret)
		return ret == -EINTR ? EXIT_STATUS_INTERRUPTED : EXIT_STATUS_FAILURE;
	child_init(&instance.child);
	instance.star.conns = &instance.hub;
	instance.star.main = &instance.wake;
	ret = wakeup_open(&instance.wake);
	if (!ret)
		ret = star_open(&instance.star);
	if (ret) {
		log_error("cannot follow the controller: %s", strerror(-ret));
		conn_close(&instance.hub.conn);
		wakeup_close(&instance.wake);
		return EXIT_STATUS_FAILURE;
	}
	ret = star_start(&instance.star);
	if (ret)
		log_error("cannot start a thread: %s; see ulimit -u", strerror(-ret));
	else
		ret = serve_orders(&instance);
	if (ret == -ECONNRESET)
		log_error("the controller %s %s", params->controller, instance.lost);
	if (ret == -EINTR)
		say(&instance, &(struct dispatch){.type = DISPATCH_LEAVE});
	end_program(&instance);
	child_close(&instance.child);
	star_close(&instance.star);
	wakeup_close(&instance.wake);
	return ret == -EINTR ? EXIT_STATUS_INTERRUPTED : ret ? EXIT_STATUS_FAILURE : EXIT_STATUS_OK;
}
