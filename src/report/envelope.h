/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every JSON document of the suite contains, whatever was measured: program, host and time, the clock, the
 * warnings, how it ended; and how it is written to a stream and to a file that is whole whenever it is read. It is
 * written during the run, member by member. Called by document.c and by programs with measurements of their own.
 *
 * As OpenMetrics, the stream gets the figures of the whole document, at its end.
 *
 * As JSON Lines (jsonlines.org), the stream gets an object on each line, which is there as soon as it is complete: what
 * a document has before its measurements, with "kind" "begin", each measurement, and what follows them, with "kind"
 * "end".
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "params/engine/opt.h"
#include "report/output_file.h"
#include "util/output.h"
#include "util/run_id.h"

#define DOCUMENT_SCHEMA_VERSION 3

struct envelope {
	FILE *out;	 /* NULL: none */
	FILE *metrics;	 /* what out is collected for: it is printed here when it is complete; NULL: nothing */
	char *collected; /* by out, then */
	size_t collected_size;
	bool lines;		 /* out gets JSON Lines; the file is always a document */
	struct output_file file; /* stream NULL: none, or abandoned after an error */
	char *path;		 /* as the user wrote it, for messages */
	const char *purpose;	 /* of the run, if that is to write the file: what it is; NULL: the results are shown */
	const char *labels;	 /* the caller's lines KEY=VALUE; "" or NULL: none */
	struct timespec started; /* CLOCK_REALTIME */
	int err;		 /* of the file, or of memory */
	unsigned members;
	uint64_t measurements;
	json_t *missed_limits; /* sentences; NULL: none, nor a member of the document */
	bool is_below;	       /* the first of them */
	json_t *explanation;   /* of --explain; NULL: none was asked for */
	/* What follows the measurements, but for what every document has there; NULL: nothing. */
	void (*put_rest)(struct envelope *envelope, const void *context);
	const void *context;
};

/*
 * out: the stream to write to if the format is JSON or JSON Lines; the caller checks it for errors. path: a file that
 * appears when the document is complete, or NULL. Without either there is no document. labels: of --label, valid until
 * envelope_begin(). 0 or -errno, reported.
 */
int envelope_open(struct envelope *envelope, enum output_format format, FILE *out, const char *path,
		  const char *labels);
/* The file stays as it was; one that is written directly, such as a pipe, has the rest. */
void envelope_keep_file(struct envelope *envelope);
/* Is a document written? */
static inline bool envelope_is_open(const struct envelope *envelope)
{
	return envelope->out || envelope->path;
}

/* From the opening brace to the host. */
void envelope_begin(struct envelope *envelope, const char *program, const char *role, const char *metric);
/* What joins the documents of both sides. NULL or none: null. */
void envelope_put_run_id(struct envelope *envelope, const struct run_id *id);
/* Reports a sentence about a limit that is missed. below: by too little, otherwise by too much. */
void envelope_miss_limit(struct envelope *envelope, const char *sentence, bool below);
/* What --explain says; takes ownership. */
void envelope_explain(struct envelope *envelope, json_t *value);
/*
 * From the missed limits to the closing brace. reason NULL: complete, unless a limit was missed. 0, or -errno if the
 * file could not be written: reported, and no file appears.
 */
int envelope_end(struct envelope *envelope, const char *status, const char *reason);
/*
 * Within the measurements: shows the file as it is so far, if there is one that can be shown, with an end until more
 * follows.
 */
void envelope_show(struct envelope *envelope);
/* The struct may be zeroed, and is from then on. Removes a file that was not completed. */
void envelope_close(struct envelope *envelope);

/*
 * The array of measurements, one by one, any number between begin and end. next: the caller writes the value itself,
 * and finishes it.
 */
void envelope_begin_measurements(struct envelope *envelope);
void envelope_next_measurement(struct envelope *envelope);
void envelope_finish_measurement(struct envelope *envelope);
void envelope_put_measurement(struct envelope *envelope, json_t *value); /* takes ownership; NULL: no memory */
void envelope_end_measurements(struct envelope *envelope);

/* Writes text as it is, for values that are too large to be built first. */
void envelope_put_text(struct envelope *envelope, const char *text);
/* These take ownership of the value; NULL: no memory. */
void envelope_put_member(struct envelope *envelope, const char *key, json_t *value);
/* The same with one key a line, as linux-rdma perftest writes it: scripts look for lines. */
void envelope_put_lines(struct envelope *envelope, const char *key, json_t *value);

/* Abandons the file after its first error; the run goes on, because its text is still useful. */
void envelope_fail(struct envelope *envelope, int err);

/* From what this program was built; where it runs. */
json_t *envelope_build(void);
json_t *envelope_host(void);
/* The lines of --label as an object. */
json_t *envelope_labels(const char *labels);
/* A JSON string, null for NULL. Names from outside may not be UTF-8, as JSON must be. */
json_t *envelope_text(const char *text);
/* The same, and null for "", of what may be unknown. */
json_t *envelope_known(const char *text);
/* A JSON number; null: not known (NaN), or infinite. */
json_t *envelope_number(double value);
/* The same, and null for 0, of what was not measured, or is not known. */
json_t *envelope_above_zero(double value);

/*
 * All options of these programs that say something about a run, which those of a table's first group (--help,
 * --version) do not; nor those of --label, which are a member of their own. Each has the value that the test used,
 * under its long name in lower case with underscores; null: a word that means no value ("auto", "off"), or an empty
 * text. NULL: no memory. The caller owns it.
 */
json_t *parameters_json(const struct opt_table *table, unsigned programs, const void *values);
