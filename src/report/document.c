// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writing the JSON document piece by piece. "measurements" has every row with its unit in every key.
 * Beside it stand the two objects that scripts for classic perftest read: "test_info", and "results" with
 * the last row, in the printed units, as classic perftest leaves it in its file.
 */
#include "config.h"

#include "report/document.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "report/columns.h"
#include "report/header.h"
#include "report/host.h"
#include "report/output_file.h"
#include "report/row_kind.h"
#include "report/samples.h"
#include "stats/clock.h"
#include "util/log.h"

#define DUMP_FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
#define MAX_KEY	   96
#define MAX_STAMP  64
#define MAX_EXACT  9007199254740992.0 /* 2^53: up to here a double holds every integer */

struct document {
	const struct params *params;
	FILE *out;		 /* NULL: none */
	struct output_file file; /* stream NULL: none, or given up */
	char *path;		 /* as the user wrote it, for messages */
	struct timespec started; /* CLOCK_REALTIME */
	int err;		 /* of the file, or memory */
	bool begun;
	unsigned members;
	uint64_t measurements;
	json_t *classic; /* "results": the last row so far */
};

/* --- values --- */

/* Names from outside may be no UTF-8, which JSON has to be. */
static json_t *text_value(const char *text)
{
	json_t *value;
	char *ascii;
	size_t i;

	if (!text)
		return json_null();
	value = json_string(text);
	if (value)
		return value;
	ascii = strdup(text);
	for (i = 0; ascii && ascii[i]; i++) {
		if ((unsigned char)ascii[i] >= 0x80)
			ascii[i] = '?';
	}
	value = ascii ? json_string(ascii) : NULL;
	free(ascii);
	return value;
}

static bool is_integer(enum quantity quantity)
{
	return quantity == QUANTITY_BYTES || quantity == QUANTITY_COUNT;
}

static json_t *number_value(const struct column *column, const struct value *value, double scale)
{
	if (!value->known)
		return json_null();
	if (is_integer(column->quantity) && value->number <= MAX_EXACT)
		return json_integer((json_int_t)value->number);
	return json_real(value->number * scale);
}

/* "2025-11-20T11:06:00.123Z" (RFC 3339) */
static json_t *time_value(const struct timespec *when)
{
	char stamp[MAX_STAMP], text[MAX_STAMP];
	struct tm utc;

	gmtime_r(&when->tv_sec, &utc);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, sizeof(text), "%.32s.%03ldZ", stamp, when->tv_nsec / 1000000);
	return json_string(text);
}

/* --- pieces of the document --- */

/* The file is given up as soon as it takes nothing more; the run goes on, its text is worth having. */
static void fail(struct document *document, int err)
{
	if (document->err)
		return;
	document->err = err;
	if (document->file.stream) {
		log_error("cannot write the JSON file %s: %s; the run goes on without it", document->path,
			  strerror(-err));
		output_file_discard(&document->file);
	} else {
		log_error("cannot make the JSON document: %s", strerror(-err));
	}
}

static void put_text(struct document *document, const char *text)
{
	if (document->out)
		fputs(text, document->out);
	errno = 0;
	if (document->file.stream && fputs(text, document->file.stream) < 0)
		fail(document, errno ? -errno : -EIO);
}

/* Takes value over; NULL: no memory for it. */
static void put_value(struct document *document, json_t *value)
{
	char *text = value ? json_dumps(value, DUMP_FLAGS) : NULL;

	if (text)
		put_text(document, text);
	else
		fail(document, -ENOMEM);
	free(text);
	json_decref(value);
}

static void put_key(struct document *document, const char *key)
{
	put_text(document, document->members++ ? ",\n  \"" : "{\n  \"");
	put_text(document, key);
	put_text(document, "\": ");
}

static void put_member(struct document *document, const char *key, json_t *value)
{
	put_key(document, key);
	put_value(document, value);
}

/* --- before the first measurement --- */

static json_t *host_member(void)
{
	char name[256] = "", model[256];
	struct utsname kernel = {0};

	gethostname(name, sizeof(name) - 1);
	uname(&kernel);
	host_cpu_model(model, sizeof(model), "/proc/cpuinfo");
	return json_pack("{s:o, s:o, s:o, s:o, s:I}", "name", text_value(name), "kernel", text_value(kernel.release),
			 "architecture", text_value(kernel.machine), "cpu_model", text_value(model), "online_cpus",
			 (json_int_t)sysconf(_SC_NPROCESSORS_ONLN));
}

static json_t *command_member(void)
{
	char **command = host_command_line();
	json_t *words = json_array();
	size_t i;

	for (i = 0; command && command[i]; i++)
		json_array_append_new(words, text_value(command[i]));
	free(command);
	return words;
}

static int add_parameter(const char *long_name, const char *value, void *arg)
{
	return json_object_set_new(arg, long_name, text_value(value));
}

static json_t *parameters_member(const struct params *params)
{
	json_t *parameters = json_object();

	if (params_visit(params, add_parameter, parameters)) {
		json_decref(parameters);
		return NULL;
	}
	return parameters;
}

static json_t *device_member(const struct report_facts *facts)
{
	return json_pack("{s:o, s:b, s:o, s:o, s:I, s:o, s:I, s:I, s:b, s:o, s:o, s:o}", "name",
			 text_value(facts->device), "software", facts->is_software, "transport_type",
			 text_value(facts->transport_type), "link_type", text_value(facts->link_type), "mtu_bytes",
			 (json_int_t)facts->mtu, "gid_index",
			 facts->gid_index < 0 ? json_null() : json_integer(facts->gid_index), "inline_bytes",
			 (json_int_t)facts->inline_size, "outstanding_reads", (json_int_t)facts->outs, "wr_api",
			 facts->wr_api, "pcie_relaxed_ordering", text_value(facts->pcie_relaxed), "data_exchange",
			 text_value(facts->data_exchange), "numa_node",
			 facts->numa_node < 0 ? json_null() : json_integer(facts->numa_node));
}

static json_t *peer_member(const struct report_facts *facts)
{
	return json_pack("{s:o, s:o, s:o}", "address", text_value(facts->peer), "host", text_value(facts->peer_host),
			 "version", text_value(facts->peer_version));
}

static int add_fact(const char *label, const char *key, const struct header_value *value, const char *suffix, void *arg)
{
	(void)label;
	(void)suffix;
	if (!key)
		return 0;
	return json_object_set_new(arg, key, value->text ? text_value(value->text) : json_integer(value->number));
}

static json_t *test_info_member(const struct params *params, const struct report_facts *facts)
{
	char *title = header_title(params, '_');
	json_t *info = json_object();

	json_object_set_new(info, "test", text_value(title));
	free(title);
	if (header_walk(params, facts, add_fact, info)) {
		json_decref(info);
		return NULL;
	}
	return info;
}

void document_begin(struct document *document, const struct report_facts *facts)
{
	const struct params *params = document->params;

	if (document->begun)
		return;
	document->begun = true;
	put_member(document, "schema_version", json_integer(DOCUMENT_SCHEMA_VERSION));
	put_member(document, "tool",
		   json_pack("{s:s, s:s, s:s}", "name", params->program->name, "suite", PACKAGE_NAME, "version",
			     PACKAGE_VERSION));
	put_member(document, "started", time_value(&document->started));
	put_member(document, "role", json_string(params->host ? "client" : "server"));
	put_member(document, "metric", json_string(params->program->metric == METRIC_BW ? "bandwidth" : "latency"));
	put_member(document, "command", command_member());
	put_member(document, "host", host_member());
	put_member(document, "parameters", parameters_member(params));
	put_member(document, "device", facts ? device_member(facts) : json_null());
	put_member(document, "peer", facts ? peer_member(facts) : json_null());
	put_member(document, "test_info", facts ? test_info_member(params, facts) : json_null());
	put_key(document, "measurements");
	put_text(document, "[");
}

/* --- a measurement --- */

struct measurement {
	const struct params *params;
	const struct report_row *row;
	json_t *object;
	json_t *percentiles; /* NULL: a bandwidth test */
};

static int add_percentile(struct measurement *measurement, const struct column *column, const struct value *value)
{
	json_t *entry = json_pack("{s:f, s:b}", "percent", column->percent, "supported", value->supported);
	struct value shown = *value;
	struct unit unit;
	char key[MAX_KEY];
	unsigned n;

	shown.known = value->known && value->supported;
	for (n = 0; columns_data_unit(column->quantity, measurement->params, n, &unit); n++) {
		snprintf(key, sizeof(key), "latency%s", unit.suffix);
		json_object_set_new(entry, key, number_value(column, &shown, unit.scale));
	}
	return json_array_append_new(measurement->percentiles, entry);
}

static int add_column(const struct column *column, void *arg)
{
	struct measurement *measurement = arg;
	struct value value = columns_value(column, measurement->row);
	char key[MAX_KEY];
	struct unit unit;
	unsigned n;

	if (!column->key || columns_is_repeated(column))
		return 0;
	if (column->percent > 0)
		return add_percentile(measurement, column, &value);
	for (n = 0; columns_data_unit(column->quantity, measurement->params, n, &unit); n++) {
		columns_key(column, &unit, key, sizeof(key));
		if (json_object_set_new(measurement->object, key, number_value(column, &value, unit.scale)))
			return -ENOMEM;
	}
	return 0;
}

static json_t *counters_object(const struct counters *counters)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; i < counters->count; i++)
		json_object_set_new(object, counters->list[i].name, json_integer(counters->list[i].delta));
	return object;
}

static json_t *measurement_object(const struct params *params, const struct report_row *row, enum report_part part,
				  const struct counters *counters)
{
	struct measurement measurement = {.params = params, .row = row, .object = json_object()};
	int err;

	err = json_object_set_new(measurement.object, "kind", json_string(row_kind_name(row))) |
	      json_object_set_new(measurement.object, "part", json_string(row_part_name(part))) |
	      json_object_set_new(measurement.object, "partial", json_boolean(row->partial));
	if (row->is_interval)
		err |= json_object_set_new(measurement.object, "interval_begin_seconds",
					   json_real(row->interval_begin_s));
	if (params->program->metric == METRIC_LAT)
		measurement.percentiles = json_array();
	err |= columns_walk(params, add_column, &measurement);
	if (measurement.percentiles)
		err |= json_object_set_new(measurement.object, "percentiles", measurement.percentiles);
	if (counters && part == REPORT_TOTAL)
		err |= json_object_set_new(measurement.object, "counters", counters_object(counters));
	if (err) {
		json_decref(measurement.object);
		return NULL;
	}
	return measurement.object;
}

/* "results": the classic keys in the units of the text; --output leaves one of them. */
static int add_classic(const struct column *column, void *arg)
{
	struct measurement *classic = arg;
	struct value value = columns_value(column, classic->row);
	double scale = columns_printed_unit(column->quantity, classic->params).scale;

	if (!column->classic)
		return 0;
	return json_object_set_new(classic->object, column->classic, number_value(column, &value, scale));
}

static json_t *classic_object(const struct params *params, const struct report_row *row)
{
	struct measurement classic = {.params = params, .row = row, .object = json_object()};
	const char *key;
	const struct column *only = columns_only(params, &key);
	struct value value;

	columns_walk(params, add_classic, &classic);
	if (only) {
		value = columns_value(only, row);
		json_object_set_new(classic.object, key,
				    number_value(only, &value, columns_printed_unit(only->quantity, params).scale));
	}
	return classic.object;
}

/* Straight to the streams: there may be as many as -n says. */
static void put_samples(struct document *document, const struct report_row *row)
{
	struct unit unit = columns_printed_unit(QUANTITY_TIME, document->params);
	const bool in_time_order = document->params->report_unsorted;
	uint64_t *sorted = in_time_order ? NULL : samples_sorted(row->latency);
	const uint64_t *samples = in_time_order ? row->latency->samples : sorted;
	char text[MAX_KEY];
	size_t i;

	if (!samples) {
		fail(document, -ENOMEM);
		return;
	}
	snprintf(text, sizeof(text), ", \"samples%s\": [", unit.suffix);
	put_text(document, text);
	for (i = 0; i < row->latency->num_samples; i++) {
		snprintf(text, sizeof(text), "%s%.15g", i ? ", " : "", samples_value(row, samples[i], unit.scale));
		put_text(document, text);
	}
	put_text(document, "]");
	free(sorted);
}

void document_add(struct document *document, const struct report_row *row, enum report_part part,
		  const struct counters *counters)
{
	const struct params *params = document->params;
	json_t *object = measurement_object(params, row, part, counters);
	char *text = object ? json_dumps(object, DUMP_FLAGS) : NULL;

	json_decref(object);
	if (!text) {
		fail(document, -ENOMEM);
		return;
	}
	document_begin(document, NULL);
	put_text(document, document->measurements++ ? ",\n    " : "\n    ");
	text[strlen(text) - 1] = '\0'; /* its closing brace, put again behind the samples */
	put_text(document, text);
	if ((params->report_histogram || params->report_unsorted) && row->latency && row->latency->samples &&
	    !row->is_interval)
		put_samples(document, row);
	put_text(document, "}");
	free(text);
	if (part == REPORT_TOTAL) {
		json_decref(document->classic);
		document->classic = classic_object(params, row);
	}
}

/* --- the rest --- */

static json_t *clock_member(void)
{
	const struct clock_calibration *clock = clock_calibrate();

	return json_pack("{s:s, s:f, s:f, s:b}", "source", clock->source, "cycles_per_second", clock->cycles_per_second,
			 "relative_error", clock->relative_error, "fallback", clock->fallback);
}

static json_t *warnings_member(void)
{
	json_t *warnings = json_array();
	size_t i;

	for (i = 0; i < log_warning_count(); i++)
		json_array_append_new(warnings, text_value(log_warning_at(i)));
	return warnings;
}

int document_open(struct document **document, const struct params *params, FILE *out, const char *path)
{
	struct document *opened = calloc(1, sizeof(*opened));
	int err = -ENOMEM;

	if (opened && path)
		opened->path = strdup(path);
	if (!opened || (path && !opened->path)) {
		log_error("no memory for the JSON document");
		goto err_free;
	}
	if (path) {
		err = output_file_open(&opened->file, path);
		if (err) {
			log_error("cannot create the JSON file %s: %s", path, strerror(-err));
			goto err_free;
		}
	}
	opened->params = params;
	opened->out = out;
	clock_gettime(CLOCK_REALTIME, &opened->started);
	*document = opened;
	return 0;

err_free:
	document_free(opened);
	return err;
}

int document_end(struct document *document, const char *status, const char *reason)
{
	struct timespec now;
	int err;

	clock_gettime(CLOCK_REALTIME, &now);
	document_begin(document, NULL);
	put_text(document, document->measurements ? "\n  ]" : "]");
	put_member(document, "results", document->classic ? json_incref(document->classic) : json_null());
	put_member(document, "clock", clock_member());
	put_member(document, "warnings", warnings_member());
	put_member(document, "status", text_value(status));
	put_member(document, "reason", reason && reason[0] ? text_value(reason) : json_null());
	put_member(document, "ended", time_value(&now));
	put_text(document, "\n}\n");

	if (document->file.stream) {
		err = output_file_commit(&document->file);
		if (err) {
			log_error("cannot write the JSON file %s: %s", document->path, strerror(-err));
			document->err = err;
		}
	}
	return document->err;
}

void document_free(struct document *document)
{
	if (!document)
		return;
	output_file_discard(&document->file);
	json_decref(document->classic);
	free(document->path);
	free(document);
}
