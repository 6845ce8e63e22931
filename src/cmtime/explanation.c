// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See explanation.h. */
#include "cmtime/explanation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/examine.h"
#include "explain/cluster.h"
#include "report/results.h"
#include "util/device_identity.h"
#include "util/log.h"
#include "util/terminal.h"

#define CONTROLLER   0 /* its rank */
#define NS_PER_S     1e9
#define CM_MESSAGES  5 /* of a connection over InfiniBand and RoCE: REQ, REP, RTU, DREQ and DREP */
#define OF_A_CLUSTER "This is what was seen on this instance; the controller has what was seen on all\n"

static uint8_t port_of(const struct engine *engine)
{
	uint8_t port = 0;

	if (engine->transport->device)
		(void)engine->transport->device(engine, &port);
	return port;
}

void cmtime_watch_prepare(struct explainer *explainer, const struct engine *engine,
			  const struct device_identity *device)
{
	const struct cmtime_params *params = engine->params;
	const struct doctor_options options = {.device = device->name,
					       .timeout_ms = 1000LL * params->timeout_s,
					       .port = port_of(engine),
					       .disable_numa = true /* it binds itself to no CPUs */,
					       .program = {&cmtime_options, CMTIME_PROGRAM}};
	struct watch *watch = &explainer->watch;

	explainer->explanation.test = (struct explain_test){
		.program = options.program,
		.is_client = !params->listen,
		.is_socket = params->sockets,
		.is_software = device->is_software,
		.is_setup = true,
		.is_connecting = true,
		.without = engine->num_servers + engine->num_clients > 2 ? OF_A_CLUSTER : NULL,
	};
	if (!device->is_software) {
		snprintf(watch->device, sizeof(watch->device), "%.*s", WATCH_NAME_SIZE - 1, device->name);
		watch->port = port_of(engine);
		watch->link_gbits = device->link_gbits;
		address_interface(&engine->local, watch->netdev, sizeof(watch->netdev));
	}
	doctor_examine(&options, device->name[0] ? subject_open : subject_open_host,
		       &explainer->explanation.facts[0].doctor);
}

/*
 * Of a flow what its connections waited for the threads of -n, if there were twice as many at a time: a single one
 * waits for no more than that a thread wakes up. Step by step all wait for each other, which is not part of the times.
 */
static void note_threads(const struct engine *engine, const struct conn_stats *stats, struct facts *facts)
{
	const double span_ns = (double)(stats->totals.ended_ns - stats->totals.began_ns);
	double waited_ns = 0, all_ns = 0;

	for (unsigned step = 0; step < STEP_COUNT; step++) {
		const struct latency *measures = stats->steps[step].measures;

		waited_ns += (double)measures[MEASURE_QUEUED].sum.value;
		all_ns += (double)(measures[MEASURE_QUEUED].sum.value + measures[MEASURE_SERVICE].sum.value);
	}
	if (!cmtime_is_flow(engine->params) || all_ns < 2 * engine->params->threads * span_ns)
		return;
	facts->number[FACT_THREADS] = engine->params->threads;
	facts->number[FACT_THREAD_WAIT] = all_ns > 0 ? waited_ns / all_ns : 0;
}

void cmtime_watch_end(struct explainer *explainer, struct engine *engine, struct conn_stats *const *stats,
		      unsigned num_tests)
{
	struct explain_test *test = &explainer->explanation.test;
	struct facts *facts = &explainer->explanation.facts[0];
	char words[MESSAGE_FACTS_SIZE];
	double retries = 0;

	explainer_end(explainer, link_fd(engine->link), false /* has messages */);
	for (unsigned i = 0; i < num_tests; i++) {
		test->messages += (double)stats[i]->totals.connections;
		retries += (double)stats[i]->totals.retries;
	}
	test->packets = test->is_socket ? 0 : CM_MESSAGES * test->messages;
	facts->number[FACT_RETRIES] = retries;
	note_threads(engine, stats[0], facts);
	explainer_write(explainer, words);
	link_send_facts(engine->link, words);
}

/* own: this side's test, whose options are those of all. */
static void describe_member(struct cmtime_link *link, uint32_t rank, const struct frame_peer *peer,
			    const struct explain_test *own, struct cluster_member *member)
{
	char host[FRAME_HOST_SIZE];
	const char *words;

	printable(peer->host, strlen(peer->host), host, sizeof(host));
	snprintf(member->name, sizeof(member->name), "%s %" PRIu32 " on %s", peer->listens ? "server" : "client", rank,
		 host);
	member->test = *own;
	if (rank == CONTROLLER)
		return;
	words = link_facts(link, rank, &member->test.messages);
	member->test.is_client = !peer->listens;
	member->test.packets = own->is_socket ? 0 : CM_MESSAGES * member->test.messages;
	member->has_facts = words && !facts_read(&member->facts, words);
	if (words && !member->has_facts)
		log_warning("--explain: the facts of %s are malformed", member->name);
}

/* Controller of more than two instances. */
static int explain_all(const struct explainer *explainer, const struct engine *engine, struct results *results)
{
	const struct frame_peer *peers;
	struct cluster_member *members;
	uint32_t count;
	int ret;

	peers = link_peers(engine->link, &count);
	members = calloc(count, sizeof(*members));
	if (!members)
		return -ENOMEM;
	for (uint32_t rank = 0; rank < count; rank++)
		describe_member(engine->link, rank, &peers[rank], &explainer->explanation.test, &members[rank]);
	members[CONTROLLER].has_facts = true;
	members[CONTROLLER].facts = explainer->explanation.facts[0];
	ret = cluster_explain(members, count, CONTROLLER, results);
	free(members);
	return ret;
}

int cmtime_explain(struct explainer *explainer, struct engine *engine, bool is_controller, struct results *results)
{
	const bool is_pair = engine->num_servers + engine->num_clients == 2;
	const char *words;
	double connections;

	if (!is_pair && is_controller)
		return explain_all(explainer, engine, results) ? log_fail(-ENOMEM, "no memory for --explain") : 0;
	words = is_pair ? link_facts(engine->link, is_controller ? 1 : 0, &connections) : NULL;
	if (words)
		explainer_take(explainer, words, engine->params->listen ? "client" : "server");
	explain(&explainer->explanation);
	explain_results(&explainer->explanation, results);
	return 0;
}
