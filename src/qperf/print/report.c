// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See report.h. */
#include "config.h"

#include "qperf/print/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "qperf/options/options.h"
#include "qperf/options/tests.h"
#include "qperf/print/figures.h"
#include "report/payload_share.h"
#include "report/precision.h"
#include "report/provenance.h"
#include "report/table.h"
#include "stats/clock.h"
#include "stats/latency.h"
#include "stats/series.h"
#include "util/file.h"
#include "util/log.h"
#include "util/terminal.h"

#define US_PER_S 1e6
#define INDENT	 4 /* of the rows of a test, ... */

/* --- JSON --- */

static json_t *side_value(const struct test_row *test, const struct qperf_side *side)
{
	json_t *object = json_object();

	for (size_t i = 0; i < qperf_options.num_rows; i++) {
		const struct opt_row *row = &qperf_options.rows[i];
		const enum parameter p = option_own(row)->parameter;
		const json_int_t number = (json_int_t)side->number[p];
		json_t *value;

		if (row->group != OPTIONS_TEST || !(test->uses & PARAM_BIT(p)))
			continue;
		if (row->kind == OPT_STRING)
			value = envelope_known(side_text((struct qperf_side *)side, p));
		else if (row->kind == OPT_CHOICE)
			value = json_string(row->choices[number].word);
		else if (row->kind == OPT_TIME)
			value = json_real((double)number / (double)NS_PER_S);
		else if (p == PARAM_AFFINITY)
			value = number ? json_integer(number - 1) : json_null();
		else
			value = json_integer(number);
		json_object_set_new(object, row->long_name, value);
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

	if (account->max_cqes)
		json_object_set_new(object, "max_completions", json_integer((json_int_t)account->max_cqes));
	if (!account->has_details)
		return object;
	json_object_update_new(object,
			       json_pack("{s:f, s:f, s:f, s:I, s:s, s:s, s:b, s:I}", "process_user_seconds",
					 account->process_user_s, "process_kernel_seconds", account->process_kernel_s,
					 "process_run_delay_seconds", account->run_delay_s, "context_switches",
					 (json_int_t)account->switches, "wait", account->spins ? "spins" : "sleeps",
					 "calls", account->how, "clock_fallback", account->no_counter, "copied_sends",
					 (json_int_t)account->copied));
	if (account->congestion[0])
		json_object_set_new(object, "tcp",
				    json_pack("{s:s, s:I, s:f, s:I}", "congestion_control", account->congestion,
					      "retransmits", (json_int_t)account->retransmits, "rtt_seconds",
					      account->rtt_s, "congestion_window", (json_int_t)account->cwnd));
	return object;
}

static json_t *distribution_value(const struct figures *figures)
{
	const struct latency *samples = figures->samples;
	json_t *object;
	char key[32];

	if (!samples || !samples->histogram.count)
		return json_null();
	object = json_pack("{s:I, s:f, s:f, s:f, s:f}", "count", (json_int_t)samples->histogram.count, "min_usec",
			   latency_seconds(samples, samples->min) * US_PER_S, "max_usec",
			   latency_seconds(samples, samples->max) * US_PER_S, "mean_usec",
			   latency_mean(samples) * US_PER_S, "stdev_usec", latency_stdev(samples) * US_PER_S);
	for (size_t i = 0; i < FIGURES_PERCENTILES; i++) {
		const double value = figures_percentile_s(figures, figures_percentiles[i]);

		snprintf(key, sizeof(key), "p%g_usec", figures_percentiles[i]);
		if (!isnan(value))
			json_object_set_new(object, key, json_real(value * US_PER_S));
	}
	return object;
}

static void set_figure(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, envelope_above_zero(value));
}

/* --cpu_util and --report_counters, of this side's host. */
static void put_meters(json_t *object, const struct results *results, const struct qperf_params *params,
		       double cpu_percent)
{
	if (params->style.cpu_util)
		json_object_set_new(object, "cpu_util_percent", envelope_number(cpu_percent));
	if (results->counters.count)
		json_object_set_new(object, "counters", counters_json(&results->counters));
}

/* What the run was made with: this side's adapter, and what the server is. */
static void put_sides(json_t *object, const struct qperf_sides *sides)
{
	const struct qperf_origin *server = &sides->server;

	json_object_set_new(object, "device", sides->device.name[0] ? provenance_device(&sides->device) : json_null());
	json_object_set_new(
		object, "peer",
		sides->classic ? json_null()
			       : provenance_peer(server->provenance, sides->address, server->host, server->version));
}

/* --- the share of what is possible --- */

/* One side alone does not know how much has arrived. */
static bool has_share(const struct test_row *test, const struct figures *figures)
{
	return test->measure != MEASURE_LATENCY && !figures->one_sided;
}

static struct report_row share_row(const struct test_row *test, const struct qperf_params *params, double value,
				   double message_rate, const struct qperf_sides *sides)
{
	const uint64_t size = test_bytes(test, &params->local);

	return (struct report_row){
		.size = size,
		.bw_average = value * (test->measure == MEASURE_RATE ? (double)size : 1),
		.message_rate = message_rate,
		.copied = sides->copied,
	};
}

static void put_share(json_t *object, const struct test_row *test, const struct qperf_params *params,
		      const struct figures *figures, const struct qperf_sides *sides)
{
	const struct report_row row = share_row(test, params, text_primary_value(test, figures), figures->rate, sides);

	if (test->measure != MEASURE_LATENCY)
		json_object_set_new(object, "possible",
				    has_share(test, figures) ? payload_share_json(&sides->path, &row, REPORT_TOTAL, 1)
							     : json_null());
}

/* As a row of the text, beside CSV on standard error; "": not shown. */
static const char *share_text(const struct results *results, const struct test_row *test,
			      const struct qperf_params *params, const struct figures *figures,
			      const struct qperf_sides *sides, char text[PAYLOAD_SHARE_TEXT])
{
	const struct report_row row = share_row(test, params, text_primary_value(test, figures), figures->rate, sides);
	bool known;

	text[0] = '\0';
	if (!has_share(test, figures))
		return text;
	known = payload_share_text(&sides->path, &row, false, text);
	if (results->format == FORMAT_TEXT && !params->possible &&
	    !(known && (params->style.details || isatty(STDOUT_FILENO))))
		text[0] = '\0';
	if (params->possible && results->format != FORMAT_TEXT && !output_is_json(results->format))
		log_info("%s: %s", test->name, text);
	return text;
}

static json_t *result_value(const struct test_row *test, const struct qperf_params *params,
			    const struct figures *figures, const struct qperf_sides *sides)
{
	json_t *object = json_pack("{s:s, s:s, s:b, s:s}", "kind", "result", "test", test->name, "partial",
				   figures->partial, "protocol", sides->protocol);

	if (test->measure == MEASURE_LATENCY) {
		set_figure(object, "latency_usec", figures->latency_s * US_PER_S);
		json_object_set_new(object, "latency_distribution", distribution_value(figures));
		set_figure(object, "open_exchange_seconds", figures->open_s);
		if (test_loses(test))
			json_object_set_new(object, "lost", json_integer((json_int_t)figures->lost));
	} else if (test->measure != MEASURE_RATE) {
		set_figure(object, "send_bandwidth_bytes_per_second", figures->send_bandwidth);
		set_figure(object, "receive_bandwidth_bytes_per_second", figures->recv_bandwidth);
		if (test->measure == MEASURE_BANDWIDTHS && !figures->one_sided)
			json_object_update_new(object, json_pack("{s:I, s:I, s:I}", "lost", (json_int_t)figures->lost,
								 "sent_late",
								 (json_int_t)(figures->local_account.late_sent +
									      figures->remote_account.late_sent),
								 "late",
								 (json_int_t)(figures->local_account.late_received +
									      figures->remote_account.late_received)));
	}
	set_figure(object, "message_rate_per_second", figures->rate);
	set_figure(object, "send_cost_seconds_per_gigabyte", figures->send_cost);
	set_figure(object, "receive_cost_seconds_per_gigabyte", figures->recv_cost);
	put_share(object, test, params, figures, sides);
	json_object_set_new(object, "local", node_value(&figures->local, &figures->local_account));
	json_object_set_new(object, "remote",
			    figures->one_sided ? json_null() : node_value(&figures->remote, &figures->remote_account));
	json_object_set_new(object, "local_parameters", side_value(test, &params->local));
	json_object_set_new(object, "remote_parameters", side_value(test, &params->remote));
	put_sides(object, sides);
	return object;
}

/* "": it was not asked for. */
static const char *time_text(const struct results *results, uint64_t over_cycles, char text[STAMP_SIZE])
{
	text[0] = '\0';
	return results->timestamps ? stamp_text_of_cycles(over_cycles, text) : text;
}

static void put_measurement(struct results *results, uint64_t over_cycles, json_t *value)
{
	char time[STAMP_SIZE];

	if (!envelope_is_open(&results->envelope)) {
		json_decref(value);
		return;
	}
	errno = 0;
	if (results->timestamps)
		json_object_set_new(value, "time", json_string(time_text(results, over_cycles, time)));
	envelope_put_measurement(&results->envelope, value);
	envelope_show(&results->envelope);
	results_flush(results);
}

static void begin_document(struct results *results, const struct qperf_params *params, const struct run_id *run_id)
{
	struct envelope *envelope = &results->envelope;

	envelope_begin(envelope, "qperf", "client", "mixed");
	envelope_put_run_id(envelope, run_id);
	envelope_put_member(envelope, "parameters",
			    json_pack("{s:o, s:I, s:f, s:I, s:f, s:b, s:f}", "host", envelope_text(params->host),
				      "listen_port", (json_int_t)params->listen_port, "wait_server",
				      (double)params->wait_server_ns / (double)NS_PER_S, "repeat",
				      (json_int_t)params->repeat.count, "until", params->repeat.until_percent, "steady",
				      params->repeat.steady, "report_interval",
				      (double)params->interval_ns / (double)NS_PER_S));
	envelope_begin_measurements(envelope);
}

/* --- CSV: all columns, in SI units; a field that was not measured is empty --- */

/* A result, or an interval. */
struct qperf_row {
	const char *kind; /* "result", "partial", "interval", "spread" or "partial_spread" */
	const struct test_row *test;
	const struct qperf_params *params;
	const struct figures *figures;
	bool has_no_counts;		  /* an interval, or several runs, without counts of messages */
	const struct series_result *runs; /* of several; otherwise NULL */
	const char *time;		  /* --timestamps */
};

/* Of struct table's has. */
#define QPERF_HAS_TIME (1U << 0)
#define QPERF_HAS_CPU  (1U << 1)

static double row_latency(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	return row->test->measure == MEASURE_LATENCY ? row->figures->latency_s : 0;
}

/* One side alone cannot know that the other one did nothing. */
static double count_value(const struct qperf_row *row, uint64_t count)
{
	return row->has_no_counts || (row->figures->one_sided && !count) ? NAN : (double)count;
}

static double row_messages(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;
	const struct node *l = &row->figures->local, *r = &row->figures->remote;

	return count_value(row, column->index ? l->received.msgs + r->received.msgs : l->sent.msgs + r->sent.msgs);
}

static double figures_row_percentile(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	return row->test->measure == MEASURE_LATENCY
		       ? figures_percentile_s(row->figures, figures_percentiles[column->index])
		       : NAN;
}

/* The low end, and then the high one, of each kind of result. */
static double row_ci95(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;
	const enum measure measure = row->test->measure == MEASURE_BANDWIDTHS ? MEASURE_BANDWIDTH : row->test->measure;

	if (!row->runs || measure != (enum measure)(column->index / 2))
		return NAN;
	return column->index % 2 ? row->runs->confidence.high : row->runs->confidence.low;
}

static const char *row_reached(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	if (!row->runs || !(row->params->repeat.until_percent > 0))
		return "";
	return row->runs->reached ? "true" : "false";
}

#define OF_RUNS(name)	 .member = MEMBER(struct series_result, name), .behind = MEMBER(struct qperf_row, runs)
#define OF_FIGURES(name) .member = MEMBER(struct figures, name), .behind = MEMBER(struct qperf_row, figures)
#define FIGURE(name, kind, of)                                                                                         \
	{                                                                                                              \
		.key = (name), .quantity = (kind), OF_FIGURES(of), .zero_unknown = true                                \
	}
#define PERCENTILE(name, n)                                                                                            \
	{                                                                                                              \
		.key = (name), .quantity = QUANTITY_TIME, .value = figures_row_percentile, .index = (n),               \
		.zero_unknown = true                                                                                   \
	}

#define CI95(name, kind, of)                                                                                           \
	{.key = name "_ci95_low", .quantity = (kind), .value = row_ci95, .index = 2 * (of)},                           \
	{                                                                                                              \
		.key = name "_ci95_high", .quantity = (kind), .value = row_ci95, .index = 2 * (of) + 1                 \
	}

static const struct column columns[] = {
	{.key = "kind", .quantity = QUANTITY_TEXT, .member = MEMBER(struct qperf_row, kind)},
	{.key = "test",
	 .quantity = QUANTITY_TEXT,
	 .member = MEMBER(struct test_row, name),
	 .behind = MEMBER(struct qperf_row, test)},
	{.key = "msg_size",
	 .quantity = QUANTITY_BYTES,
	 .member = MEMBER(struct qperf_params, local.number[PARAM_MSG_SIZE]),
	 .behind = MEMBER(struct qperf_row, params)},
	{.key = "latency", .quantity = QUANTITY_TIME, .value = row_latency, .zero_unknown = true},
	FIGURE("message_rate", QUANTITY_RATE, rate),
	FIGURE("send_bandwidth", QUANTITY_BANDWIDTH, send_bandwidth),
	FIGURE("receive_bandwidth", QUANTITY_BANDWIDTH, recv_bandwidth),
	{.key = "sent_messages", .quantity = QUANTITY_COUNT, .value = row_messages, .index = 0},
	{.key = "received_messages", .quantity = QUANTITY_COUNT, .value = row_messages, .index = 1},
	FIGURE("elapsed", QUANTITY_SECONDS, local_account.elapsed_s),
	PERCENTILE("p50", 0),
	PERCENTILE("p90", 1),
	PERCENTILE("p99", 2),
	PERCENTILE("p99.9", 3),
	FIGURE("open_exchange", QUANTITY_SECONDS, open_s),
	/* --repeat, --until */
	{.key = "repeats", .quantity = QUANTITY_COUNT, OF_RUNS(count)},
	{.key = "repeats_left_out", .quantity = QUANTITY_COUNT, OF_RUNS(left_out)},
	CI95("latency_average", QUANTITY_TIME, MEASURE_LATENCY),
	CI95("message_rate", QUANTITY_RATE, MEASURE_RATE),
	CI95("bandwidth_average", QUANTITY_BANDWIDTH, MEASURE_BANDWIDTH),
	{.key = "until_reached", .quantity = QUANTITY_TEXT, .text = row_reached},
	{.key = "cpu_util", .quantity = QUANTITY_PERCENT, OF_FIGURES(cpu_percent), .all = QPERF_HAS_CPU},
	{.key = "time", .quantity = QUANTITY_TEXT, .member = MEMBER(struct qperf_row, time), .all = QPERF_HAS_TIME},
};

static const struct table qperf_columns = {
	.columns = columns,
	.num_columns = sizeof(columns) / sizeof(columns[0]),
	.csv_digits = 9,
};

/* runs: of several; NULL: of one. */
static void put_csv(struct results *results, const char *kind, bool has_no_counts, const struct test_row *test,
		    const struct qperf_params *params, const struct figures *figures, const struct series_result *runs)
{
	char time[STAMP_SIZE];
	const struct qperf_row row = {.kind = kind,
				      .test = test,
				      .params = params,
				      .figures = figures,
				      .has_no_counts = has_no_counts,
				      .runs = runs,
				      .time = time_text(results, figures->over_cycles, time)};
	struct table table = qperf_columns;

	if (results->format != FORMAT_CSV)
		return;
	table.has = (results->timestamps ? QPERF_HAS_TIME : 0) | (params->style.cpu_util ? QPERF_HAS_CPU : 0);
	errno = 0;
	results_csv(results, &table, &row, !runs);
	results_flush(results);
}

/* --- all formats --- */

int qperf_report_open(struct results *results, const struct qperf_params *params, const struct run_id *run_id)
{
	char path[sizeof(params->output.json_file)];
	int ret;

	strcpy(path, params->output.json_file);
	ret = path_words_fill(path, sizeof(path), params->listen_port);
	if (ret)
		log_error("--out_json_file: the name is too long with the words for its %%");
	else
		ret = results_open(results, params->output.format, stdout, params->output.json ? path : NULL,
				   params->output.labels);
	if (ret)
		return ret;
	results->timestamps = params->timestamps;
	errno = 0;
	if (results_begin_document(results))
		begin_document(results, params, run_id);
	results_flush(results);
	return 0;
}

int qperf_report_head(struct results *results, const char *name)
{
	errno = 0;
	if (results->format == FORMAT_TEXT)
		printf("%s:\n", name);
	results_flush(results);
	return results->out_err;
}

static json_t *conf_value(const struct conf *conf)
{
	return json_pack("{s:s, s:s, s:s, s:s}", "node", conf->node, "cpu", conf->cpu, "os", conf->os, "qperf",
			 conf->qperf);
}

void qperf_report_conf(struct results *results, const struct conf *local, const struct conf *remote)
{
	errno = 0;
	if (results->format == FORMAT_TEXT)
		text_conf(stdout, local, remote);
	results_flush(results);
	put_measurement(results, 0 /* now */,
			json_pack("{s:s, s:s, s:o, s:o}", "kind", "conf", "test", "conf", "local", conf_value(local),
				  "remote", conf_value(remote)));
}

void qperf_report_result(struct results *results, const struct test_row *test, const struct qperf_params *params,
			 const struct figures *figures, const struct qperf_sides *sides,
			 const struct explanation *explanation)
{
	char time[STAMP_SIZE], text[EXPLAIN_TEXT_SIZE], share[PAYLOAD_SHARE_TEXT];
	json_t *value;

	share_text(results, test, params, figures, sides, share);
	errno = 0;
	if (results->format == FORMAT_TEXT) {
		text_result(stdout, test, params, figures, share, time_text(results, figures->over_cycles, time));
		counters_print(stdout, &results->counters);
	}
	if (explanation) {
		explain_text(explanation, text);
		results_lines(results, text, INDENT);
	}
	results_flush(results);
	put_csv(results, figures->partial ? "partial" : "result", false, test, params, figures, NULL);
	value = result_value(test, params, figures, sides);
	put_meters(value, results, params, figures->cpu_percent);
	if (explanation)
		json_object_set_new(value, "explanation", explain_json(explanation));
	put_measurement(results, figures->over_cycles, value);
}

int qperf_report_interval(struct results *results, const struct test_row *test, const struct qperf_params *params,
			  const struct qperf_interval *interval, const struct qperf_sides *sides)
{
	struct figures figures = {.local_account.elapsed_s = interval->end_s - interval->begin_s,
				  .over_cycles = interval->over_cycles,
				  .cpu_percent = interval->cpu_percent};
	const struct primary *primary = &text_primaries[test->measure];
	const bool is_sent = interval->sends && primary->kind == TEXT_BANDWIDTH;
	const double value = interval->value;
	const struct report_row share = share_row(test, params, value, interval->rate, sides);
	char time[STAMP_SIZE];
	json_t *object;

	*(double *)((char *)&figures + (is_sent ? offsetof(struct figures, send_bandwidth) : primary->member)) = value;
	errno = 0;
	if (results->format == FORMAT_TEXT) {
		text_interval(stdout, test, &params->style, interval, time_text(results, interval->over_cycles, time));
		counters_print(stdout, &results->counters);
	}
	results_flush(results);
	put_csv(results, "interval", true, test, params, &figures, NULL);
	object =
		json_pack("{s:s, s:s, s:f, s:f, s:o}", "kind", "interval", "test", test->name, "interval_begin_seconds",
			  interval->begin_s, "interval_end_seconds", interval->end_s, primary->key,
			  test->measure == MEASURE_LATENCY ? envelope_above_zero(value * primary->scale)
							   : envelope_number(value));
	/* Of UC and UD in both directions it has the bandwidth of one. */
	if (test->measure != MEASURE_LATENCY)
		json_object_set_new(
			object, "possible",
			payload_share_json(&sides->path, &share,
					   test->measure == MEASURE_BANDWIDTHS ? REPORT_LOCAL : REPORT_TOTAL, 1));
	put_meters(object, results, params, interval->cpu_percent);
	put_measurement(results, interval->over_cycles, object);
	return results->out_err;
}

static json_t *spread_value(const struct test_row *test, const struct qperf_params *params,
			    const struct series_plan *plan, const struct series_result *result,
			    const struct figures *figures, const struct qperf_sides *sides)
{
	const struct primary *primary = &text_primaries[test->measure];
	const double scale = primary->scale;
	const struct {
		const char *end;
		json_t *value;
	} members[] = {
		{"", envelope_number(result->confidence.center * scale)},
		{"_ci95_low", envelope_number(result->confidence.low * scale)},
		{"_ci95_high", envelope_number(result->confidence.high * scale)},
		{"_of_each", precision_each(result, scale)},
	};
	json_t *object = json_pack("{s:s, s:s, s:b, s:I, s:I}", "kind", "spread", "test", test->name, "partial",
				   figures->partial, "size_bytes", (json_int_t)params->local.number[PARAM_MSG_SIZE],
				   "repeats", (json_int_t)result->count);
	char name[64];

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		snprintf(name, sizeof(name), "%s%s%s", primary->of_runs, members[i].end, primary->unit);
		json_object_set_new(object, name, members[i].value);
	}
	if (test->measure == MEASURE_LATENCY)
		json_object_set_new(object, "latency_distribution", distribution_value(figures));
	put_share(object, test, params, figures, sides);
	json_object_set_new(object, "local_parameters", side_value(test, &params->local));
	json_object_set_new(object, "remote_parameters", side_value(test, &params->remote));
	put_sides(object, sides);
	if (plan->steady)
		json_object_set_new(object, "repeats_left_out", json_integer(result->left_out));
	if (plan->until_percent > 0)
		json_object_set_new(object, "until_reached", json_boolean(result->reached));
	return object;
}

void qperf_report_spread(struct results *results, const struct test_row *test, const struct qperf_params *params,
			 struct series *series, const struct series_result *result, const struct figures *figures,
			 const struct qperf_sides *sides)
{
	char share[PAYLOAD_SHARE_TEXT];

	share_text(results, test, params, figures, sides, share);
	errno = 0;
	if (results->format == FORMAT_TEXT)
		text_spread(stdout, test, &params->style, series, result, share, figures->partial);
	results_flush(results);
	put_csv(results, figures->partial ? "partial_spread" : "spread", true, test, params, figures, result);
	put_measurement(results, figures->over_cycles,
			spread_value(test, params, &series->plan, result, figures, sides));
}
