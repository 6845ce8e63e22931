/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The JSON document of a run (docs/schema.json, docs/output.md), for --out_json and --output_format=json. It is written
 * during the run, one measurement at a time, so that its size does not depend on memory. Called by report.c.
 */
#pragma once

#include "report/counters.h"
#include "report/report_config.h"
#include "report/results.h"
#include "report/row.h"

struct document {
	const struct report_config *config;
	struct results *results;		    /* which has the envelope */
	json_t *classic;			    /* "results": the last row so far */
	const struct report_validation *validation; /* NULL: none, or not yet; the caller's */
};

/* That of results, which are open, and end it. 0 or -ENOMEM, reported; document_close() even then. */
int document_open(struct document *document, const struct report_config *config, struct results *results);
/* What is known before the first measurement; run_info NULL: the run ended before any. */
void document_begin(struct document *document, const struct report_info *run_info);
/* counters NULL: none. */
void document_add(struct document *document, const struct report_row *row, enum report_part part,
		  const struct counters *counters);
void document_close(struct document *document);
