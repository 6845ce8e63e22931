// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Columns, titles, tables and the JSON document of cmtime. The text is the classic table, with optional columns
 * appended, in whole microseconds; CSV and JSON have the same values unrounded, and more. See report.h.
 */
#include "config.h"

#include "cmtime/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "net/address.h"
#include "report/envelope.h"
#include "report/precision.h"
#include "report/provenance.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/terminal.h"

#define NS_PER_S 1e9
#define US_PER_S 1e6

#define CONTROLLER_RANK 0

/* What a table has: the columns of --queueing, --timestamps, --cpu_util, --repeat, --steady and --until. */
enum { HAS_QUEUEING = 1, HAS_TIME = 2, HAS_CPU_UTIL = 4, HAS_REPEATS = 8, HAS_STEADY = 16, HAS_UNTIL = 32 };

enum cmtime_format { CMTIME_TEXT, CMTIME_CSV, CMTIME_JSON };

#define CMTIME_NUM_USUAL	4 /* percentiles in CSV and JSON by default */
#define CMTIME_MOST_PERCENTILES (CMTIME_NUM_USUAL + CMTIME_MAX_PERCENTILES)

/* A table, with the percentiles that its columns point to. */
struct cmtime_table {
	struct table table;
	double percentiles[CMTIME_MOST_PERCENTILES];
};

static const double usual_percentiles[CMTIME_NUM_USUAL] = {50, 90, 99, 99.9};

/* --- columns of a step --- */

static const char *row_step(const void *of, const struct column *column)
{
	const struct cmtime_result *row = of;

	(void)column;
	return step_name((enum step)(row->step - row->stats->steps));
}

static double row_total(const void *of, const struct column *column)
{
	(void)column;
	return (double)((const struct cmtime_result *)of)->step->total_ns / NS_PER_S;
}

static double row_total_per_conn(const void *of, const struct column *column)
{
	const uint64_t planned = ((const struct cmtime_result *)of)->planned;

	return planned ? row_total(of, column) / (double)planned : 0;
}

/* Step by step, the sum of full connects would count the time spent waiting for each other: 0, as in classic cmtime. */
static double row_sum(const void *of, const struct column *column)
{
	const struct cmtime_result *row = of;

	(void)column;
	return row->step == &row->stats->steps[STEP_FULL_CONNECT] && !row->is_flow
		       ? 0
		       : (double)row->step->measures[MEASURE_TIME].sum.value / NS_PER_S;
}

/*
 * Divides by the planned number, as in classic cmtime, or by the counted one if the result is partial, merged,
 * repeated or unplanned.
 */
static double row_sum_per_conn(const void *of, const struct column *column)
{
	const struct cmtime_result *row = of;
	const uint64_t divisor = !row->partial && !row->merged && !row->repeats.count && row->planned
					 ? row->planned
					 : row->step->measures[MEASURE_TIME].histogram.count;

	return divisor ? row_sum(of, column) / (double)divisor : 0;
}

#define OF_MEASURE(measure, which)                                                                                     \
	.member = MEMBER(struct step_stats, measures[measure]), .behind = MEMBER(struct cmtime_result, step),          \
	.figure = FIGURE_##which
#define OF_STATS(name) .member = MEMBER(struct conn_stats, name), .behind = MEMBER(struct cmtime_result, stats)
#define OF_TIME                                                                                                        \
	{                                                                                                              \
		.key = "time", .quantity = QUANTITY_TEXT, .member = MEMBER(struct cmtime_result, time),                \
		.all = HAS_TIME                                                                                        \
	}
#define OF_CPU_UTIL                                                                                                    \
	.key = "cpu_util", .quantity = QUANTITY_PERCENT, .member = MEMBER(struct cmtime_result, cpu_percent),          \
	.all = HAS_CPU_UTIL
#define OF_ANY_ROW                                                                                                     \
	{.key = "test", .quantity = QUANTITY_TEXT, .member = MEMBER(struct cmtime_result, test)},                      \
		{.key = "part", .quantity = QUANTITY_TEXT, .member = MEMBER(struct cmtime_result, part)},              \
	{                                                                                                              \
		.key = "partial", .quantity = QUANTITY_FLAG, .member = MEMBER(struct cmtime_result, partial)           \
	}
/* In the text, in whole microseconds; 0 for a step that did not occur. */
#define TEXT(title, unit, space)                                                                                       \
	.quantity = QUANTITY_TIME, .head = (title), .label = (unit), .unknown = "0",                                   \
	.cells = {{.gap = (space), .width = 10, .right = true}}
#define TEXT_FIGURE(title, measure, which) TEXT(title, "(us)", " "), OF_MEASURE(measure, which)
/* A value of a distribution, in CSV and JSON. */
#define FIGURE(title, measure, which) .key = (title), .quantity = QUANTITY_TIME, OF_MEASURE(measure, which)
#define DISTRIBUTION(name, measure)                                                                                    \
	{FIGURE(name "_min", measure, MIN)}, {FIGURE(name "_max", measure, MAX)},                                      \
		{FIGURE(name "_typical", measure, TYPICAL), .skip = COLUMN_SKIP_CSV},                                  \
		{FIGURE(name "_average", measure, MEAN)}, {FIGURE(name "_stdev", measure, STDEV)},                     \
	{                                                                                                              \
		FIGURE(name "_percentile", measure, PERCENTILE), .per_percentile = true                                \
	}

static const struct column step_columns[] = {
	OF_ANY_ROW,
	{
		.key = "step",
		.quantity = QUANTITY_TEXT,
		.head = "step         ", /* as wide as the names */
		.cells = {{.gap = "", .width = 13}},
		.text = row_step,
	},
	{.key = "connections", .quantity = QUANTITY_COUNT, OF_STATS(totals.connections), .skip = COLUMN_SKIP_JSON},
	{TEXT("avg/conn", "", "  "), .value = row_total_per_conn},
	{.key = "total", TEXT("total", "(us)", " "), .value = row_total},
	{TEXT("us/conn", "", " "), .value = row_sum_per_conn},
	{TEXT("sum", "(us)", " "), .value = row_sum},
	{TEXT_FIGURE("max", MEASURE_TIME, MAX)},
	{TEXT_FIGURE("min", MEASURE_TIME, MIN)},
	/* One with too few samples is the maximum, as a note below the table says. */
	{TEXT_FIGURE("", MEASURE_TIME, PERCENTILE), .percent_gap = "p", .per_percentile = true},
	{TEXT_FIGURE("svc", MEASURE_SERVICE, MEAN), .all = HAS_QUEUEING},
	{TEXT_FIGURE("+queue", MEASURE_QUEUED, MEAN), .all = HAS_QUEUEING},
	/* Only in CSV and JSON from here on. */
	{.key = "count", .quantity = QUANTITY_COUNT, OF_MEASURE(MEASURE_TIME, COUNT)},
	DISTRIBUTION("latency", MEASURE_TIME),
	DISTRIBUTION("service", MEASURE_SERVICE),
	DISTRIBUTION("queued", MEASURE_QUEUED),
	{OF_CPU_UTIL, .skip = COLUMN_SKIP_JSON},
	OF_TIME,
};

static const char *const histogram_keys[MEASURE_COUNT] = {
	[MEASURE_TIME] = "latency_histogram",
	[MEASURE_SERVICE] = "service_histogram",
	[MEASURE_QUEUED] = "queued_histogram",
};

/* 0 or -ENOMEM. */
static int columns_add_histograms(json_t *object, const struct step_stats *stats)
{
	for (unsigned measure = 0; measure < MEASURE_COUNT; measure++)
		if (json_object_set_new(object, histogram_keys[measure],
					table_histogram_json(&stats->measures[measure])))
			return -ENOMEM;
	return 0;
}

/* --- ... of an interval --- */

#define OF_INTERVAL(name) .member = MEMBER(struct cmtime_result, interval.name)
#define COLUMN(title, space, places)                                                                                   \
	.head = (title), .label = "", .cells = {{.gap = (space), .width = 11, .precision = (places), .right = true}}

static const struct column interval_columns[] = {
	OF_ANY_ROW,
	{.key = "interval_begin", .quantity = QUANTITY_SECONDS, OF_INTERVAL(begin), COLUMN("begin(s)", "", 2)},
	{.key = "interval", .quantity = QUANTITY_SECONDS, OF_INTERVAL(seconds), COLUMN("length(s)", " ", 2)},
	{.key = "connections", .quantity = QUANTITY_COUNT, OF_INTERVAL(count), COLUMN("connections", " ", 0)},
	{.key = "connections", .quantity = QUANTITY_RATE, OF_INTERVAL(rate), COLUMN("conn/sec", " ", 0)},
	{.key = "time",
	 .quantity = QUANTITY_TEXT,
	 .member = MEMBER(struct cmtime_result, time),
	 .all = HAS_TIME,
	 COLUMN("time[UTC]", " ", 0)},
};

static struct table columns_intervals(const struct cmtime_params *params)
{
	return (struct table){.columns = interval_columns,
			      .num_columns = sizeof(interval_columns) / sizeof(interval_columns[0]),
			      .has = params->timestamps ? HAS_TIME : 0};
}

/* --- ... and of the whole --- */

#define OF_REPEATS(name) .member = MEMBER(struct cmtime_result, repeats.name)

static const struct column summary_columns[] = {
	OF_ANY_ROW,
	{.key = "connections", .quantity = QUANTITY_COUNT, OF_STATS(totals.connections)},
	{.key = "retries", .quantity = QUANTITY_COUNT, OF_STATS(totals.retries)},
	{.key = "connections", .quantity = QUANTITY_RATE, .member = MEMBER(struct cmtime_result, average)},
	{.key = "connections_peak", .quantity = QUANTITY_RATE, .member = MEMBER(struct cmtime_result, peak)},
	{.key = "repeats", .quantity = QUANTITY_COUNT, OF_REPEATS(count), .all = HAS_REPEATS},
	{.key = "repeats_left_out", .quantity = QUANTITY_COUNT, OF_REPEATS(left_out), .all = HAS_STEADY},
	{.key = "connections_ci95_low", .quantity = QUANTITY_RATE, OF_REPEATS(confidence.low), .all = HAS_REPEATS},
	{.key = "connections_ci95_high", .quantity = QUANTITY_RATE, OF_REPEATS(confidence.high), .all = HAS_REPEATS},
	{.key = "until_reached", .quantity = QUANTITY_FLAG, OF_REPEATS(reached), .all = HAS_UNTIL},
	{OF_CPU_UTIL},
	OF_TIME,
};

/* --- the tables --- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static unsigned columns_asked(const struct cmtime_params *params)
{
	const struct series_plan *repeat = &params->repeat;

	return (params->queueing ? HAS_QUEUEING : 0) | (params->timestamps ? HAS_TIME : 0) |
	       (params->cpu_util ? HAS_CPU_UTIL : 0) | (series_repeats(repeat) ? HAS_REPEATS : 0) |
	       (repeat->steady ? HAS_STEADY : 0) | (repeat->until_percent > 0 ? HAS_UNTIL : 0);
}

/* The default and the requested percentiles, ascending, without duplicates. */
static unsigned merge_percentiles(const struct cmtime_params *params, double percentiles[CMTIME_MOST_PERCENTILES])
{
	unsigned usual = 0, asked = 0, count = 0;
	double percent;

	while (usual < CMTIME_NUM_USUAL || asked < params->num_percentiles) {
		if (asked == params->num_percentiles ||
		    (usual < CMTIME_NUM_USUAL && usual_percentiles[usual] < params->percentiles[asked]))
			percent = usual_percentiles[usual++];
		else
			percent = params->percentiles[asked++];
		if (!count || percent > percentiles[count - 1])
			percentiles[count++] = percent;
	}
	return count;
}

static void columns_steps(struct cmtime_table *steps, const struct cmtime_params *params, enum cmtime_format format)
{
	*steps = (struct cmtime_table){
		.table = {.columns = step_columns,
			  .num_columns = COUNT(step_columns),
			  .has = columns_asked(params),
			  .percentiles = steps->percentiles,
			  .num_percentiles = CMTIME_NUM_USUAL,
			  .printed = {[QUANTITY_TIME] = {"us", "", US_PER_S}},
			  .csv_decimals = 3},
	};
	switch (format) {
	case CMTIME_TEXT:
		memcpy(steps->percentiles, params->percentiles, params->num_percentiles * sizeof(double));
		steps->table.num_percentiles = params->num_percentiles;
		break;
	case CMTIME_CSV:
		memcpy(steps->percentiles, usual_percentiles, sizeof(usual_percentiles));
		break;
	case CMTIME_JSON:
		steps->table.num_percentiles = merge_percentiles(params, steps->percentiles);
		break;
	}
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
	room = table_room(terminal_columns(stdout), &steps.table, 0 /* the only form */, 0 /* no more */);
	table_heading(stdout, &steps.table, 0 /* the only form */, room);
	putchar('\n');
	for (row->step = row->stats->steps; row->step < row->stats->steps + STEP_COUNT; row->step++) {
		table_row(stdout, &steps.table, 0 /* the only form */, row, room);
		putchar('\n');
	}
	text_unsupported(report->params, row->stats);
	if (row->is_flow || row->repeats.count)
		printf("%-13s  %10.0f", "conn/sec", row->average);
	if (row->repeats.count)
		printf("  %u measurement%s", row->repeats.count, row->repeats.count == 1 ? "" : "s");
	if (row->repeats.count && !isnan(row->repeats.confidence.low))
		printf(", 95 %%: %.0f to %.0f", row->repeats.confidence.low, row->repeats.confidence.high);
	if (row->is_flow || row->repeats.count)
		putchar('\n');
	if (report->params->cpu_util && !row->merged)
		printf("%-13s  %10.2f\n", "CPU_Util[%]", row->cpu_percent);
	if (report->params->timestamps)
		printf("%-13s  %s\n", "time[UTC]", row->time);
	if (!row->merged)
		counters_print(stdout, &report->results.counters);
}

/* --- CSV --- */

static void csv_result(struct cmtime_report *report, struct cmtime_result *row)
{
	struct cmtime_table steps;

	columns_steps(&steps, report->params, CMTIME_CSV);
	for (row->step = row->stats->steps; row->step < row->stats->steps + STEP_COUNT; row->step++)
		results_csv(&report->results, &steps.table, row, !row->merged);
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

/* Of what this instance did in the time of the row. */
static void put_counters(const struct cmtime_report *report, json_t *row)
{
	if (report->results.counters.count)
		json_object_set_new(row, "counters", counters_json(&report->results.counters));
}

static void document_result(struct cmtime_report *report, struct cmtime_result *row)
{
	const struct table intervals = columns_intervals(report->params);
	const struct table summary = {.columns = summary_columns,
				      .num_columns = COUNT(summary_columns),
				      .has = columns_asked(report->params)};
	const struct rate *rate = &row->stats->totals.rate;
	const bool are_shown = !row->merged && row->is_flow && report->params->report_interval_s > 0;
	const char *time = row->time;
	struct cmtime_table steps;
	char stamp[STAMP_SIZE];
	json_t *whole;

	columns_steps(&steps, report->params, CMTIME_JSON);
	for (row->step = row->stats->steps; row->step < row->stats->steps + STEP_COUNT; row->step++) {
		json_t *object = measurement("result", &steps.table, row);

		if (object && columns_add_histograms(object, row->step)) {
			json_decref(object);
			object = NULL;
		}
		envelope_put_measurement(&report->results.envelope, object);
	}
	/* of several measurements it is not known when they were */
	for (uint32_t i = 0; i < rate->used && !are_shown && !series_repeats(&report->params->repeat); i++) {
		const uint64_t end = row->start + clock_ns_to_cycles((double)((i + 1) * rate->width_ns));
		const double seconds = (double)rate->width_ns / NS_PER_S;
		const bool is_last = i + 1 == rate->used;

		row->interval = (struct cmtime_interval){i * seconds, seconds, rate->counts[i],
							 is_last ? NAN : (double)rate->counts[i] / seconds};
		row->time = end < row->over ? stamp_text_of_cycles(end, stamp) : time;
		envelope_put_measurement(&report->results.envelope, measurement("interval", &intervals, row));
	}
	row->time = time;
	whole = measurement("summary", &summary, row);
	if (row->repeats.count)
		json_object_set_new(whole, "connections_of_each_per_second", precision_each(&row->repeats, 1));
	if (!row->merged)
		put_counters(report, whole);
	envelope_put_measurement(&report->results.envelope, whole);
}

static json_t *describe_peer(const struct frame_peer *peer)
{
	char address[ADDRESS_TEXT_SIZE] = "";
	json_t *described;

	if (peer->self.address.ss_family != AF_UNSPEC)
		address_text((const struct sockaddr *)&peer->self.address, address);
	described = provenance_peer(peer->self.provenance, address, peer->host, peer->self.version);
	json_object_del(json_object_get(described, "device"), "memory"); /* nothing is sent */
	return described;
}

/* A row for each of the others. */
static json_t *describe_peers(const struct cmtime_cluster *cluster)
{
	json_t *rows = json_array();

	for (uint32_t rank = 0; rank < cluster->servers + cluster->clients; rank++) {
		json_t *row;

		if (rank == cluster->rank)
			continue;
		row = json_pack("{s:I, s:s}", "rank", (json_int_t)rank, "role",
				cluster->peers[rank].listens ? "server" : "client");
		json_object_update_new(row, describe_peer(&cluster->peers[rank]));
		json_array_append_new(rows, row);
	}
	return rows;
}

static void cmtime_document_begin(struct cmtime_report *report, const struct cmtime_cluster *cluster)
{
	const bool is_pair = cluster->servers + cluster->clients == 2;
	struct envelope *envelope = &report->results.envelope;
	json_t *member;

	if (!results_begin_document(&report->results))
		return;
	envelope_begin(envelope, "cmtime", report->params->listen ? "server" : "client", "connection");
	envelope_put_run_id(envelope, &cluster->run_id);
	envelope_put_member(envelope, "parameters", parameters_json(&cmtime_options, CMTIME_PROGRAM, report->params));
	member = cluster->device ? provenance_device(cluster->device) : json_null();
	json_object_del(member, "memory");
	envelope_put_member(envelope, "device", member);
	member = json_pack("{s:I, s:I, s:I, s:o}", "rank", (json_int_t)cluster->rank, "servers",
			   (json_int_t)cluster->servers, "clients", (json_int_t)cluster->clients, "address",
			   envelope_text(cluster->local));
	if (!is_pair)
		json_object_set_new(member, "peers", describe_peers(cluster));
	envelope_put_member(envelope, "cluster", member);
	if (is_pair)
		envelope_put_member(envelope, "peer", describe_peer(&cluster->peers[!cluster->rank]));
	envelope_begin_measurements(envelope);
}

/* --- all of them --- */

int cmtime_report_open(struct cmtime_report *report, const struct cmtime_params *params)
{
	*report = (struct cmtime_report){.params = params};
	return results_open(&report->results, params->output.format, stdout,
			    params->output.json ? params->output.json_file : NULL, params->output.labels);
}

/* Its limits are those of a cluster, of which it knows no intervals while the test runs. */
static bool judges_all(const struct cmtime_report *report)
{
	return report->cluster.rank == CONTROLLER_RANK && report->cluster.servers + report->cluster.clients > 2;
}

void cmtime_report_begin(struct cmtime_report *report, const struct cmtime_cluster *cluster)
{
	report->cluster = *cluster;
	if (report->params->listen && cluster->rank != CONTROLLER_RANK &&
	    latency_limits_are_given(&report->params->latency))
		log_warning("--max_lat, --max_p99 and --max_percentiles have no effect on a server, which sees no full "
			    "connect: give them to a client, or to the controller for all");
	if (report->params->report_interval_s > 0 && series_repeats(&report->params->repeat))
		log_warning(
			"--report_interval has no effect with --repeat or --until, which another instance was given");
	else if (report->params->report_interval_s > 0 && !cmtime_is_flow(report->params))
		log_warning("--report_interval has no effect while all connections complete a step before the next one "
			    "begins: give --duration, --window or --rate as well");
	if (report->params->limit_intervals && judges_all(report))
		log_warning("--limit_intervals has no effect on the controller of more than two instances, whose limit "
			    "is for all of them: give it to others");
	if (report->params->limit_peers && cluster->rank != CONTROLLER_RANK)
		log_warning(
			"--limit_peers has no effect here: give it to the controller, which has the figures of all");
	cmtime_document_begin(report, cluster);
}

static void judge_rate(struct judge *judge, const struct cmtime_params *params, double value)
{
	struct limited rate = {.what = "the connection rate is below the limit",
			       .option = "--limit_rate",
			       .value = value,
			       .limit = params->limit_rate,
			       .unit = "per second",
			       .decimals = 1};

	judge_value(judge, &rate);
}

/* One that was cut short has no rate. */
static void judge_interval(struct cmtime_report *report, const struct cmtime_result *row)
{
	struct judge judge = {.envelope = &report->results.envelope, .intervals = &report->intervals};
	const double begin = row->interval.begin;

	if (!report->params->limit_intervals || judges_all(report) || isnan(row->interval.rate))
		return;
	snprintf(judge.where, sizeof(judge.where), " from %.2f to %.2f s", begin, begin + row->interval.seconds);
	if (report->params->timestamps)
		snprintf(judge.over, sizeof(judge.over), " (%s)", row->time);
	judge_rate(&judge, report->params, row->interval.rate);
	judge_end(&judge);
}

void cmtime_report_sum_up(struct cmtime_report *report, bool complete)
{
	struct judge judge = {.envelope = &report->results.envelope, .intervals = &report->intervals};

	judge_sum_up(&judge, complete && report->params->limit_intervals && !judges_all(report));
}

/* of: whose figures these are. full_connect NULL: there was none. */
static void judge_figures(struct cmtime_report *report, const struct cmtime_result *result, const char *of,
			  double average, const struct latency *full_connect)
{
	const struct cmtime_params *params = report->params;
	struct judge judge = {.envelope = &report->results.envelope};
	const struct limited_samples samples = {.latency = full_connect,
						.max = "longest full connect",
						.of = " of full connect",
						.advice = "raise -c or --duration"};

	snprintf(judge.where, sizeof(judge.where), " in the %s test%s", result->test, of);
	judge_rate(&judge, params, average);
	if (!result->listens)
		judge_latency(&judge, &params->latency, &samples);
}

static void judge_result(struct cmtime_report *report, const struct cmtime_result *result)
{
	char of[MEMBER_NAME_SIZE + 4];

	if (!result->clients)
		judge_figures(report, result, result->merged ? " of all instances" : "", result->average,
			      &result->stats->steps[STEP_FULL_CONNECT].measures[MEASURE_TIME]);
	for (uint32_t i = 0; result->clients && i < report->cluster.clients; i++) {
		snprintf(of, sizeof(of), " of %s", result->clients[i].name);
		judge_figures(report, result, of, result->clients[i].average, result->clients[i].full_connect);
	}
}

/* The members that this file sets; stamp has the time. */
static void complete_row(const struct cmtime_report *report, struct cmtime_result *result, char stamp[STAMP_SIZE])
{
	static const char *const tests[] = {
		[TEST_QPS] = "QPs",
		[TEST_SIMULATED_QPS] = "simulated QPs",
		[TEST_NO_QPS] = "no QPs",
		[TEST_SOCKETS] = "sockets",
	};

	result->test = tests[result->kind];
	result->time = stamp_text_of_cycles(result->over, stamp);
	result->part = result->merged ? "total" : "local";
	result->is_flow = cmtime_is_flow(report->params);
	result->listens = !result->merged && report->params->listen;
}

/* What failed once is not tried again. */
static int sample_counters(struct cmtime_report *report, bool is_interval)
{
	if (!report->counters_err)
		report->counters_err = counters_sample(&report->results.counters, is_interval);
	return report->counters_err;
}

int cmtime_report_start(struct cmtime_report *report)
{
	return sample_counters(report, false /* since the former test, in no row */);
}

int cmtime_report_interval(struct cmtime_report *report, struct cmtime_result *result)
{
	const struct table intervals = columns_intervals(report->params);
	char stamp[STAMP_SIZE];
	int room;

	if (sample_counters(report, true /* interval */))
		return report->counters_err;
	complete_row(report, result, stamp);
	errno = 0;
	if (results_are_in(&report->results, FORMAT_TEXT)) {
		room = table_room(terminal_columns(stdout), &intervals, 0 /* the only form */, 0 /* no more */);
		if (!(result->interval.begin > 0)) {
			table_heading(stdout, &intervals, 0 /* the only form */, room);
			putchar('\n');
		}
		table_row(stdout, &intervals, 0 /* the only form */, result, room);
		putchar('\n');
		counters_print(stdout, &report->results.counters);
	}
	if (envelope_is_open(&report->results.envelope)) {
		json_t *row = measurement("interval", &intervals, result);

		put_counters(report, row);
		envelope_put_measurement(&report->results.envelope, row);
		envelope_show(&report->results.envelope);
	}
	judge_interval(report, result);
	return results_flush(&report->results);
}

int cmtime_report_result(struct cmtime_report *report, struct cmtime_result *result)
{
	char stamp[STAMP_SIZE];

	if (!result->merged && sample_counters(report, false /* the whole test */))
		return report->counters_err;
	complete_row(report, result, stamp);
	result->average =
		result->repeats.count ? result->repeats.confidence.center : conn_rate_average(&result->stats->totals);
	result->peak = conn_rate_peak(&result->stats->totals);
	if (result->peak < result->average)
		result->peak = result->average;
	errno = 0;
	if (results_are_in(&report->results, FORMAT_TEXT) && result->in_text)
		report_text_result(report, result);
	else if (results_are_in(&report->results, FORMAT_CSV))
		csv_result(report, result);
	if (envelope_is_open(&report->results.envelope))
		document_result(report, result);
	if (!result->partial && (result->merged || report->cluster.rank != CONTROLLER_RANK)) {
		if (result->repeats.count)
			precision_warn(result->test, &report->params->repeat, &result->repeats, "-c or --duration");
		judge_result(report, result);
	}
	return results_flush(&report->results);
}

int cmtime_report_close(struct cmtime_report *report, const char *status, const char *reason)
{
	errno = 0;
	return results_close(&report->results, status, reason);
}
