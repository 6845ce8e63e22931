// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See qperf.h. Each run of a test has a control connection of its own. */
#include "qperf/qperf.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/address.h"
#include "net/tcp.h"
#include "params/engine/opt.h"
#include "qperf/control/session.h"
#include "qperf/options/command.h"
#include "qperf/options/options.h"
#include "qperf/print/report.h"
#include "qperf/rdma/rdma_kind.h"
#include "qperf/sockets/socket.h"
#include "report/payload_share.h"
#include "report/precision.h"
#include "stats/clock.h"
#include "util/claim.h"
#include "util/cpulist.h"
#include "util/log.h"
#include "util/starter.h"
#include "util/stop.h"
#include "util/wait.h"

#define NS_PER_MS	 1000000
#define LEAST_INTERVAL_S 1e-3
#define END		 1 /* after quit: what follows is not run */

struct client {
	struct results report;
	struct run_id run_id;
	char host[256]; /* of the server that was asked last, ... */
	uint64_t port;
	const struct control_dialect *peer; /* ... and how it speaks; NULL: unknown */
	struct qperf_sides sides;	    /* of the last run */
	uint32_t used;			    /* PARAM_BITs that some test has used: no warning for those */
	struct cpulist cpus;		    /* before any -ca */
	bool lacks_figure;		    /* of a test; the others run nevertheless */
	struct latency samples;		    /* of the last run */
	struct qperf_meters meters;	    /* --report_counters, --cpu_util */
};

/* Several runs of a test. */
struct runs {
	struct series series;	/* of their results */
	struct latency samples; /* of all */
	struct latency *each;	/* --steady, whose first runs are left out of those: of each; otherwise NULL */
};

/* --- the connection --- */

/* Tries all addresses until one answers, or --wait_server is over. */
static int reach(const struct qperf_params *params, struct conn *conn)
{
	const struct address address = {
		.host = params->host,
		.port = (uint16_t)params->listen_port,
		.retry_ms = (int64_t)(params->wait_server_ns / NS_PER_MS),
		.refused = " (--wait_server, --listen_port)",
	};

	return tcp_connect(conn, &address, (int64_t)(params->local.number[PARAM_TIMEOUT] / NS_PER_MS));
}

/* The minimum length of a qperf 0.4.11 server's first answer. */
static size_t first_answer(const struct test_row *test, const struct qperf_side *side)
{
	if (test->body == BODY_CONF)
		return CONF_SIZE;
	if (test->body == BODY_QUIT)
		return strlen(SYNC_BEFORE);
	return test->group == GROUP_SOCKET || side->number[PARAM_USE_CM] ? PORT_SIZE : NODE_SIZE;
}

/* Connects, requests the test, and finds out which version the server has. */
static int client_ask(struct client *client, const struct test_row *test, const struct qperf_params *params,
		      struct control *control)
{
	struct request request = {REQUEST_MAJOR, REQUEST_MINOR, REQUEST_MARK, test->number, params->remote};
	const struct start start = {
		.test = test->number, .explains = params->explain, .side = params->remote, .run_id = client->run_id};
	uint8_t bytes[REQUEST_SIZE];
	struct conn conn;
	int ret;

	*control = (struct control){.channel.conn = {.fd = -1}};
	ret = reach(params, &conn);
	if (!ret)
		ret = control_open(control, &conn, true, params->local.number[PARAM_TIMEOUT]);
	if (ret)
		return ret;
	wire_request(&request, bytes);
	ret = control_send(control, bytes, REQUEST_SIZE, "request");
	if (!ret)
		ret = control_greet(control, first_answer(test, &params->remote));
	if (ret)
		return ret;
	client->peer = control->dialect;
	return control_send_frame(control, MESSAGE_HELLO, &start);
}

static int fetch_conf(struct control *control, struct conf *conf)
{
	const int ret = control_receive_frame(control, FRAME_CONF, conf);

	if (ret)
		return ret;
	/* Any data of this length is accepted as the answer of a 0.4.11. */
	if (strncmp(conf->qperf, "0.", 2) == 0)
		return 0;
	return log_fail(-EPROTO, "the program answering on port %u is not qperf (--listen_port)",
			address_port((const struct sockaddr *)&control->peer));
}

/*
 * A 0.4.11 server must not be asked for what it would ignore; and closing the connection after it has started a test
 * can make it stop responding. So if the version matters, the harmless test conf finds it out first.
 */
static int check_peer(struct client *client, const struct test_row *test, const struct qperf_params *params)
{
	const char *fault = rules_not_classic(test, &params->remote);
	struct control control;
	struct conf conf;
	int ret = 0;

	if (!fault || !test_has_session(test))
		return 0;
	if (!client->peer) {
		ret = client_ask(client, test_find("conf"), params, &control);
		if (!ret)
			ret = fetch_conf(&control, &conf);
		control_close(&control);
	}
	if (ret || client->peer->negotiates)
		return ret;
	return log_fail(-EOPNOTSUPP, "%s: the server is %s, which does not know %s", test->name, client->peer->name,
			fault);
}

/* --- tests --- */

/* Checked first: the server, which may lack it as well, is not asked for a test that cannot run here. */
static int look_for(const struct test_row *test, struct qperf_params *params)
{
	struct control none = {.channel.conn = {.fd = -1}, .dialect = &control_native};
	struct qperf_sides sides;
	char option[LIMIT_TITLE_SIZE];
	const struct qperf_session session = {.test = test,
					      .control = &none,
					      .side = params->local,
					      .client = true,
					      .sides = &sides,
					      .share_option = qperf_share_option(test, params, option)};
	const int ret = socket_look_for(test);

	return ret || test->body != BODY_RDMA ? ret : rdma_look_for(&session, params->host, sizeof(params->host));
}

static void warn_unused(struct client *client, const struct test_row *test, const struct qperf_params *params)
{
	const uint32_t given = params->given_local | params->given_remote;

	client->used |= test->uses;
	for (enum parameter p = 0; p < NUM_PARAMETERS; p++)
		if (given & ~client->used & PARAM_BIT(p))
			log_warning("%s set but not used in test %s", params->spelling[p], test->name);
}

struct client_progress {
	struct client *client;
	const struct qperf_params *params;
	uint64_t begin_cycles; /* of the interval; 0: none has been completed */
	struct account before; /* as it was at its start */
	/* of the intervals before: samples, their sum, and the waits for lost messages that are in it */
	uint64_t sampled;
	unsigned __int128 sampled_cycles;
	double lost_s;
	struct judge_intervals limits; /* --limit_intervals */
};

/* A count during the loop may differ from the final one by a message. */
static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/*
 * As the result, the mean of the samples. The side that only answers has none: the time by its messages. 0: nothing was
 * answered.
 */
static double interval_latency(const struct qperf_session *session, struct client_progress *progress, double span_s,
			       uint64_t msgs)
{
	const struct latency *samples = session->samples;
	const uint64_t unanswered = session->open_answered ? 0 : session->open_cycles;
	const uint64_t count = samples->histogram.count - !!unanswered - progress->sampled;
	const unsigned __int128 sum = samples->sum.value - unanswered - progress->sampled_cycles;
	const double lost_s = session->samples_lost ? session->account.lost_s - progress->lost_s : 0;

	if (!session->sends)
		return msgs ? span_s / (double)msgs : 0;
	if (!count)
		return 0;
	progress->sampled += count;
	progress->sampled_cycles += sum;
	progress->lost_s += lost_s;
	return test_sample_share(session->test) * fmax(clock_cycles_to_seconds((double)sum) - lost_s, 0) /
	       (double)count;
}

static int client_on_interval(struct qperf_session *session, uint64_t now_cycles)
{
	struct client_progress *progress = session->owner;
	/* The first interval starts with the loop. */
	const uint64_t begin_cycles = progress->begin_cycles ? progress->begin_cycles : session->begin_cycles;
	/* The measured time may have ended before the interval started. */
	const double span_s =
		now_cycles > begin_cycles ? clock_cycles_to_seconds((double)(now_cycles - begin_cycles)) : 0;
	const double begin_s = clock_cycles_to_seconds((double)(begin_cycles - session->begin_cycles));
	const double length_s = (double)progress->params->interval_ns / NS_PER_S;
	const struct tally *sent = &session->account.sent, *received = &session->account.received;
	const uint64_t msgs =
		more(sent->msgs + received->msgs, progress->before.sent.msgs + progress->before.received.msgs);
	const uint64_t bytes_sent = more(sent->bytes, progress->before.sent.bytes);
	const uint64_t bytes_received = more(received->bytes, progress->before.received.bytes);
	struct qperf_interval interval = {
		.begin_s = begin_s,
		.end_s = begin_s + span_s,
		.over_cycles = now_cycles,
		.value = judge_rate_of((double)(bytes_sent + bytes_received), span_s, length_s),
		.rate = judge_rate_of((double)msgs, span_s, length_s),
		.sends = session->sends};
	int ret;

	if (!(span_s > LEAST_INTERVAL_S)) /* what remains after the last full interval */
		return 0;
	/* The name of the row says which of the two. */
	if (session->test->measure == MEASURE_BANDWIDTHS)
		interval.value =
			judge_rate_of((double)(session->sends ? bytes_sent : bytes_received), span_s, length_s);
	if (session->test->measure == MEASURE_LATENCY)
		interval.value = interval_latency(session, progress, span_s, msgs);
	if (session->test->measure == MEASURE_RATE)
		interval.value = interval.rate;
	ret = qperf_meters_interval(&progress->client->meters, &interval.cpu_percent);
	if (ret)
		return ret;
	ret = qperf_report_interval(&progress->client->report, session->test, progress->params, &interval,
				    session->sides);
	if (progress->params->limits.intervals)
		qperf_judge_interval(&progress->client->report, session->test, progress->params, &interval,
				     &session->sides->path, &progress->limits);
	progress->begin_cycles = now_cycles;
	progress->before = session->account;
	return ret;
}

/* A possible reason for a late answer, as part of a sentence, or "". */
static const char *explain_lost(const struct figures *figures, uint64_t answer_timeout_ns, char text[96])
{
	const double local = figures->local_account.run_delay_s, remote = figures->remote_account.run_delay_s;
	const double longer = local > remote ? local : remote;

	text[0] = '\0';
	if (longer * (double)NS_PER_S >= (double)answer_timeout_ns)
		snprintf(text, 96, "; in total, the %s had no CPU for %.2f s of the test",
			 local > remote ? "client" : "server", longer);
	return text;
}

static void warn_of_losses(const struct test_row *test, const struct figures *figures, uint64_t answer_timeout_ns)
{
	char reason[96];

	if (test->measure == MEASURE_LATENCY && figures->lost)
		log_warning("%s: %" PRIu64 " message%s got no answer within %.1f s; the time spent waiting for them is "
			    "not in the latency%s",
			    test->name, figures->lost, figures->lost == 1 ? "" : "s",
			    (double)answer_timeout_ns / (double)NS_PER_S,
			    explain_lost(figures, answer_timeout_ns, reason));
}

/* 0, or -ENODATA: there is no figure, and the row says so. */
static int judge_figure(const struct test_row *test, const struct figures *figures, bool asks)
{
	const bool ping_pong = test->measure == MEASURE_LATENCY;
	const bool here = figures->local.received.msgs, there = figures->remote.received.msgs;

	if (text_primary_value(test, figures) > 0)
		return 0;
	if (ping_pong ? (asks ? here : there) : here || there) {
		log_warning("%s: no time passed on the receiver's clock, which has a resolution of 10 ms in qperf "
			    "0.4.11; send more messages",
			    test->name);
		return 0;
	}
	return log_fail(-ENODATA, "%s failed: %s", test->name,
			ping_pong ? "no message was answered" : "no message arrived completely during the test");
}

/* Printed below the row, since a terminal shows both. */
static void warn_of_open(const struct test_row *test, const struct figures *figures)
{
	if (figures->open_s > 0)
		log_warning("%s: an exchange was still open when the measured time ended: it %s %.3f s and counts as a "
			    "sample of %s",
			    test->name, figures->open_answered ? "took" : "was open for", figures->open_s,
			    figures->open_answered ? "that" : "at least that");
}

static enum qperf_active active_side(const struct qperf_session *session)
{
	const enum verb verb = RDMA_VERB(session->test->kind);

	if (session->test->body != BODY_RDMA || (verb != VERB_READ && verb != VERB_ATOMIC))
		return QPERF_BOTH;
	return session->sends ? QPERF_OWN_ALONE : QPERF_PEER_ALONE;
}

/* Refuses results of the server that are not possible. */
static int judge_account(const struct qperf_session *session, const struct account *peer)
{
	const struct test_row *test = session->test;
	const struct account *own = &session->account;
	const struct qperf_witness witness = {
		.since_s = claim_since_s(session->ready_ns),
		.elapsed_s = own->elapsed_s,
		.sent = session->posted ? session->posted : own->sent.msgs + own->late_sent,
		.size = session->side.number[PARAM_MSG_SIZE],
		.active = active_side(session),
		.ping_pong = test->measure == MEASURE_LATENCY,
		.may_duplicate = test_loses(test),
	};
	const char *fault = qperf_claim_account(&witness, peer);

	if (!fault)
		return 0;
	return log_fail(-EPROTO, "%s: the server's results cannot be true: %s", test->name, fault);
}

static const struct latency *set_unit(struct latency *samples, const struct test_row *test)
{
	samples->tick_seconds = test_sample_share(test) * clock_cycles_to_seconds(1);
	return samples;
}

static int run_session(struct client *client, const struct test_row *test, struct qperf_params *params, double *result)
{
	struct latency *samples = &client->samples;
	struct control control;
	char option[LIMIT_TITLE_SIZE];
	struct qperf_session session = {.test = test,
					.control = &control,
					.side = params->local,
					.client = true,
					.samples = samples,
					.sides = &client->sides,
					.explains = params->explain,
					.meters = &client->meters,
					.share_option = qperf_share_option(test, params, option)};
	struct client_progress progress = {.client = client, .params = params};
	const double share = test_sample_share(test);
	struct account peer;
	struct figures figures;
	int ret = client_ask(client, test, params, &control);

	if (ret) {
		control_close(&control);
		return ret;
	}
	latency_reset(samples);
	client->meters.names = params->counters;
	client->meters.has_cpu = params->style.cpu_util;
	client->sides =
		(struct qperf_sides){.protocol = control.dialect->name, .classic = !control.dialect->negotiates};
	strcpy(client->sides.address, channel_peer(&control.channel));
	if (params->interval_ns) {
		session.interval = client_on_interval;
		session.interval_cycles = clock_ns_to_cycles((double)params->interval_ns);
		session.owner = &progress;
	}
	ret = qperf_session_run(&session, &peer);
	control_close(&control);
	if (!ret)
		ret = judge_account(&session, &peer);
	cpulist_run_on(&client->cpus);
	if (ret && !session.counted)
		return ret;
	if (ret)
		figures_compute_own(test->measure, &session.account, share, &figures);
	else
		figures_compute(test->measure, &session.account, &peer, share, &figures);
	figures.cpu_percent = client->meters.cpu_percent;
	figures.samples = set_unit(samples, test);
	figures.open_s = clock_cycles_to_seconds((double)session.open_cycles);
	figures.open_answered = session.open_answered;
	figures.partial |= session.stopped;
	figures.over_cycles = clock_cycles();
	/* A default that exceeds what the path can carry was lowered. */
	params->local.number[PARAM_MSG_SIZE] = session.side.number[PARAM_MSG_SIZE];
	params->remote.number[PARAM_MSG_SIZE] = session.side.number[PARAM_MSG_SIZE];
	if (params->possible && client->sides.path.copies)
		client->sides.copied = payload_copy_rate(test_bytes(test, &params->local));
	qperf_report_result(&client->report, test, params, &figures, &client->sides,
			    ret || !session.explains
				    ? NULL
				    : qperf_explain(test, params, &session.account, &figures, &client->sides.path));
	qperf_judge_intervals(&client->report, test, !ret && params->limits.intervals, &progress.limits);
	/* If the server is gone, its error explains why the exchange stayed open. */
	if (!ret || ret == -ETIMEDOUT)
		warn_of_open(test, &figures);
	if (ret)
		return ret;
	warn_of_losses(test, &figures, session.answer_timeout_ns);
	*result = text_primary_value(test, &figures);
	ret = judge_figure(test, &figures, session.sends);
	if (!ret && !session.stopped && !series_repeats(&params->repeat))
		qperf_judge(&client->report, test, params, &figures, &client->sides.path);
	return session.stopped ? -EINTR : ret;
}

static int run_conf(struct client *client, const struct test_row *test, const struct qperf_params *params)
{
	struct control control;
	struct conf local, remote;
	int ret = client_ask(client, test, params, &control);

	if (!ret)
		ret = fetch_conf(&control, &remote);
	control_close(&control);
	if (ret)
		return ret;
	conf_read(&local);
	qperf_report_conf(&client->report, &local, &remote);
	return 0;
}

static int run_quit(struct client *client, const struct test_row *test, const struct qperf_params *params)
{
	struct control control;
	int ret = client_ask(client, test, params, &control);

	if (!ret)
		ret = control_receive_frame(&control, FRAME_BYE, NULL);
	control_close(&control);
	return ret ? ret : END;
}

static int run_once(struct client *client, const struct test_row *test, struct qperf_params *params, double *result)
{
	const int ret = qperf_report_head(&client->report, test->name);

	if (ret)
		return ret;
	warn_unused(client, test, params);
	if (test_has_session(test))
		return run_session(client, test, params, result);
	return test->body == BODY_CONF ? run_conf(client, test, params) : run_quit(client, test, params);
}

/* Its figure may be missing: the next test is run all the same. */
static int run_single(struct client *client, const struct test_row *test, struct qperf_params *params)
{
	double result;
	const int ret = run_once(client, test, params, &result);

	client->lacks_figure |= ret == -ENODATA;
	return ret == -ENODATA ? 0 : ret;
}

/* --- several runs --- */

static int runs_open(struct runs *runs, const struct test_row *test, const struct series_plan *plan)
{
	const bool keeps = plan->steady && test->measure == MEASURE_LATENCY;
	int ret = series_open(&runs->series, plan, false /* means, not medians */);

	latency_reset(&runs->samples);
	runs->each = keeps && !ret ? calloc(series_most(plan), sizeof(*runs->each)) : NULL;
	if (!ret && keeps && !runs->each)
		ret = -ENOMEM;
	return ret ? log_fail(ret, "no memory for the results of %u runs", series_most(plan)) : 0;
}

static void runs_close(struct runs *runs)
{
	series_close(&runs->series);
	free(runs->each);
}

static void runs_add(struct runs *runs, double result, const struct latency *samples)
{
	if (runs->each)
		runs->each[runs->series.count] = *samples;
	else
		latency_add(&runs->samples, samples);
	series_add(&runs->series, result);
}

/* partial: the last one was cut short, and is in nothing of this. */
static void runs_conclude(struct client *client, const struct test_row *test, const struct qperf_params *params,
			  struct runs *runs, bool partial)
{
	const struct series_result result = series_conclude(&runs->series);
	struct figures figures;

	for (unsigned i = result.left_out; runs->each && i < runs->series.count; i++)
		latency_add(&runs->samples, &runs->each[i]);
	figures_of_mean(test->measure, result.confidence.center, params->local.number[PARAM_MSG_SIZE], &figures);
	figures.partial = partial;
	figures.cpu_percent = NAN;
	figures.samples = set_unit(&runs->samples, test);
	figures.over_cycles = clock_cycles();
	qperf_report_spread(&client->report, test, params, &runs->series, &result, &figures, &client->sides);
	if (partial)
		return;
	precision_warn(test->name, &runs->series.plan, &result, "-n or -t");
	qperf_judge(&client->report, test, params, &figures, &client->sides.path);
}

/* --repeat, --until: those that precede the test apply. Each run is a test of its own. */
static int run_repeated(struct client *client, const struct test_row *test, struct qperf_params *params)
{
	const struct series_plan plan = qperf_plan(params);
	static struct runs runs; /* large */
	enum series_vote vote = SERIES_AGAIN;
	int ret = runs_open(&runs, test, &plan);

	for (unsigned n = 0; !ret && vote == SERIES_AGAIN && n < series_most(&plan); n++) {
		double result;

		ret = run_once(client, test, params, &result);
		if (!ret) {
			runs_add(&runs, result, &client->samples);
			vote = series_vote(&runs.series);
		} else if (ret == -ENODATA) { /* it is in nothing, but has taken its time */
			client->lacks_figure = true;
			ret = 0;
			if (plan.until_percent > 0 && clock_gettime_ns() >= runs.series.end_ns)
				vote = SERIES_NO_MORE;
		}
	}
	if (runs.series.count)
		runs_conclude(client, test, params, &runs, ret != 0);
	runs_close(&runs);
	return ret;
}

static int client_run_test(struct command *command, const struct test_row *test, struct qperf_params *given)
{
	struct client *client = command->owner;
	struct qperf_params params = *given;
	char reason[OPT_TEXT_SIZE];
	int ret;

	if (stop_requested())
		return -EINTR;
	qperf_complete(test, &params);
	if (command_split_host(&params, reason, sizeof(reason)) || qperf_check_plan(&params, reason, sizeof(reason)) ||
	    qperf_check(test, &params.local, reason, sizeof(reason)) ||
	    qperf_check(test, &params.remote, reason, sizeof(reason)))
		return log_fail(-EINVAL, "%s", reason);
	if (strcmp(client->host, params.host) != 0 || client->port != params.listen_port)
		client->peer = NULL;
	strcpy(client->host, params.host);
	client->port = params.listen_port;
	ret = look_for(test, &params);
	if (!ret)
		ret = check_peer(client, test, &params);
	/* Not later: the server's limit is short. */
	if (!ret)
		ret = start_gate_pass();
	if (ret)
		return ret;
	return test_has_session(test) && series_repeats(&params.repeat) ? run_repeated(client, test, &params)
									: run_single(client, test, &params);
}

static struct client client; /* large */

int client_open(void *own)
{
	cpulist_allowed(&client.cpus);
	client.run_id = run_id_draw();
	client.meters.results = &client.report;
	return qperf_report_open(&client.report, &((struct qperf *)own)->plan.params, &client.run_id);
}

int client_run(void *own)
{
	struct qperf *qperf = own;
	int ret;

	qperf->command.run = client_run_test;
	qperf->command.owner = &client;
	ret = command_run(&qperf->command);
	if (ret == END)
		ret = 0;
	/* Even if the last test's results had already arrived: the user did not wait for the end. */
	if (!ret && stop_requested())
		return -EINTR;
	qperf->ending.limit_failed = client.report.envelope.missed_limits;
	return !ret && client.lacks_figure ? -ENODATA : ret;
}

int client_end_report(void *own, const char *status, const char *reason)
{
	(void)own;
	errno = 0;
	return results_close(&client.report, status, reason);
}
