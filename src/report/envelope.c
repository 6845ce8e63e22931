// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes the members that every JSON document has. See envelope.h. */
#include <config.h>

#include "report/envelope.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "report/host.h"
#include "report/metrics.h"
#include "stats/clock.h"
#include "util/library.h"
#include "util/log.h"
#include "util/process.h"

#define MAX_KEY	   64 /* of an option */
#define DUMP_FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

json_t *envelope_text(const char *text)
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

json_t *envelope_known(const char *text)
{
	return envelope_text(text && *text ? text : NULL);
}

json_t *envelope_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *envelope_above_zero(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

static json_t *time_value(const struct timespec *when)
{
	char text[STAMP_SIZE];

	return json_string(stamp_text(when, text));
}

/* --- pieces --- */

void envelope_fail(struct envelope *envelope, int err)
{
	if (envelope->err)
		return;
	envelope->err = err;
	if (envelope->file.stream) {
		log_error("cannot write the %s %s: %s%s", envelope->purpose ? envelope->purpose : "JSON file",
			  envelope->path, strerror(-err), envelope->purpose ? "" : "; the run continues without it");
		output_file_discard(&envelope->file);
	} else {
		log_error("cannot create the JSON document: %s", strerror(-err));
	}
}

static void put(struct envelope *envelope, const char *text, const char *line)
{
	if (envelope->out)
		stdio_check(fputs(envelope->lines ? line : text, envelope->out));
	errno = 0;
	if (envelope->file.stream && fputs(text, envelope->file.stream) < 0)
		envelope_fail(envelope, errno ? -errno : -EIO);
}

/* A reader that follows the lines gets this one now. */
static void end_line(struct envelope *envelope)
{
	if (envelope->out && envelope->lines)
		stdio_check(fflush(envelope->out));
}

void envelope_put_text(struct envelope *envelope, const char *text)
{
	put(envelope, text, text);
}

static void put_dump(struct envelope *envelope, json_t *value, size_t flags)
{
	char *text = value ? json_dumps(value, flags) : NULL;
	char *line = value && envelope->lines ? json_dumps(value, DUMP_FLAGS) : NULL;

	if (text && (line || !envelope->lines))
		put(envelope, text, line);
	else
		envelope_fail(envelope, -ENOMEM);
	free(text);
	free(line);
	json_decref(value);
}

static void put_key(struct envelope *envelope, const char *key)
{
	put(envelope, envelope->members++ ? ",\n  \"" : "{\n  \"", ", \"");
	envelope_put_text(envelope, key);
	envelope_put_text(envelope, "\": ");
}

void envelope_put_member(struct envelope *envelope, const char *key, json_t *value)
{
	put_key(envelope, key);
	put_dump(envelope, value, DUMP_FLAGS);
}

void envelope_put_lines(struct envelope *envelope, const char *key, json_t *value)
{
	put_key(envelope, key);
	put_dump(envelope, value, DUMP_FLAGS | JSON_INDENT(4));
}

/* --- the measurements --- */

void envelope_begin_measurements(struct envelope *envelope)
{
	put(envelope, ",\n  \"measurements\": [", "}\n");
	end_line(envelope);
}

void envelope_next_measurement(struct envelope *envelope)
{
	put(envelope, envelope->measurements++ ? ",\n    " : "\n    ", "");
}

void envelope_finish_measurement(struct envelope *envelope)
{
	put(envelope, "", "\n");
	end_line(envelope);
}

void envelope_put_measurement(struct envelope *envelope, json_t *value)
{
	envelope_next_measurement(envelope);
	put_dump(envelope, value, DUMP_FLAGS);
	envelope_finish_measurement(envelope);
}

void envelope_end_measurements(struct envelope *envelope)
{
	put(envelope, envelope->measurements ? "\n  ]" : "]", "{\"kind\": \"end\"");
}

/* --- before the measurements --- */

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif
#ifdef SANITIZED /* by ./configure */
#define WITH_SANITIZERS true
#else
#define WITH_SANITIZERS false
#endif
#ifdef __OPTIMIZE__
#define OPTIMIZED true
#else
#define OPTIMIZED false
#endif

/* Of the programs (src/main/commit.c); unit tests have none. */
extern const char build_commit[] __attribute__((weak));

json_t *envelope_build(void)
{
	return json_pack("{s:o, s:s, s:b, s:b}", "commit", envelope_known(build_commit), "compiler", COMPILER,
			 "optimized", OPTIMIZED, "sanitizers", WITH_SANITIZERS);
}

json_t *envelope_host(void)
{
	char name[256] = "", model[256], cpus[256], governor[64], policy[256], ibverbs[256];
	struct utsname kernel = {0};

	gethostname(name, sizeof(name) - 1);
	uname(&kernel);
	host_cpu_model(model, sizeof(model), "/proc/cpuinfo");
	host_cpus(cpus, sizeof(cpus));
	host_governor(governor, sizeof(governor));
	host_numa_policy(policy, sizeof(policy));
	library_file(ibverbs, sizeof(ibverbs), "libibverbs.so.1");
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "name", envelope_text(name), "kernel",
			 envelope_text(kernel.release), "architecture", envelope_text(kernel.machine), "cpu_model",
			 envelope_text(model), "online_cpus", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "cpus",
			 envelope_known(cpus), "cpu_governor", envelope_known(governor), "numa_policy",
			 envelope_known(policy), "libibverbs", envelope_known(ibverbs));
}

static json_t *command_member(void)
{
	static char text[65536];
	const size_t length = host_command_line(text, sizeof(text));
	json_t *words = json_array();

	for (size_t at = 0; at < length; at += strlen(text + at) + 1)
		json_array_append_new(words, envelope_text(text + at));
	return words;
}

/* Of two with one key the last counts. */
json_t *envelope_labels(const char *labels)
{
	json_t *object = json_object();
	char key[OUTPUT_LABEL_MAX + 1], value[OUTPUT_LABEL_MAX + 1];
	int length;

	while (sscanf(labels, "%127[^=]=%127[^\n]%n", key, value, &length) == 2) {
		json_object_set_new(object, key, envelope_text(value));
		labels += length + (labels[length] == '\n');
	}
	return object;
}

void envelope_begin(struct envelope *envelope, const char *program, const char *role, const char *metric)
{
	const char *job = getenv("SLURM_JOB_ID");

	put(envelope, "", "{\"kind\": \"begin\"");
	envelope_put_member(envelope, "schema_version", json_integer(DOCUMENT_SCHEMA_VERSION));
	envelope_put_member(envelope, "tool",
			    json_pack("{s:s, s:s, s:s, s:o}", "name", program, "suite", PACKAGE_NAME, "version",
				      PACKAGE_VERSION, "build", envelope_build()));
	envelope_put_member(envelope, "started", time_value(&envelope->started));
	envelope_put_member(envelope, "role", json_string(role));
	envelope_put_member(envelope, "metric", json_string(metric));
	envelope_put_member(envelope, "command", command_member());
	envelope_put_member(envelope, "host", envelope_host());
	if (envelope->labels && envelope->labels[0])
		envelope_put_member(envelope, "labels", envelope_labels(envelope->labels));
	if (job)
		envelope_put_member(envelope, "slurm_job_id", envelope_text(job));
}

void envelope_put_run_id(struct envelope *envelope, const struct run_id *id)
{
	char text[RUN_ID_TEXT_SIZE];

	envelope_put_member(envelope, "run_id",
			    id && run_id_is_known(id) ? json_string(run_id_text(id, text)) : json_null());
}

/* --- after the measurements --- */

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
		json_array_append_new(warnings, envelope_text(log_warning_at(i)));
	return warnings;
}

int envelope_open(struct envelope *envelope, enum output_format format, FILE *out, const char *path, const char *labels)
{
	int err = 0;

	*envelope = (struct envelope){
		.out = output_is_document(format) ? out : NULL, .lines = format == FORMAT_JSONL, .labels = labels};
	clock_gettime(CLOCK_REALTIME, &envelope->started);
	if (path && path[0]) {
		envelope->path = strdup(path);
		err = envelope->path ? output_file_open(&envelope->file, path) : -ENOMEM;
		if (err)
			log_error("cannot create the JSON file %s: %s", path, output_file_error(err));
	}
	if (!err && format == FORMAT_OPENMETRICS) {
		envelope->metrics = out;
		envelope->out = open_memstream(&envelope->collected, &envelope->collected_size);
		err = envelope->out ? 0 : log_fail(-ENOMEM, "no memory for the metrics");
	}
	if (err)
		envelope_close(envelope);
	return err;
}

static int metrics_end(struct envelope *envelope)
{
	json_t *metrics = json_object(), *document = NULL;
	int ret = -ENOMEM;

	if (!fflush(envelope->out))
		document = json_loadb(envelope->collected, envelope->collected_size, 0, NULL);
	if (document)
		ret = metrics_add(metrics, document, NULL);
	if (ret)
		log_error("cannot make metrics of the results: %s", strerror(-ret));
	else
		metrics_print(metrics, envelope->metrics);
	json_decref(document);
	json_decref(metrics);
	return ret;
}

/* ended NULL: it has not. */
static void put_end(struct envelope *envelope, const char *status, const char *reason, const struct timespec *ended)
{
	if (envelope->missed_limits)
		envelope_put_member(envelope, "missed_limits", json_incref(envelope->missed_limits));
	envelope_put_member(envelope, "clock", clock_member());
	envelope_put_member(envelope, "warnings", warnings_member());
	envelope_put_member(envelope, "status", envelope_text(status));
	envelope_put_member(envelope, "reason", envelope_known(reason));
	envelope_put_member(envelope, "ended", ended ? time_value(ended) : json_null());
	put(envelope, "\n}\n", "}\n");
	end_line(envelope);
}

void envelope_show(struct envelope *envelope)
{
	FILE *const out = envelope->out;
	const unsigned members = envelope->members;
	off_t length;
	int err;

	if (!envelope->file.stream || !envelope->file.temporary)
		return;
	length = ftello(envelope->file.stream);
	envelope->out = NULL;
	envelope_end_measurements(envelope);
	if (envelope->put_rest)
		envelope->put_rest(envelope, envelope->context);
	put_end(envelope, "running", NULL, NULL);
	envelope->out = out;
	envelope->members = members;
	if (!envelope->file.stream)
		return;
	err = output_file_show(&envelope->file, length);
	if (err)
		envelope_fail(envelope, err);
}

void envelope_keep_file(struct envelope *envelope)
{
	if (envelope->file.temporary)
		output_file_discard(&envelope->file);
}

void envelope_miss_limit(struct envelope *envelope, const char *sentence, bool below)
{
	log_error("%s", sentence);
	if (!envelope->missed_limits)
		envelope->missed_limits = json_array();
	if (!json_array_size(envelope->missed_limits))
		envelope->is_below = below;
	if (json_array_append_new(envelope->missed_limits, envelope_text(log_last_error())))
		envelope_fail(envelope, -ENOMEM);
}

void envelope_explain(struct envelope *envelope, json_t *value)
{
	json_decref(envelope->explanation);
	envelope->explanation = value;
}

int envelope_end(struct envelope *envelope, const char *status, const char *reason)
{
	struct timespec now;
	int err;

	if (!reason && json_array_size(envelope->missed_limits)) {
		status = envelope->is_below ? "below limit" : "above limit";
		reason = json_string_value(json_array_get(envelope->missed_limits, 0));
	}
	if (envelope->put_rest)
		envelope->put_rest(envelope, envelope->context);
	if (envelope->explanation)
		envelope_put_member(envelope, "explanation", json_incref(envelope->explanation));
	clock_gettime(CLOCK_REALTIME, &now);
	put_end(envelope, status, reason, &now);
	if (envelope->metrics && metrics_end(envelope))
		envelope->err = -ENOMEM;
	if (envelope->file.stream) {
		err = output_file_commit(&envelope->file);
		if (err) {
			log_error("cannot write the %s %s: %s", envelope->purpose ? envelope->purpose : "JSON file",
				  envelope->path, strerror(-err));
			envelope->err = err;
		}
	}
	return envelope->err;
}

void envelope_close(struct envelope *envelope)
{
	output_file_discard(&envelope->file);
	if (envelope->metrics && envelope->out)
		fclose(envelope->out);
	free(envelope->collected);
	free(envelope->path);
	json_decref(envelope->missed_limits);
	json_decref(envelope->explanation);
	*envelope = (struct envelope){0};
}

/* --- options: the text that a user would write, from opt_value_write(), as a number if it is one --- */

static json_t *list_value(const char *text)
{
	json_t *list = json_array();
	char *end;

	while (list && *text) {
		json_array_append_new(list, json_real(strtod(text, &end)));
		text = *end ? end + 1 : end;
	}
	return list;
}

static json_t *parameter_value(const struct opt_row *row, const char *text)
{
	const bool is_word = row->special && strcmp(text, row->special) == 0;
	double number;
	char *end;

	switch (row->kind) {
	case OPT_FLAG:
		return json_boolean(strcmp(text, "on") == 0);
	case OPT_INTEGER:
	case OPT_SIZE:
		return is_word ? json_null() : json_integer(strtoll(text, NULL, 10));
	case OPT_DOUBLE:
	case OPT_TIME:
		number = strtod(text, &end);
		return is_word ? json_null() : *end ? envelope_text(text) : json_real(number);
	case OPT_PERCENTS:
		return is_word ? json_array() : list_value(text);
	case OPT_CHOICE:
	case OPT_STRING:
		break;
	}
	return envelope_known(text);
}

/* Classic names have dashes, underscores and capitals; keys have one spelling: "no_peak", "cpu_freq". */
static void key_write(char key[MAX_KEY], const char *name)
{
	size_t used = 0;

	for (const char *at = name; *at && used + 2 < MAX_KEY; at++) {
		if (at > name && isupper((unsigned char)*at) && islower((unsigned char)at[-1]))
			key[used++] = '_';
		key[used++] = *at == '-' ? '_' : (char)tolower((unsigned char)*at);
	}
	key[used] = '\0';
}

json_t *parameters_json(const struct opt_table *table, unsigned programs, const void *values)
{
	char text[OPT_TEXT_SIZE], key[MAX_KEY];
	json_t *object = json_object();

	for (unsigned i = 0; i < table->num_rows; i++) {
		const struct opt_row *row = &table->rows[i];

		if (row->group == 0 || !(row->programs & programs) || row->repeats)
			continue;
		key_write(key, row->long_name);
		opt_value_write(row, values, false /* as used */, text, sizeof(text));
		if (json_object_set_new(object, key, parameter_value(row, text))) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}
