/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a user may request of a program's output: options store it, and reports use it. */
#pragma once

#include <stdbool.h>

#define OUTPUT_LABEL_MAX   127	/* bytes of one */
#define OUTPUT_LABELS_SIZE 1000 /* of all, including the NUL */

/* --output_format */
enum output_format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
	FORMAT_JSONL,
	FORMAT_OPENMETRICS,
	FORMAT_MARKDOWN,
	FORMAT_TAP,
	FORMAT_JUNIT,
};
enum output_only { OUTPUT_ALL, OUTPUT_BANDWIDTH, OUTPUT_MESSAGE_RATE, OUTPUT_LATENCY }; /* --output */

/* All of the JSON document goes to stdout: as one object, or as a line for each row. */
static inline bool output_is_json(enum output_format format)
{
	return format == FORMAT_JSON || format == FORMAT_JSONL;
}

/* ... or its figures as metrics. */
static inline bool output_is_document(enum output_format format)
{
	return output_is_json(format) || format == FORMAT_OPENMETRICS;
}

/* Storage for the output options of a program. */
struct output_options {
	enum output_format format;
	bool json;			 /* --out_json, or a name was given */
	char json_file[4096];		 /* --out_json_file */
	char labels[OUTPUT_LABELS_SIZE]; /* --label: lines KEY=VALUE; "": none */
};
