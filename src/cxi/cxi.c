// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The steps of cxi_send_bw's life (life/life.h), in their order. An error is reported once, here or by the layer that
 * knows the reason.
 */
#include "config.h"

#include "cxi/cxi.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cxi/adapter.h"
#include "cxi/buffers.h"
#include "cxi/control/channel.h"
#include "cxi/group.h"
#include "cxi/report.h"
#include "cxi/run.h"
#include "doctor/examine.h"
#include "explain/explainer.h"
#include "life/life.h"
#include "life/pair.h"
#include "report/host.h"
#include "report/output_file.h"
#include "report/precision.h"
#include "report/provenance.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/starter.h"

struct cxi_session {
	struct cxi_params given; /* as params were given */
	struct cxi_acceptor acceptor;
	unsigned clients;	   /* the one that is served, from 1 */
	struct cxi_member *member; /* NULL: this is not one of several pairs */
	struct conn *conn;	   /* of the client that its group has accepted; NULL: none */
	/* of this test */
	struct ending ending;
	struct cxi_params params;
	bool is_server;
	char transport[CXI_NAME_SIZE]; /* as in struct cxi_hello */
	struct cxi_link link;
	struct cxi_channel channel;
	struct cxi_buffers buffers;
	struct cxi_adapter adapter;
	bool has_counters;
	bool on_one_host; /* both sides */
	struct payload_path path;
	struct cxi_plan plan;
	struct cxi_introduction own, peer;
	uint64_t ahead; /* as in struct cxi_test */
	struct cxi_report report;
	struct cxi_account account;
	struct series series; /* of the bandwidths of a size */
	struct cpu_use cpu;   /* --cpu_util: of a size */
	struct explainer explainer;
	uint64_t wrong;	 /* sends, on both sides */
	bool is_closing; /* the report is closed, and the status known */
};

/* A call that seemed stuck may return while abandon() ends the report. */
static pthread_mutex_t reporting = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static int put_row(struct cxi_session *session, const struct cxi_figures *figures)
{
	int ret;

	pthread_mutex_lock(&reporting);
	ret = cxi_report_row(&session->report, figures);
	pthread_mutex_unlock(&reporting);
	return ret;
}

/* --- failures --- */

static int link_failed(const struct cxi_session *session, int error)
{
	return log_fail(error, "%s", session->link.fault);
}

/* --- opening --- */

static int open_link(struct cxi_session *session)
{
	const struct cxi_params *params = &session->params;
	struct cxi_place *place = &session->params.place;
	int ret;

	place->is_server = session->is_server;
	place->limit_ms = (int64_t)params->timeout_s * 1000;
	session->link.ops = params->place.provider[0] ? &cxi_fabric_ops : &cxi_libcxi_ops;
	snprintf(session->transport, sizeof(session->transport), "%s%s%s", session->link.ops->name,
		 params->place.provider[0] ? " " : "", params->place.provider);
	ret = session->link.ops->open(&session->link, place);
	return ret ? link_failed(session, ret) : 0;
}

static void make_plan(struct cxi_session *session)
{
	const struct cxi_params *params = &session->params;
	struct addresses addresses;

	session->plan = (struct cxi_plan){
		.sends = !session->is_server || params->bidirectional,
		.receives = session->is_server || params->bidirectional,
		.rendezvous = params->rdzv,
		.checks_data = params->verify,
		/* The CPU copies the data of an immediate data command, so it can't be in a GPU. */
		.idc = !params->no_idc && !params->rdzv && params->tx_gpu == CXI_NO_GPU,
		.one_index = session->channel.dialect->one_index,
		.list = params->list,
		.max_size = cxi_sizes(params).last,
		.peer_fd = channel_fd(&session->channel.is),
	};
	conn_addresses(&session->channel.is.conn, &addresses);
	if (addresses.local.ss_family != AF_UNSPEC)
		address_host_text(&addresses.local, session->plan.local_ip);
	session->on_one_host = address_is_own(&addresses.peer);
	/* A side is silent while it fills, registers, checks or copies its memory. */
	cxi_channel_limit(&session->channel, cxi_standstill_ms(params, session->plan.max_size));
}

static int cxi_session_introduce(struct cxi_session *session)
{
	struct cxi_introduction *own = &session->own;
	struct cxi_frame frame;
	int ret;

	cxi_adapter_find(&session->adapter, &session->link,
			 (session->plan.sends ? &session->buffers.tx : &session->buffers.rx)->ops->name);
	cxi_payload_path(&session->path, &session->adapter, &session->link, session->on_one_host);
	session->path.bidirectional = session->path.sums = session->params.bidirectional;
	session->path.pcie_writes = session->plan.receives;
	cxi_memory_name(own->memory.tx, session->params.tx_gpu);
	cxi_memory_name(own->memory.rx, session->params.rx_gpu);
	snprintf(own->memory.gpu, sizeof(own->memory.gpu), "%s", session->buffers.gpu ? session->buffers.gpu : "");
	snprintf(own->version, sizeof(own->version), PACKAGE_VERSION);
	provenance_write(&session->adapter.identity, own->provenance, sizeof(own->provenance));
	own->address = session->link.address;
	frame.introduction = *own;
	ret = channel_swap(&session->channel.is, MESSAGE_ENDPOINTS, &frame, &frame);
	if (!ret)
		session->peer = frame.introduction;
	return ret;
}

/* Opens the buffers, and the transport's objects that need them. */
static int prepare_buffers(struct cxi_session *session)
{
	struct cxi_link *link = &session->link;
	int ret;

	ret = cxi_buffers_open(&session->buffers, &session->params, session->plan.sends, session->plan.receives);
	if (ret)
		return ret;
	ret = link->ops->map(link, &session->plan, &session->buffers.tx, &session->buffers.rx);
	return ret ? link_failed(session, ret) : 0;
}

static int connect_link(struct cxi_session *session)
{
	int ret;

	ret = prepare_buffers(session);
	if (ret)
		return ret;
	ret = cxi_session_introduce(session);
	if (ret)
		return ret;
	ret = session->link.ops->connect(&session->link, &session->peer.address);
	if (ret)
		return link_failed(session, ret);
	ret = session->is_server ? 0 : start_gate_pass();
	if (ret)
		return ret;
	/* Both sides must be ready before the table starts. */
	return cxi_channel_barrier(&session->channel);
}

/* --- --explain --- */

/* It runs without libibverbs. */
static void examine(struct cxi_session *session)
{
	const struct cxi_adapter *adapter = &session->adapter;
	const struct doctor_options options = {
		.function = adapter->identity.pci_address[0] ? adapter->function : NULL,
		.netdev = adapter->netdev,
		.timeout_ms = session->params.timeout_s * 1000LL,
		.disable_numa = true,
		.program = session->explainer.explanation.test.program,
	};

	doctor_examine(&options, subject_open_host, &session->explainer.explanation.facts[0].doctor);
}

static void begin_explanation(struct cxi_session *session)
{
	const struct cxi_adapter *adapter = &session->adapter;
	struct explainer *explainer = &session->explainer;
	const char *provider = session->link.provider;

	if (!session->params.explain)
		return;
	explainer->explanation.test = (struct explain_test){
		.program = {&cxi_options, CXI_PROGRAM},
		.is_client = !session->is_server,
		.is_bandwidth = true,
		.is_socket = cxi_link_is_socket(&session->link),
		.is_software = strcmp(provider, "shm") == 0,
		.depth = session->params.list,
	};
	snprintf(explainer->watch.netdev, sizeof(explainer->watch.netdev), "%s", adapter->netdev);
	explainer->watch.link_gbits = adapter->identity.link_gbits;
	explainer->watch.function = adapter->function[0] ? adapter->function : NULL;
	examine(session);
	explainer_begin(explainer);
}

static void explain_size(struct cxi_session *session, const struct cxi_figures *figures)
{
	struct explain_test *test = &session->explainer.explanation.test;
	const struct payload_limit limit = payload_limit_of(&session->path, figures->size);
	const bool both = session->params.bidirectional;
	const double sends = figures->sends_rate * figures->seconds;

	test->message_bytes = (double)figures->size;
	test->messages += sends;
	if (session->account.has_packets)
		test->packets += sends * (double)cxi_packets(figures->size);
	test->message_rate = figures->sends_rate / (both ? 2 : 1);
	test->bandwidth = figures->bandwidth;
	test->possible = payload_limit_least(&limit) * (both ? 2 : 1);
}

static int end_explanation(struct cxi_session *session)
{
	struct explainer *explainer = &session->explainer;
	struct cxi_frame frame;
	int ret;

	if (!session->params.explain)
		return 0;
	explainer_end(explainer, channel_fd(&session->channel.is), false /* has messages */);
	if (session->channel.dialect->reports) {
		explainer_write(explainer, frame.facts);
		ret = channel_swap(&session->channel.is, MESSAGE_FACTS, &frame, &frame);
		if (ret)
			return ret;
		explainer_take(explainer, frame.facts, channel_peer_role(&session->channel.is));
	}
	explain(&explainer->explanation);
	pthread_mutex_lock(&reporting);
	explain_results(&explainer->explanation, &session->report.results);
	pthread_mutex_unlock(&reporting);
	return 0;
}

/* --- sizes --- */

static int cxi_session_on_interval(void *context, const struct cxi_seen *seen, double begin_s)
{
	struct cxi_session *session = context;
	struct cxi_figures figures = {
		.is_interval = true,
		.begin_s = begin_s,
		.has_sends = session->plan.sends,
		.sends = seen->sent * session->params.list,
		.over_cycles = seen->over_cycles,
		.cpu_percent = cpu_use_interval(&session->cpu),
	};

	cxi_figures_seen(&session->account, seen->lists, seen->seconds, &figures);
	if (!judge_has_rate(seen->seconds, session->params.report_interval_s))
		cxi_figures_rate(&session->account, NAN, &figures);
	return put_row(session, &figures);
}

/* partial: by what this side has seen, since the peer's part is not known. */
static struct cxi_figures figures_of(const struct cxi_session *session, const struct cxi_outcome *outcome, bool partial)
{
	struct cxi_figures figures = {
		.partial = partial,
		.has_sends = session->plan.sends,
		.sends = outcome->seen.sent * session->params.list,
		.has_verify = session->params.verify,
		.checked = outcome->own_checked.messages + outcome->peer_checked.messages,
		.wrong = outcome->own_checked.wrong + outcome->peer_checked.wrong,
		.cpu_percent = cpu_use_percent(&session->cpu),
		.repeats = series_of_one(),
	};

	if (partial)
		cxi_figures_seen(&session->account, outcome->seen.lists, outcome->seen.seconds, &figures);
	else
		cxi_figures_make(&session->account, &outcome->own, &outcome->peer, &figures);
	return figures;
}

/* Is the size measured once more? By the larger of both sides' votes. */
static int agree(struct cxi_session *session, enum series_vote *vote)
{
	struct cxi_frame frame = {.vote = series_vote(&session->series)};
	int ret = 0;

	*vote = frame.vote;
	if (series_repeats(&session->params.repeat))
		ret = channel_swap(&session->channel.is, MESSAGE_VOTE, &frame, &frame);
	if (frame.vote > *vote)
		*vote = frame.vote;
	return ret;
}

/* The row of all measurements of a size, of which sum has the counts. */
static int conclude_size(struct cxi_session *session, struct cxi_figures *sum)
{
	char what[32];
	int ret;

	sum->repeats = series_conclude(&session->series);
	cxi_figures_rate(&session->account, sum->repeats.confidence.center, sum);
	explain_size(session, sum);
	ret = put_row(session, sum);
	if (ret || sum->partial)
		return ret;
	snprintf(what, sizeof(what), "%" PRIu64 " bytes", sum->size);
	precision_warn(what, &session->params.repeat, &sum->repeats, "-n or -D");
	return 0;
}

static int begin_counters(struct cxi_session *session)
{
	int ret;

	pthread_mutex_lock(&reporting);
	ret = counters_sample(&session->report.results.counters, false /* is interval */);
	pthread_mutex_unlock(&reporting);
	return ret;
}

/* Its group's row has that of a pair. An interrupted run has what this side has seen. */
static int pass_on(struct cxi_session *session, const struct cxi_outcome *outcome, const struct cxi_figures *figures)
{
	const uint64_t lists = figures->partial ? outcome->seen.lists : outcome->own.finished + outcome->peer.finished;

	if (!session->member || (figures->partial && !lists))
		return 0;
	return cxi_member_measured(session->member, &session->account, figures, outcome, lists);
}

/* A measurement that was cut short counts only if it is the first. */
static int measure_size(struct cxi_session *session, const struct cxi_test *test, const struct cxi_run *run)
{
	enum series_vote vote = SERIES_AGAIN;
	struct cxi_figures sum = {0};
	int ret = begin_counters(session), ret_row = 0;

	series_begin(&session->series);
	if (session->params.cpu_util)
		cpu_use_start(&session->cpu);
	while (!ret && vote == SERIES_AGAIN) {
		struct cxi_outcome outcome;
		struct cxi_figures one;

		ret = cxi_run_size(test, run, &outcome);
		session->wrong += outcome.own_checked.wrong + outcome.peer_checked.wrong;
		session->ending.wrong_data = session->wrong;
		if (session->wrong)
			snprintf(session->ending.failure, sizeof(session->ending.failure),
				 "--verify: %" PRIu64 " sends arrived wrong", session->wrong);
		one = figures_of(session, &outcome, ret != 0);
		if (!ret || ret == -EINTR) {
			ret_row = pass_on(session, &outcome, &one);
			ret = ret ? ret : ret_row;
		}
		if (ret && !session->series.count && outcome.seen.lists)
			(void)put_row(session, &one);
		if (ret)
			break;
		series_add(&session->series, one.bandwidth);
		one.sends += sum.sends;
		one.seconds += sum.seconds;
		one.checked += sum.checked;
		one.wrong += sum.wrong;
		sum = one;
		ret = agree(session, &vote);
	}
	sum.partial = ret != 0;
	if (session->series.count)
		ret_row = conclude_size(session, &sum);
	return ret ? ret : ret_row;
}

/* The time that the others take is not the test's. */
static int await_start(void *context)
{
	struct cxi_session *session = context;
	struct deadline *end = &session->channel.is.end;
	const int64_t begin_ns = deadline_in_ms(0).at_ns;
	const int ret = cxi_member_start(session->member, &session->channel);

	if (end->at_ns)
		deadline_postpone(end, deadline_in_ms(0).at_ns - begin_ns);
	return ret;
}

static int run_size(struct cxi_session *session, uint64_t size)
{
	struct cxi_run run = cxi_run_layout(&session->params, &session->buffers, size);
	const struct cxi_test test = {
		.params = &session->params,
		.plan = &session->plan,
		.buffers = &session->buffers,
		.link = &session->link,
		.channel = &session->channel,
		.is_server = session->is_server,
		.ahead = &session->ahead,
		.await_start = session->member ? await_start : NULL,
		.on_interval = session->params.report_interval_s > 0 ? cxi_session_on_interval : NULL,
		.context = session,
	};

	run.standstill_ms = cxi_standstill_ms(&session->params, size);
	session->account = (struct cxi_account){
		.size = size,
		.list = session->params.list,
		.has_packets = !session->params.place.provider[0],
		.doubled = session->link.is_loopback && session->params.bidirectional,
	};
	return measure_size(session, &test, &run);
}

/* -W: before the peer is waited for, if the domain is known. */
static int open_counters(struct cxi_session *session)
{
	const char *names = session->params.counters;

	if (!names[0] || session->has_counters)
		return 0;
	session->has_counters = true;
	return cxi_adapter_counters(&session->adapter, names, &session->report.results.counters);
}

static int begin_report(struct cxi_session *session)
{
	const struct cxi_memory *client = &(session->is_server ? &session->peer : &session->own)->memory;
	const struct cxi_facts facts = {
		.link = &session->link,
		.buffer_length = session->buffers.length,
		.pages_are_huge = session->buffers.pages_are_huge,
		.has_idc =
			!session->params.no_idc && !session->params.rdzv && strcmp(client->tx, CXI_SYSTEM_MEMORY) == 0,
		.adapter = &session->adapter.identity,
		.path = &session->path,
		.own = &session->own,
		.peer = &session->peer,
		.has_peer = session->channel.dialect->reports,
		.peer_address = channel_peer(&session->channel.is),
		.run_id = session->channel.run_id,
	};
	int ret;

	pthread_mutex_lock(&reporting);
	ret = open_counters(session);
	if (!ret && session->member)
		cxi_member_keep(session->member, &session->adapter, &facts);
	if (!ret)
		ret = cxi_report_begin(&session->report, &facts);
	pthread_mutex_unlock(&reporting);
	return ret;
}

/* --- the life of the program --- */

static int cxi_parse(void *own, int argc, char **argv, char *reason, size_t reason_size)
{
	struct cxi_session *session = own;
	struct cxi_params *params = &session->given;
	const char *broken;
	int ret;

	cxi_params_init(params);
	ret = cxi_params_parse(params, argc, argv, reason, reason_size);
	if (ret || cli_asks(&params->asked))
		return ret;
	ret = cxi_params_environment(params, getenv, reason, reason_size);
	broken = ret ? NULL : cxi_rules_check(params);
	return broken ? opt_refuse(reason, reason_size, "%s", broken) : ret;
}

static int cxi_report_end(void *own, const char *status, const char *reason)
{
	struct cxi_session *session = own;
	int ret;

	pthread_mutex_lock(&reporting);
	ret = cxi_report_close(&session->report, status, reason);
	session->is_closing = true;
	pthread_mutex_unlock(&reporting);
	return ret;
}

/* The row of this size is lost with the call; one that closes the link has nothing to lose. */
static void abandon(struct cxi_link *link, int error)
{
	struct cxi_session *session = (void *)((char *)link - offsetof(struct cxi_session, link));

	pthread_mutex_lock(&reporting);
	if (session->is_closing)
		_exit(session->ending.status);
	if (error != -EINTR)
		log_error("%s", link->fault);
	_exit(life_conclude(&session->ending, cxi_report_end, session, error));
}

/* A server that keeps serving numbers the documents. */
static int cxi_open(void *own)
{
	struct cxi_session *session = own;
	struct output_options *output = &session->params.output;
	int ret = 0;

	*session = (struct cxi_session){.given = session->given,
					.acceptor = session->acceptor,
					.clients = session->clients + 1,
					.member = session->member,
					.conn = session->conn,
					.params = session->given,
					.is_server = !session->given.host[0],
					.link = {.abandon = abandon},
					.channel = {.is.conn = {.fd = -1}},
					.buffers = {.tx = {.fd = -1}, .rx = {.fd = -1}}};
	if (session->given.keep_serving && !session->member)
		ret = output_file_number_client(output->json_file, sizeof(output->json_file), session->clients);
	if (ret)
		return ret;
	ret = cxi_report_open(&session->report, &session->params, stdout);
	if (!ret)
		ret = open_link(session);
	if (ret || !session->link.domain[0])
		return ret;
	cxi_adapter_find(&session->adapter, &session->link, NULL);
	return open_counters(session);
}

static int cxi_connect(void *own)
{
	struct cxi_session *session = own;

	if (session->conn) {
		cxi_channel_open(&session->channel, session->conn, (int64_t)session->params.timeout_s * 1000);
		return 0;
	}
	return cxi_handshake_connect(&session->channel, &session->acceptor, &session->params);
}

/* The server adopts the client's plan. */
static int cxi_agree(void *own)
{
	struct cxi_session *session = own;
	const int ret = cxi_handshake_run(&session->channel, &session->acceptor, &session->params, session->transport,
					  &session->link.address);

	return ret || !session->member ? ret : cxi_member_join(session->member, &session->channel, &session->params);
}

static int cxi_prepare(void *own)
{
	struct cxi_session *session = own;
	int ret;

	make_plan(session);
	ret = connect_link(session);
	if (!ret)
		ret = begin_report(session);
	if (ret)
		return ret;
	ret = series_open(&session->series, &session->params.repeat, false /* means, not medians */);
	return ret ? log_fail(ret, "no memory for the results of %u measurements", series_most(&session->params.repeat))
		   : 0;
}

static int cxi_measure(void *own)
{
	struct cxi_session *session = own;
	const struct sweep sizes = cxi_sizes(&session->params);
	uint64_t size = sizes.first;
	int ret;

	begin_explanation(session);
	do
		ret = run_size(session, size);
	while (!ret && sweep_next(&sizes, sizes.last, &size));
	if (!ret)
		ret = end_explanation(session);
	pthread_mutex_lock(&reporting);
	cxi_report_sum_up(&session->report, !ret);
	pthread_mutex_unlock(&reporting);
	session->ending.limit_failed = session->report.results.envelope.missed_limits;
	return ret;
}

static void cxi_abort(void *own, int error, const char *reason)
{
	struct cxi_session *session = own;
	char text[MESSAGE_REASON_SIZE];

	if (error == -EINTR && session->member) {
		pair_end_reason(session->member->fd, text, sizeof(text));
		reason = text;
	}
	channel_end(&session->channel.is, MESSAGE_ABORT, reason);
}

/* Buffers are freed after everything that accesses them. */
static void cxi_close(void *own, bool again)
{
	struct cxi_session *session = own;

	if (session->link.private)
		session->link.ops->close(&session->link);
	cxi_buffers_close(&session->buffers);
	series_close(&session->series);
	conn_close(&session->channel.is.conn);
	if (!again)
		cxi_acceptor_close(&session->acceptor);
}

static const struct life_ops cxi_life;

/* Is what the options name there? */
static enum exit_status probe(const struct cxi_params *params)
{
	static struct cxi_session session;
	int ret;

	session = (struct cxi_session){.params = *params, .is_server = !params->host[0], .link = {.abandon = abandon}};
	ret = open_link(&session);
	if (session.link.private)
		session.link.ops->close(&session.link);
	return ret ? EXIT_STATUS_FAILURE : EXIT_STATUS_OK;
}

/* One pair of several, in its own process. */
static enum exit_status run_member(const struct cxi_params *params, const struct cxi_acceptor *acceptor,
				   struct cxi_member *member, struct conn *conn)
{
	static struct cxi_session session;
	struct life life = {.ops = &cxi_life, .own = &session, .ending = &session.ending};

	session = (struct cxi_session){.given = *params, .member = member, .conn = conn};
	session.acceptor.run_id = member->run_id;
	if (acceptor)
		memcpy(session.acceptor.hpe_version, acceptor->hpe_version, sizeof(acceptor->hpe_version));
	return life_run(&life);
}

static int cxi_begin(void *own)
{
	static const struct cxi_group_ops ops = {.probe = probe, .run = run_member};
	const struct cxi_params *params = &((struct cxi_session *)own)->given;

	return cxi_gathers(params) ? (int)cxi_group_main(params, &ops) : LIFE_CONTINUES;
}

static const struct life_ops cxi_life = {
	.version = "cxi_send_bw version: " PACKAGE_VERSION,
	.parse = cxi_parse,
	.begin = cxi_begin,
	.open = cxi_open,
	.connect = cxi_connect,
	.agree = cxi_agree,
	.prepare = cxi_prepare,
	.measure = cxi_measure,
	.abort = cxi_abort,
	.report = cxi_report_end,
	.close = cxi_close,
};

int cxi_main(int argc, char **argv)
{
	static struct cxi_session session;

	struct life life = {.ops = &cxi_life,
			    .own = &session,
			    .name = "cxi_send_bw",
			    .cli = &cxi_page.cli,
			    .asked = &session.given.asked,
			    .ending = &session.ending,
			    .keeps_serving = &session.given.keep_serving};

	return life_main(&life, argc, argv);
}
