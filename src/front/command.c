// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See command.h. */
#include "front/command.h"

#define MOST_OPTIONS 32 /* of a command */

int command_options(const struct cli *cli, int argc, char **argv, void *params, char *reason, size_t size)
{
	const int own = 1 + (int)opt_leading(cli->options, 1, argv + 1, (unsigned)argc - 1);
	bool given[MOST_OPTIONS] = {false}, idle[MOST_OPTIONS] = {false};
	struct opt_found found = {.given = given, .idle = idle};
	int ret;

	opt_init(cli->options, 1, params);
	ret = opt_parse(cli->options, 1, own, argv, params, &found, reason, size);
	return ret ? ret : own;
}
