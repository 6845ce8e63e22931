/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every JSON document of the suite has, whatever it measured: who made it, where and when, the clock,
 * the warnings, how it ended; and its way to a stream and to a file that appears whole. It is written as the
 * run goes, member by member. Called by document.c and by programs with measurements of their own.
 */
#ifndef REPORT_ENVELOPE_H
#define REPORT_ENVELOPE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "report/output_file.h"
#include "util/output.h"

#define DOCUMENT_SCHEMA_VERSION 2

struct envelope {
	FILE *out;		 /* NULL: none */
	struct output_file file; /* stream NULL: none, or given up */
	char *path;		 /* as the user wrote it, for messages */
	struct timespec started; /* CLOCK_REALTIME */
	int err;		 /* of the file, or memory */
	unsigned members;
	uint64_t measurements;
};

/*
 * out: the stream to which it is written where the format is JSON; the caller looks for its errors. path: a file that
 * appears when the document is whole, NULL none. Without both there is no document. 0 or -errno, reported.
 */
int envelope_open(struct envelope *envelope, enum output_format format, FILE *out, const char *path);
/* Is there a document to be written? */
static inline bool envelope_is_open(const struct envelope *envelope)
{
	return envelope->out || envelope->path;
}

/* From the opening brace to the host. */
void envelope_begin(struct envelope *envelope, const char *program, const char *role, const char *metric);
/*
 * From the clock to the closing brace; reason may be NULL. 0, or -errno when the file could not be written:
 * reported, and no file appears.
 */
int envelope_end(struct envelope *envelope, const char *status, const char *reason);
/* Takes a zeroed struct. A file that was not ended is gone. */
void envelope_close(struct envelope *envelope);

/*
 * The array of measurements, one by one: between begin and end as many as there are. next: the caller puts the value
 * itself.
 */
void envelope_begin_measurements(struct envelope *envelope);
void envelope_next_measurement(struct envelope *envelope);
void envelope_put_measurement(struct envelope *envelope, json_t *value); /* takes it over; NULL: no memory */
void envelope_end_measurements(struct envelope *envelope);

/* As it is, where a piece is too large to be built first. */
void envelope_put_text(struct envelope *envelope, const char *text);
void envelope_put_key(struct envelope *envelope, const char *key);
/* These take the value over; NULL: there was no memory for it. */
void envelope_put_value(struct envelope *envelope, json_t *value);
void envelope_put_member(struct envelope *envelope, const char *key, json_t *value);

/* The file is given up as soon as it takes nothing more; the run goes on, its text is worth having. */
void envelope_fail(struct envelope *envelope, int err);

/* A JSON string, null for NULL. Names from outside may be no UTF-8, which JSON has to be. */
json_t *envelope_text(const char *text);

#endif
