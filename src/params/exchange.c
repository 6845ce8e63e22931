// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What does the server have to know? The client's wishes as text, and a server that takes them over.
 *
 * One line a row of the option table that is not OPT_LOCAL, "NAME=VALUE\n", values as on the command
 * line. A '?' before the name marks a value that is the client's default: a server that does not know
 * the option may go without it, so that a client of a later version can still use an older server
 * unless it asks for something new. The text comes from the network: every name, value and length is
 * checked, and nothing is taken over unless all of it is good.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "params/options.h"
#include "params/perftest_parameters.h"
#include "params/programs.h"

#define MAX_EXPORT	65536 /* bytes; the longest real one is below 2 KiB */
#define OPTIONAL_PREFIX "?"

/* Does the option travel, in this program? */
static bool travels(const struct opt_row *row, const struct program *program)
{
	return row->reach != OPT_LOCAL && row->programs & program_bit(program);
}

/* Text of a default, in the form in which values are written. */
static const char *default_value(const struct opt_row *row, const struct program *program, char *buffer, size_t size)
{
	const struct opt_table one = {.rows = row, .num_rows = 1};
	struct params values = {0};

	opt_init(&one, program_bit(program), &values);
	return opt_value_write(row, &values, true /* the wish */, buffer, size);
}

int params_export(const struct params *params, char **text)
{
	char value[OPT_TEXT_SIZE], usual[OPT_TEXT_SIZE];
	char *buffer = NULL;
	size_t size;
	FILE *out;

	out = open_memstream(&buffer, &size);
	if (!out)
		return -ENOMEM;
	for (unsigned i = 0; i < params_options.num_rows; i++) {
		const struct opt_row *row = &params_options.rows[i];

		if (!travels(row, params->program))
			continue;
		opt_value_write(row, params, true /* the wish */, value, sizeof(value));
		default_value(row, params->program, usual, sizeof(usual));
		fprintf(out, "%s%s=%s\n", strcmp(value, usual) == 0 ? OPTIONAL_PREFIX : "", row->long_name, value);
	}
	if (fclose(out)) {
		free(buffer);
		return -ENOMEM;
	}
	*text = buffer;
	return 0;
}

/* One line of the text, split. */
struct wish {
	bool optional;
	char name[OPT_QUOTE_SIZE];
	char value[OPT_TEXT_SIZE];
};

/* Splits the line at *text and moves behind it. */
static int wish_scan(const char **text, struct wish *wish)
{
	const char *line = *text;
	const char *end = strchr(line, '\n');
	const char *equals;

	if (!end)
		return -EBADMSG;
	wish->optional = *line == OPTIONAL_PREFIX[0];
	if (wish->optional)
		line++;
	equals = memchr(line, '=', (size_t)(end - line));
	if (!equals || equals == line || (size_t)(equals - line) >= sizeof(wish->name) ||
	    (size_t)(end - equals) > sizeof(wish->value))
		return -EBADMSG;
	snprintf(wish->name, sizeof(wish->name), "%.*s", (int)(equals - line), line);
	snprintf(wish->value, sizeof(wish->value), "%.*s", (int)(end - equals - 1), equals + 1);
	*text = end + 1;
	return 0;
}

static int refuse_text(char *reason, size_t reason_size, const struct wish *wish, const char *wrong)
{
	char shown[OPT_QUOTE_SIZE + 2], quote[OPT_QUOTE_SIZE];

	snprintf(shown, sizeof(shown), "--%s", wish->name);
	opt_refuse(reason, reason_size, "the client's option %s %s", opt_quote(shown, quote), wrong);
	return -EBADMSG;
}

/* Both sides must have it, and the server was given another value. */
static int refuse_contradiction(char *reason, size_t reason_size, const struct opt_row *row, const char *client,
				const char *server)
{
	if (row->kind == OPT_FLAG)
		opt_refuse(reason, reason_size, "--%s is given on the server but not on the client", row->long_name);
	else
		opt_refuse(reason, reason_size, "--%s is %s on the client and %s on the server", row->long_name, client,
			   server);
	return -EEXIST;
}

/* Takes one wish over into adopted; params is what this side was asked itself. */
static int take_wish(const struct params *params, struct params *adopted, const struct opt_row *row,
		     const struct wish *wish, char *reason, size_t reason_size)
{
	const bool given = params->given[row - params_options.rows];
	char client[OPT_TEXT_SIZE], server[OPT_TEXT_SIZE], wrong[OPT_TEXT_SIZE];

	if (opt_value_read(row, program_bit(params->program), adopted, wish->value, wrong, sizeof(wrong))) {
		opt_refuse(reason, reason_size, "the client's --%s: %s", row->long_name, wrong);
		return -EBADMSG;
	}
	if (!given)
		return 0;
	opt_value_write(row, params, true /* the wish */, server, sizeof(server));
	opt_value_write(row, adopted, true /* the wish */, client, sizeof(client));
	if (row->reach == OPT_SHARED && strcmp(client, server) != 0)
		return refuse_contradiction(reason, reason_size, row, client, server);
	opt_value_read(row, ~0U, adopted, server, wrong, sizeof(wrong));
	return 0;
}

int params_adopt(struct params *params, const char *text, char *reason, size_t reason_size)
{
	bool seen[PARAMS_MAX_OPTIONS] = {false};
	struct params adopted = *params;
	struct wish wish;
	int ret;

	if (strnlen(text, MAX_EXPORT) == MAX_EXPORT) {
		opt_refuse(reason, reason_size, "the client's parameters are too long");
		return -EBADMSG;
	}
	while (*text) {
		const struct opt_row *row;

		if (wish_scan(&text, &wish)) {
			opt_refuse(reason, reason_size, "the client's parameters are garbled");
			return -EBADMSG;
		}
		row = opt_find(&params_options, wish.name);
		if (!row || !travels(row, params->program)) {
			if (!row && wish.optional)
				continue;
			return refuse_text(reason, reason_size, &wish,
					   row ? "is not one that a server takes over"
					       : "is unknown here; update this server, or leave the option out");
		}
		if (seen[row - params_options.rows])
			return refuse_text(reason, reason_size, &wish, "came twice");
		seen[row - params_options.rows] = true;
		ret = take_wish(params, &adopted, row, &wish, reason, reason_size);
		if (ret)
			return ret;
	}
	*params = adopted;
	return 0;
}
