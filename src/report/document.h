/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The JSON document of a run (docs/schema.json, docs/output.md), for --out_json and --output_format=json. It is written
 * during the run, one measurement at a time, so that its size does not depend on memory. Called by report.c.
 */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include <stdio.h>

#include "report/counters.h"
#include "report/report_config.h"
#include "report/row.h"

struct document;
struct json_t;

/*
 * out: the stream to write to, or NULL; the caller checks it for errors. The file appears when the document is
 * complete. 0 or -errno, reported.
 */
int document_open(struct document **document, const struct report_config *config, FILE *out);
/* What is known before the first measurement; run_info NULL: the run ended before any. */
void document_begin(struct document *document, const struct report_info *run_info);
/* counters NULL: none. */
void document_add(struct document *document, const struct report_row *row, enum report_part part,
		  const struct counters *counters);
/* A limit on a figure (-w, -y, --max_lat or the like) that a row does not meet, as the sentence that reports it. */
void document_add_missed_limit(struct document *document, const char *text);
/* --explain: takes ownership. */
void document_explain(struct document *document, struct json_t *value);
/* reason may be NULL. 0, or -errno if the file could not be written: reported, and no file appears. */
int document_end(struct document *document, const struct report_validation *validation, const char *status,
		 const char *reason);
/* NULL is allowed. Removes a file that was not completed. */
void document_free(struct document *document);

#endif
