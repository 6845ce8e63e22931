// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See results.h. */
#include "report/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/process.h"
#include "util/terminal.h"

#define CONTINUED 10 /* columns to the right of a line that is folded */

int results_open(struct results *results, enum output_format format, FILE *out, const char *path, const char *labels)
{
	*results = (struct results){.out = out, .format = format};
	return envelope_open(&results->envelope, format, out, path, labels);
}

void results_csv(struct results *results, const struct table *table, const void *row, bool has_counters)
{
	if (!results->has_heading) {
		table_csv_heading(results->out, table);
		counters_csv_names(results->out, &results->counters);
		putc('\n', results->out);
	}
	results->has_heading = true;
	if (!row)
		return;
	table_csv_row(results->out, table, row);
	counters_csv_values(results->out, &results->counters, has_counters);
	putc('\n', results->out);
}

void results_lines(const struct results *results, const char *text, int indent)
{
	char line[LOG_TEXT_SIZE], folded[2 * LOG_TEXT_SIZE];

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		const int blanks = indent + (int)strspn(text, " ");

		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		if (results_are_in(results, FORMAT_TEXT))
			fprintf(results->out, "%*s%s\n", blanks, "",
				text_fold(line, terminal_columns(results->out), blanks, CONTINUED, folded,
					  sizeof(folded)));
		else if (!output_is_json(results->format))
			log_info("%s", line);
	}
}

void results_explain(struct results *results, const char *text, json_t *value)
{
	free(results->explanation);
	results->explanation = strdup(text);
	envelope_explain(&results->envelope, value);
}

bool results_begin_document(struct results *results)
{
	const bool begins = envelope_is_open(&results->envelope) && !results->has_document;

	results->has_document |= begins;
	return begins;
}

int results_flush(struct results *results)
{
	if (results->out && !results->out_err)
		results->out_err = stdio_flush_results(results->out);
	return results->out_err;
}

int results_close(struct results *results, const char *status, const char *reason)
{
	int ret = 0;

	if (results->explanation)
		results_lines(results, results->explanation, results->indent);
	free(results->explanation);
	results->explanation = NULL;
	if (results->has_document) {
		envelope_end_measurements(&results->envelope);
		ret = envelope_end(&results->envelope, status, reason);
	}
	results_flush(results);
	envelope_close(&results->envelope);
	counters_close(&results->counters);
	return results->out_err ? results->out_err : ret;
}
