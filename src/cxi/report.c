// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints banner, rows and document. See report.h. */
#include "config.h"

#include "cxi/report.h"

#include <errno.h>
#include <jansson.h>

#include "report/parameter.h"

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
};

static const struct table table = {
	.columns = columns,
	.num_columns = sizeof(columns) / sizeof(columns[0]),
	.printed =
		{
			[QUANTITY_BYTES] = {"B", "", 1},
			[QUANTITY_BANDWIDTH] = {"MB/s", "", 1e-6},
			[QUANTITY_RATE] = {"Mpkt/s", "", 1e-6},
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
	struct envelope *envelope = &report->results.envelope;

	if (!results_begin_document(&report->results))
		return;
	envelope_begin(envelope, "cxi_send_bw", report->params->host[0] ? "client" : "server", "send_bandwidth");
	envelope_put_run_id(envelope, facts ? &facts->run_id : NULL);
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

void cxi_report_begin(struct cxi_report *report, const struct cxi_facts *facts)
{
	struct results *results = &report->results;

	errno = 0;
	if (results_are_in(results, FORMAT_TEXT)) {
		cxi_banner(results->out, report->params, facts);
		table_heading(results->out, &table, 0 /* the only form */, 0 /* unlimited width */);
		fprintf(results->out, "\n");
	} else if (results_are_in(results, FORMAT_CSV)) {
		results_csv(results, &table, NULL /* only the keys */);
	}
	report->has_table = true;
	cxi_document_begin(report, facts);
	results_flush(results);
}

void cxi_report_row(struct cxi_report *report, const struct cxi_figures *figures)
{
	struct results *results = &report->results;

	errno = 0;
	if (results_are_in(results, FORMAT_TEXT)) {
		table_row(results->out, &table, 0 /* the only form */, figures, 0 /* unlimited width */);
		if (figures->is_interval)
			fprintf(results->out, "  %.2f to %.2f s", figures->begin_s,
				figures->begin_s + figures->seconds);
		fprintf(results->out, "%s\n", figures->partial ? " (partial)" : "");
	} else if (results_are_in(results, FORMAT_CSV)) {
		results_csv(results, &table, figures);
	}
	if (envelope_is_open(&results->envelope))
		envelope_put_measurement(&results->envelope, table_json(&table, figures));
	results_flush(results);
}

int cxi_report_close(struct cxi_report *report, const char *status, const char *reason)
{
	errno = 0;
	if (results_are_in(&report->results, FORMAT_TEXT) && report->has_table)
		fprintf(report->results.out, CXI_RULE "\n");
	cxi_document_begin(report, NULL);
	return results_close(&report->results, status, reason);
}
