// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Computes the figures of a row; prints banner, rows and document. See report.h. */
#include "config.h"

#include "cxi/report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "report/envelope.h"
#include "report/precision.h"
#include "report/provenance.h"
#include "stats/clock.h"
#include "util/log.h"

/* --- figures --- */

uint64_t cxi_packets(uint64_t size)
{
	return (size - 1) / CXI_MTU + 1;
}

void cxi_figures_rate(const struct cxi_account *account, double bandwidth, struct cxi_figures *figures)
{
	const double packets = (double)cxi_packets(account->size) / (double)account->size;

	figures->size = account->size;
	figures->bandwidth = bandwidth;
	figures->sends_rate = bandwidth / (double)account->size / (account->doubled ? 2 : 1);
	figures->packets = account->has_packets ? bandwidth * packets : NAN;
}

/* Of so many lists, in bytes per second. */
static double bandwidth_of(const struct cxi_account *account, uint64_t lists, double seconds)
{
	const double bytes = (double)lists * account->list * (double)account->size;

	return seconds > 0 ? bytes / seconds * (account->doubled ? 2 : 1) : 0;
}

void cxi_figures_make(const struct cxi_account *account, const struct cxi_sent *own, const struct cxi_sent *peer,
		      struct cxi_figures *figures)
{
	const double own_s = (double)own->elapsed_ns / 1e9, peer_s = (double)peer->elapsed_ns / 1e9;

	figures->sends = own->finished * account->list;
	figures->seconds = own->elapsed_ns ? own_s : peer_s;
	cxi_figures_rate(account,
			 bandwidth_of(account, own->finished, own_s) + bandwidth_of(account, peer->finished, peer_s),
			 figures);
}

void cxi_figures_seen(const struct cxi_account *account, uint64_t lists, double seconds, struct cxi_figures *figures)
{
	figures->seconds = seconds;
	cxi_figures_rate(account, bandwidth_of(account, lists, seconds), figures);
}

/* --- the banner; lines that are not in the manual page are only printed if they are needed --- */

static void line(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%-16s : %s\n", name, value);
}

static void banner_number(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "%-16s : %" PRIu64 "\n", name, value);
}

static void enabled(FILE *out, const char *name, bool is)
{
	line(out, name, is ? "Enabled" : "Disabled");
}

static void place_lines(FILE *out, const struct cxi_params *params, const struct cxi_facts *facts)
{
	if (facts->link->provider[0]) {
		line(out, "Provider", facts->link->provider);
		if (params->place.device[0])
			line(out, "Domain", params->place.device);
		return;
	}
	line(out, "Device", params->place.device);
	banner_number(out, "Service ID", params->place.svc_id);
}

static void memory_lines(FILE *out, const struct cxi_params *params, const struct cxi_facts *facts)
{
	const struct cxi_memory *client = &(params->host[0] ? facts->own : facts->peer)->memory;
	const struct cxi_memory *server = &(params->host[0] ? facts->peer : facts->own)->memory;

	line(out, "Client TX Mem", client->tx);
	if (params->bidirectional) {
		line(out, "Client RX Mem", client->rx);
		line(out, "Server TX Mem", server->tx);
	}
	line(out, "Server RX Mem", server->rx);
	if (client->gpu[0])
		line(out, "Client GPU Type", client->gpu);
	if (server->gpu[0])
		line(out, "Server GPU Type", server->gpu);
}

static void test_lines(FILE *out, const struct cxi_params *params)
{
	const struct sweep sizes = cxi_sizes(params);

	line(out, "Test Type", params->duration_s ? "Duration" : "Iteration");
	if (params->duration_s)
		fprintf(out, "%-16s : %" PRIu32 " seconds\n", "Duration", params->duration_s);
	else
		banner_number(out, "Iterations", params->iters);
	if (sizes.first == sizes.last) {
		banner_number(out, "Send Size", sizes.first);
	} else {
		banner_number(out, "Min Send Size", sizes.first);
		banner_number(out, "Max Send Size", sizes.last);
	}
	banner_number(out, "List Size", params->list);
}

static const char *huge_text(const struct cxi_params *params, const struct cxi_facts *facts)
{
	if (params->huge_pages == HUGE_OFF)
		return "Disabled";
	if (!facts->pages_are_huge)
		return "Disabled - Not Applicable";
	return params->huge_pages == HUGE_2M ? "2M" : "1G";
}

static void banner(FILE *out, const struct cxi_params *params, const struct cxi_facts *facts)
{
	const struct cxi_link *link = facts->link;
	const bool has_provider = link->provider[0], is_server = !params->host[0];

	fprintf(out, CXI_RULE "\n");
	fprintf(out, "    CXI RDMA Send Bandwidth Test\n");
	place_lines(out, params, facts);
	memory_lines(out, params, facts);
	test_lines(out, params);
	enabled(out, has_provider ? "Inject" : "IDC", facts->has_idc);
	enabled(out, "Bidirectional", params->bidirectional);
	if (!has_provider)
		enabled(out, "Rendezvous PUTs", params->rdzv);
	if (params->verify)
		line(out, "Verify", "Enabled (its time is in the figures)");
	fprintf(out, "%-16s : %" PRIu64 " (%" PRIu64 " used)\n", "Max RDMA Buf", params->buf_size,
		facts->buffer_length);
	banner_number(out, "RDMA Buf Align", params->buf_align);
	line(out, "Hugepages", huge_text(params, facts));
	if (clock_calibrate()->fallback)
		line(out, "Clock", CLOCK_FALLBACK_TEXT);
	line(out, is_server ? "Local (server)" : "Local (client)", link->own_text);
	fprintf(out, "%-16s : %s%s\n", is_server ? "Remote (client)" : "Remote (server)", link->peer_text,
		link->is_loopback ? " (loopback)" : "");
	if (has_provider)
		fprintf(out,
			"Not libcxi: the receiver posts a receive for each send, %s\n"
			"chooses how a send travels, and packets are not counted.\n",
			link->provider);
	fprintf(out, CXI_RULE "\n");
}

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

enum { HAS_REPEATS = 1, HAS_STEADY = 2, HAS_UNTIL = 4, HAS_CPU_UTIL = 8, HAS_TIME = 16, HAS_PEERS = 32 };

#define OF_PEERS(name)                                                                                                 \
	.member = MEMBER(struct cxi_peers, name), .behind = MEMBER(struct cxi_figures, peers), .all = HAS_PEERS

static const char *part_text(const void *row, const struct column *column)
{
	(void)column;
	return ((const struct cxi_figures *)row)->peer ? "peer" : "total";
}

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
	{.key = "cpu_util",
	 .quantity = QUANTITY_PERCENT,
	 .head = "CPU_Util",
	 .cells = CELL("  ", 11, 2),
	 .all = HAS_CPU_UTIL,
	 OF(cpu_percent)},
	{.key = "message_rate", .quantity = QUANTITY_RATE, OF(sends_rate)},
	{.key = "part", .quantity = QUANTITY_TEXT, .all = HAS_PEERS, .text = part_text},
	{.key = "peers_measured", .quantity = QUANTITY_COUNT, OF_PEERS(count)},
	{.key = "bandwidth_least", .quantity = QUANTITY_BANDWIDTH, OF_PEERS(least)},
	{.key = "bandwidth_most", .quantity = QUANTITY_BANDWIDTH, OF_PEERS(most)},
	{.key = "fairness", .quantity = QUANTITY_RATIO, OF_PEERS(fairness)},
	{.key = "overlap", .quantity = QUANTITY_PERCENT, OF_PEERS(overlap_percent)},
	{.key = "clock_error", .quantity = QUANTITY_SECONDS, OF_PEERS(error_s)},
	{.key = "peer", .quantity = QUANTITY_TEXT, .skip = COLUMN_SKIP_JSON, .all = HAS_PEERS, OF(peer)},
	{.key = "time", .quantity = QUANTITY_TEXT, .all = HAS_TIME, OF(time)},
};

static struct table make_table(const struct cxi_params *params)
{
	const struct series_plan *repeat = &params->repeat;

	return (struct table){
		.columns = columns,
		.num_columns = sizeof(columns) / sizeof(columns[0]),
		.has = (series_repeats(repeat) ? HAS_REPEATS : 0) | (repeat->steady ? HAS_STEADY : 0) |
		       (repeat->until_percent > 0 ? HAS_UNTIL : 0) | (params->cpu_util ? HAS_CPU_UTIL : 0) |
		       (params->timestamps ? HAS_TIME : 0) | (cxi_gathers(params) ? HAS_PEERS : 0),
		.printed = {[QUANTITY_BYTES] = {"B", "", 1},
			    [QUANTITY_PERCENT] = {"%", "", 1},
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
			 envelope_text(params->place.device[0] ? params->place.device : NULL), "address",
			 envelope_text(link->own_text), "peer_address", envelope_text(link->peer_text), "loopback",
			 link->is_loopback, "buffer_bytes", (json_int_t)facts->buffer_length);
}

/* HPE's program does not introduce itself. */
static json_t *peer_value(const struct cxi_facts *facts)
{
	if (!facts->has_peer)
		return json_null();
	return provenance_peer(facts->peer->provenance, facts->peer_address, NULL /* in its provenance */,
			       facts->peer->version);
}

static json_t *peers_value(const struct cxi_facts *facts)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < facts->num_pairs; i++)
		json_array_append_new(array, peer_value(facts->pairs[i]));
	return array;
}

static void cxi_document_begin(struct cxi_report *report, const struct cxi_facts *facts)
{
	struct envelope *envelope = &report->results.envelope;

	if (!results_begin_document(&report->results))
		return;
	envelope_begin(envelope, "cxi_send_bw", report->params->host[0] ? "client" : "server", "send_bandwidth");
	envelope_put_run_id(envelope, &facts->run_id);
	envelope_put_member(envelope, "parameters", parameters_json(&cxi_options, CXI_PROGRAM, report->params));
	envelope_put_member(envelope, "device", provenance_device(facts->adapter));
	envelope_put_member(envelope, "peer", facts->pairs ? json_null() : peer_value(facts));
	if (facts->pairs)
		envelope_put_member(envelope, "peers", peers_value(facts));
	envelope_put_member(envelope, "transport", transport_value(report->params, facts));
	envelope_begin_measurements(envelope);
}

/* --- what is possible --- */

static struct report_row share_row(const struct cxi_figures *figures)
{
	return (struct report_row){
		.size = figures->size, .bw_average = figures->bandwidth, .message_rate = figures->sends_rate};
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
	const char *on = facts->link->domain[0] ? facts->link->domain : facts->link->provider;
	const struct cxi_params *params = report->params;
	struct results *results = &report->results;
	const int ret = payload_share_check_limits(facts->path, &cxi_options, params, params->bw_unit,
						   params->msgrate_unit, on);

	if (ret)
		return ret;
	report->path = *facts->path;
	report->doubled = facts->link->is_loopback && report->params->bidirectional;
	report->table = make_table(report->params); /* the client's, adopted */
	errno = 0;
	if (results_are_in(results, FORMAT_TEXT)) {
		banner(results->out, report->params, facts);
		table_heading(results->out, &report->table, 0 /* the only form */, 0 /* unlimited width */);
		fprintf(results->out, "%s\n", report->params->timestamps ? "  time[UTC]" : "");
	} else if (results_are_in(results, FORMAT_CSV)) {
		results_csv(results, &report->table, NULL /* only the keys */, false);
	}
	report->has_table = true;
	cxi_document_begin(report, facts);
	return results_flush(results);
}

/* share: of what is possible, that a row may have. */
static void judge_row(struct cxi_report *report, const struct cxi_figures *figures, double share)
{
	const struct cxi_params *params = report->params;
	struct judge judge = {.envelope = &report->results.envelope};
	const double sides = report->doubled ? 2 : 1;
	char what[2][80 + CXI_PEER_SIZE], titles[2][LIMIT_TITLE_SIZE], of[48 + CXI_PEER_SIZE] = "";
	struct limited rows[] = {
		{.option = judge_title(&cxi_options, "limit_bw", params, titles[0]),
		 .value = figures->bandwidth / 1e6,
		 .limit = params->limit_bw,
		 .unit = "MB/s",
		 .decimals = 2,
		 .rounds_limit = params->bw_unit},
		{.option = judge_title(&cxi_options, "limit_msgrate", params, titles[1]),
		 .value = figures->sends_rate / 1e6,
		 .limit = params->limit_msgrate,
		 .unit = "Mpps",
		 .decimals = 6,
		 .rounds_limit = params->msgrate_unit},
	};

	if (params->bw_unit)
		rows[0].limit =
			payload_share_of(&report->path, figures->size, params->limit_bw, params->bw_unit) * share / 1e6;
	if (params->msgrate_unit)
		rows[1].limit =
			payload_share_of(&report->path, figures->size, params->limit_msgrate, params->msgrate_unit) *
			share / (double)figures->size / sides / 1e6;
	if (figures->is_interval &&
	    (!params->limit_intervals || !judge_takes(figures->seconds, params->report_interval_s)))
		return;
	if (figures->is_interval) {
		judge.intervals = &report->intervals;
		snprintf(judge.where, sizeof(judge.where), " at %" PRIu64 " bytes from %.2f to %.2f s", figures->size,
			 figures->begin_s, figures->begin_s + figures->seconds);
	} else {
		snprintf(of, sizeof(of), " of %" PRIu64 " bytes%s%s", figures->size, figures->peer ? " with " : "",
			 figures->peer ? figures->peer : "");
	}
	for (unsigned i = 0; i < 2; i++) {
		rows[i].what = what[i];
		snprintf(what[i], sizeof(what[i]), "the %s%s is below the limit", i ? "message rate" : "bandwidth", of);
		judge_value(&judge, &rows[i]);
	}
	judge_end(&judge);
}

static void text_row(struct cxi_report *report, const struct cxi_figures *figures)
{
	const struct confidence *ends = &figures->repeats.confidence;
	const struct cxi_peers *peers = figures->peers;
	struct results *results = &report->results;

	table_row(results->out, &report->table, 0 /* the only form */, figures, 0 /* unlimited width */);
	if (figures->is_interval)
		fprintf(results->out, "  %.2f to %.2f s", figures->begin_s, figures->begin_s + figures->seconds);
	if (report->table.has & HAS_REPEATS && figures->repeats.count)
		fprintf(results->out, "  %u measurement%s", figures->repeats.count,
			figures->repeats.count == 1 ? "" : "s");
	if (report->table.has & HAS_REPEATS && !isnan(ends->low))
		fprintf(results->out, ", 95 %%: %.2f to %.2f MB/s", ends->low / 1e6, ends->high / 1e6);
	if (figures->peer)
		fprintf(results->out, "  %s", figures->peer);
	if (peers)
		fprintf(results->out, "  all %u, fairness %.3f, overlap %.1f %%", peers->count, peers->fairness,
			peers->overlap_percent);
	if (report->params->timestamps)
		fprintf(results->out, "  %s", figures->time);
	fprintf(results->out, "%s\n", figures->partial ? " (partial)" : "");
	counters_print(results->out, &results->counters);
}

static void print_figures(struct cxi_report *report, const struct cxi_figures *figures)
{
	if (results_are_in(&report->results, FORMAT_TEXT))
		text_row(report, figures);
	else if (results_are_in(&report->results, FORMAT_CSV))
		results_csv(&report->results, &report->table, figures, !figures->peer);
}

/* Of one of several peers, as in its own document. False: it was lost. */
static bool peer_figures(const struct cxi_figures *all, unsigned i, struct cxi_figures *alone)
{
	const struct cxi_peer *peer = &all->peers->list[i];

	if (!peer->row)
		return false;
	*alone = *peer->row;
	alone->peer = peer->address;
	alone->time = all->time;
	return true;
}

static json_t *peers_json(const struct cxi_report *report, const struct cxi_figures *all)
{
	const struct cxi_peers *peers = all->peers;
	struct table table = report->table;
	json_t *array = json_array();

	table.has &= ~(unsigned)(HAS_PEERS | HAS_TIME);
	for (unsigned i = 0; i < peers->num_listed; i++) {
		struct cxi_figures alone;
		const bool is_measured = peer_figures(all, i, &alone);
		json_t *object = is_measured ? table_json(&table, &alone) : json_object();

		json_object_set_new(object, "address", envelope_text(peers->list[i].address));
		json_object_set_new(object, "missing", json_boolean(!is_measured));
		if (is_measured)
			json_object_set_new(object, "begin_seconds", envelope_number(peers->list[i].begin_s));
		json_array_append_new(array, object);
	}
	return array;
}

static void put_measurement(struct cxi_report *report, const struct cxi_figures *figures,
			    const struct report_row *share)
{
	struct results *results = &report->results;
	json_t *value;

	if (!envelope_is_open(&results->envelope))
		return;
	value = table_json(&report->table, figures);
	if (report->table.has & HAS_REPEATS && figures->repeats.each)
		json_object_set_new(value, "bandwidth_of_each_bytes_per_second", precision_each(&figures->repeats, 1));
	if (figures->peers)
		json_object_set_new(value, "peers", peers_json(report, figures));
	json_object_set_new(value, "possible", payload_share_json(&report->path, share, REPORT_TOTAL, 1));
	if (results->counters.count)
		json_object_set_new(value, "counters", counters_json(&results->counters));
	envelope_put_measurement(&results->envelope, value);
	if (figures->is_interval)
		envelope_show(&results->envelope);
}

static void judge_peers(struct cxi_report *report, const struct cxi_figures *all)
{
	struct cxi_figures alone;

	for (unsigned i = 0; i < all->peers->num_listed; i++)
		if (peer_figures(all, i, &alone) && !alone.partial)
			judge_row(report, &alone, 1.0 / all->peers->count);
}

int cxi_report_row(struct cxi_report *report, const struct cxi_figures *row)
{
	struct cxi_figures figures = *row, alone;
	struct report_row share = share_row(row);
	struct results *results = &report->results;
	char stamp[STAMP_SIZE];
	int ret;

	ret = counters_sample(&results->counters, row->is_interval);
	if (ret)
		return ret;
	figures.time = stamp_text_of_cycles(row->over_cycles, stamp);
	if (!row->is_interval)
		payload_best_take(&report->best, &report->path, report->params->possible, &share);
	errno = 0;
	for (unsigned i = 0; row->peers && i < row->peers->num_listed; i++)
		if (peer_figures(&figures, i, &alone))
			print_figures(report, &alone);
	print_figures(report, &figures);
	put_measurement(report, &figures, &share);
	if (row->peers && report->params->limit_peers)
		judge_peers(report, &figures);
	else if (!row->partial)
		judge_row(report, &figures, 1);
	return results_flush(results);
}

void cxi_report_sum_up(struct cxi_report *report, bool complete)
{
	struct judge judge = {.envelope = &report->results.envelope, .intervals = &report->intervals};

	judge_sum_up(&judge, complete && report->params->limit_intervals);
}

int cxi_report_close(struct cxi_report *report, const char *status, const char *reason)
{
	errno = 0;
	if (results_are_in(&report->results, FORMAT_TEXT) && report->has_table)
		fprintf(report->results.out, CXI_RULE "\n");
	if (report->has_table)
		payload_best_print(&report->best, &report->path, report->params->possible, &report->results);
	return results_close(&report->results, status, reason);
}
