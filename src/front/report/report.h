/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `perftest report`: the results of JSON documents as a page for people. report.c reads the documents and lists the
 * runs, plots.c has the charts of results and intervals, pictures.c those of `perftest matrix` and `perftest compare`.
 */
#pragma once

#include <jansson.h>
#include <math.h>
#include <stdbool.h>

#include "front/document_file.h"
#include "front/sheet.h"
#include "params/engine/cli.h"

enum report_format { REPORT_HTML, REPORT_MARKDOWN, REPORT_HGRM };

struct report_params {
	char path[4096]; /* -o; "" stdout */
	char title[256];
	enum report_format format;
	bool show_help;
};

/* Of `perftest metrics`. */
struct metrics_params {
	char path[4096]; /* -o; "" stdout */
	bool show_help;
};

/* options.c: in these. */
extern const struct cli report_cli, metrics_cli;

/* "" and NaN: there is none. */
static inline const char *report_text(const json_t *object, const char *key)
{
	return document_file_text(object, NULL, key);
}

static inline double report_number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* documents: an array of {"name": TEXT, "document": {}}. 0 or -ENOMEM. */
int plots_print(const json_t *documents, struct sheet *sheet);
void pictures_print(const json_t *documents, struct sheet *sheet);
