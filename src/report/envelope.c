// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes the members that every JSON document has. See envelope.h. */
#include <config.h>

#include "report/envelope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "report/host.h"
#include "report/stamp.h"
#include "stats/clock.h"
#include "util/log.h"

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
		log_error("cannot write the JSON file %s: %s; the run continues without it", envelope->path,
			  strerror(-err));
		output_file_discard(&envelope->file);
	} else {
		log_error("cannot create the JSON document: %s", strerror(-err));
	}
}

static void put(struct envelope *envelope, const char *text, const char *line)
{
	if (envelope->out)
		fputs(envelope->lines ? line : text, envelope->out);
	errno = 0;
	if (envelope->file.stream && fputs(text, envelope->file.stream) < 0)
		envelope_fail(envelope, errno ? -errno : -EIO);
}

/* A reader that follows the lines gets this one now. */
static void end_line(struct envelope *envelope)
{
	if (envelope->out && envelope->lines)
		fflush(envelope->out);
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

void envelope_put_value(struct envelope *envelope, json_t *value)
{
	put_dump(envelope, value, DUMP_FLAGS);
}

void envelope_put_key(struct envelope *envelope, const char *key)
{
	put(envelope, envelope->members++ ? ",\n  \"" : "{\n  \"", ", \"");
	envelope_put_text(envelope, key);
	envelope_put_text(envelope, "\": ");
}

void envelope_put_member(struct envelope *envelope, const char *key, json_t *value)
{
	envelope_put_key(envelope, key);
	envelope_put_value(envelope, value);
}

void envelope_put_lines(struct envelope *envelope, const char *key, json_t *value)
{
	envelope_put_key(envelope, key);
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
	envelope_put_value(envelope, value);
	envelope_finish_measurement(envelope);
}

void envelope_end_measurements(struct envelope *envelope)
{
	put(envelope, envelope->measurements ? "\n  ]" : "]", "{\"kind\": \"end\"");
}

/* --- before the measurements --- */

static json_t *host_member(void)
{
	char name[256] = "", model[256];
	struct utsname kernel = {0};

	gethostname(name, sizeof(name) - 1);
	uname(&kernel);
	host_cpu_model(model, sizeof(model), "/proc/cpuinfo");
	return json_pack("{s:o, s:o, s:o, s:o, s:I}", "name", envelope_text(name), "kernel",
			 envelope_text(kernel.release), "architecture", envelope_text(kernel.machine), "cpu_model",
			 envelope_text(model), "online_cpus", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN));
}

static json_t *command_member(void)
{
	char **command = host_command_line();
	json_t *words = json_array();
	size_t i;

	for (i = 0; command && command[i]; i++)
		json_array_append_new(words, envelope_text(command[i]));
	free(command);
	return words;
}

void envelope_begin(struct envelope *envelope, const char *program, const char *role, const char *metric)
{
	put(envelope, "", "{\"kind\": \"begin\"");
	envelope_put_member(envelope, "schema_version", json_integer(DOCUMENT_SCHEMA_VERSION));
	envelope_put_member(
		envelope, "tool",
		json_pack("{s:s, s:s, s:s}", "name", program, "suite", PACKAGE_NAME, "version", PACKAGE_VERSION));
	envelope_put_member(envelope, "started", time_value(&envelope->started));
	envelope_put_member(envelope, "role", json_string(role));
	envelope_put_member(envelope, "metric", json_string(metric));
	envelope_put_member(envelope, "command", command_member());
	envelope_put_member(envelope, "host", host_member());
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

int envelope_open(struct envelope *envelope, enum output_format format, FILE *out, const char *path)
{
	struct envelope opened = {.out = output_is_document(format) ? out : NULL, .lines = format == FORMAT_JSONL};
	int err = -ENOMEM;

	if (path) {
		opened.path = strdup(path);
		if (!opened.path) {
			log_error("no memory for the JSON document");
			return err;
		}
		err = output_file_open(&opened.file, path);
		if (err) {
			log_error("cannot create the JSON file %s: %s", path, output_file_error(err));
			free(opened.path);
			return err;
		}
	}
	clock_gettime(CLOCK_REALTIME, &opened.started);
	*envelope = opened;
	return 0;
}

/* ended NULL: it has not. */
static void put_end(struct envelope *envelope, const char *status, const char *reason, const struct timespec *ended)
{
	envelope_put_member(envelope, "clock", clock_member());
	envelope_put_member(envelope, "warnings", warnings_member());
	envelope_put_member(envelope, "status", envelope_text(status));
	envelope_put_member(envelope, "reason", reason && reason[0] ? envelope_text(reason) : json_null());
	envelope_put_member(envelope, "ended", ended ? time_value(ended) : json_null());
	put(envelope, "\n}\n", "}\n");
	end_line(envelope);
}

bool envelope_begin_interim(struct envelope *envelope, struct envelope_mark *mark)
{
	if (!envelope->file.stream || !envelope->file.temporary)
		return false;
	*mark = (struct envelope_mark){envelope->out, envelope->members, ftello(envelope->file.stream)};
	envelope->out = NULL;
	return true;
}

void envelope_end_interim(struct envelope *envelope, const struct envelope_mark *mark)
{
	int err;

	put_end(envelope, "running", NULL, NULL);
	envelope->out = mark->out;
	envelope->members = mark->members;
	if (!envelope->file.stream)
		return;
	err = output_file_show(&envelope->file, mark->length);
	if (err)
		envelope_fail(envelope, err);
}

int envelope_end(struct envelope *envelope, const char *status, const char *reason)
{
	struct timespec now;
	int err;

	clock_gettime(CLOCK_REALTIME, &now);
	put_end(envelope, status, reason, &now);
	if (envelope->file.stream) {
		err = output_file_commit(&envelope->file);
		if (err) {
			log_error("cannot write the JSON file %s: %s", envelope->path, strerror(-err));
			envelope->err = err;
		}
	}
	return envelope->err;
}

void envelope_close(struct envelope *envelope)
{
	output_file_discard(&envelope->file);
	free(envelope->path);
	envelope->path = NULL;
}
