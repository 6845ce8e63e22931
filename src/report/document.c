// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes the JSON document piece by piece. "measurements" has every row, with its unit in every key. Besides these
 * there are the two objects that scripts for classic perftest read: "test_info", and "results" with the last row, in
 * the printed units, as classic perftest writes them to its file.
 */
#include <config.h>

#include "report/document.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"
#include "report/envelope.h"
#include "report/header.h"
#include "report/payload_share.h"
#include "report/precision.h"
#include "report/provenance.h"
#include "stats/clock.h"
#include "util/log.h"

#define DUMP_FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
#define MAX_KEY	   96

/* --- before the first measurement --- */

static json_t *device_member(const struct report_info *run_info)
{
	json_t *device = provenance_device(&run_info->device), *rest;

	rest = json_pack("{s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:I, s:b, s:o, s:o, s:{s:o, s:o, s:o, s:I}}",
			 "transport_type", envelope_text(run_info->transport_type), "link_type",
			 envelope_text(run_info->link_type), "mtu_bytes", (json_int_t)run_info->mtu, "gid_index",
			 run_info->gid_index < 0 ? json_null() : json_integer(run_info->gid_index), "gid",
			 envelope_text(run_info->gid), "gid_type", envelope_text(run_info->gid_type), "inline_bytes",
			 (json_int_t)run_info->inline_size, "outstanding_reads", (json_int_t)run_info->outs, "wr_api",
			 run_info->wr_api, "pcie_relaxed_ordering", envelope_text(run_info->pcie_relaxed),
			 "data_exchange", envelope_text(run_info->data_exchange), "memory", "kind",
			 envelope_text(run_info->device.memory), "registered_by", envelope_text(run_info->memory_way),
			 "gpu", envelope_known(run_info->gpu), "bytes", (json_int_t)run_info->memory_bytes);
	json_object_update(device, rest);
	json_decref(rest);
	if (run_info->second)
		json_object_set_new(device, "second", envelope_text(run_info->second));
	return device;
}

static int add_info(const char *label, const char *key, const struct header_value *value, const char *suffix, void *arg)
{
	(void)label;
	(void)suffix;
	if (!key)
		return 0;
	return json_object_set_new(arg, key, value->text ? envelope_text(value->text) : json_integer(value->number));
}

static json_t *test_info_member(const struct report_config *config, const struct report_info *run_info)
{
	char title[HEADER_TITLE_SIZE];
	json_t *info = json_object();

	json_object_set_new(info, "test", envelope_text(header_title(config, '_', title)));
	if (header_walk(config, run_info, add_info, info)) {
		json_decref(info);
		return NULL;
	}
	return info;
}

static json_t *peer_member(const struct report_info *run_info)
{
	return provenance_peer(run_info->peer_provenance, run_info->peer, run_info->peer_host, run_info->peer_version);
}

static json_t *peers_member(const struct report_info *run_info)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < run_info->num_pairs; i++)
		json_array_append_new(array, peer_member(run_info->pairs[i]));
	return array;
}

void document_begin(struct document *document, const struct report_info *run_info)
{
	static const char *const metrics[] = {
		[METRIC_BW] = "bandwidth",
		[METRIC_LAT] = "latency",
		[METRIC_STEERING] = "steering",
	};
	const struct report_config *config = document->config;
	struct envelope *envelope = &document->results->envelope;

	if (!results_begin_document(document->results))
		return;
	envelope_begin(envelope, config->program, config->is_client ? "client" : "server",
		       metrics[config->spec->metric]);
	envelope_put_run_id(envelope, run_info ? &run_info->run_id : NULL);
	envelope_put_member(envelope, "parameters", parameters_json(config->options, config->programs, config->values));
	envelope_put_member(envelope, "device", run_info ? device_member(run_info) : json_null());
	envelope_put_member(envelope, "peer", run_info ? peer_member(run_info) : json_null());
	if (run_info && run_info->pairs)
		envelope_put_member(envelope, "peers", peers_member(run_info));
	envelope_put_lines(envelope, "test_info", run_info ? test_info_member(config, run_info) : json_null());
	envelope_begin_measurements(envelope);
}

/* --- a measurement --- */

/* The peer's own row, as in its own document, and its identity. count: of the peers that have a row. */
static json_t *peer_object(const struct report_config *config, const struct report_peer *peer, unsigned count)
{
	struct report_config alone = *config;
	const struct report_row *row = peer->row;
	struct table table;
	json_t *object;

	alone.peers = false;
	table = columns_table(&alone);
	object = row ? table_json(&table, row) : json_object();
	json_object_set_new(object, "address", envelope_text(peer->address));
	json_object_set_new(object, "host", envelope_known(peer->host));
	json_object_set_new(object, "process",
			    peer->process == REPORT_NOT_KNOWN ? json_null() : json_integer((json_int_t)peer->process));
	json_object_set_new(object, "missing", json_boolean(!row));
	if (!row)
		return object;
	json_object_set_new(object, "partial", json_boolean(row->partial));
	json_object_set_new(object, "begin_seconds", envelope_number(peer->begin_s));
	if (config->path && config->spec->metric == METRIC_BW)
		json_object_set_new(object, "possible", payload_share_json(config->path, row, REPORT_TOTAL, count));
	if (row->latency)
		json_object_set_new(object, "latency_histogram", table_histogram_json(row->latency));
	return object;
}

static json_t *peers_array(const struct report_config *config, const struct report_peers *peers)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < peers->num_listed; i++)
		json_array_append_new(array, peer_object(config, &peers->list[i], peers->count));
	return array;
}

static json_t *queues_array(const struct report_config *config, const struct report_row *row)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < report_endpoints(config); i++)
		json_array_append_new(array, json_integer((json_int_t)row->by_queue[i]));
	return array;
}

/* --repeat, --until: what the confidence interval comes from, in each unit that has a key. */
static int add_each(json_t *object, const struct table *table, const struct report_row *row)
{
	const bool latency = row->latency;
	const enum quantity quantity = latency ? QUANTITY_TIME : QUANTITY_BANDWIDTH;
	struct unit unit;
	int err = 0;

	for (unsigned n = 0; row->repeats.each && table_data_unit(table, quantity, n, &unit); n++) {
		char key[MAX_KEY];

		snprintf(key, sizeof(key), "%s_of_each%s", latency ? "latency_typical" : "bandwidth_average",
			 unit.suffix);
		err |= json_object_set_new(object, key, precision_each(&row->repeats, unit.scale));
	}
	return err;
}

static json_t *measurement_object(const struct report_config *config, const struct report_row *row,
				  enum report_part part, const struct counters *counters)
{
	const struct table table = columns_table(config);
	json_t *object = table_json(&table, row);
	char stamp[STAMP_SIZE];
	int err;

	err = json_object_set_new(object, "kind", json_string(row_kind_name(row))) |
	      json_object_set_new(object, "part", json_string(row_part_name(part))) |
	      json_object_set_new(object, "partial", json_boolean(row->partial));
	if (row->is_interval)
		err |= json_object_set_new(object, "interval_begin_seconds", json_real(row->interval_begin_s));
	else if (row->latency)
		err |= json_object_set_new(object, row->since_post ? "due_histogram" : "latency_histogram",
					   table_histogram_json(row->latency));
	if (row->since_post && !row->is_interval)
		err |= json_object_set_new(object, "post_histogram", table_histogram_json(row->since_post));
	if (row->peers)
		err |= json_object_set_new(object, "peers", peers_array(config, row->peers));
	if (row->by_queue && !row->is_interval)
		err |= json_object_set_new(object, "rss_queues", queues_array(config, row));
	err |= add_each(object, &table, row);
	if (config->path && config->spec->metric == METRIC_BW)
		err |= json_object_set_new(object, "possible", payload_share_json(config->path, row, part, 1));
	if (config->timestamps)
		err |= json_object_set_new(object, "time", json_string(stamp_text(&row->over, stamp)));
	if (counters && part == REPORT_TOTAL)
		err |= json_object_set_new(object, "counters", counters_json(counters));
	if (err) {
		json_decref(object);
		return NULL;
	}
	return object;
}

/* "results": the classic keys in the units of the text; --output selects one of them. */
static json_t *classic_object(const struct report_config *config, const struct report_row *row)
{
	const char *key;
	const struct column *only = columns_only(config, &key);
	const struct table table = columns_table(config);
	json_t *object = table_printed_json(&table, row);
	struct value value;

	if (object && only) {
		value = column_value(only, row);
		json_object_set_new(object, key,
				    column_json(only, &value, table_printed_unit(&table, only->quantity).scale));
	}
	return object;
}

/* Directly to the streams: there may be as many as -n says. */
static void put_samples(struct envelope *envelope, const struct report_config *config, const struct latency *latency,
			const char *name)
{
	const struct unit unit = columns_unit(config, QUANTITY_TIME);
	const bool in_time_order = config->unsorted;
	uint64_t *sorted = in_time_order ? NULL : latency_sorted(latency);
	const uint64_t *samples = in_time_order ? latency->samples : sorted;
	char text[MAX_KEY];
	size_t i;

	if (!samples) {
		envelope_fail(envelope, -ENOMEM);
		return;
	}
	snprintf(text, sizeof(text), ", \"%s%s\": [", name, unit.suffix);
	envelope_put_text(envelope, text);
	for (i = 0; i < latency->num_samples; i++) {
		snprintf(text, sizeof(text), "%s%.15g", i ? ", " : "",
			 (double)samples[i] * (latency->tick_seconds * unit.scale));
		envelope_put_text(envelope, text);
	}
	envelope_put_text(envelope, "]");
	free(sorted);
}

static json_t *validation_member(const struct report_validation *validation)
{
	json_t *first = json_null();

	if (!validation)
		return first;
	if (validation->wrong)
		first = json_pack("{s:I, s:I, s:I}", "qp", (json_int_t)validation->qp, "message",
				  (json_int_t)validation->message, "offset_bytes", (json_int_t)validation->offset);
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "verdict",
			 validation->wrong     ? "failed"
			 : validation->checked ? "passed"
					       : "nothing checked",
			 "messages", (json_int_t)validation->messages, "checked", (json_int_t)validation->checked,
			 "checked_bytes", (json_int_t)validation->bytes, "lost", (json_int_t)validation->lost, "wrong",
			 (json_int_t)validation->wrong, "first_wrong", first);
}

static void put_rest(struct envelope *envelope, const void *context)
{
	const struct document *document = context;

	envelope_put_lines(envelope, "results", document->classic ? json_incref(document->classic) : json_null());
	envelope_put_member(envelope, "validation", validation_member(document->validation));
}

void document_add(struct document *document, const struct report_row *row, enum report_part part,
		  const struct counters *counters)
{
	const struct report_config *config = document->config;
	struct envelope *envelope = &document->results->envelope;
	json_t *object = measurement_object(config, row, part, counters);
	char *text = object ? json_dumps(object, DUMP_FLAGS) : NULL;

	json_decref(object);
	if (!text) {
		envelope_fail(envelope, -ENOMEM);
		return;
	}
	document_begin(document, NULL);
	envelope_next_measurement(envelope);
	text[strlen(text) - 1] = '\0'; /* its closing brace, which follows the samples */
	envelope_put_text(envelope, text);
	if ((config->histogram || config->unsorted) && row->latency && row->latency->samples && !row->is_interval) {
		put_samples(envelope, config, row->latency, row->since_post ? "due_samples" : "samples");
		if (row->since_post)
			put_samples(envelope, config, row->since_post, "post_samples");
	}
	envelope_put_text(envelope, "}");
	envelope_finish_measurement(envelope);
	free(text);
	if (part == REPORT_TOTAL) {
		json_decref(document->classic);
		document->classic = classic_object(config, row);
	}
	/* A run with intervals may last for days, be followed while it lasts, and be killed. */
	if (row->is_interval)
		envelope_show(envelope);
}

/* --- open and close --- */

int document_open(struct document *document, const struct report_config *config, struct results *results)
{
	struct envelope *envelope = &results->envelope;

	*document = (struct document){.config = config, .results = results};
	envelope->put_rest = put_rest;
	envelope->context = document;
	envelope->missed_limits = json_array(); /* a member even if none is */
	return envelope->missed_limits ? 0 : log_fail(-ENOMEM, "no memory for the JSON document");
}

void document_close(struct document *document)
{
	json_decref(document->classic);
}
