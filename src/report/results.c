// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See results.h. */
#include "report/results.h"

#include <errno.h>

#include "util/log.h"
#include "util/process.h"

int results_open(struct results *results, enum output_format format, FILE *out, const char *path, const char *labels)
{
	*results = (struct results){.out = out, .format = format};
	return envelope_open(&results->envelope, format, out, path, labels);
}

void results_csv(struct results *results, const struct table *table, const void *row)
{
	if (!results->has_heading) {
		table_csv_heading(results->out, table);
		putc('\n', results->out);
	}
	results->has_heading = true;
	if (!row)
		return;
	table_csv_row(results->out, table, row);
	putc('\n', results->out);
}

bool results_begin_document(struct results *results)
{
	const bool begins = envelope_is_open(&results->envelope) && !results->has_document;

	results->has_document |= begins;
	return begins;
}

int results_flush(struct results *results)
{
	if (!results->out_err)
		results->out_err = stdio_flush_results(results->out);
	return results->out_err;
}

void results_miss(struct results *results, const char *sentence, bool below)
{
	log_error("%s", sentence);
	if (!results->missed_limits) {
		results->missed_limits = json_array();
		results->is_below = below;
	}
	if (json_array_append_new(results->missed_limits, envelope_text(log_last_error())))
		envelope_fail(&results->envelope, -ENOMEM);
}

int results_close(struct results *results, const char *status, const char *reason)
{
	int ret = 0;

	if (!reason && results->missed_limits) {
		status = results->is_below ? "below limit" : "above limit";
		reason = json_string_value(json_array_get(results->missed_limits, 0));
	}
	if (results->has_document) {
		envelope_end_measurements(&results->envelope);
		if (results->missed_limits)
			envelope_put_member(&results->envelope, "missed_limits", json_incref(results->missed_limits));
		ret = envelope_end(&results->envelope, status, reason);
	}
	results_flush(results);
	envelope_close(&results->envelope);
	json_decref(results->missed_limits);
	return results->out_err ? results->out_err : ret;
}
