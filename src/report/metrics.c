// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See metrics.h. */
#include "config.h"

#include "report/metrics.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "util/terminal.h"

#define NAME_SIZE   128
#define LABELS_SIZE 4096
#define PREFIX	    "perftest_"
#define QUANTILE    "_quantile_seconds"

/* Of a document, or of a result of qperf: what tells it from others. */
static const struct {
	const char *label, *outer, *inner;
} source_labels[] = {
	{"program", "tool", "name"},  {"host", "host", "name"},	      {"peer", "peer", "host"},
	{"device", "device", "name"}, {"device", "verify", "device"}, {"a", "comparison", "a"},
	{"b", "comparison", "b"},     {"command", "gate", "command"}, {"pattern", "parameters", "pattern"},
};

/* Of a result: what tells it from the others of its document, instead of being a figure. */
static const char *const label_keys[] = {
	"size_bytes",	   "msg_size_bytes", "part",   "step",	     "test", "thread",	  "share_percent",
	"rate_per_second", "subject",	     "figure", "percentile", "verb", "transport", "way"};

/* Keys that say little by themselves, or end as Prometheus has them end for other things. */
static const struct {
	const char *key, *name;
} renamed[] = {{"a", "compare_first"}, {"b", "compare_second"}, {"count", "connections"}};

/* Base units, as OpenMetrics wants them. */
static const struct {
	const char *suffix, *base;
	double scale;
} units[] = {{"_usec", "_seconds", 1e-6}, {"_percent", "_ratio", 1e-2}};

/* The rate of a share of the maximum is measured, and different each time. */
static bool is_label(const json_t *row, const char *key)
{
	for (size_t i = 0; i < sizeof(label_keys) / sizeof(label_keys[0]); i++)
		if (strcmp(key, label_keys[i]) == 0)
			return strcmp(key, "rate_per_second") || !json_is_number(json_object_get(row, "share_percent"));
	return false;
}

/* Keys are the file's. */
static void name_clean(char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name))
			*name = '_';
}

/* "latency_min_usec" and 1 give "perftest_latency_min_seconds" and 1e-6. */
static double name_make(const char *key, double value, char name[NAME_SIZE])
{
	const char *base = "";
	size_t length;

	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (strcmp(key, renamed[i].key) == 0)
			key = renamed[i].name;
	length = strlen(key);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const size_t suffix = strlen(units[i].suffix);

		if (length > suffix && strcmp(key + length - suffix, units[i].suffix) == 0) {
			length -= suffix;
			base = units[i].base;
			value *= units[i].scale;
			break;
		}
	}
	snprintf(name, NAME_SIZE, PREFIX "%.*s%s", (int)(length < 64 ? length : 64), key, base);
	name_clean(name);
	return value;
}

/* Appends NAME="VALUE", escaped as the format demands. What does not fit is left out, whole. A terminal may show it. */
static void label_add(char labels[LABELS_SIZE], const char *name, const char *value)
{
	const size_t used = strlen(labels);
	char escaped[LABELS_SIZE];
	size_t length = 0;

	for (; *value && length < sizeof(escaped) - 2; value++) {
		if (*value == '\\' || *value == '"' || *value == '\n')
			escaped[length++] = '\\';
		escaped[length++] = *value == '\n' ? 'n' : *value;
	}
	escaped[length] = '\0';
	if (*value)
		return;
	without_controls(escaped);
	if (used + strlen(name) + length + sizeof(",=\"\"") <= LABELS_SIZE)
		text_add(labels, LABELS_SIZE, "%s%s=\"%s\"", used ? "," : "", name, escaped);
}

static void label_add_json(char labels[LABELS_SIZE], const char *name, const json_t *value)
{
	char number[32];

	if (json_is_string(value))
		label_add(labels, name, json_string_value(value));
	if (!json_is_number(value))
		return;
	snprintf(number, sizeof(number), "%.15g", json_number_value(value));
	label_add(labels, name, number);
}

static int sample_put(json_t *metrics, const char *name, const char *labels, double value)
{
	json_t *family = json_object_get(metrics, name);

	if (!family) {
		family = json_object();
		if (json_object_set_new(metrics, name, family))
			return -ENOMEM;
	}
	return json_object_set_new(family, labels, json_real(value)) ? -ENOMEM : 0;
}

static int percentiles_add(json_t *metrics, const json_t *percentiles, const char *labels)
{
	char own[LABELS_SIZE], quantile[32], name[NAME_SIZE];
	const char *key;
	size_t i;
	json_t *entry, *value;

	json_array_foreach(percentiles, i, entry)
	{
		snprintf(quantile, sizeof(quantile), "%.12g",
			 json_number_value(json_object_get(entry, "percent")) / 100);
		snprintf(own, sizeof(own), "%s", labels);
		label_add(own, "quantile", quantile);
		json_object_foreach(entry, key, value)
		{
			const char *unit = strstr(key, "_usec");

			if (!unit || unit[strlen("_usec")] || !json_is_number(value))
				continue;
			snprintf(name, sizeof(name), PREFIX "%.*s" QUANTILE, (int)(unit - key < 64 ? unit - key : 64),
				 key);
			if (sample_put(metrics, name, own, json_number_value(value) * 1e-6))
				return -ENOMEM;
		}
	}
	return 0;
}

/* What a matrix has measured: the program with its options. */
static void command_add(char labels[LABELS_SIZE], const json_t *matrix)
{
	const json_t *options = json_object_get(matrix, "options");
	char words[LABELS_SIZE];

	snprintf(words, sizeof(words), "%s", json_string_value(json_object_get(matrix, "program")) ?: "");
	for (size_t i = 0; i < json_array_size(options); i++)
		text_add(words, sizeof(words), " %s", json_string_value(json_array_get(options, i)) ?: "");
	if (matrix)
		label_add(labels, "command", words);
}

/* Is it what a loop of qperf changes? */
static bool varies(const json_t *rows, const json_t *row, const char *key, const json_t *value)
{
	json_t *other, *others;
	size_t i;

	json_array_foreach(rows, i, other)
	{
		others = json_object_get(json_object_get(other, "local_parameters"), key);
		if (others && !json_equal(others, (json_t *)value) &&
		    json_equal(json_object_get(other, "test"), json_object_get(row, "test")))
			return true;
	}
	return false;
}

static void parameters_add(char labels[LABELS_SIZE], const json_t *rows, const json_t *row)
{
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(row, "local_parameters"), key, value)
	{
		char name[NAME_SIZE];

		snprintf(name, sizeof(name), "%.100s", key);
		name_clean(name);
		if (strcmp(key, "msg_size") == 0 && !json_object_get(row, "size_bytes"))
			label_add_json(labels, "size_bytes", value);
		else if (varies(rows, row, key, value))
			label_add_json(labels, name, value);
	}
}

static void key_add(char labels[LABELS_SIZE], const json_t *row, const char *key)
{
	const json_t *value = json_object_get(row, key);
	char name[NAME_SIZE];

	if (strcmp(key, "figure") || !json_is_string(value)) {
		label_add_json(labels, key, value);
		return;
	}
	/* The values of compare, gate and verify are in base units, whatever the member is in that they are of. */
	name_make(json_string_value(value), 0, name);
	label_add(labels, key, name + strlen(PREFIX));
}

static void sources_add(char labels[LABELS_SIZE], const json_t *of)
{
	for (size_t i = 0; i < sizeof(source_labels) / sizeof(source_labels[0]); i++)
		label_add_json(labels, source_labels[i].label,
			       json_object_get(json_object_get(of, source_labels[i].outer), source_labels[i].inner));
}

/* A result; of a matrix the one that a pair has measured. */
static int row_add(json_t *metrics, const json_t *document, json_t *row, const char *labels, metrics_main_fn main_of)
{
	const json_t *hosts = json_object_get(json_object_get(document, "matrix"), "hosts");
	json_t *measured = hosts && main_of ? main_of(json_object_get(row, "document")) : NULL, *value;
	char own[LABELS_SIZE], name[NAME_SIZE];
	const char *key;
	int ret = 0;

	snprintf(own, sizeof(own), "%s", labels);
	sources_add(own, row);
	for (size_t i = 0; hosts && i < 2; i++) {
		static const char *const ends[] = {"client", "server"};
		const json_t *host = json_array_get(hosts, (size_t)json_integer_value(json_object_get(row, ends[i])));

		label_add_json(own, ends[i], json_object_get(host, "name"));
	}
	if (hosts && main_of && !measured)
		return 0; /* of a pair that failed */
	row = measured ? measured : row;
	for (size_t i = 0; i < sizeof(label_keys) / sizeof(label_keys[0]); i++)
		if (is_label(row, label_keys[i]))
			key_add(own, row, label_keys[i]);
	parameters_add(own, json_object_get(document, "measurements"), row);
	json_object_foreach(row, key, value)
	{
		if (!ret && json_is_number(value) && !is_label(row, key)) {
			const double number = name_make(key, json_number_value(value), name);

			ret = sample_put(metrics, name, own, number);
		}
	}
	return ret ? ret : percentiles_add(metrics, json_object_get(row, "percentiles"), own);
}

/* When the run ended, so that a monitor sees that the next one is missing; and whether it was complete. */
static int end_add(json_t *metrics, const json_t *document, const char *labels)
{
	const char *status = json_string_value(json_object_get(document, "status"));
	const char *ended = json_string_value(json_object_get(document, "ended"));
	struct tm calendar = {0};
	int ret;

	ret = sample_put(metrics, PREFIX "success", labels, status && strcmp(status, "complete") == 0);
	if (!ret && ended && strptime(ended, "%Y-%m-%dT%H:%M:%S", &calendar))
		ret = sample_put(metrics, PREFIX "end_timestamp_seconds", labels, (double)timegm(&calendar));
	return ret;
}

static bool is_kind(const json_t *row, const char *kind)
{
	const char *value = json_string_value(json_object_get(row, "kind"));

	return value && strcmp(value, kind) == 0;
}

bool metrics_spread_has(const json_t *measurements, size_t at)
{
	const json_t *spread;
	json_int_t results = 0;

	if (!is_kind(json_array_get(measurements, at), "result"))
		return false;
	for (; at < json_array_size(measurements) && !is_kind(json_array_get(measurements, at), "spread"); at++)
		results += is_kind(json_array_get(measurements, at), "result");
	spread = json_array_get(measurements, at);
	return results <= json_integer_value(json_object_get(spread, "repeats")) +
				  json_integer_value(json_object_get(spread, "repeats_left_out"));
}

/* A run of `perftest run -f` that has no document of its own. */
static int run_add(json_t *metrics, const json_t *document, const json_t *row)
{
	json_t *labels = json_deep_copy(json_object_get(document, "labels")), *failed;
	int ret = 0;

	labels = json_is_object(labels) ? labels : json_object();
	json_object_set(labels, "run", json_object_get(row, "name"));
	failed = json_pack(
		"{s:{s:O*}, s:O*, s:O*, s:o}", "tool", "name", json_array_get(json_object_get(row, "command"), 0),
		"host", json_object_get(document, "host"), "status", json_object_get(row, "status"), "labels", labels);
	if (failed)
		ret = metrics_add(metrics, failed, NULL);
	json_decref(failed);
	return ret;
}

int metrics_add(json_t *metrics, const json_t *document, metrics_main_fn main_of)
{
	const json_t *rows = json_object_get(document, "measurements");
	char labels[LABELS_SIZE] = "", name[NAME_SIZE];
	json_t *row, *value;
	const char *key;
	size_t i;
	int ret;

	sources_add(labels, document);
	command_add(labels, json_object_get(document, "matrix"));
	label_add_json(labels, "role", json_object_get(document, "role"));
	json_object_foreach(json_object_get(document, "labels"), key, value)
	{
		/* so that none is one of ours */
		snprintf(name, sizeof(name), "label_%.100s", key);
		name_clean(name);
		label_add_json(labels, name, value);
	}
	ret = end_add(metrics, document, labels);
	json_array_foreach(rows, i, row)
	{
		if (!ret && is_kind(row, "run") && !json_is_object(json_object_get(row, "document")))
			ret = run_add(metrics, document, row);
		else if (!ret && json_is_string(json_object_get(row, "kind")) && !is_kind(row, "interval") &&
			 !metrics_spread_has(rows, i))
			ret = row_add(metrics, document, row, labels, main_of);
	}
	return ret;
}

void metrics_print(const json_t *metrics, FILE *out)
{
	const char *name, *labels;
	json_t *family, *value;

	json_object_foreach((json_t *)metrics, name, family)
	{
		const bool quantiles = strstr(name, QUANTILE) != NULL;

		/* a collector of several files takes only one help for each name */
		fprintf(out, "# HELP %s as docs/output.md of perftest describes it\n# TYPE %s %s\n", name, name,
			quantiles ? "summary" : "gauge");
		json_object_foreach(family, labels, value)
			fprintf(out, "%s{%s} %.15g\n", name, labels, json_number_value(value));
	}
	fprintf(out, "# EOF\n");
}
