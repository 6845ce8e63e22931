// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints banner, rows and document. See report.h. */
#include "config.h"

#include "cxi/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "params/engine/limits.h"
#include "report/envelope.h"
#include "report/precision.h"
#include "util/log.h"

/* --- columns --- */

static const char *kind_text(const void *row, const struct column *column)
{
	(void)column;
	return ((const struct cxi_figures *)row)->is_interval ? "interval" : "result";
}

#define CELL(before, columns, decimals)                                                                                \
	{                                                                                                              \
		{                                                                                                      \
			.gap = (before), .width = (columns), .precision = (decimals), .right = true                    \
		}                                                                                                      \
	}

#define OF(name)    .member = MEMBER(struct cxi_figures, name)
#define OF_VERIFIED .when = MEMBER(struct cxi_figures, has_verify)

enum { HAS_REPEATS = 1, HAS_STEADY = 2, HAS_UNTIL = 4 };

static const struct column columns[] = {
	{.key = "kind", .quantity = QUANTITY_TEXT, .text = kind_text},
	{.key = "partial", .quantity = QUANTITY_FLAG, OF(partial)},
	{.key = "interval_begin",
	 .quantity = QUANTITY_SECONDS,
	 OF(begin_s),
	 .when = MEMBER(struct cxi_figures, is_interval)},
	{.key = "msg_size", .quantity = QUANTITY_BYTES, .head = "Send Size", .cells = CELL("", 12, 0), OF(size)},
	{.key = "sends",
	 .quantity = QUANTITY_COUNT,
	 .head = "Sends",
	 .unknown = "-",
	 .cells = CELL("  ", 10, 0),
	 OF(sends),
	 .when = MEMBER(struct cxi_figures, has_sends)},
	{.key = "elapsed", .quantity = QUANTITY_SECONDS, OF(seconds), .zero_unknown = true},
	{.key = "bandwidth", .quantity = QUANTITY_BANDWIDTH, .head = "BW", .cells = CELL("  ", 8, 2), OF(bandwidth)},
	{.key = "packet_rate",
	 .quantity = QUANTITY_RATE,
	 .head = "PktRate",
	 .unknown = "-",
	 .cells = CELL("  ", 15, 6),
	 OF(packets)},
	{.key = "verified_sends", .quantity = QUANTITY_COUNT, OF(checked), OF_VERIFIED},
	{.key = "wrong_sends", .quantity = QUANTITY_COUNT, OF(wrong), OF_VERIFIED},
	{.key = "repeats", .quantity = QUANTITY_COUNT, OF(repeats.count), .all = HAS_REPEATS},
	{.key = "repeats_left_out", .quantity = QUANTITY_COUNT, OF(repeats.left_out), .all = HAS_STEADY},
	{.key = "bandwidth_ci95_low", .quantity = QUANTITY_BANDWIDTH, OF(repeats.confidence.low), .all = HAS_REPEATS},
	{.key = "bandwidth_ci95_high", .quantity = QUANTITY_BANDWIDTH, OF(repeats.confidence.high), .all = HAS_REPEATS},
	{.key = "until_reached", .quantity = QUANTITY_FLAG, OF(repeats.reached), .all = HAS_UNTIL},
};

static struct table make_table(const struct series_plan *repeat)
{
	return (struct table){
		.columns = columns,
		.num_columns = sizeof(columns) / sizeof(columns[0]),
		.has = (series_repeats(repeat) ? HAS_REPEATS : 0) | (repeat->steady ? HAS_STEADY : 0) |
		       (repeat->until_percent > 0 ? HAS_UNTIL : 0),
		.printed = {[QUANTITY_BYTES] = {"B", "", 1},
			    [QUANTITY_BANDWIDTH] = {"MB/s", "", 1e-6},
			    [QUANTITY_RATE] = {"Mpkt/s", "", 1e-6}},
	};
}

/* --- the document --- */

static json_t *transport_value(const struct cxi_params *params, const struct cxi_facts *facts)
{
	const struct cxi_link *link = facts->link;

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:I}", "library",
			 link->provider[0] ? "libfabric" : "libcxi", "library_version", envelope_text(link->library),
			 "provider", envelope_text(link->provider[0] ? link->provider : NULL), "device",
			 envelope_text(params->device[0] ? params->device : NULL), "address",
			 envelope_text(link->own_text), "peer_address", envelope_text(link->peer_text), "loopback",
			 link->is_loopback, "buffer_bytes", (json_int_t)facts->buffer_length);
}

static void cxi_document_begin(struct cxi_report *report, const struct cxi_facts *facts)
{
	struct envelope *envelope = &report->results.envelope;

	if (!results_begin_document(&report->results))
		return;
	envelope_begin(envelope, "cxi_send_bw", report->params->host[0] ? "client" : "server", "send_bandwidth");
	envelope_put_run_id(envelope, &facts->run_id);
	envelope_put_member(envelope, "parameters", parameters_json(&cxi_options, CXI_PROGRAM, report->params));
	envelope_put_member(envelope, "transport", transport_value(report->params, facts));
	envelope_begin_measurements(envelope);
}

/* --- all of them --- */

int cxi_report_open(struct cxi_report *report, const struct cxi_params *params, FILE *out)
{
	*report = (struct cxi_report){.params = params};
	return results_open(&report->results, params->output.format, out,
			    params->output.json ? params->output.json_file : NULL, params->output.labels);
}

int cxi_report_begin(struct cxi_report *report, const struct cxi_facts *facts)
{
	struct results *results = &report->results;

	report->table = make_table(&report->params->repeat); /* the client's, adopted */
	errno = 0;
	if (results_are_in(results, FORMAT_TEXT)) {
		cxi_banner(results->out, report->params, facts);
		table_heading(results->out, &report->table, 0 /* the only form */, 0 /* unlimited width */);
		fprintf(results->out, "\n");
	} else if (results_are_in(results, FORMAT_CSV)) {
		results_csv(results, &report->table, NULL /* only the keys */);
	}
	report->has_table = true;
	cxi_document_begin(report, facts);
	return results_flush(results);
}

int cxi_report_row(struct cxi_report *report, const struct cxi_figures *figures)
{
	const struct confidence *ends = &figures->repeats.confidence;
	struct results *results = &report->results;
	json_t *value;

	errno = 0;
	if (results_are_in(results, FORMAT_TEXT)) {
		table_row(results->out, &report->table, 0 /* the only form */, figures, 0 /* unlimited width */);
		if (figures->is_interval)
			fprintf(results->out, "  %.2f to %.2f s", figures->begin_s,
				figures->begin_s + figures->seconds);
		if (report->table.has && figures->repeats.count)
			fprintf(results->out, "  %u measurement%s", figures->repeats.count,
				figures->repeats.count == 1 ? "" : "s");
		if (report->table.has && !isnan(ends->low))
			fprintf(results->out, ", 95 %%: %.2f to %.2f MB/s", ends->low / 1e6, ends->high / 1e6);
		fprintf(results->out, "%s\n", figures->partial ? " (partial)" : "");
	} else if (results_are_in(results, FORMAT_CSV)) {
		results_csv(results, &report->table, figures);
	}
	if (envelope_is_open(&results->envelope)) {
		value = table_json(&report->table, figures);
		if (report->table.has && figures->repeats.each)
			json_object_set_new(value, "bandwidth_of_each_bytes_per_second",
					    precision_each(&figures->repeats, 1));
		envelope_put_measurement(&results->envelope, value);
	}
	return results_flush(results);
}

bool cxi_report_judge(struct cxi_report *report, const struct cxi_figures *figures)
{
	const double least = report->params->limit_bw, bandwidth = figures->bandwidth / 1e6;
	char text[LOG_TEXT_SIZE];

	if (bandwidth >= least)
		return false;
	snprintf(text, sizeof(text),
		 "the bandwidth of %" PRIu64
		 " bytes is below the limit: %.2f MB/s\nthe limit (--limit_bw) is %.10g MB/s, "
		 "missed by %s",
		 figures->size, bandwidth, least, limit_missed_by(bandwidth, least).text);
	results_miss(&report->results, text, true);
	return true;
}

int cxi_report_close(struct cxi_report *report, const char *status, const char *reason)
{
	errno = 0;
	if (results_are_in(&report->results, FORMAT_TEXT) && report->has_table)
		fprintf(report->results.out, CXI_RULE "\n");
	return results_close(&report->results, status, reason);
}
