// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What --help and the generated documents say of a program. See describe.h. */
#include "params/describe.h"

#include <stdio.h>

#include "params/options.h"
#include "params/programs.h"

/* What --help and the manual page show first. */
static void describe_examples(const struct program *program, struct cli_example examples[CLI_NUM_EXAMPLES])
{
	const bool atomic = program->verb == VERB_ATOMIC;

	examples[0] = (struct cli_example){"server$ %s", "Wait for a client, with whatever it asks for"};
	if (atomic)
		examples[1] = (struct cli_example){"client$ %s -A CMP_AND_SWAP server", "Measure compare-and-swap"};
	else
		examples[1] = (struct cli_example){"client$ %s -a server", "Measure all message sizes"};
	if (program->metric == METRIC_LAT)
		examples[2] = (struct cli_example){"client$ %s -n 1000000 --percentiles=50,90,99,99.9,99.99 server",
						   "A million samples, and where their tail lies"};
	else if (atomic)
		examples[2] = (struct cli_example){"client$ %s -q 4 -D 10 --report_interval 1 server",
						   "Four queue pairs for ten seconds, a row every second"};
	else
		examples[2] = (struct cli_example){"client$ %s -s 1M -q 4 -D 10 --report_gbits server",
						   "1 MiB messages on four queue pairs for ten seconds, in Gb/s"};
	examples[3] =
		(struct cli_example){"%s --doctor -d mlx5_0", "Look at this host: what may make a test slow, or fail"};
}

void program_describe(const struct program *program, char purpose[PROGRAM_PURPOSE_SIZE], struct cli *cli)
{
	snprintf(purpose, PROGRAM_PURPOSE_SIZE, "measure the %s", program->summary);
	*cli = (struct cli){
		.name = program->name,
		.purpose = purpose,
		.options = &params_options,
		.program = program_bit(program),
		.usages = {{"", "on the server: wait for a client"},
			   {"HOST", "on the client: connect to the server and measure"}},
		.note = "The client's options go to the server; those that it must share need to be given only there.",
	};
	describe_examples(program, cli->examples);
}
