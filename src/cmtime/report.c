// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Titles, tables and the JSON document of cmtime; columns.c has the columns. See report.h. */
#include "config.h"

#include "cmtime/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>

#include "cmtime/columns.h"
#include "report/envelope.h"

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

/* Percentiles that need more connections than some step has. */
static void text_unsupported(const struct cmtime_params *params, const struct conn_stats *stats)
{
	bool any = false;

	for (unsigned i = 0; i < params->num_percentiles; i++) {
		const double percent = params->percentiles[i];
		bool supported = true;

		for (unsigned step = 0; step < STEP_COUNT; step++) {
			const uint64_t count = stats->steps[step].measures[MEASURE_TIME].histogram.count;

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

static void report_text_result(const struct cmtime_report *report, struct cmtime_result *row)
{
	struct cmtime_table steps;
	int room;

	columns_steps(&steps, report->params, CMTIME_TEXT);
	text_title(report, row);
	room = table_room(stdout, &steps.table, 0 /* the only form */);
	table_heading(stdout, &steps.table, 0 /* the only form */, room);
	putchar('\n');
	for (row->index = 0; row->index < STEP_COUNT; row->index++) {
		table_row(stdout, &steps.table, 0 /* the only form */, row, room);
		putchar('\n');
	}
	text_unsupported(report->params, row->stats);
	if (row->is_flow)
		printf("%-13s  %10.0f\n", "conn/sec", conn_stats_rate_average(row->stats, row->listens));
}

/* --- CSV --- */

static void csv_result(struct cmtime_report *report, struct cmtime_result *row)
{
	struct cmtime_table steps;

	columns_steps(&steps, report->params, CMTIME_CSV);
	for (row->index = 0; row->index < STEP_COUNT; row->index++)
		results_csv(&report->results, &steps.table, row);
}

/* --- the document --- */

static json_t *measurement(const char *kind, const struct table *table, const struct cmtime_result *row)
{
	json_t *object = json_pack("{s:s}", "kind", kind);

	if (json_object_update_new(object, table_json(table, row))) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static void document_result(struct cmtime_report *report, struct cmtime_result *row)
{
	const struct conn_stats *stats = row->stats;
	struct cmtime_table steps;

	columns_steps(&steps, report->params, CMTIME_JSON);
	for (row->index = 0; row->index < STEP_COUNT; row->index++) {
		json_t *object = measurement("result", &steps.table, row);

		if (object && columns_add_histograms(object, &stats->steps[row->index])) {
			json_decref(object);
			object = NULL;
		}
		envelope_put_measurement(&report->results.envelope, object);
	}
	for (row->index = 0; row->index < stats->rate.used; row->index++)
		envelope_put_measurement(&report->results.envelope, measurement("interval", &columns_intervals, row));
	envelope_put_measurement(&report->results.envelope, measurement("summary", &columns_summary, row));
}

static void cmtime_document_begin(struct cmtime_report *report, const struct cmtime_cluster *cluster)
{
	struct envelope *envelope = &report->results.envelope;

	if (!results_begin_document(&report->results))
		return;
	envelope_begin(envelope, "cmtime", report->params->listen ? "server" : "client", "connection");
	envelope_put_run_id(envelope, &cluster->run_id);
	envelope_put_member(envelope, "parameters", parameters_json(&cmtime_options, CMTIME_PROGRAM, report->params));
	envelope_put_member(envelope, "cluster",
			    json_pack("{s:I, s:I, s:I, s:o}", "rank", (json_int_t)cluster->rank, "servers",
				      (json_int_t)cluster->servers, "clients", (json_int_t)cluster->clients, "address",
				      envelope_text(cluster->local)));
	envelope_begin_measurements(envelope);
}

/* --- all of them --- */

int cmtime_report_open(struct cmtime_report *report, const struct cmtime_params *params)
{
	*report = (struct cmtime_report){.params = params};
	return results_open(&report->results, params->output.format, stdout,
			    params->output.json ? params->output.json_file : NULL, params->output.labels);
}

void cmtime_report_begin(struct cmtime_report *report, const struct cmtime_cluster *cluster)
{
	report->cluster = *cluster;
	cmtime_document_begin(report, cluster);
}

int cmtime_report_result(struct cmtime_report *report, struct cmtime_result *result)
{
	static const char *const tests[] = {
		[TEST_QPS] = "QPs",
		[TEST_SIMULATED_QPS] = "simulated QPs",
		[TEST_NO_QPS] = "no QPs",
		[TEST_SOCKETS] = "sockets",
	};

	result->test = tests[result->kind];
	result->part = result->merged ? "total" : "local";
	result->is_flow = cmtime_is_flow(report->params);
	result->listens = !result->merged && report->params->listen;
	errno = 0;
	if (results_are_in(&report->results, FORMAT_TEXT) && result->in_text)
		report_text_result(report, result);
	else if (results_are_in(&report->results, FORMAT_CSV))
		csv_result(report, result);
	if (envelope_is_open(&report->results.envelope))
		document_result(report, result);
	return results_flush(&report->results);
}

int cmtime_report_close(struct cmtime_report *report, const char *status, const char *reason)
{
	errno = 0;
	return results_close(&report->results, status, reason);
}
