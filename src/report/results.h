/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the results of a program go: text or CSV to a stream, each row as soon as it is there, and the JSON document.
 * Called by report.c, and by the reports of cmtime, cxi_send_bw and qperf.
 */
#pragma once

#include "report/counters.h"
#include "report/envelope.h"
#include "report/table.h"

struct results {
	FILE *out;
	enum output_format format;
	bool is_bare;		  /* the text is a number for a program (--output), with nothing around it */
	int indent;		  /* columns to the left of what follows the table */
	struct envelope envelope; /* the document */
	struct counters counters; /* -W; count 0: none */
	char *explanation;	  /* of --explain: lines; NULL: none */
	bool has_document;	  /* its measurements have begun */
	bool has_heading;	  /* of the CSV */
	bool timestamps;	  /* for the program: each row has the time at which it was over */
	int out_err;		  /* of the stream, reported; nothing is printed after it */
};

/* path: of a document, or NULL. 0 or -errno, reported. */
int results_open(struct results *results, enum output_format format, FILE *out, const char *path, const char *labels);
/* Is something to be printed in this format, text for people or CSV? */
static inline bool results_are_in(const struct results *results, enum output_format format)
{
	return results->format == format && !results->out_err && !(format == FORMAT_TEXT && results->is_bare);
}
/* A line of CSV, below that of the keys; row NULL: only that. has_counters: those of -W are this row's. */
void results_csv(struct results *results, const struct table *table, const void *row, bool has_counters);
/*
 * What a result means, for people: folded at a terminal, so many columns to the right. Where out is for a program to
 * read, they find it on stderr, unless the document has it.
 */
void results_lines(const struct results *results, const char *text, int indent);
/* --explain: lines, which follow the table, and the member of the document, of which this takes ownership. */
void results_explain(struct results *results, const char *text, json_t *value);
/* Is there a document that has yet to begin? From here on it has. */
bool results_begin_document(struct results *results);
/* Shows what was printed; errno must have been 0 before that. 0, or the -errno of the stream's first error, reported.
 */
int results_flush(struct results *results);
/*
 * Prints the explanation, and completes the document, if its measurements have begun: otherwise there is none, nor a
 * file. Frees all. reason NULL: complete, unless a limit was missed. The -errno of either that failed. Zeroed: does
 * nothing.
 */
int results_close(struct results *results, const char *status, const char *reason);
