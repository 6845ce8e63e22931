// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An instance of `perftest matrix`: joins the controller, and starts and ends the program as the controller says, as a
 * server or as a client, or several at once. It ends when the controller says so, or is gone.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/figure.h"
#include "front/matrix/matrix.h"
#include "net/star.h"
#include "net/tcp.h"
#include "util/log.h"
#include "util/process.h"
#include "util/stop.h"
#include "util/wait.h"

#define NS_PER_MS     1000000LL
#define RETRY_MS      100   /* between two attempts to reach the controller */
#define CONNECT_MS    4000  /* for one */
#define LOOK_MS	      10    /* for what gives no event */
#define REST_MS	      1000  /* while the program runs */
#define POLITE_MS     2000  /* between SIGTERM and SIGKILL, and after it */
#define MORE_MS	      10000 /* the controller waits for all, and then tells them */
#define UNANSWERED_MS 3000  /* so long unanswered is why a client fails whose own limit is shorter */

enum job_state { STARTING, LISTENING, CALLING, ENDING };

/* A program that runs. */
struct job {
	struct job *next;
	uint32_t number;
	struct child child;
	enum job_state state;
	/* --- of a client --- */
	struct sockaddr_storage server; /* ss_family 0: unknown */
	bool has_others;		/* addresses: which one the program tries is not known */
	struct deadline look;		/* the next one at its connect; never: it has connected */
	struct deadline connect;	/* with a server that has not answered yet; never: it does not wait */
	bool unreached, begun;
};

struct instance {
	struct star star; /* the first member; without a thread: nothing that is done here takes long */
	struct star_conn hub;
	bool end;
	char lost[MESSAGE_REASON_SIZE];
	const struct matrix_params *params;
	struct job *jobs;
	unsigned num_jobs;
	struct pollfd *fds; /* for the controller and all jobs */
};

/* --- orders --- */

static void post(struct instance *instance, const struct dispatch *dispatch)
{
	star_send_one(&instance->star, &instance->hub, dispatch->type, dispatch);
}

static void send_ended(struct instance *instance, const struct job *job, const char *reason)
{
	struct dispatch ended = {.type = MESSAGE_RESULT, .job = job->number, .unreached = job->unreached};

	snprintf(ended.reason, sizeof(ended.reason), "%s", reason);
	post(instance, &ended);
}

/* What is too large for all pairs: histograms, and results but for the last one if that is not enough. */
static char *document_text(json_t *document)
{
	json_t *results = json_object_get(document, "measurements"), *result, *value;
	const char *key;
	char *text;
	void *next;
	size_t i;

	json_array_foreach(results, i, result)
	{
		json_object_foreach_safe(result, next, key, value)
		{
			if (strstr(key, "_histogram"))
				json_object_del(result, key);
		}
	}
	text = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(15));
	if (!text || strlen(text) <= DISPATCH_MOST_TEXT)
		return text;
	free(text);
	while (json_array_size(results) > 1)
		json_array_remove(results, 0);
	return json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(15));
}

/* A client that has ended well. missed: the program's own limit that it missed, or NULL. */
static void send_figure(struct instance *instance, const struct job *job, const char *missed)
{
	struct dispatch ended = {.type = MESSAGE_RESULT, .job = job->number};
	json_t *document = json_loadb(job->child.text, job->child.used, 0 /* no flags */, NULL);
	const char *reason = "the program's JSON document cannot be read";
	char *text = NULL;
	int ret = -ENODATA;

	if (document)
		ret = figure_find(document, &ended.kind, &ended.value, &reason);
	for (unsigned i = 0; i < FIGURE_TAILS && !ret; i++)
		ended.tails[i] = figure_tail(figure_main(document), i);
	if (!ret)
		ended.sendings = figure_sendings(document);
	if (!ret)
		text = document_text(document);
	if (missed)
		snprintf(ended.reason, sizeof(ended.reason), "%s", missed);
	if (text && strlen(text) <= DISPATCH_MOST_TEXT)
		ended.document = (struct codec_span){text, (uint32_t)strlen(text)};
	if (ret)
		send_ended(instance, job, reason);
	else
		post(instance, &ended);
	free(text);
	json_decref(document);
}

static struct job *job_find(const struct instance *instance, uint32_t number)
{
	struct job *job = instance->jobs;

	while (job && job->number != number)
		job = job->next;
	return job;
}

static void find_server(struct job *job, const struct dispatch *order)
{
	struct addrinfo *found;

	if (address_resolve(order->address, order->port, AF_UNSPEC, 0 /* no flags */, &found))
		return;
	memcpy(&job->server, found->ai_addr, found->ai_addrlen);
	job->has_others = found->ai_next;
	freeaddrinfo(found);
}

/* From where this host reaches another one; "": it does not. Returns own. */
static const char *own_address(const struct sockaddr_storage *other, char own[ADDRESS_TEXT_SIZE])
{
	const struct sockaddr *to = (const struct sockaddr *)other;
	struct sockaddr_storage local = {0};
	socklen_t length = sizeof(local);
	const int fd = socket(to->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	own[0] = '\0';
	if (fd >= 0 && !connect(fd, to, address_length(to)) && !getsockname(fd, (struct sockaddr *)&local, &length))
		address_host_text(&local, own);
	if (fd >= 0)
		close(fd);
	return own;
}

static void begin(struct instance *instance, const struct dispatch *order)
{
	const bool calls = order->type == DISPATCH_CALL;
	struct child_program program = instance->params->program;
	struct job *job = NULL;
	struct pollfd *fds;
	char reason[128], own[ADDRESS_TEXT_SIZE];
	int ret;

	fds = realloc(instance->fds, (1 + CHILD_FDS * (instance->num_jobs + 1)) * sizeof(*fds));
	if (fds) {
		instance->fds = fds;
		job = calloc(1, sizeof(*job));
	}
	ret = job && instance->num_jobs < DISPATCH_MOST_JOBS ? 0 : -ENOMEM;
	if (!ret) {
		child_init(&job->child);
		job->number = order->job;
		job->state = calls ? CALLING : STARTING;
		job->look = deadline_in_ms(calls ? REST_MS : -1);
		job->connect = deadline_in_ms(-1);
		if (calls)
			find_server(job, order);
		program.device = instance->params->adapters.names[order->adapter];
		program.is_held = calls;
		program.own_address = calls ? own_address(&job->server, own) : order->address;
		ret = child_start(&job->child, &program, calls ? order->address : NULL, calls ? order->port : 0);
	}
	if (ret) {
		free(job);
		snprintf(reason, sizeof(reason), "cannot start a process: %.80s", strerror(-ret));
		send_ended(instance, &(struct job){.number = order->job}, reason);
		return;
	}
	job->next = instance->jobs;
	instance->jobs = job;
	instance->num_jobs++;
}

static void stop(struct job *job)
{
	if (job->state == ENDING)
		return;
	child_end(&job->child, SIGTERM, POLITE_MS);
	job->state = ENDING;
}

static const char *take_order(struct star *star, struct star_conn *peer, const struct message_header *header)
{
	struct instance *instance = (struct instance *)(void *)star;
	struct dispatch message;
	struct job *job;
	const char *fault = dispatch_take(peer, header, &message);

	if (fault)
		return fault;
	job = job_find(instance, message.job);
	switch (message.type) {
	case MESSAGE_ALIVE:
		return star_received_alive(peer);
	case DISPATCH_SERVE:
	case DISPATCH_CALL:
		if (message.adapter >= instance->params->adapters.count)
			return "there is no such adapter";
		if (job)
			return "it is about a job that runs";
		if (!star->stopping)
			begin(instance, &message);
		return NULL;
	case DISPATCH_START:
		if (job)
			child_release(&job->child);
		return NULL;
	case DISPATCH_STOP:
		if (job)
			stop(job);
		return NULL;
	case DISPATCH_END:
		instance->end = true;
		return NULL;
	default:
		return "it is out of order";
	}
}

static const char *hub_has_ended(const struct star *star, const struct star_conn *peer)
{
	(void)star;
	(void)peer;
	return "has ended";
}

static void instance_lose(struct star *star, struct star_conn *peer, const char *how)
{
	struct instance *instance = (struct instance *)(void *)star;

	(void)peer;
	snprintf(instance->lost, sizeof(instance->lost), "%s", how);
}

static const struct star_ops instance_ops = {.take = take_order, .ended = hub_has_ended, .lose = instance_lose};

/* A firewall drops what a client sends, and TCP asks on for minutes: looked at once a second, until it is answered. */
static void look_at_connect(struct job *job)
{
	if (job->state != CALLING || !deadline_passed(job->look))
		return;
	job->look = deadline_in_ms(REST_MS);
	if (!job->server.ss_family || job->has_others || !child_connects((const struct sockaddr *)&job->server)) {
		job->connect = deadline_in_ms(-1);
		if (job->begun)
			job->look = job->connect;
		return;
	}
	if (deadline_left_ns(job->connect) < 0)
		job->connect = deadline_in_ms(MATRIX_CONNECT_MS - REST_MS);
	job->unreached = deadline_passed(job->connect);
	if (job->unreached)
		stop(job);
}

/* For so long it has waited for the first answer of its server. */
static int64_t unanswered_ms(const struct job *job)
{
	const int64_t left_ns = deadline_left_ns(job->connect);

	return left_ns < 0 ? 0 : MATRIX_CONNECT_MS - left_ns / NS_PER_MS;
}

static void send_unreached(struct instance *instance, struct job *job)
{
	char reason[MESSAGE_REASON_SIZE], server[ADDRESS_TEXT_SIZE];

	job->unreached = true;
	snprintf(reason, sizeof(reason),
		 "no connection to %s within %d s: a firewall, or the server has another address (--address)",
		 address_text((const struct sockaddr *)&job->server, server), (int)(unanswered_ms(job) / 1000));
	send_ended(instance, job, reason);
}

/* Has the child ended, and is all said about it? */
static bool look_at_end(struct instance *instance, struct job *job)
{
	const enum job_state state = job->state;
	char reason[CHILD_WORDS_SIZE];
	const char *failure;
	int status;

	if (!child_ended(&job->child, &status))
		return false;
	failure = child_failure(&job->child, status, reason, sizeof(reason));
	if (job->unreached || (failure && unanswered_ms(job) >= UNANSWERED_MS))
		send_unreached(instance, job);
	else if (state == ENDING && status != CHILD_STAYS)
		send_ended(instance, job, "");
	else if (failure)
		send_ended(instance, job, failure);
	else if (state == CALLING)
		send_figure(instance, job, child_missed_limit(&job->child, status, reason, sizeof(reason)));
	else
		send_ended(instance, job, state == STARTING ? "the server ended before it listened" : "");
	return true;
}

/* Has the child done something? True: the job is over. */
static bool look(struct instance *instance, struct job *job)
{
	enum child_start start;

	child_read(&job->child);
	start = child_started(&job->child);
	if (start != CHILD_NOTHING)
		post(instance, &(struct dispatch){.type = start == CHILD_READY ? DISPATCH_READY : DISPATCH_BEGAN,
						  .job = job->number});
	if (start == CHILD_BEGAN) { /* qperf connects now */
		job->begun = true;
		job->look = deadline_in_ms(2 * REST_MS);
	}
	look_at_connect(job);
	if (look_at_end(instance, job))
		return true;
	if (job->state == STARTING && child_listens(&job->child)) {
		job->state = LISTENING;
		post(instance,
		     &(struct dispatch){.type = DISPATCH_LISTENS, .job = job->number, .port = job->child.port});
	}
	return false;
}

/* At all jobs. Returns how long they need no look but for what their descriptors say. */
static int64_t look_at_all(struct instance *instance, unsigned *num_fds)
{
	int64_t wait_ms = REST_MS;

	*num_fds = 0;
	for (struct job **at = &instance->jobs; *at;) {
		struct job *job = *at;
		unsigned used;

		if (look(instance, job)) {
			child_close(&job->child);
			*at = job->next;
			free(job);
			instance->num_jobs--;
			continue;
		}
		used = child_poll_fds(&job->child, instance->fds + 1 + *num_fds);
		*num_fds += used;
		if (job->state == STARTING || job->state == ENDING || !used)
			wait_ms = LOOK_MS;
		at = &job->next;
	}
	return wait_ms;
}

/* 0: the controller has said that this is the end. -EINTR, or -ECONNRESET: the controller is gone. */
static int serve_orders(struct instance *instance)
{
	while (!instance->end && !instance->lost[0]) {
		const struct conn *conn = &instance->hub.conn;
		unsigned num_fds;
		const int64_t wait_ms = look_at_all(instance, &num_fds);

		instance->fds[0] = (struct pollfd){.fd = conn->fd,
						   .events = (short)(POLLIN | (conn_has_output(conn) ? POLLOUT : 0))};
		if (wait_once(instance->fds, 1 + num_fds, wait_ms * NS_PER_MS) == -EINTR)
			return -EINTR;
		star_turn(&instance->star, 0 /* it has waited */);
	}
	return instance->end ? 0 : -ECONNRESET;
}

/* What still runs is ended politely, so that it leaves nothing behind. */
static void end_programs(struct instance *instance)
{
	unsigned num_fds;

	for (struct job *job = instance->jobs; job; job = job->next)
		stop(job);
	while (instance->jobs) {
		wait_fds_after_stop(NULL, 0, deadline_in_ms(LOOK_MS));
		look_at_all(instance, &num_fds);
	}
	free(instance->fds);
}

/* --- joining --- */

static int instance_send_join(struct conn *conn, const struct matrix_params *params)
{
	struct dispatch join = {.type = MESSAGE_HELLO};

	join.join.rank = params->rank < 0 ? PLACE_NONE : (uint32_t)params->rank;
	join.join.run = params->run;
	if (gethostname(join.join.host, sizeof(join.join.host) - 1))
		join.join.host[0] = '\0';
	snprintf(join.join.address, sizeof(join.join.address), "%s", params->address);
	return dispatch_send(conn, &join);
}

/*
 * Waits for AGREE, which comes when all are there; that it waits for them the controller says at once, with ALIVE.
 * 0 or -errno; reported, except -EINTR and -EAGAIN: the connection has ended.
 */
static int await_welcome(struct conn *conn, const struct matrix_params *params, struct deadline deadline)
{
	const struct deadline all = deadline_in_ms(1000LL * params->join_timeout_s + MATRIX_SILENCE_MS + MORE_MS);
	struct dispatch message;
	const char *fault = NULL;
	bool gone = false;
	size_t length;
	int ret;

	for (;;) {
		ret = dispatch_read(conn, &message, &length, &fault);
		if (ret > 0 && message.type == MESSAGE_ALIVE) {
			conn_consume(conn, length);
			deadline = all;
			continue;
		}
		if (ret > 0 && message.type != MESSAGE_AGREE && message.type != MESSAGE_REFUSE) {
			fault = "it is out of order";
			ret = -EPROTO;
		}
		if (ret < 0)
			log_error("what listens on %s port %u is no controller of this perftest: %s",
				  params->controller, params->port, fault);
		else if (ret && message.type == MESSAGE_REFUSE)
			log_error("the controller %s refuses this instance: %s", params->controller, message.reason);
		else if (ret)
			conn_consume(conn, length);
		if (ret)
			return ret > 0 && message.type == MESSAGE_AGREE ? 0 : -EPROTO;
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
	ret = instance_send_join(conn, params) ? -EAGAIN : await_welcome(conn, params, deadline);
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

int instance_main(const struct matrix_params *params, bool is_controllers)
{
	struct instance instance = {
		.star = {DISPATCH_STAR, .ops = &instance_ops, .timeout_ms = MATRIX_SILENCE_MS, .num_conns = 1},
		.hub = {.conn.fd = -1},
		.params = params};
	int ret = join_controller(&instance.hub.conn, params);

	if (ret)
		return ret == -EINTR ? EXIT_STATUS_INTERRUPTED : EXIT_STATUS_FAILURE;
	instance.star.conns = &instance.hub;
	instance.star.main = &instance.star.wakeup;
	instance.fds = calloc(1, sizeof(*instance.fds));
	ret = star_open(&instance.star);
	if (ret || !instance.fds)
		log_error("cannot follow the controller: %s", strerror(ret ? -ret : ENOMEM));
	else
		ret = serve_orders(&instance);
	if (ret == -ECONNRESET && !is_controllers)
		log_error("the controller %s %s", params->controller, instance.lost);
	if (ret == -EINTR)
		post(&instance, &(struct dispatch){.type = DISPATCH_LEAVE});
	end_programs(&instance);
	instance.star.stopping = true;
	while (instance.star.fds && star_turn(&instance.star, LOOK_MS * NS_PER_MS)) /* sends the last messages */
		;
	star_close(&instance.star);
	return ret == -EINTR ? EXIT_STATUS_INTERRUPTED : instance.end && !ret ? EXIT_STATUS_OK : EXIT_STATUS_FAILURE;
}
