/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The JSON document of a run (docs/schema.json, docs/output.md), for --out_json and --output_format=json. It is written
 * during the run, one measurement at a time, so that its size does not depend on memory. Called by report.c.
 */
#pragma once

#include <stdio.h>

#include "report/counters.h"
#include "report/envelope.h"
#include "report/report_config.h"
#include "report/row.h"

struct document {
	const struct report_config *config;
	struct envelope envelope;
	bool begun;
	json_t *classic;			    /* "results": the last row so far */
	const struct report_validation *validation; /* NULL: none, or not yet; the caller's */
};

/*
 * out: the stream to write to, if the format wants one; the caller checks it for errors. The file, if there is one,
 * appears when the document is complete. 0 or -errno, reported; document_close() even then.
 */
int document_open(struct document *document, const struct report_config *config, FILE *out);
/* Was one asked for? If not, nothing else is called. */
static inline bool document_is_open(const struct document *document)
{
	return envelope_is_open(&document->envelope);
}
/* What is known before the first measurement; run_info NULL: the run ended before any. */
void document_begin(struct document *document, const struct report_info *run_info);
/* counters NULL: none. */
void document_add(struct document *document, const struct report_row *row, enum report_part part,
		  const struct counters *counters);
/* reason may be NULL. 0, or -errno if the file could not be written: reported, and no file appears. */
int document_end(struct document *document, const char *status, const char *reason);
/* Removes a file that was not completed. */
void document_close(struct document *document);
