// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Merges the options of all instances. See option_merge.h. The text comes from the network, so all of it is checked. */
#include "cmtime/option_merge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/opt_exchange.h"

/* Parses a line: its row, and its value in canonical form. */
static int line_read(const struct opt_line *line, const struct opt_row **found, struct cmtime_params *values,
		     char canonical[OPT_TEXT_SIZE], char *reason, size_t reason_size)
{
	const struct opt_row *row = opt_find(&cmtime_options, line->name);
	char quote[OPT_QUOTE_SIZE], why[OPT_TEXT_SIZE];

	if (!row || line->is_default || !opt_travels(row, CMTIME_PROGRAM))
		return opt_refuse(reason, reason_size,
				  "option %s is not shared here; all instances must have the same version",
				  opt_quote(line->name, quote));
	if (opt_line_read(row, ~0U, line, values, canonical, why, sizeof(why)))
		return opt_refuse(reason, reason_size, "--%s: %s", row->long_name, why);
	*found = row;
	return 0;
}

const char *option_merge_export(const struct cmtime_params *params, char text[OPTION_MERGE_TEXT_SIZE])
{
	/* At most OPT_TEXT_SIZE bytes a row; the values of these rows are far shorter than a request's buffer. */
	opt_export(&cmtime_options, CMTIME_PROGRAM, params, NULL /* nothing is marked */, params->given, text,
		   OPTION_MERGE_TEXT_SIZE);
	return text;
}

int option_merge_add(struct option_merge *merge, const char *who, const char *text, char *reason, size_t reason_size)
{
	struct option_merge merged = *merge;
	struct cmtime_params values;
	char canonical[OPT_TEXT_SIZE], title[OPT_TEXT_SIZE];
	const struct opt_row *row;
	struct opt_line line;
	int ret;

	cmtime_params_init(&values);
	while (*text) {
		struct option_request *request;

		if (opt_line_scan(&text, &line))
			return opt_refuse(reason, reason_size, "the options of %s can't be read", who);
		ret = line_read(&line, &row, &values, canonical, reason, reason_size);
		if (ret)
			return ret;
		request = &merged.requests[row - cmtime_options.rows];
		if (!request->value[0]) {
			snprintf(request->value, sizeof(request->value), "%.63s", canonical);
			snprintf(request->who, sizeof(request->who), "%s", who);
		} else if (row->reach == OPT_SHARED && strcmp(request->value, canonical) != 0) {
			return opt_refuse(
				reason, reason_size,
				"%s is %s for %s and %s for %s: give all instances the same value, or only one of them",
				opt_title(row, title, sizeof(title)), request->value, request->who, canonical, who);
		}
	}
	*merge = merged;
	return 0;
}

const char *option_merge_write(const struct option_merge *merge, char text[OPTION_MERGE_TEXT_SIZE])
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < cmtime_options.num_rows; i++)
		if (merge->requests[i].value[0])
			used = opt_export_line(text, OPTION_MERGE_TEXT_SIZE, used, cmtime_options.rows[i].long_name,
					       merge->requests[i].value, false /* asked for */);
	return text;
}

int option_merge_adopt(struct cmtime_params *params, const char *text, char *reason, size_t reason_size)
{
	struct cmtime_params adopted = *params, values;
	char canonical[OPT_TEXT_SIZE], why[OPT_TEXT_SIZE];
	const struct opt_row *row;
	const char *broken;
	struct opt_line line;
	int ret;

	cmtime_params_init(&values);
	while (*text) {
		if (opt_line_scan(&text, &line))
			return opt_refuse(reason, reason_size, "the controller's options can't be read");
		ret = line_read(&line, &row, &values, canonical, reason, reason_size);
		if (ret)
			return ret;
		if (row->reach == OPT_SHARED || !params->given[row - cmtime_options.rows])
			opt_value_read(row, ~0U, &adopted, canonical, why, sizeof(why));
	}
	broken = cmtime_rules_check(&adopted);
	if (broken)
		return opt_refuse(reason, reason_size, "the instances' options contradict each other: %s", broken);
	*params = adopted;
	return 0;
}

unsigned option_merge_peers(const struct option_merge *merge)
{
	const struct opt_row *row = opt_find(&cmtime_options, "peers");
	struct cmtime_params values;
	char why[OPT_TEXT_SIZE];

	cmtime_params_init(&values);
	if (merge->requests[row - cmtime_options.rows].value[0])
		opt_value_read(row, ~0U, &values, merge->requests[row - cmtime_options.rows].value, why, sizeof(why));
	return values.peers;
}
