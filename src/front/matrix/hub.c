// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See hub.h. */
#include "config.h"

#include "front/matrix/hub.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"

#define NS_PER_MS  1000000LL
#define FOLLOW_MS  1000 /* the progress is shown so often at least */
#define PENDING_MS 5000 /* within which a connection must have sent HELLO */

static const char hub_out_of_order[] = "it is out of order";

static struct hub *hub_of(struct star *star)
{
	return (struct hub *)(void *)star;
}

/* --- the thread of the star, with the lock --- */

static unsigned rank_of(const struct hub *hub, const struct hub_pair *pair, enum hub_role role)
{
	return result_rank(hub->result, pair->adapters[role]);
}

static struct hub_end *end_of(const struct hub *hub, const struct hub_pair *pair, enum hub_role role)
{
	return &hub->ends[rank_of(hub, pair, role)];
}

/* Could a client of its hosts not connect? */
static bool *hub_unreached(const struct hub *hub, const struct hub_pair *pair)
{
	return &hub->result->unreached[(size_t)rank_of(hub, pair, HUB_CLIENT) * hub->result->num_hosts +
				       rank_of(hub, pair, HUB_SERVER)];
}

/* Of the instance, that has not ended; NULL: none. The numbers of jobs count the pairs, and of each its roles. */
static struct hub_job *job_find(const struct hub *hub, unsigned rank, uint32_t number)
{
	struct hub_pair *pair = number / HUB_ROLES < hub->num_pairs ? &hub->pairs[number / HUB_ROLES] : NULL;
	const enum hub_role role = (enum hub_role)(number % HUB_ROLES);

	return pair && rank_of(hub, pair, role) == rank && pair->jobs[role].state ? &pair->jobs[role] : NULL;
}

/* What a client has measured. NULL, or what is wrong with it. A figure of another kind is none. */
static const char *take_figure(struct hub *hub, struct hub_job *job, const struct dispatch *message)
{
	const struct figure_kind *figure = &figure_kinds[message->kind];
	const struct hub_pair *pair = &hub->pairs[message->job / HUB_ROLES];

	if (message->job % HUB_ROLES != HUB_CLIENT || !(message->value > 0))
		return "it has no figure";
	if (hub->result->figure && hub->result->figure != figure) {
		snprintf(job->reason, sizeof(job->reason), "its figure is of another kind (%s) than the others' (%s)",
			 figure->name, hub->result->figure->name);
		return NULL;
	}
	hub->result->figure = figure;
	result_set(result_cell(hub->result, pair->adapters[HUB_CLIENT], pair->adapters[HUB_SERVER]), message);
	return NULL;
}

static const char *job_read(struct hub *hub, struct hub_job *job, const struct dispatch *message)
{
	static const struct {
		enum hub_state before, after;
	} moves[DISPATCH_TYPES] = {
		[DISPATCH_LISTENS] = {HUB_STARTING, HUB_LISTENING},
		[DISPATCH_READY] = {HUB_CALLING, HUB_READY},
		[DISPATCH_BEGAN] = {HUB_READY, HUB_RUNNING},
	};

	if (message->type == MESSAGE_RESULT) {
		const bool is_client = job->state >= HUB_CALLING;

		job->state = HUB_IDLE;
		if (message->unreached && is_client)
			*hub_unreached(hub, &hub->pairs[message->job / HUB_ROLES]) = true;
		snprintf(job->reason, sizeof(job->reason), "%s", message->value > 0 ? "" : message->reason);
		return is_client && !job->reason[0] && !job->stopped ? take_figure(hub, job, message) : NULL;
	}
	if (job->state != moves[message->type].before)
		return hub_out_of_order;
	job->state = moves[message->type].after;
	job->port = message->port;
	if (message->type == DISPATCH_BEGAN && hub->released_ns)
		hub->spread_ns = deadline_in_ms(0).at_ns - hub->released_ns;
	return NULL;
}

static const char *hub_take(struct star *star, struct star_conn *peer, const struct message_header *header)
{
	struct hub *hub = hub_of(star);
	struct dispatch message;
	struct hub_job *job;
	const char *fault = dispatch_take(peer, header, &message);

	if (fault)
		return fault;
	switch (message.type) {
	case MESSAGE_ALIVE:
		return star_received_alive(peer);
	case DISPATCH_LISTENS:
	case DISPATCH_READY:
	case DISPATCH_BEGAN:
	case MESSAGE_RESULT:
		job = job_find(hub, peer->rank, message.job);
		return job ? job_read(hub, job, &message) : hub_out_of_order;
	case DISPATCH_LEAVE:
		hub->ends[peer->rank].who.interrupted = true;
		return NULL;
	default:
		return hub_out_of_order;
	}
}

static const char *hub_ended(const struct star *star, const struct star_conn *peer)
{
	/* Its last message came before that, as did the heartbeat of which it missed the next. */
	const bool was_stopped = star->stopped_ns >= (MATRIX_SILENCE_MS - 2 * FOLLOW_MS) * NS_PER_MS;

	if (((const struct hub *)(const void *)star)->ends[peer->rank].who.interrupted)
		return "was interrupted";
	return was_stopped ? "ended while the controller was stopped" : "died or was cut off";
}

static void hub_lose(struct star *star, struct star_conn *peer, const char *how)
{
	struct hub *hub = hub_of(star);
	struct hub_end *end = &hub->ends[peer->rank];

	snprintf(end->who.lost, sizeof(end->who.lost), "%s", how);
	for (unsigned i = 0; i < hub->num_pairs; i++)
		for (unsigned role = 0; role < HUB_ROLES; role++)
			if (rank_of(hub, &hub->pairs[i], (enum hub_role)role) == peer->rank)
				hub->pairs[i].jobs[role].state = HUB_IDLE;
	wakeup_ring(star->main);
}

/* No point is ever reached: each step is over when all of its orders are answered. */
static const struct star_ops hub_ops = {.take = hub_take, .ended = hub_ended, .lose = hub_lose};

/* --- measuring; the main thread --- */

static void hub_send(struct hub *hub, struct hub_pair *pair, enum hub_role role, struct dispatch *dispatch)
{
	const unsigned rank = rank_of(hub, pair, role);
	struct hub_job *job = &pair->jobs[role];

	dispatch->job = (uint32_t)(pair - hub->pairs) * HUB_ROLES + role;
	dispatch->adapter = (uint16_t)(pair->adapters[role] % hub->params->adapters.count);
	job->stopped |= dispatch->type == DISPATCH_STOP;
	if (dispatch->type == DISPATCH_SERVE)
		job->state = HUB_STARTING;
	else if (dispatch->type == DISPATCH_CALL)
		job->state = HUB_CALLING;
	star_send_one(&hub->star, &hub->star.conns[rank], dispatch->type, dispatch);
}

/* Where the client finds the server: an instance on the controller's host may have joined over the loopback interface.
 */
static void call_address(const struct hub *hub, const struct hub_pair *pair, char address[DISPATCH_ADDRESS_SIZE])
{
	struct addresses server, client;
	char text[ADDRESS_TEXT_SIZE];
	struct sockaddr_storage *found = &server.peer;
	const char *own = end_of(hub, pair, HUB_SERVER)->who.address;

	if (own[0]) {
		snprintf(address, DISPATCH_ADDRESS_SIZE, "%s", own);
		return;
	}
	conn_addresses(&hub->star.conns[rank_of(hub, pair, HUB_SERVER)].conn, &server);
	conn_addresses(&hub->star.conns[rank_of(hub, pair, HUB_CLIENT)].conn, &client);
	address_unmap(&server.peer);
	address_unmap(&client.peer);
	address_unmap(&client.local);
	if (address_is_loopback((struct sockaddr *)&server.peer) &&
	    !address_is_loopback((struct sockaddr *)&client.peer))
		found = &client.local;
	snprintf(address, DISPATCH_ADDRESS_SIZE, "%.*s", DISPATCH_ADDRESS_SIZE - 1, address_host_text(found, text));
}

/*
 * Until the star rings, a descriptor is ready, or the limit. num_fds: of the caller, from hub->fds[1] on. 0 or -EINTR.
 */
static int hub_wait(struct hub *hub, unsigned num_fds, int64_t limit_ns)
{
	struct pollfd *of_crew = hub->fds + 1 + num_fds;
	int ret;

	if (!hub->crew)
		return wakeup_wait(&hub->wake, hub->fds, num_fds, limit_ns);
	if (limit_ns < 0 || limit_ns > CREW_LOOK_MS * NS_PER_MS)
		limit_ns = CREW_LOOK_MS * NS_PER_MS;
	ret = wakeup_wait(&hub->wake, hub->fds, num_fds + crew_poll_fds(hub->crew, of_crew), limit_ns);
	crew_read(hub->crew, of_crew);
	return ret;
}

/* Starts the server, unless the pair cannot be measured. */
static void pair_begin(struct hub *hub, struct hub_pair *pair)
{
	struct dispatch serve = {.type = DISPATCH_SERVE};

	pair->limit = deadline_in_ms(MATRIX_START_MS);
	if (end_of(hub, pair, HUB_CLIENT)->who.lost[0] || end_of(hub, pair, HUB_SERVER)->who.lost[0])
		return;
	if (*hub_unreached(hub, pair)) {
		snprintf(pair->jobs[HUB_CLIENT].late, sizeof(pair->jobs[HUB_CLIENT].late),
			 "not tried again: these hosts had no connection before");
		return;
	}
	call_address(hub, pair, serve.address);
	hub_send(hub, pair, HUB_SERVER, &serve);
}

/* Starts the client of a server that listens. */
static void pair_call(struct hub *hub, struct hub_pair *pair)
{
	struct dispatch call = {.type = DISPATCH_CALL, .port = pair->jobs[HUB_SERVER].port};

	call_address(hub, pair, call.address);
	hub_send(hub, pair, HUB_CLIENT, &call);
	pair->limit = deadline_in_ms(MATRIX_START_MS);
	pair->is_called = true;
}

/* All clients begin at once, when none is on its way there any more. */
static void pairs_release(struct hub *hub)
{
	for (unsigned i = 0; i < hub->num_pairs; i++) {
		const struct hub_pair *pair = &hub->pairs[i];

		if (!pair->ends && (pair->jobs[HUB_SERVER].state == HUB_STARTING ||
				    (pair->jobs[HUB_SERVER].state == HUB_LISTENING && !pair->is_called) ||
				    pair->jobs[HUB_CLIENT].state == HUB_CALLING))
			return;
	}
	hub->released_ns = deadline_in_ms(0).at_ns;
	for (unsigned i = 0; i < hub->num_pairs; i++) {
		if (hub->pairs[i].ends || hub->pairs[i].jobs[HUB_CLIENT].state < HUB_READY)
			continue;
		hub->pairs[i].limit = deadline_in_ms(1000LL * hub->params->limit_s);
		hub_send(hub, &hub->pairs[i], HUB_CLIENT, &(struct dispatch){.type = DISPATCH_START});
	}
}

/* What has not ended is told to end. A server that listens does nothing wrong. */
static void pair_stop(struct hub *hub, struct hub_pair *pair)
{
	for (unsigned role = 0; role < HUB_ROLES; role++) {
		struct hub_job *job = &pair->jobs[role];

		if (job->state == HUB_STARTING || job->state == HUB_CALLING)
			snprintf(job->late, sizeof(job->late), "did not %s within %d s",
				 job->state == HUB_CALLING ? "begin" : "listen", MATRIX_START_MS / 1000);
		if (job->state > HUB_CALLING)
			snprintf(job->late, sizeof(job->late), "the test did not end within %u s (--limit)",
				 hub->params->limit_s);
		if (job->state != HUB_IDLE)
			hub_send(hub, pair, (enum hub_role)role, &(struct dispatch){.type = DISPATCH_STOP});
	}
	pair->ends = true;
	pair->limit = deadline_in_ms(MATRIX_STOP_MS);
}

/* Why a program did not do what it should; "": it did. */
static const char *job_fault(const struct hub_job *job)
{
	return job->late[0] ? job->late : job->stopped ? "" : job->reason;
}

/* Why a pair has no figure, or one that does not count. The loss of an instance explains what the other one says. */
static void pair_judge(struct hub *hub, const struct hub_pair *pair)
{
	const char *of_client = job_fault(&pair->jobs[HUB_CLIENT]), *of_server = job_fault(&pair->jobs[HUB_SERVER]);
	const unsigned client = pair->adapters[HUB_CLIENT], server = pair->adapters[HUB_SERVER];
	struct result_cell *cell = result_cell(hub->result, client, server);
	char reason[2 * (RESULT_NAME_SIZE + MESSAGE_REASON_SIZE + 16)];

	if (cell->state == RESULT_OK && !of_server[0])
		return;
	for (unsigned role = 0; role < HUB_ROLES; role++) {
		const struct result_host *who = &end_of(hub, pair, (enum hub_role)role)->who;

		if (!who->lost[0])
			continue;
		snprintf(reason, sizeof(reason), "%s %s", who->name, who->lost);
		result_fail(cell, reason);
		return;
	}
	if (of_server[0] && of_client[0])
		snprintf(reason, sizeof(reason), "client %s: %s; server %s: %s", result_name(hub->result, client),
			 of_client, result_name(hub->result, server), of_server);
	else if (of_client[0])
		snprintf(reason, sizeof(reason), "client %s: %s", result_name(hub->result, client), of_client);
	else
		snprintf(reason, sizeof(reason), "server %s: %s", result_name(hub->result, server),
			 of_server[0] ? of_server : "ended before its client came");
	result_fail(cell, reason);
}

/* Calls, or ends a pair whose client has ended, or whose time is over. An instance that does not answer is lost. */
static void pair_advance(struct hub *hub, struct hub_pair *pair)
{
	const struct hub_job *jobs = pair->jobs;

	if (!pair->is_called && jobs[HUB_SERVER].state == HUB_LISTENING && !pair->ends &&
	    !end_of(hub, pair, HUB_CLIENT)->who.lost[0])
		pair_call(hub, pair);
	if (!pair->ends && !hub->released_ns && jobs[HUB_CLIENT].state >= HUB_READY)
		pair->limit = deadline_in_ms(-1); /* the others, for which it waits, have theirs */
	if (!pair->ends && ((jobs[HUB_CLIENT].state == HUB_IDLE && jobs[HUB_SERVER].state != HUB_STARTING) ||
			    deadline_passed(pair->limit)))
		pair_stop(hub, pair);
	for (unsigned role = 0; role < HUB_ROLES && pair->ends && deadline_passed(pair->limit); role++)
		if (jobs[role].state != HUB_IDLE)
			star_lose(&hub->star, &hub->star.conns[rank_of(hub, pair, (enum hub_role)role)],
				  "does not answer; its program may still run");
	pair->is_over = pair->ends && jobs[HUB_CLIENT].state == HUB_IDLE && jobs[HUB_SERVER].state == HUB_IDLE;
	if (pair->is_over)
		pair_judge(hub, pair);
}

/* Until all are over. -EINTR, or 0; with the lock. */
static int pairs_follow(struct hub *hub)
{
	struct deadline due = {0};
	bool waits;
	int ret = 0;

	for (;;) {
		const int64_t stopped_ns = deadline_stopped_ns(&due, FOLLOW_MS);
		struct deadline next = due;

		waits = false;
		for (unsigned i = 0; i < hub->num_pairs; i++) {
			struct hub_pair *pair = &hub->pairs[i];

			if (pair->is_over)
				continue;
			deadline_postpone(&pair->limit, stopped_ns);
			pair_advance(hub, pair);
			waits |= !pair->is_over;
			if (!pair->is_over) {
				next = deadline_sooner(next, pair->limit);
				continue;
			}
			pthread_mutex_unlock(&hub->star.lock); /* the output may have to wait */
			hub->over(hub->context, pair);
			pthread_mutex_lock(&hub->star.lock);
		}
		if (!waits || ret)
			return waits ? ret : 0;
		if (!hub->released_ns)
			pairs_release(hub);
		pthread_mutex_unlock(&hub->star.lock);
		ret = hub_wait(hub, 0, deadline_left_ns(next));
		hub->over(hub->context, NULL);
		pthread_mutex_lock(&hub->star.lock);
	}
}

/* The instances that are not lost; with the lock. */
static unsigned count_left(const struct hub *hub, bool *interrupted)
{
	unsigned left = 0;

	*interrupted = false;
	for (uint32_t i = 0; i < hub->star.num_conns; i++) {
		left += !hub->ends[i].who.lost[0];
		*interrupted |= hub->ends[i].who.interrupted;
	}
	return left;
}

int hub_measure(struct hub *hub, struct hub_pair *pairs, unsigned num_pairs)
{
	bool interrupted;
	int ret;

	pthread_mutex_lock(&hub->star.lock);
	hub->pairs = pairs;
	hub->num_pairs = num_pairs;
	hub->released_ns = hub->spread_ns = 0;
	for (unsigned i = 0; i < num_pairs; i++) {
		pairs[i] = (struct hub_pair){.adapters = {pairs[i].adapters[0], pairs[i].adapters[1]}};
		pair_begin(hub, &pairs[i]);
	}
	ret = pairs_follow(hub);
	hub->num_pairs = 0;
	for (unsigned i = 0; i < hub->result->num_hosts; i++)
		hub->result->hosts[i] = hub->ends[i].who;
	/* A launcher may interrupt the instances just before the controller. */
	if (!count_left(hub, &interrupted) && interrupted)
		ret = -EINTR;
	pthread_mutex_unlock(&hub->star.lock);
	return ret;
}

int hub_rest(struct hub *hub, struct deadline until)
{
	int ret = 0;

	while (!ret && !deadline_passed(until)) {
		bool interrupted;
		unsigned left;

		pthread_mutex_lock(&hub->star.lock);
		left = count_left(hub, &interrupted);
		pthread_mutex_unlock(&hub->star.lock);
		if (left < (hub->params->field == PAIRING_LOCAL ? 1 : 2))
			return interrupted ? -EINTR : -ECONNRESET;
		ret = hub_wait(hub, 0, deadline_left_ns(until));
	}
	return ret;
}

/* --- joining --- */

static int gathering_accept(void *context, struct conn **conn)
{
	return pending_conn_accept(((struct hub *)context)->listener, sizeof(**conn), conn);
}

static enum pending_state gathering_read(void *context, struct conn *conn, char words[PENDING_TEXT_SIZE])
{
	const bool gone = dispatch_fill(conn) != 0;
	struct dispatch message;
	const char *fault = "it did not join";
	size_t length;
	const int ret = dispatch_read(conn, &message, &length, &fault);

	(void)context;
	if (ret > 0 && message.type == MESSAGE_HELLO)
		return PENDING_READY;
	if (ret) {
		if (ret == -EPROTONOSUPPORT)
			dispatch_refuse(conn, "it is of another version: install the same perftest on all hosts");
		snprintf(words, PENDING_TEXT_SIZE, "is no instance of this run: %s", fault);
		return PENDING_LEAVES;
	}
	snprintf(words, PENDING_TEXT_SIZE, "is no instance of this run: it was silent for %d s", PENDING_MS / 1000);
	if (gone)
		words[0] = '\0';
	return gone ? PENDING_LEAVES : PENDING_STAYS;
}

static void gathering_report(void *context, const struct conn *conn, const char *words)
{
	(void)context;
	log_info("what connected from %s %s", conn->peer, words);
}

static const struct pending_ops gathering_ops = {
	.accept = gathering_accept, .receive = gathering_read, .drop = pending_conn_drop, .report = gathering_report};

/* Takes the connection. */
static void gathering_join(struct hub *hub, struct conn *conn)
{
	const uint32_t hosts = hub->star.num_conns;
	struct hub_end *end = NULL;
	const char *fault = NULL;
	struct dispatch join;
	size_t length;

	dispatch_read(conn, &join, &length, &fault); /* gathering_read() has done so */
	if (join.join.run != hub->params->run)
		fault = "it has another command, or belongs to another job";
	else if (join.join.rank != PLACE_NONE && join.join.rank >= hosts)
		fault = "its rank is not below the number of hosts";
	else if (join.join.rank != PLACE_NONE && hub->ends[join.join.rank].conn.carrier)
		fault = "another instance has the same rank";
	for (uint32_t i = 0; i < hosts && !fault && !end; i++)
		if (!hub->ends[i].conn.carrier && (join.join.rank == PLACE_NONE || join.join.rank == i))
			end = &hub->ends[i];
	if (!end) {
		fault = fault ? fault : "all hosts are here (--hosts)";
		dispatch_refuse(conn, fault);
		log_info("refused an instance on %.63s (%s): %s", join.join.host, conn->peer, fault);
		pending_conn_drop(hub, conn);
		return;
	}
	conn_consume(conn, length);
	dispatch_send_type(conn, MESSAGE_ALIVE);
	end->conn = *conn;
	free(conn);
	end->rank = join.join.rank;
	snprintf(end->who.host, sizeof(end->who.host), "%.*s", (int)strcspn(join.join.host, "."), join.join.host);
	snprintf(end->who.address, sizeof(end->who.address), "%s", join.join.address);
	hub->joined++;
}

/* By name, as people count: n9 is before n10. */
static int by_host(const void *a, const void *b)
{
	const struct hub_end *x = a, *y = b;
	const int order = strverscmp(x->who.host, y->who.host);

	if (!x->conn.carrier || !y->conn.carrier)
		return (x->conn.carrier == NULL) - (y->conn.carrier == NULL);
	return order ? order
		     : strverscmp(x->who.address[0] ? x->who.address : x->conn.peer,
				  y->who.address[0] ? y->who.address : y->conn.peer);
}

/* Of several instances on a host each needs a name of its own. */
static void ends_name(struct hub *hub, bool have_ranks)
{
	for (uint32_t i = 0; i < hub->star.num_conns; i++) {
		struct result_host *who = &hub->ends[i].who;
		bool alone = who->host[0];

		for (uint32_t j = 0; j < hub->star.num_conns; j++)
			alone &= j == i || strcmp(who->host, hub->ends[j].who.host) != 0;
		if (alone)
			snprintf(who->name, sizeof(who->name), "%s", who->host);
		else if (who->host[0])
			snprintf(who->name, sizeof(who->name), "%s/%" PRIu32, who->host, i);
		else
			snprintf(who->name, sizeof(who->name), have_ranks ? "rank %" PRIu32 : "absent/%" PRIu32, i);
	}
}

/* Those that will not come: what was started for them has ended. */
static uint32_t count_gone(const struct hub *hub)
{
	char reason[MESSAGE_REASON_SIZE];
	uint32_t gone = 0;

	for (uint32_t i = 0; i < hub->star.num_conns && hub->crew; i++)
		gone += !hub->ends[i].conn.carrier && crew_has_ended(hub->crew, i, reason, sizeof(reason));
	return gone;
}

/* Why an instance is not here. */
static void end_absent(const struct hub *hub, uint32_t rank, bool have_ranks, char *why, size_t size)
{
	char reason[MESSAGE_REASON_SIZE - 32];

	if (hub->crew && crew_has_ended(hub->crew, rank, reason, sizeof(reason)))
		snprintf(why, size, "could not be started: %s", reason);
	else
		snprintf(why, size, "has not come within %u s (--join_timeout)%s", hub->params->join_timeout_s,
			 have_ranks ? "" : "; it is a host that the table does not name");
}

/* 0; -EINTR, or -errno, reported. */
static int gathering_wait(struct hub *hub)
{
	const struct deadline deadline = deadline_in_ms(1000LL * hub->params->join_timeout_s);
	struct pollfd *fds = hub->fds + 1; /* behind the bell */
	struct conn *conn;
	int ret;

	while (hub->joined + count_gone(hub) < hub->star.num_conns && !deadline_passed(deadline)) {
		struct deadline nearest = deadline;
		unsigned used = listener_poll_fds(hub->listener, fds);

		used += pending_poll_fds(&hub->pending, fds + used, &nearest);
		ret = hub_wait(hub, used, deadline_left_ns(nearest));
		if (ret)
			return ret;
		pending_wake(&hub->pending);
		ret = pending_admit(&hub->pending);
		if (ret)
			return pending_error(ret, "another instance");
		while (!pending_take(&hub->pending, &conn))
			gathering_join(hub, conn);
	}
	return 0;
}

/* All are here, or as many as came. */
static int hub_begin(struct hub *hub)
{
	bool have_ranks = hub->crew != NULL;
	int ret;

	for (uint32_t i = 0; i < hub->star.num_conns; i++)
		have_ranks |= hub->ends[i].conn.carrier && hub->ends[i].rank != PLACE_NONE;
	if (!have_ranks)
		qsort(hub->ends, hub->star.num_conns, sizeof(*hub->ends), by_host);
	/* As the user calls them, whatever they call themselves. */
	for (uint32_t i = 0; hub->crew && i < hub->star.num_conns; i++) {
		const char *node = hub->params->nodes[i], *name = strrchr(node, '@');

		snprintf(hub->ends[i].who.host, sizeof(hub->ends[i].who.host), "%.*s", DISPATCH_HOST_SIZE - 1,
			 name ? name + 1 : node);
	}
	ends_name(hub, have_ranks);
	for (uint32_t i = 0; i < hub->star.num_conns; i++) {
		struct hub_end *end = &hub->ends[i];

		hub->star.conns[i] = (struct star_conn){.conn = end->conn, .rank = i};
		if (end->conn.carrier)
			dispatch_send_type(&hub->star.conns[i].conn, MESSAGE_AGREE);
		else
			end_absent(hub, i, have_ranks, end->who.lost, sizeof(end->who.lost));
		end->conn = (struct conn){.fd = -1};
		hub->result->hosts[i] = end->who;
	}
	ret = star_open(&hub->star);
	if (!ret)
		ret = star_start(&hub->star);
	if (ret)
		log_error("cannot keep the connections: %s", strerror(-ret));
	return ret;
}

static void hub_free(struct hub *hub)
{
	wakeup_close(&hub->wake);
	free(hub->star.conns);
	free(hub->ends);
	free(hub->fds);
}

int hub_open(struct hub *hub, const struct matrix_params *params, struct listener *listener, struct crew *crew,
	     struct result *result)
{
	int ret = -ENOMEM;

	*hub = (struct hub){.star = {DISPATCH_STAR, .ops = &hub_ops, .is_hub = true, .timeout_ms = MATRIX_SILENCE_MS},
			    .wake.fd = -1,
			    .params = params,
			    .crew = crew,
			    .result = result,
			    .listener = listener,
			    .pending = {.ops = &gathering_ops, .context = hub, .limit_ms = PENDING_MS}};
	hub->star.main = &hub->wake;
	hub->star.num_conns = params->hosts;
	hub->ends = calloc(params->hosts, sizeof(*hub->ends));
	hub->star.conns = calloc(params->hosts, sizeof(*hub->star.conns));
	hub->fds = calloc(1 + LISTENER_FDS + PENDING_MAX_FDS + (crew ? (size_t)REMOTE_FDS * crew->count : 0),
			  sizeof(*hub->fds));
	for (uint32_t i = 0; i < params->hosts && hub->ends && hub->star.conns; i++)
		hub->ends[i].conn.fd = hub->star.conns[i].conn.fd = -1;
	if (hub->ends && hub->star.conns && hub->fds)
		ret = wakeup_open(&hub->wake);
	if (ret)
		log_error("cannot wait for the instances: %s", strerror(-ret));
	if (!ret)
		ret = gathering_wait(hub);
	pending_close(&hub->pending);
	listener_close(listener);
	if (ret) {
		for (uint32_t i = 0; hub->ends && i < params->hosts; i++)
			conn_close(&hub->ends[i].conn);
		hub_free(hub);
		return ret;
	}
	ret = hub_begin(hub);
	if (ret)
		hub_close(hub);
	return ret;
}

void hub_close(struct hub *hub)
{
	pthread_mutex_lock(&hub->star.lock);
	for (uint32_t i = 0; i < hub->star.num_conns; i++)
		if (hub->star.conns[i].conn.fd >= 0)
			dispatch_send_type(&hub->star.conns[i].conn, DISPATCH_END);
	hub->star.is_over = true;
	pthread_mutex_unlock(&hub->star.lock);
	star_close(&hub->star);
	hub_free(hub);
}
