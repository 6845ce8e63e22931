// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the server must know: the client's requests as text, and how a server takes them over.
 *
 * The format is that of opt_exchange.h. A server ignores an unknown option whose value is the client's default, so that
 * a client of a later version can still use an older server unless it requests something new. Nothing is taken over
 * unless all of it is valid.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "params/engine/opt_exchange.h"
#include "params/options.h"
#include "params/perftest_parameters.h"
#include "params/programs.h"
#include "params/rules/rules.h"
#include "util/log.h"

#define MAX_EXPORT 65536 /* bytes; the longest real one is below 2 KiB */

int params_export(const struct params *params, char **text)
{
	const unsigned program = program_bit(params->program);
	struct params defaults = {0};
	char *buffer;
	size_t size;

	opt_init(&params_options, program, &defaults);
	size = opt_export(&params_options, program, params, &defaults, NULL /* all that travel */, NULL, 0) + 1;
	buffer = malloc(size);
	if (!buffer)
		return -ENOMEM;
	opt_export(&params_options, program, params, &defaults, NULL /* all that travel */, buffer, size);
	*text = buffer;
	return 0;
}

/* Both sides must have the same, and the server was given another value. */
static int refuse_contradiction(char *reason, size_t reason_size, const struct opt_row *row,
				const struct params *requested, const struct params *params)
{
	char client[OPT_TEXT_SIZE], server[OPT_TEXT_SIZE];

	opt_value_write(row, requested, true /* as requested */, client, sizeof(client));
	opt_value_write(row, params, true /* as requested */, server, sizeof(server));
	if (row->kind == OPT_FLAG)
		opt_refuse(reason, reason_size,
			   "--%s is given on the server but not on the client: give it to both or to neither",
			   row->long_name);
	else
		opt_refuse(reason, reason_size,
			   "--%s is %s on the client and %s on the server: give both the same, or only the client",
			   row->long_name, client[0] ? client : "not given", server);
	return -EEXIST;
}

/*
 * Does no figure of this server depend on the option, in the test that the client requests? NULL: one does. Else why
 * the option has no effect there, or "": it has one, but not here.
 */
static const char *why_followed(const struct params *requested, const struct opt_row *row)
{
	const struct traffic traffic = params_traffic(requested, SIDE_SERVER);
	const char *idle;

	switch (opt_reach_in(row, program_bit(requested->program))) {
	case OPT_FOLLOWED:
		return "";
	case OPT_FOLLOWED_IDLE:
		idle = rules_idle_sentence(requested, row->long_name, 0);
		return idle ? idle : traffic.posts || traffic.arrivals || params_gathers(requested) ? NULL : "";
	default:
		return NULL;
	}
}

/* Has the server given values of its own for what the client requests? 0, or -EEXIST. */
static int settle(const struct params *params, struct params *adopted, const bool *seen, const char **followed,
		  char *reason, size_t reason_size)
{
	char client[OPT_TEXT_SIZE], server[OPT_TEXT_SIZE], wrong[OPT_TEXT_SIZE];
	const struct opt_row *refused = NULL;
	struct params requested = *adopted;

	resolve_values(&requested);
	for (unsigned i = 0; i < params_options.num_rows; i++) {
		const struct opt_row *row = &params_options.rows[i];

		if (!seen[i] || !params->given[i])
			continue;
		opt_value_write(row, &requested, true /* as requested */, client, sizeof(client));
		opt_value_write(row, params, true /* as requested */, server, sizeof(server));
		if (strcmp(client, server) == 0)
			continue;
		followed[i] = why_followed(&requested, row);
		if (followed[i])
			adopted->given[i] = false;
		else if (opt_reach_in(row, program_bit(requested.program)) == OPT_OFFERED)
			opt_value_read(row, ~0U, adopted, server, wrong, sizeof(wrong));
		/* "-s 4096 -a": the other one is why the server contradicts its client. */
		else if (!refused || rules_idle_sentence(params, refused->long_name, 0))
			refused = row;
	}
	return refused ? refuse_contradiction(reason, reason_size, refused, &requested, params) : 0;
}

static void note_followed(const struct params *params, const struct params *adopted, const char **followed)
{
	char client[OPT_TEXT_SIZE], server[OPT_TEXT_SIZE];

	for (unsigned i = 0; i < params_options.num_rows; i++) {
		const struct opt_row *row = &params_options.rows[i];

		if (!followed[i])
			continue;
		opt_value_write(row, adopted, true /* as requested */, client, sizeof(client));
		opt_value_write(row, params, true /* as requested */, server, sizeof(server));
		if (followed[i][0])
			log_info("--%s is %s here, which the client's test does not use: %s", row->long_name, server,
				 followed[i]);
		else
			log_info("--%s is %s here and %s on the client, whose value is used", row->long_name, server,
				 client);
	}
}

int params_adopt(struct params *params, const char *text, char *reason, size_t reason_size)
{
	const char *followed[PARAMS_MAX_OPTIONS] = {NULL};
	bool seen[PARAMS_MAX_OPTIONS] = {false};
	struct params adopted = *params;
	int ret;

	if (strnlen(text, MAX_EXPORT) == MAX_EXPORT) {
		opt_refuse(reason, reason_size, "the client's parameters are too long");
		return -EBADMSG;
	}
	if (opt_import(&params_options, program_bit(params->program), "the client", text, &adopted, seen, reason,
		       reason_size))
		return -EBADMSG;
	ret = settle(params, &adopted, seen, followed, reason, reason_size);
	if (ret)
		return ret;
	note_followed(params, &adopted, followed);
	adopted.has_adopted = true;
	*params = adopted;
	return 0;
}
