// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What do all instances together ask for? See agreement.h. The text comes from the network: all of it is checked. */
#include "cmtime/agreement.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* One line, split. */
struct line {
	char name[OPT_QUOTE_SIZE];
	char value[64];
};

/* Splits the line at *text and moves behind it. */
static int line_scan(const char **text, struct line *line)
{
	const char *begin = *text, *end = strchr(begin, '\n');
	const char *equals = end ? memchr(begin, '=', (size_t)(end - begin)) : NULL;

	if (!equals || equals == begin || (size_t)(equals - begin) >= sizeof(line->name) ||
	    (size_t)(end - equals - 1) >= sizeof(line->value))
		return -EINVAL;
	snprintf(line->name, sizeof(line->name), "%.*s", (int)(equals - begin), begin);
	snprintf(line->value, sizeof(line->value), "%.*s", (int)(end - equals - 1), equals + 1);
	*text = end + 1;
	return 0;
}

/* The row of a line, and its value in one form whatever the sender wrote ("0x64" and "100" are the same). */
static int line_read(const struct line *line, const struct opt_row **found, struct cmtime_params *values,
		     char *canonical, char *reason, size_t reason_size)
{
	const struct opt_row *row = opt_find(&cmtime_options, line->name);
	char quote[OPT_QUOTE_SIZE], why[OPT_TEXT_SIZE];

	if (!row || row->reach == OPT_LOCAL)
		return opt_refuse(reason, reason_size,
				  "no option %s is shared here; all instances must be of one version",
				  opt_quote(line->name, quote));
	if (opt_value_read(row, ~0U, values, line->value, why, sizeof(why)))
		return opt_refuse(reason, reason_size, "--%s: %s", row->long_name, why);
	opt_value_write(row, values, true /* the wish */, canonical, OPT_TEXT_SIZE);
	*found = row;
	return 0;
}

/* Takes OPT_TEXT_SIZE bytes at most, which the rows' kinds keep far below a wish's room. */
static void text_add(char text[AGREEMENT_TEXT_SIZE], size_t *used, const char *name, const char *value)
{
	if (*used < AGREEMENT_TEXT_SIZE)
		*used += (size_t)snprintf(text + *used, AGREEMENT_TEXT_SIZE - *used, "%s=%s\n", name, value);
}

const char *agreement_export(const struct cmtime_params *params, char text[AGREEMENT_TEXT_SIZE])
{
	char value[OPT_TEXT_SIZE];
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < cmtime_options.num_rows; i++) {
		const struct opt_row *row = &cmtime_options.rows[i];

		if (row->reach != OPT_LOCAL && params->given[i])
			text_add(text, &used, row->long_name,
				 opt_value_write(row, params, true /* the wish */, value, sizeof(value)));
	}
	return text;
}

int agreement_merge(struct agreement *agreement, const char *who, const char *text, char *reason, size_t reason_size)
{
	struct agreement merged = *agreement;
	struct cmtime_params values;
	char canonical[OPT_TEXT_SIZE], title[OPT_TEXT_SIZE];
	const struct opt_row *row;
	struct line line;
	int ret;

	cmtime_params_init(&values);
	while (*text) {
		struct agreement_wish *wish;

		if (line_scan(&text, &line))
			return opt_refuse(reason, reason_size, "the options of %s can't be read", who);
		ret = line_read(&line, &row, &values, canonical, reason, reason_size);
		if (ret)
			return ret;
		wish = &merged.wishes[row - cmtime_options.rows];
		if (!wish->value[0]) {
			snprintf(wish->value, sizeof(wish->value), "%.63s", canonical);
			snprintf(wish->who, sizeof(wish->who), "%s", who);
		} else if (row->reach == OPT_SHARED && strcmp(wish->value, canonical) != 0) {
			return opt_refuse(
				reason, reason_size,
				"%s is %s for %s and %s for %s: give all instances the same value, or only one of them",
				opt_title(row, title, sizeof(title)), wish->value, wish->who, canonical, who);
		}
	}
	*agreement = merged;
	return 0;
}

const char *agreement_write(const struct agreement *agreement, char text[AGREEMENT_TEXT_SIZE])
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < cmtime_options.num_rows; i++)
		if (agreement->wishes[i].value[0])
			text_add(text, &used, cmtime_options.rows[i].long_name, agreement->wishes[i].value);
	return text;
}

int agreement_adopt(struct cmtime_params *params, const char *text, char *reason, size_t reason_size)
{
	struct cmtime_params adopted = *params, values;
	char canonical[OPT_TEXT_SIZE], why[OPT_TEXT_SIZE];
	const struct opt_row *row;
	const char *broken;
	struct line line;
	int ret;

	cmtime_params_init(&values);
	while (*text) {
		if (line_scan(&text, &line))
			return opt_refuse(reason, reason_size, "the controller's options can't be read");
		ret = line_read(&line, &row, &values, canonical, reason, reason_size);
		if (ret)
			return ret;
		if (row->reach == OPT_SHARED || !params->given[row - cmtime_options.rows])
			opt_value_read(row, ~0U, &adopted, canonical, why, sizeof(why));
	}
	broken = cmtime_rules_check(&adopted);
	if (broken)
		return opt_refuse(reason, reason_size, "the instances' options do not go together: %s", broken);
	*params = adopted;
	return 0;
}

unsigned agreement_peers(const struct agreement *agreement)
{
	const struct opt_row *row = opt_find(&cmtime_options, "peers");
	struct cmtime_params values;
	char why[OPT_TEXT_SIZE];

	cmtime_params_init(&values);
	if (agreement->wishes[row - cmtime_options.rows].value[0])
		opt_value_read(row, ~0U, &values, agreement->wishes[row - cmtime_options.rows].value, why, sizeof(why));
	return values.peers;
}
