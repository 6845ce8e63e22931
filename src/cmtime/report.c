// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How do the figures look? The text is the classic table, to which columns can be added behind; CSV and the
 * document have all of them. See report.h.
 */
#include "config.h"

#include "cmtime/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/envelope.h"
#include "report/parameter.h"
#include "util/log.h"

#define NS_PER_US 1e3
#define NS_PER_S  1e9

struct cmtime_report {
	const struct cmtime_params *params;
	struct cmtime_cluster cluster;
	struct envelope envelope;
	bool has_document;
	bool document_begun;
	bool has_head; /* of the CSV */
	uint64_t measurements;
	int out_err;
};

/* The percentiles that every document has. */
static const double usual_percentiles[] = {50, 90, 99, 99.9};

#define NUM_USUAL (sizeof(usual_percentiles) / sizeof(usual_percentiles[0]))

static const char *const measure_names[MEASURE_COUNT] = {
	[MEASURE_TIME] = "latency",
	[MEASURE_SERVICE] = "service",
	[MEASURE_QUEUED] = "queued",
};

static const char *kind_name(enum test_kind kind)
{
	static const char *const names[] = {
		[TEST_QPS] = "QPs",
		[TEST_SIMULATED_QPS] = "simulated QPs",
		[TEST_NO_QPS] = "no QPs",
		[TEST_SOCKETS] = "sockets",
	};

	return names[kind];
}

static uint64_t count_of(const struct latency *latency)
{
	return latency->histogram.count;
}

/* ns as us, rounded; saturates where a sum is beyond 64 bits. */
static uint64_t us_of_sum(struct wide ns)
{
	const struct wide rounded = wide_add(ns, wide_of(500));

	return rounded.high < 1000 ? wide_divide(rounded, 1000) : UINT64_MAX;
}

static uint64_t us(uint64_t ns)
{
	return us_of_sum(wide_of(ns));
}

static uint64_t us_of_figure(double ns)
{
	const double value = ns / 1000 + 0.5;

	return value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
}

/* --- text --- */

static void text_title(const struct cmtime_report *report, const struct cmtime_result *result)
{
	const struct cmtime_params *params = report->params;
	const char *verb = result->merged ? "All" : params->listen ? "Accept" : "Connect";

	if (result->merged)
		printf("All instances (clients: %" PRIu32 ", servers: %" PRIu32 ")\n", report->cluster.clients,
		       report->cluster.servers);
	switch (result->kind) {
	case TEST_QPS:
		printf("%s (%" PRIu64 ") QPs test", verb, result->planned);
		break;
	case TEST_SIMULATED_QPS:
		printf("%s (%" PRIu64 ") simulated QPs test (delay %" PRId64 " us)", verb, result->planned,
		       params->mimic_us);
		break;
	case TEST_NO_QPS:
		printf("%s (%" PRIu64 ") test - no QPs", verb, result->planned);
		break;
	case TEST_SOCKETS:
		printf("%s baseline socket results:", result->merged ? verb : params->listen ? "Server" : "Client");
		break;
	}
	printf("%s\n", result->partial ? " (partial)" : "");
	printf("%-13s  %10" PRIu64 "\n", result->kind == TEST_QPS ? "qp_conn" : "cm_conn", result->planned);
	if (!result->merged) /* each has its own */
		printf("%-13s  %10" PRIu32 "\n", "threads", params->threads);
}

static void text_heading(const struct cmtime_params *params)
{
	printf("step             avg/conn  total(us)    us/conn    sum(us)    max(us)    min(us)");
	for (unsigned i = 0; i < params->num_percentiles; i++) {
		char head[32];

		snprintf(head, sizeof(head), "p%g(us)", params->percentiles[i]);
		printf(" %10s", head);
	}
	if (params->queueing)
		printf(" %10s %10s", "svc(us)", "queued(us)");
	putchar('\n');
}

/* A number and nothing else: a percentile that so few samples can't support is the maximum, said below. */
static void text_percentile(const struct latency *latency, double percent)
{
	printf(" %10" PRIu64, us_of_figure(latency_percentile(latency, percent)));
}

/* Percentiles that some step has too few connections for. */
static void text_unsupported(const struct cmtime_params *params, const struct figures *figures)
{
	bool any = false;

	for (unsigned i = 0; i < params->num_percentiles; i++) {
		const double percent = params->percentiles[i];
		bool supported = true;

		for (unsigned step = 0; step < STEP_COUNT; step++) {
			const uint64_t count = count_of(&figures->steps[step].measures[MEASURE_TIME]);

			supported &= !count || histogram_supports(count, percent);
		}
		if (supported)
			continue;
		printf("%s p%g(us)", any ? "," : "# too few connections, so that the maximum stands there:", percent);
		any = true;
	}
	if (any)
		putchar('\n');
}

static void text_row(const struct cmtime_report *report, const struct cmtime_result *result, enum step step)
{
	const struct cmtime_params *params = report->params;
	const struct step_figures *figures = &result->figures->steps[step];
	const struct latency *time = &figures->measures[MEASURE_TIME];
	const uint64_t total_us = us(figures->total_ns), count = count_of(time);
	/* In a run step by step the sum of whole connects counts the waits for one another: as ever it is 0. */
	const uint64_t sum_us = step == STEP_FULL_CONNECT && !cmtime_is_flow(params) ? 0 : us_of_sum(time->sum);
	/* By what was planned, as ever; what was not planned, or has come to several, by what was counted. */
	const uint64_t divisor = !result->partial && !result->merged && result->planned ? result->planned : count;

	printf("%-13s  %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64,
	       step_name(step), result->planned ? total_us / result->planned : 0, total_us,
	       divisor ? sum_us / divisor : 0, sum_us, count ? us(time->max) : 0, count ? us(time->min) : 0);
	for (unsigned i = 0; i < params->num_percentiles; i++)
		text_percentile(time, params->percentiles[i]);
	if (params->queueing)
		printf(" %10" PRIu64 " %10" PRIu64, us_of_figure(latency_mean(&figures->measures[MEASURE_SERVICE])),
		       us_of_figure(latency_mean(&figures->measures[MEASURE_QUEUED])));
	putchar('\n');
}

/* The highest interval but the last, which need not be full. */
static double rate_peak(const struct rate *rate)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i + 1 < rate->used; i++)
		if (rate->counts[i] > most)
			most = rate->counts[i];
	return (double)most * NS_PER_S / (double)rate->width_ns;
}

/* From the first call for a connection to the last one that was established. */
static double rate_average(const struct figures *figures, bool listens)
{
	const uint64_t span_ns = figures->steps[listens ? STEP_CM_CONNECT : STEP_FULL_CONNECT].total_ns;

	return span_ns ? (double)figures->connections * NS_PER_S / (double)span_ns : 0;
}

static bool is_listening_part(const struct cmtime_report *report, const struct cmtime_result *result)
{
	return !result->merged && report->params->listen;
}

static void text_result(const struct cmtime_report *report, const struct cmtime_result *result)
{
	text_title(report, result);
	text_heading(report->params);
	for (unsigned step = 0; step < STEP_COUNT; step++)
		text_row(report, result, (enum step)step);
	text_unsupported(report->params, result->figures);
	if (cmtime_is_flow(report->params))
		printf("%-13s  %10.0f\n", "conn/sec", rate_average(result->figures, is_listening_part(report, result)));
}

/* --- CSV --- */

static void csv_heading(void)
{
	printf("test,part,partial,step,connections,total_usec,count");
	for (unsigned measure = 0; measure < MEASURE_COUNT; measure++) {
		const char *name = measure_names[measure];

		printf(",%s_min_usec,%s_max_usec,%s_average_usec,%s_stdev_usec", name, name, name, name);
		for (unsigned i = 0; i < NUM_USUAL; i++)
			printf(",%s_percentile_%g_usec", name, usual_percentiles[i]);
	}
	putchar('\n');
}

static void csv_measure(const struct latency *latency)
{
	const uint64_t count = count_of(latency);

	if (count)
		printf(",%.3f,%.3f,%.3f,%.3f", (double)latency->min / NS_PER_US, (double)latency->max / NS_PER_US,
		       latency_mean(latency) / NS_PER_US, latency_stdev(latency) / NS_PER_US);
	else
		printf(",,,,");
	for (unsigned i = 0; i < NUM_USUAL; i++) {
		if (histogram_supports(count, usual_percentiles[i]))
			printf(",%.3f", latency_percentile(latency, usual_percentiles[i]) / NS_PER_US);
		else
			putchar(',');
	}
}

static void csv_result(struct cmtime_report *report, const struct cmtime_result *result)
{
	if (!report->has_head)
		csv_heading();
	report->has_head = true;
	for (unsigned step = 0; step < STEP_COUNT; step++) {
		const struct step_figures *figures = &result->figures->steps[step];

		printf("%s,%s,%s,%s,%" PRIu64 ",%.3f,%" PRIu64, kind_name(result->kind),
		       result->merged ? "total" : "local", result->partial ? "true" : "false",
		       step_name((enum step)step), result->figures->connections, (double)figures->total_ns / NS_PER_US,
		       count_of(&figures->measures[MEASURE_TIME]));
		for (unsigned measure = 0; measure < MEASURE_COUNT; measure++)
			csv_measure(&figures->measures[measure]);
		putchar('\n');
	}
}

/* --- the document --- */

static json_t *usec_value(double ns, bool known)
{
	return known ? json_real(ns / NS_PER_US) : json_null();
}

static void put_measure(json_t *object, const char *name, const struct latency *latency)
{
	const bool known = count_of(latency) != 0;
	char key[64];

	snprintf(key, sizeof(key), "%s_min_usec", name);
	json_object_set_new(object, key, usec_value((double)latency->min, known));
	snprintf(key, sizeof(key), "%s_max_usec", name);
	json_object_set_new(object, key, usec_value((double)latency->max, known));
	snprintf(key, sizeof(key), "%s_typical_usec", name);
	json_object_set_new(object, key, usec_value(known ? latency_percentile(latency, 50) : 0, known));
	snprintf(key, sizeof(key), "%s_average_usec", name);
	json_object_set_new(object, key, usec_value(latency_mean(latency), known));
	snprintf(key, sizeof(key), "%s_stdev_usec", name);
	json_object_set_new(object, key, usec_value(latency_stdev(latency), known));
}

static json_t *percentile_entry(const struct step_figures *figures, double percent)
{
	const bool supported = histogram_supports(count_of(&figures->measures[MEASURE_TIME]), percent);
	json_t *entry = json_pack("{s:f, s:b}", "percent", percent, "supported", supported);
	char key[64];

	for (unsigned measure = 0; measure < MEASURE_COUNT; measure++) {
		const struct latency *latency = &figures->measures[measure];

		snprintf(key, sizeof(key), "%s_usec", measure_names[measure]);
		json_object_set_new(entry, key,
				    usec_value(count_of(latency) ? latency_percentile(latency, percent) : 0,
					       supported && histogram_supports(count_of(latency), percent)));
	}
	return entry;
}

/* The usual ones and those that were asked for, ascending, each once. */
static json_t *percentiles_value(const struct cmtime_params *params, const struct step_figures *figures)
{
	json_t *list = json_array();
	unsigned usual = 0, asked = 0;
	double percent, last = 0;

	while (usual < NUM_USUAL || asked < params->num_percentiles) {
		if (asked == params->num_percentiles ||
		    (usual < NUM_USUAL && usual_percentiles[usual] < params->percentiles[asked]))
			percent = usual_percentiles[usual++];
		else
			percent = params->percentiles[asked++];
		if (percent > last)
			json_array_append_new(list, percentile_entry(figures, percent));
		last = percent;
	}
	return list;
}

static void put_measurement(struct cmtime_report *report, json_t *object)
{
	envelope_put_text(&report->envelope, report->measurements++ ? ",\n    " : "\n    ");
	envelope_put_value(&report->envelope, object);
}

static json_t *measurement(const struct cmtime_result *result, const char *kind)
{
	return json_pack("{s:s, s:s, s:b, s:s}", "kind", kind, "part", result->merged ? "total" : "local", "partial",
			 result->partial, "test", kind_name(result->kind));
}

static void document_steps(struct cmtime_report *report, const struct cmtime_result *result)
{
	for (unsigned step = 0; step < STEP_COUNT; step++) {
		const struct step_figures *figures = &result->figures->steps[step];
		json_t *object = measurement(result, "result");

		json_object_set_new(object, "step", json_string(step_name((enum step)step)));
		json_object_set_new(object, "count",
				    json_integer((json_int_t)count_of(&figures->measures[MEASURE_TIME])));
		json_object_set_new(object, "total_usec", json_real((double)figures->total_ns / NS_PER_US));
		for (unsigned measure = 0; measure < MEASURE_COUNT; measure++)
			put_measure(object, measure_names[measure], &figures->measures[measure]);
		json_object_set_new(object, "percentiles", percentiles_value(report->params, figures));
		put_measurement(report, object);
	}
}

static void document_rates(struct cmtime_report *report, const struct cmtime_result *result)
{
	const struct rate *rate = &result->figures->rate;
	const double width_s = (double)rate->width_ns / NS_PER_S;

	for (uint32_t i = 0; i < rate->used; i++) {
		json_t *object = measurement(result, "interval");

		json_object_set_new(object, "interval_begin_seconds", json_real(i * width_s));
		json_object_set_new(object, "interval_seconds", json_real(width_s));
		json_object_set_new(object, "connections", json_integer((json_int_t)rate->counts[i]));
		json_object_set_new(object, "connections_per_second", json_real((double)rate->counts[i] / width_s));
		put_measurement(report, object);
	}
}

static void document_summary(struct cmtime_report *report, const struct cmtime_result *result)
{
	const struct figures *figures = result->figures;
	json_t *object = measurement(result, "summary");

	json_object_set_new(object, "connections", json_integer((json_int_t)figures->connections));
	json_object_set_new(object, "retries", json_integer((json_int_t)figures->retries));
	json_object_set_new(object, "connections_per_second",
			    json_real(rate_average(figures, is_listening_part(report, result))));
	json_object_set_new(object, "connections_peak_per_second", json_real(rate_peak(&figures->rate)));
	put_measurement(report, object);
}

static json_t *parameters_value(const struct cmtime_params *params)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < cmtime_options.num_rows; i++) {
		if (cmtime_options.rows[i].group)
			parameter_add(object, &cmtime_options.rows[i], params);
	}
	return object;
}

static void document_begin(struct cmtime_report *report, const struct cmtime_cluster *cluster)
{
	struct envelope *envelope = &report->envelope;

	if (!report->has_document || report->document_begun)
		return;
	report->document_begun = true;
	envelope_begin(envelope, "cmtime", report->params->listen ? "server" : "client", "connection");
	envelope_put_member(envelope, "parameters", parameters_value(report->params));
	envelope_put_member(envelope, "cluster",
			    cluster ? json_pack("{s:I, s:I, s:I, s:o}", "rank", (json_int_t)cluster->rank, "servers",
						(json_int_t)cluster->servers, "clients", (json_int_t)cluster->clients,
						"address", envelope_text(cluster->local))
				    : json_null());
	envelope_put_key(envelope, "measurements");
	envelope_put_text(envelope, "[");
}

/* --- all of them --- */

int cmtime_report_open(struct cmtime_report **report, const struct cmtime_params *params)
{
	struct cmtime_report *opened = calloc(1, sizeof(*opened));
	int ret = 0;

	if (!opened) {
		log_error("no memory for the report");
		return -ENOMEM;
	}
	opened->params = params;
	if (params->out_json || params->output_format == FORMAT_JSON) {
		ret = envelope_open(&opened->envelope, params->output_format == FORMAT_JSON ? stdout : NULL,
				    params->out_json ? params->out_json_file : NULL);
		opened->has_document = !ret;
	}
	if (ret) {
		free(opened);
		return ret;
	}
	*report = opened;
	return 0;
}

void cmtime_report_begin(struct cmtime_report *report, const struct cmtime_cluster *cluster)
{
	report->cluster = *cluster;
	document_begin(report, cluster);
}

static void note_output(struct cmtime_report *report)
{
	if (report->out_err || (!fflush(stdout) && !ferror(stdout)))
		return;
	report->out_err = errno ? -errno : -EIO;
	log_error("cannot write the results to stdout: %s", strerror(-report->out_err));
}

void cmtime_report_result(struct cmtime_report *report, const struct cmtime_result *result)
{
	errno = 0;
	if (report->params->output_format == FORMAT_TEXT && result->in_text && !report->out_err)
		text_result(report, result);
	else if (report->params->output_format == FORMAT_CSV && !report->out_err)
		csv_result(report, result);
	if (report->has_document) {
		document_steps(report, result);
		document_rates(report, result);
		document_summary(report, result);
	}
	note_output(report);
}

int cmtime_report_close(struct cmtime_report *report, const char *status, const char *reason)
{
	int ret = 0;

	errno = 0;
	if (report->has_document) {
		document_begin(report, NULL);
		envelope_put_text(&report->envelope, report->measurements ? "\n  ]" : "]");
		ret = envelope_end(&report->envelope, status, reason);
	}
	note_output(report);
	return report->out_err ? report->out_err : ret;
}

void cmtime_report_free(struct cmtime_report *report)
{
	if (!report)
		return;
	if (report->has_document)
		envelope_close(&report->envelope);
	free(report);
}
