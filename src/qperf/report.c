// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See report.h. */
#include "config.h"

#include "qperf/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "qperf/options.h"
#include "qperf/values.h"
#include "report/envelope.h"
#include "stats/clock.h"
#include "stats/histogram.h"
#include "stats/latency.h"
#include "util/log.h"

#define DEFAULT_FILE "perftest_out.json"

struct qperf_report {
	enum format format;
	struct envelope envelope;
	bool has_document;
	bool has_csv_head;
	uint64_t measurements;
};

static const double percentiles[] = {50, 90, 99, 99.9};

#define NUM_PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

/* --- JSON --- */

static json_t *side_value(const struct test_row *test, const struct qperf_side *side)
{
	json_t *object = json_object();

	for (size_t i = 0; i < num_option_rows; i++) {
		const struct option_row *row = &option_rows[i];
		const enum parameter p = (enum parameter)row->parameter;
		const char *text;

		if (row->parameter < 0 || !(test->uses & PARAM_BIT(p)))
			continue;
		text = side_text((struct qperf_side *)side, p);
		if (text)
			json_object_set_new(object, row->name, text[0] ? envelope_text(text) : json_null());
		else if (row->kind == OPTION_WORD)
			json_object_set_new(object, row->name, json_string(row->words[side->number[p]]));
		else if (row->kind == OPTION_TIME)
			json_object_set_new(object, row->name, json_real((double)side->number[p] / (double)NS_PER_S));
		else if (row->kind == OPTION_CPU)
			json_object_set_new(object, row->name,
					    side->number[p] ? json_integer((json_int_t)side->number[p] - 1)
							    : json_null());
		else
			json_object_set_new(object, row->name, json_integer((json_int_t)side->number[p]));
	}
	return object;
}

static json_t *node_value(const struct node *node, const struct account *account)
{
	json_t *object = json_pack(
		"{s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I}", "elapsed_seconds", account->elapsed_s,
		"machine_cpus_used", node->cpus_used, "machine_cpus_user", node->cpus_user, "machine_cpus_interrupts",
		node->cpus_intr, "machine_cpus_kernel", node->cpus_kernel, "machine_cpus_iowait", node->cpus_iowait,
		"sent_messages", (json_int_t)node->sent.msgs, "sent_bytes", (json_int_t)node->sent.bytes, "send_errors",
		(json_int_t)node->sent.errors, "received_messages", (json_int_t)node->received.msgs, "received_bytes",
		(json_int_t)node->received.bytes, "receive_errors", (json_int_t)node->received.errors);

	if (!account->has_details)
		return object;
	json_object_update_new(
		object, json_pack("{s:f, s:f, s:I, s:s, s:s, s:I}", "process_user_seconds", account->process_user_s,
				  "process_kernel_seconds", account->process_kernel_s, "context_switches",
				  (json_int_t)account->switches, "wait", account->spins ? "spins" : "sleeps", "calls",
				  account->how, "copied_sends", (json_int_t)account->copied));
	if (account->congestion[0])
		json_object_set_new(object, "tcp",
				    json_pack("{s:s, s:I, s:f, s:I}", "congestion_control", account->congestion,
					      "retransmits", (json_int_t)account->retransmits, "rtt_seconds",
					      account->rtt_s, "congestion_window", (json_int_t)account->cwnd));
	return object;
}

static json_t *samples_value(const struct latency *samples, double share)
{
	json_t *object;

	if (!samples || !samples->histogram.count)
		return json_null();
	object = json_pack("{s:I, s:f, s:f, s:f, s:f}", "count", (json_int_t)samples->histogram.count, "min_seconds",
			   share * clock_cycles_to_seconds((double)samples->min), "max_seconds",
			   share * clock_cycles_to_seconds((double)samples->max), "mean_seconds",
			   share * clock_cycles_to_seconds(latency_mean(samples)), "stdev_seconds",
			   share * clock_cycles_to_seconds(latency_stdev(samples)));
	for (size_t i = 0; i < NUM_PERCENTILES; i++) {
		char key[32];

		if (!histogram_supports(samples->histogram.count, percentiles[i]))
			continue;
		snprintf(key, sizeof(key), "p%g_seconds", percentiles[i]);
		json_object_set_new(
			object, key,
			json_real(share * clock_cycles_to_seconds(latency_percentile(samples, percentiles[i]))));
	}
	return object;
}

static void set_figure(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, value > 0 ? json_real(value) : json_null());
}

static json_t *result_value(const struct test_row *test, const struct qperf_params *params,
			    const struct figures *figures, bool classic_peer)
{
	const uint64_t sent = figures->local.sent.msgs + figures->remote.sent.msgs;
	const uint64_t received = figures->local.received.msgs + figures->remote.received.msgs;
	json_t *object = json_pack("{s:s, s:s, s:b, s:s}", "kind", "result", "test", test->name, "partial",
				   figures->partial, "protocol", classic_peer ? "qperf 0.4.11" : "native");

	if (test->measure == MEASURE_LATENCY) {
		set_figure(object, "latency_seconds", figures->latency_s);
		json_object_set_new(object, "latency_distribution",
				    samples_value(figures->samples, figures->sample_share));
		json_object_set_new(
			object, "lost",
			json_integer((json_int_t)(figures->local_account.lost + figures->remote_account.lost)));
	} else if (test->measure != MEASURE_RATE) {
		set_figure(object, "send_bandwidth_bytes_per_second", figures->send_bandwidth);
		set_figure(object, "receive_bandwidth_bytes_per_second", figures->recv_bandwidth);
		if (test->measure == MEASURE_BANDWIDTHS)
			json_object_set_new(object, "lost",
					    json_integer(sent > received ? (json_int_t)(sent - received) : 0));
	}
	set_figure(object, "message_rate_per_second", figures->rate);
	set_figure(object, "send_cost_seconds_per_gigabyte", figures->send_cost);
	set_figure(object, "receive_cost_seconds_per_gigabyte", figures->recv_cost);
	json_object_set_new(object, "local", node_value(&figures->local, &figures->local_account));
	json_object_set_new(object, "remote", node_value(&figures->remote, &figures->remote_account));
	json_object_set_new(object, "local_parameters", side_value(test, &params->local));
	json_object_set_new(object, "remote_parameters", side_value(test, &params->remote));
	return object;
}

static void put_measurement(struct qperf_report *report, json_t *value)
{
	if (!report->has_document) {
		json_decref(value);
		return;
	}
	envelope_put_text(&report->envelope, report->measurements++ ? ",\n    " : "\n    ");
	envelope_put_value(&report->envelope, value);
	if (report->envelope.out)
		fflush(report->envelope.out);
}

static void begin_document(struct qperf_report *report, const struct qperf_params *params)
{
	struct envelope *envelope = &report->envelope;

	envelope_begin(envelope, "qperf", "client", "mixed");
	envelope_put_member(envelope, "parameters",
			    json_pack("{s:o, s:I, s:f, s:I, s:f}", "host", envelope_text(params->host), "listen_port",
				      (json_int_t)params->listen_port, "wait_server",
				      (double)params->wait_server_ns / (double)NS_PER_S, "repeat",
				      (json_int_t)params->repeat, "report_interval",
				      (double)params->interval_ns / (double)NS_PER_S));
	envelope_put_key(envelope, "measurements");
	envelope_put_text(envelope, "[");
}

/* --- CSV --- */

/* Empty where there is none. */
static void put_csv_figure(double value)
{
	if (value > 0)
		printf(",%.9g", value);
	else
		printf(",");
}

static void put_csv(struct qperf_report *report, const char *kind, const struct test_row *test,
		    const struct qperf_params *params, const struct figures *figures)
{
	const struct latency *samples = figures->samples;
	const double share = figures->sample_share;

	if (!report->has_csv_head) {
		printf("kind,test,msg_size_bytes,latency_seconds,message_rate_per_second,"
		       "send_bandwidth_bytes_per_second,receive_bandwidth_bytes_per_second,sent_messages,"
		       "received_messages,elapsed_seconds");
		for (size_t i = 0; i < NUM_PERCENTILES; i++)
			printf(",p%g_seconds", percentiles[i]);
		printf("\n");
	}
	report->has_csv_head = true;
	printf("%s,%s,%" PRIu64, kind, test->name, params->local.number[PARAM_MSG_SIZE]);
	put_csv_figure(test->measure == MEASURE_LATENCY ? figures->latency_s : 0);
	put_csv_figure(figures->rate);
	put_csv_figure(figures->send_bandwidth);
	put_csv_figure(figures->recv_bandwidth);
	printf(",%" PRIu64 ",%" PRIu64, figures->local.sent.msgs + figures->remote.sent.msgs,
	       figures->local.received.msgs + figures->remote.received.msgs);
	put_csv_figure(figures->local_account.elapsed_s);
	for (size_t i = 0; i < NUM_PERCENTILES; i++)
		put_csv_figure(test->measure == MEASURE_LATENCY && samples &&
					       histogram_supports(samples->histogram.count, percentiles[i])
				       ? share * clock_cycles_to_seconds(latency_percentile(samples, percentiles[i]))
				       : 0);
	printf("\n");
	fflush(stdout);
}

/* --- all forms --- */

int qperf_report_open(struct qperf_report **opened, const struct qperf_params *params)
{
	struct qperf_report *report = calloc(1, sizeof(*report));
	const char *path = params->out_json_file[0] ? params->out_json_file : params->out_json ? DEFAULT_FILE : NULL;
	int ret;

	if (!report) {
		log_error("no memory for the report");
		return -ENOMEM;
	}
	report->format = (enum format)params->format;
	report->has_document = path || report->format == AS_JSON;
	if (report->has_document) {
		ret = envelope_open(&report->envelope, report->format == AS_JSON ? stdout : NULL, path);
		if (ret) {
			free(report);
			return ret;
		}
		begin_document(report, params);
	}
	*opened = report;
	return 0;
}

void qperf_report_free(struct qperf_report *report)
{
	if (!report)
		return;
	if (report->has_document)
		envelope_close(&report->envelope);
	free(report);
}

int qperf_report_close(struct qperf_report *report, const char *status, const char *reason)
{
	const bool complete = strcmp(status, "complete") == 0;
	int ret = 0;

	if (report->has_document) {
		envelope_put_text(&report->envelope, report->measurements ? "\n  ]" : "]");
		ret = envelope_end(&report->envelope, status, complete ? NULL : reason);
	}
	if (fflush(stdout) || ferror(stdout)) {
		log_error("cannot write the results to standard output");
		return -EIO;
	}
	return ret;
}

void qperf_report_head(struct qperf_report *report, const char *name)
{
	if (report->format == AS_TEXT)
		text_head(stdout, name);
}

static json_t *conf_value(const struct conf *conf)
{
	return json_pack("{s:s, s:s, s:s, s:s}", "node", conf->node, "cpu", conf->cpu, "os", conf->os, "qperf",
			 conf->qperf);
}

void qperf_report_conf(struct qperf_report *report, const struct conf *local, const struct conf *remote)
{
	if (report->format == AS_TEXT)
		text_conf(stdout, local, remote);
	put_measurement(report, json_pack("{s:s, s:s, s:o, s:o}", "kind", "conf", "test", "conf", "local",
					  conf_value(local), "remote", conf_value(remote)));
}

void qperf_report_result(struct qperf_report *report, const struct test_row *test, const struct qperf_params *params,
			 const struct figures *figures, bool classic_peer)
{
	if (report->format == AS_TEXT)
		text_result(stdout, test, params, figures);
	if (report->format == AS_CSV)
		put_csv(report, figures->partial ? "partial" : "result", test, params, figures);
	if (report->has_document)
		put_measurement(report, result_value(test, params, figures, classic_peer));
}

void qperf_report_interval(struct qperf_report *report, const struct test_row *test, const struct qperf_params *params,
			   double begin_s, double end_s, double value, bool sends)
{
	struct figures figures = {.local_account.elapsed_s = end_s - begin_s};
	static const char *const keys[] = {
		[MEASURE_LATENCY] = "latency_seconds",
		[MEASURE_RATE] = "message_rate_per_second",
		[MEASURE_BANDWIDTH] = "bandwidth_bytes_per_second",
		[MEASURE_BANDWIDTHS] = "bandwidth_bytes_per_second",
	};

	if (test->measure == MEASURE_LATENCY)
		figures.latency_s = value;
	else if (test->measure == MEASURE_RATE)
		figures.rate = value;
	else if (sends)
		figures.send_bandwidth = value;
	else
		figures.recv_bandwidth = value;
	if (report->format == AS_TEXT)
		text_interval(stdout, test, &params->style, begin_s, end_s, value, sends);
	if (report->format == AS_CSV)
		put_csv(report, "interval", test, params, &figures);
	if (report->has_document)
		put_measurement(report, json_pack("{s:s, s:s, s:f, s:f, s:f}", "kind", "interval", "test", test->name,
						  "interval_begin_seconds", begin_s, "interval_end_seconds", end_s,
						  keys[test->measure], value));
}

void qperf_report_spread(struct qperf_report *report, const struct test_row *test, const struct qperf_params *params,
			 const double *results, unsigned count)
{
	json_t *runs = json_array();

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(runs, json_real(results[i]));
	if (report->format == AS_TEXT)
		text_spread(stdout, test, &params->style, results, count);
	put_measurement(report, json_pack("{s:s, s:s, s:o}", "kind", "spread", "test", test->name, "runs", runs));
}
