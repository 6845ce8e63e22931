// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The steps of cmtime's life (life/life.h): rendezvous with the other instances; open the transport, and listen on a
 * server; warm up with one connection from each client to each server; run the tests; send the results to the
 * controller; print the tables. If something ends it early, it is reported once, here, and to all other instances.
 */
#include "config.h"

#include "cmtime/cmtime.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmtime/clients.h"
#include "cmtime/engine.h"
#include "cmtime/explanation.h"
#include "cmtime/report.h"
#include "life/life.h"
#include "report/counters.h"
#include "report/host.h"
#include "report/provenance.h"
#include "util/device_identity.h"
#include "util/log.h"
#include "util/starter.h"
#include "util/sysfs.h"
#include "verbs/device/device.h"
#include "verbs/device/software.h"

#define PAUSE_NS 1000000000

struct cmtime_run {
	struct ending ending;
	struct cmtime_params given;  /* on the command line */
	struct cmtime_params params; /* of this test, also of other instances */
	unsigned number;	     /* of this test, from 1 on */
	int joined;		     /* -errno of a rendezvous after which a server keeps serving */
	struct wakeup wake;
	struct cmtime_rendezvous rendezvous;
	struct cmtime_link *link;
	struct engine engine;
	struct cmtime_report report;
	struct conn_stats *once; /* of a measurement of a test */
	/* Of all of them: this instance's and, at the controller, those of all, with the rate of each. */
	struct conn_stats *stats[LINK_MAX_TESTS], *merged[LINK_MAX_TESTS];
	struct series series[LINK_MAX_TESTS], merged_series[LINK_MAX_TESTS];
	struct clients clients; /* at the controller, with --limit_peers */
	bool is_cut;		/* the last measurement was */
	struct engine_run tests[LINK_MAX_TESTS];
	enum test_kind kinds[LINK_MAX_TESTS];
	struct {
		uint64_t start, over; /* cycles */
		double cpu_percent;
	} times[LINK_MAX_TESTS];
	struct cpu_use cpu;
	struct explainer explainer;
	unsigned num_tests;
	unsigned current;
	char local[ADDRESS_TEXT_SIZE];
	struct frame_self self;
	struct device_identity device; /* whole, even if it does not fit into what is sent */
};

/* --- opening --- */

/* Reports once, and to all, that the run was ended here or elsewhere. Without a link it has been, here. */
static void cmtime_abort(void *own, int error, const char *reason)
{
	struct cmtime_run *session = own;
	const char *here = engine_failure(&session->engine), *elsewhere;
	char name[MEMBER_NAME_SIZE], host[FRAME_HOST_SIZE];

	if (!session->link)
		return;
	elsewhere = link_look(session->link).aborted;
	if (error != -EINTR && here[0]) {
		member_host(host);
		member_name(session->rendezvous.place.rank, session->params.listen, host, name);
		link_abort(session->link, here);
		log_error("%s: %s", name, here);
	} else if (error != -EINTR && elsewhere) {
		log_error("%s", elsewhere);
	} else { /* reported where it happened */
		link_abort(session->link, reason);
	}
}

/* A link-local address is one of this side's interface. */
static void set_scope(struct sockaddr_storage *server, const struct sockaddr_storage *local)
{
	struct sockaddr_in6 *address = (struct sockaddr_in6 *)server;

	if (server->ss_family == AF_INET6 && local->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr))
		address->sin6_scope_id = ((const struct sockaddr_in6 *)local)->sin6_scope_id;
}

/* The addresses of all servers, for a client. */
static int find_servers(struct engine *engine, const struct frame_peer *peers, uint32_t count)
{
	char here[ADDRESS_TEXT_SIZE], there[ADDRESS_TEXT_SIZE];

	engine->servers = calloc(count, sizeof(*engine->servers));
	if (!engine->servers)
		return engine_error(engine, -ENOMEM, "no memory for the servers' addresses");
	for (uint32_t i = 0; i < count; i++) {
		struct sockaddr_storage *server = &engine->servers[engine->num_servers];

		if (!peers[i].listens) {
			engine->num_clients++;
			continue;
		}
		*server = peers[i].self.address;
		set_scope(server, &engine->local);
		engine->num_servers++;
		if (engine->params->listen || server->ss_family == engine->local.ss_family)
			continue;
		return engine_error(engine, -EAFNOSUPPORT,
				    "%s: cannot connect from %s to %s: give all instances addresses of the same family",
				    step_name(STEP_RESOLVE_ADDR),
				    address_text((const struct sockaddr *)&engine->local, here),
				    address_text((const struct sockaddr *)server, there));
	}
	return 0;
}

/* For the documents of the others; the address is set. */
static void describe_self(const struct engine *engine, struct device_identity *identity, struct frame_self *self)
{
	struct ibv_context *context;
	struct device device;
	uint8_t port;

	if (engine->transport->device) {
		context = engine->transport->device(engine, &port);
		device_inspect(&device, context, port);
		device_identify(&device, identity);
	}
	provenance_write(identity, self->provenance, sizeof(self->provenance));
	snprintf(self->version, sizeof(self->version), "%s", PACKAGE_VERSION);
}

/* -W: of the port of the device, or of sockets of the interface that has this side's address. 0 or -errno, reported. */
static int open_counters(struct cmtime_run *session)
{
	const struct engine *engine = &session->engine;
	const char *names = session->params.counters, *root = sysfs_root();
	struct counters *counters = &session->report.results.counters;
	char netdev[64], folder[PATH_MAX / 2];
	uint8_t port = 0;
	int ret;

	if (!names[0])
		return 0;
	if (engine->transport->device) {
		(void)engine->transport->device(engine, &port);
		ret = counters_open(counters, names, root, session->device.name, port);
	} else {
		address_interface(&engine->local, netdev, sizeof(netdev));
		snprintf(folder, sizeof(folder), "%s/class/net/%s", root, netdev[0] ? netdev : session->local);
		ret = counters_open_in(counters, names, root, folder, netdev);
	}
	if (!ret && !counters->count)
		log_warning("%s has no counters for --report-counters (-W)",
			    engine->transport->device ? session->device.name : session->local);
	return ret;
}

static int open_engine(struct cmtime_run *session)
{
	struct engine *engine = &session->engine;
	struct frame_self *self = &session->self;
	const struct frame_peer *peers;
	uint32_t count;
	int ret;

	engine->params = &session->params;
	engine->link = session->link;
	engine->wake = &session->wake;
	engine->side = session->params.listen ? &server_side : &client_side;
	engine->transport = session->params.sockets ? &transport_sockets : &transport_rdma;
	address_text((const struct sockaddr *)&engine->local, session->local);
	self->address = engine->local;
	ret = engine_open(engine);
	if (!ret && session->params.listen)
		ret = engine->transport->listen(engine, &self->address);
	if (ret)
		return ret;
	describe_self(engine, &session->device, self);
	ret = open_counters(session);
	if (ret)
		return ret;
	link_ready(session->link, self);
	while (!ret && !link_look(session->link).all_ready)
		ret = engine_pause(engine);
	if (ret)
		return ret;
	peers = link_peers(session->link, &count);
	return find_servers(engine, peers, count);
}

/* --- running --- */

static int plan(struct cmtime_run *session)
{
	const struct cmtime_params *params = &session->params;
	const bool is_flow = cmtime_is_flow(params), makes_qps = !params->sockets && params->mimic_us < 0;

	session->tests[0] = (struct engine_run){
		.per_pair = params->connections,
		.makes_qps = makes_qps,
		.mimic_us = params->mimic_us,
		.is_flow = is_flow,
	};
	session->kinds[0] = params->sockets ? TEST_SOCKETS : makes_qps ? TEST_QPS : TEST_SIMULATED_QPS;
	session->num_tests = 1;
	/*
	 * With one pair of instances and no need for QPs, also measure connecting without them, as classic cmtime does.
	 */
	if (session->rendezvous.place.count == 2 && !params->sockets && !is_flow && !session->engine.is_iwarp) {
		session->tests[1] = (struct engine_run){.per_pair = params->connections, .mimic_us = 0};
		session->kinds[1] = TEST_NO_QPS;
		session->num_tests = 2;
	}
	for (unsigned i = 0; i < session->num_tests; i++) {
		if (conn_stats_open(&session->stats[i]) ||
		    (session->rendezvous.is_controller && conn_stats_open(&session->merged[i])) ||
		    series_open(&session->series[i], &params->repeat, false /* means, not medians */) ||
		    series_open(&session->merged_series[i], &params->repeat, false /* likewise */))
			return engine_error(&session->engine, -ENOMEM, "no memory for the figures");
	}
	if (session->rendezvous.is_controller && session->params.limit_peers &&
	    clients_open(&session->clients, session->link, &params->repeat))
		return engine_error(&session->engine, -ENOMEM, "no memory for the figures of each client");
	return 0;
}

static uint64_t planned(const struct cmtime_run *session, unsigned test, const struct conn_stats *stats, bool merged)
{
	const struct engine *engine = &session->engine;
	const uint64_t peers = merged			? (uint64_t)engine->num_servers * engine->num_clients
			       : session->params.listen ? engine->num_clients
							: engine->num_servers;

	const unsigned measured = session->series[test].count;

	/* With --duration the plan is what was achieved. */
	return session->params.duration_s ? stats->totals.connections / (measured ? measured : 1)
					  : peers * session->tests[test].per_pair;
}

/* merged: of the cluster, not of this instance. partial: they are incomplete. 0 or -errno, reported. */
static int report_figures(struct cmtime_run *session, unsigned test, bool merged, bool in_text, bool partial)
{
	const struct conn_stats *stats = merged ? session->merged[test] : session->stats[test];
	struct series *series = merged ? &session->merged_series[test] : &session->series[test];
	struct cmtime_result result = {
		.kind = session->kinds[test],
		.merged = merged,
		.in_text = in_text,
		.partial = partial,
		.planned = planned(session, test, stats, merged),
		.stats = stats,
		.start = session->times[test].start,
		.over = session->times[test].over,
		.cpu_percent = merged ? NAN : session->times[test].cpu_percent,
		.clients = merged ? clients_conclude(&session->clients) : NULL,
	};

	if (series_repeats(&session->params.repeat) && series->count)
		result.repeats = series_conclude(series);
	return cmtime_report_result(&session->report, &result);
}

static void show_interval(void *own, const struct engine_interval *interval)
{
	struct cmtime_run *session = own;
	const double seconds = clock_cycles_to_ns((double)(interval->end - interval->begin)) / 1e9;
	struct cmtime_result row = {
		.kind = session->kinds[session->current],
		.over = interval->end,
		.interval = {.begin = clock_cycles_to_ns((double)(interval->begin - session->engine.start)) / 1e9,
			     .seconds = seconds,
			     .count = interval->count,
			     .rate = interval->is_cut ? NAN
						      : judge_rate_of((double)interval->count, seconds,
								      session->params.report_interval_s)},
	};

	(void)cmtime_report_interval(&session->report, &row); /* the result returns it, too */
}

/*
 * Measures the current test once, as all instances do, and adds the figures to those of earlier measurements. *vote: is
 * it measured once more?
 */
static int measure_once(struct cmtime_run *session, enum series_vote *vote)
{
	const unsigned test = session->current;
	struct engine_run run = session->tests[test];
	const struct conn_stats *all;
	int ret;

	session->is_cut = true;
	conn_stats_close(session->once);
	session->once = NULL;
	if (conn_stats_open(&session->once))
		return engine_error(&session->engine, -ENOMEM, "no memory for the figures");
	run.stats = session->once;
	ret = engine_run(&session->engine, &run);
	if (!session->times[test].start)
		session->times[test].start = session->engine.start;
	session->times[test].over = clock_cycles();
	session->times[test].cpu_percent = cpu_use_percent(&session->cpu);
	conn_stats_append(session->stats[test], session->once);
	session->is_cut = ret != 0;
	if (ret)
		return ret;
	series_add(&session->series[test], conn_rate_average(&session->once->totals));
	link_deliver(session->link, test, session->once);
	link_vote(session->link, series_vote(&session->series[test]));
	ret = engine_sync(&session->engine);
	*vote = link_look(session->link).vote;
	while (!ret && session->rendezvous.is_controller && !link_merged(session->link, test, &all))
		ret = engine_pause(&session->engine);
	if (ret || !session->rendezvous.is_controller)
		return ret;
	conn_stats_append(session->merged[test], all);
	clients_add(&session->clients, session->link, test,
		    &session->stats[test]->steps[STEP_FULL_CONNECT].measures[MEASURE_TIME]);
	series_add(&session->merged_series[test], conn_rate_average(&all->totals));
	link_renew(session->link, test);
	return 0;
}

static int measure_test(struct cmtime_run *session)
{
	enum series_vote vote = SERIES_AGAIN;
	bool is_whole;
	int ret = cmtime_report_start(&session->report), reported;

	clients_begin(&session->clients);
	if (session->params.cpu_util)
		cpu_use_start(&session->cpu);
	series_begin(&session->series[session->current]);
	while (!ret && vote == SERIES_AGAIN)
		ret = measure_once(session, &vote);
	/* --merged: the controller's text shows all instances instead of itself, if merging has not failed. */
	is_whole = !ret && session->params.merged && session->rendezvous.is_controller;
	reported = report_figures(session, session->current, false /* own */, !is_whole, session->is_cut);
	ret = ret ? ret : reported;
	if (!ret && session->rendezvous.is_controller)
		ret = report_figures(session, session->current, true /* merged */, is_whole, false /* whole */);
	return ret;
}

static int run_tests(struct cmtime_run *session)
{
	struct engine_run warm_up = session->tests[0];
	int ret;

	session->engine.show_interval = series_repeats(&session->params.repeat) ? NULL : show_interval;
	session->engine.owner = session;
	warm_up.per_pair = 1;
	warm_up.is_flow = false;
	warm_up.stats = NULL;
	if (session->params.explain)
		cmtime_watch_prepare(&session->explainer, &session->engine, &session->device);
	log_human("Warm-up");
	ret = engine_run(&session->engine, &warm_up);
	if (!ret && !session->params.listen)
		ret = start_gate_pass();
	if (!ret && session->params.explain)
		explainer_begin(&session->explainer);
	for (session->current = 0; !ret && session->current < session->num_tests; session->current++)
		ret = measure_test(session);
	if (ret)
		return ret;
	if (session->params.explain)
		cmtime_watch_end(&session->explainer, &session->engine, session->stats, session->num_tests);
	session->engine.point = STAR_LAST_POINT - 1;
	ret = engine_sync(&session->engine);
	if (!ret && session->params.explain)
		ret = cmtime_explain(&session->explainer, &session->engine, session->rendezvous.is_controller,
				     &session->report.results);
	return ret;
}

/* --- the life of the program --- */

static int cmtime_parse(void *own, int argc, char **argv, char *reason, size_t reason_size)
{
	struct cmtime_params *params = &((struct cmtime_run *)own)->given;
	const char *broken;
	int ret;

	cmtime_params_init(params);
	ret = cmtime_params_parse(params, argc, argv, reason, reason_size);
	if (ret || cli_asks(&params->asked))
		return ret;
	broken = cmtime_rules_check(params);
	return broken ? opt_refuse(reason, reason_size, "%s", broken) : 0;
}

static int cmtime_library(void *own, char **argv)
{
	return ((struct cmtime_run *)own)->given.sockets ? 0 : soft_preload("" /* any device */, argv);
}

static int cmtime_open(void *own)
{
	struct cmtime_run *session = own;
	struct output_options *output = &session->params.output;
	int ret = 0;

	*session = (struct cmtime_run){
		.given = session->given, .params = session->given, .number = session->number + 1, .wake.fd = -1};
	if (session->given.keep_serving && passed_has())
		return log_fail(-EINVAL, "--keep_serving does not go with a socket that systemd passes on, which is of "
					 "one test: let systemd start it again");
	if (session->given.keep_serving)
		ret = output_file_number_client(output->json_file, sizeof(output->json_file), session->number);
	if (!ret)
		ret = cmtime_report_open(&session->report, &session->params);
	if (ret)
		return ret;
	ret = wakeup_open(&session->wake);
	if (ret)
		return log_fail(ret, "cannot create an eventfd: %s", strerror(-ret));
	wakeup_block_signals();
	return local_find(&session->params, &session->engine.local);
}

/* Of a test whose instances could not agree, or left: a server that keeps serving waits for those of another. */
static bool is_of_this_test(const struct cmtime_rendezvous *rendezvous, int error)
{
	return rendezvous->has_begun && (error == -EINVAL || error == -EPROTO || error == -ECONNRESET);
}

static int cmtime_connect(void *own)
{
	struct cmtime_run *session = own;

	session->joined = rendezvous_run(&session->rendezvous, &session->params, &session->wake);
	return session->params.keep_serving && is_of_this_test(&session->rendezvous, session->joined) ? 0
												      : session->joined;
}

static int cmtime_agree(void *own)
{
	struct cmtime_run *session = own;
	const struct frame_place *place = &session->rendezvous.place;
	struct pollfd none[1];
	int ret;

	if (session->joined) { /* two that cannot agree would meet again at once */
		ret = wakeup_wait(&session->wake, none, 0, PAUSE_NS);
		return ret ? ret : session->joined;
	}
	session->engine.qpn_first = place->qpn_first;
	session->engine.qpn_count = place->qpn_count;
	frame_token(place->token, session->engine.token);
	return link_open(&session->link, &session->rendezvous, &session->params, &session->wake);
}

static int cmtime_prepare(void *own)
{
	struct cmtime_run *session = own;
	struct cmtime_cluster cluster;
	uint32_t count;
	int ret;

	ret = open_engine(session);
	if (!ret)
		ret = plan(session);
	if (ret)
		return ret;
	cluster = (struct cmtime_cluster){.rank = session->rendezvous.place.rank,
					  .servers = session->engine.num_servers,
					  .clients = session->engine.num_clients,
					  .local = session->local,
					  .device = session->params.sockets ? NULL : &session->device,
					  .run_id = session->rendezvous.place.run_id,
					  .peers = link_peers(session->link, &count)};
	cmtime_report_begin(&session->report, &cluster);
	return 0;
}

static int cmtime_measure(void *own)
{
	struct cmtime_run *session = own;
	const int ret = run_tests(session);

	cmtime_report_sum_up(&session->report, !ret);
	session->ending.limit_failed = session->report.results.envelope.missed_limits;
	return ret;
}

static int cmtime_report_end(void *own, const char *status, const char *reason)
{
	return cmtime_report_close(&((struct cmtime_run *)own)->report, status, reason);
}

static void cmtime_close(void *own, bool again)
{
	struct cmtime_run *session = own;

	(void)again;
	engine_close(&session->engine);
	link_close(session->link);
	wakeup_close(&session->wake);
	conn_stats_close(session->once);
	clients_close(&session->clients);
	for (unsigned i = 0; i < LINK_MAX_TESTS; i++) {
		conn_stats_close(session->stats[i]);
		conn_stats_close(session->merged[i]);
		series_close(&session->series[i]);
		series_close(&session->merged_series[i]);
	}
}

static const struct life_ops cmtime_life = {
	.parse = cmtime_parse,
	.library = cmtime_library,
	.open = cmtime_open,
	.connect = cmtime_connect,
	.agree = cmtime_agree,
	.prepare = cmtime_prepare,
	.measure = cmtime_measure,
	.abort = cmtime_abort,
	.report = cmtime_report_end,
	.close = cmtime_close,
};

int cmtime_main(int argc, char **argv)
{
	static struct cmtime_run session;
	struct life life = {.ops = &cmtime_life,
			    .own = &session,
			    .name = "cmtime",
			    .cli = &cmtime_page.cli,
			    .asked = &session.given.asked,
			    .ending = &session.ending,
			    .keeps_serving = &session.given.keep_serving};

	return life_main(&life, argc, argv);
}
