// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints banner, rows and document. See report.h. */
#include "config.h"

#include "cxi/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/envelope.h"
#include "report/parameter.h"
#include "report/table.h"
#include "util/log.h"
#include "util/stdio.h"

struct cxi_report {
	const struct cxi_params *params;
	FILE *out;
	struct envelope envelope;
	bool document_begun;
	bool has_table; /* the heading was printed */
	int out_err;
};

/* --- columns --- */

static const struct cxi_figures *of(const void *row)
{
	return row;
}

static const char *kind_text(const void *row, const struct column *column)
{
	(void)column;
	return of(row)->is_interval ? "interval" : "result";
}

/* Only used by one thread; the text is valid until the next call. */
static const char *sends_text(const void *row, const struct column *column)
{
	static char text[32];

	(void)column;
	if (!of(row)->has_sends)
		return "-";
	snprintf(text, sizeof(text), "%" PRIu64, of(row)->sends);
	return text;
}

static const char *packets_text(const void *row, const struct column *column)
{
	static char text[64];

	(void)column;
	if (isnan(of(row)->packets))
		return "-";
	snprintf(text, sizeof(text), "%.6f", of(row)->packets / 1e6);
	return text;
}

static double verify_value(const void *row, const struct column *column)
{
	const struct cxi_figures *figures = of(row);

	if (!figures->has_verify || figures->is_interval)
		return NAN;
	return (double)(column->index ? figures->wrong : figures->checked);
}

#define CELL(before, columns, decimals)                                                                                \
	{                                                                                                              \
		{                                                                                                      \
			.gap = (before), .width = (columns), .precision = (decimals), .right = true                    \
		}                                                                                                      \
	}

#define OF(name) .member = MEMBER(struct cxi_figures, name)

static const struct column columns[] = {
	{.key = "kind", .quantity = QUANTITY_TEXT, .text = kind_text},
	{.key = "partial", .quantity = QUANTITY_FLAG, OF(partial)},
	{.key = "interval_begin",
	 .quantity = QUANTITY_SECONDS,
	 OF(begin_s),
	 .when = MEMBER(struct cxi_figures, is_interval)},
	{.key = "msg_size", .quantity = QUANTITY_BYTES, .head = "Send Size", .cells = CELL("", 12, 0), OF(size)},
	/* Text, since there is no number if this side sends nothing. */
	{.quantity = QUANTITY_TEXT, .head = "Sends", .cells = CELL("  ", 10, 0), .text = sends_text},
	{.key = "sends", .quantity = QUANTITY_COUNT, OF(sends), .when = MEMBER(struct cxi_figures, has_sends)},
	{.key = "elapsed", .quantity = QUANTITY_SECONDS, OF(seconds), .zero_unknown = true},
	{.key = "bandwidth", .quantity = QUANTITY_BANDWIDTH, .head = "BW", .cells = CELL("  ", 8, 2), OF(bandwidth)},
	{.quantity = QUANTITY_TEXT,
	 .head = "PktRate",
	 .label = "[Mpkt/s]",
	 .cells = CELL("  ", 15, 6),
	 .text = packets_text},
	{.key = "packet_rate", .quantity = QUANTITY_RATE, OF(packets)},
	{.key = "verified_sends", .quantity = QUANTITY_COUNT, .value = verify_value, .index = 0},
	{.key = "wrong_sends", .quantity = QUANTITY_COUNT, .value = verify_value, .index = 1},
};

static const struct table table = {
	.columns = columns,
	.num_columns = sizeof(columns) / sizeof(columns[0]),
	.printed =
		{
			[QUANTITY_BYTES] = {"B", "", 1},
			[QUANTITY_BANDWIDTH] = {"MB/s", "", 1e-6},
		},
};

/* --- the document --- */

static json_t *transport_value(const struct cxi_params *params, const struct cxi_facts *facts)
{
	const struct cxi_link *link;

	if (!facts)
		return json_null();
	link = facts->link;
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:I}", "library",
			 link->provider[0] ? "libfabric" : "libcxi", "library_version", envelope_text(link->library),
			 "provider", envelope_text(link->provider[0] ? link->provider : NULL), "device",
			 envelope_text(params->device[0] ? params->device : NULL), "address",
			 envelope_text(link->own_text), "peer_address", envelope_text(link->peer_text), "loopback",
			 link->is_loopback, "buffer_bytes", (json_int_t)facts->buffer_length);
}

static void cxi_document_begin(struct cxi_report *report, const struct cxi_facts *facts)
{
	struct envelope *envelope = &report->envelope;

	if (!envelope_is_open(&report->envelope) || report->document_begun)
		return;
	report->document_begun = true;
	envelope_begin(envelope, "cxi_send_bw", report->params->host[0] ? "client" : "server", "send_bandwidth");
	envelope_put_run_id(envelope, facts ? &facts->run_id : NULL);
	envelope_put_member(envelope, "parameters", parameters_json(&cxi_options, CXI_PROGRAM, report->params));
	envelope_put_member(envelope, "transport", transport_value(report->params, facts));
	envelope_begin_measurements(envelope);
}

/* --- all of them --- */

int cxi_report_open(struct cxi_report **report, const struct cxi_params *params, FILE *out)
{
	struct cxi_report *opened = calloc(1, sizeof(*opened));
	int ret;

	if (!opened) {
		log_error("no memory for the report");
		return -ENOMEM;
	}
	opened->params = params;
	opened->out = out;
	ret = envelope_open(&opened->envelope, params->output.format, out,
			    params->output.json ? params->output.json_file : NULL, params->output.labels);
	if (ret) {
		free(opened);
		return ret;
	}
	*report = opened;
	return 0;
}

void cxi_report_begin(struct cxi_report *report, const struct cxi_facts *facts)
{
	errno = 0;
	if (report->params->output.format == FORMAT_TEXT) {
		cxi_banner(report->out, report->params, facts);
		table_heading(report->out, &table, 0 /* the only form */, 0 /* unlimited width */);
		fprintf(report->out, "\n");
	} else if (report->params->output.format == FORMAT_CSV) {
		table_csv_heading(report->out, &table);
		fprintf(report->out, "\n");
	}
	report->has_table = true;
	cxi_document_begin(report, facts);
	if (!report->out_err)
		report->out_err = stdio_flush_results(report->out);
}

void cxi_report_row(struct cxi_report *report, const struct cxi_figures *figures)
{
	errno = 0;
	if (report->params->output.format == FORMAT_TEXT && !report->out_err) {
		table_row(report->out, &table, 0 /* the only form */, figures, 0 /* unlimited width */);
		if (figures->is_interval)
			fprintf(report->out, "  %.2f to %.2f s", figures->begin_s, figures->begin_s + figures->seconds);
		fprintf(report->out, "%s\n", figures->partial ? " (partial)" : "");
	} else if (report->params->output.format == FORMAT_CSV && !report->out_err) {
		table_csv_row(report->out, &table, figures);
		fprintf(report->out, "\n");
	}
	if (envelope_is_open(&report->envelope))
		envelope_put_measurement(&report->envelope, table_json(&table, figures));
	if (!report->out_err)
		report->out_err = stdio_flush_results(report->out);
}

int cxi_report_close(struct cxi_report *report, const char *status, const char *reason)
{
	int ret = 0;

	errno = 0;
	if (report->params->output.format == FORMAT_TEXT && report->has_table && !report->out_err)
		fprintf(report->out, CXI_RULE "\n");
	if (envelope_is_open(&report->envelope)) {
		cxi_document_begin(report, NULL);
		envelope_end_measurements(&report->envelope);
		ret = envelope_end(&report->envelope, status, reason);
	}
	if (!report->out_err)
		report->out_err = stdio_flush_results(report->out);
	return report->out_err ? report->out_err : ret;
}

void cxi_report_free(struct cxi_report *report)
{
	if (!report)
		return;
	envelope_close(&report->envelope);
	free(report);
}
