// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The description of a program for --help and the generated documents. See describe.h. */
#include "params/describe.h"

#include <stdio.h>

#include "params/options.h"
#include "params/programs.h"

#define ENDS	     " -B 02:00:00:00:00:0a -E 02:00:00:00:00:0b"
#define ENDS_SWAPPED " -B 02:00:00:00:00:0b -E 02:00:00:00:00:0a"

static const struct cli_example doctor_example = {"%s --doctor -d mlx5_0", "Find what makes tests slow here"};

static void describe_raw_examples(const struct program *program, struct cli_example examples[CLI_NUM_EXAMPLES])
{
	examples[3] = doctor_example;
	if (program->metric == METRIC_STEERING) {
		examples[0] =
			(struct cli_example){"%s -B 02:00:00:00:00:0a", "A thousand rules, each for a MAC address"};
		examples[1] =
			(struct cli_example){"%s -B 02:00:00:00:00:0a -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000 -n 60000",
					     "Rules for UDP over IPv4, each for a port"};
		examples[2] = (struct cli_example){"%s -B 02:00:00:00:00:0a -D 10",
						   "Create and destroy rules for ten seconds"};
		return;
	}
	examples[0] = (struct cli_example){"server$ %s -Z" ENDS, "Wait for the client's frames"};
	examples[1] = (struct cli_example){"client$ %s -P" ENDS_SWAPPED,
					   "Measure with frames that have only an Ethernet header"};
	if (program->metric == METRIC_BW)
		examples[2] = (struct cli_example){"client$ %s -P -D 10 -s 1024" ENDS_SWAPPED
						   " -J 10.0.0.1 -j 10.0.0.2 -K 1000 -k 2000",
						   "Frames of 1024 bytes with UDP over IPv4 for ten seconds"};
	else if (program->bursts)
		examples[2] =
			(struct cli_example){"client$ %s -P -n 100000 --burst_size=32 --reply_every=8" ENDS_SWAPPED,
					     "Bursts of 32 frames, of which every eighth one is answered"};
	else
		examples[2] =
			(struct cli_example){"client$ %s -P -n 1000000 --percentiles=50,90,99,99.9,99.99" ENDS_SWAPPED,
					     "A million samples, with the tail of their distribution"};
}

/* The examples of --help and the manual page. */
static void describe_examples(const struct program *program, struct cli_example examples[CLI_NUM_EXAMPLES])
{
	const bool atomic = program->verb == VERB_ATOMIC;

	examples[0] = (struct cli_example){"server$ %s", "Wait for a client, run what it asks for"};
	if (atomic)
		examples[1] = (struct cli_example){"client$ %s -A CMP_AND_SWAP server", "Measure compare-and-swap"};
	else
		examples[1] = (struct cli_example){"client$ %s -a server", "Measure all message sizes"};
	if (program->metric == METRIC_LAT)
		examples[2] = (struct cli_example){"client$ %s -n 1000000 --percentiles=50,90,99,99.9,99.99 server",
						   "A million samples, with the tail of their distribution"};
	else if (atomic)
		examples[2] = (struct cli_example){"client$ %s -q 4 -D 10 --report_interval 1 server",
						   "Four queue pairs for ten seconds, a row every second"};
	else
		examples[2] = (struct cli_example){"client$ %s -s 1M -q 4 -D 10 --report_gbits server",
						   "1 MiB messages on four queue pairs for ten seconds, in Gb/s"};
	examples[3] = doctor_example;
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
		.note = "The client sends its options to the server; shared options need to be given only on the "
			"client.",
	};
	describe_examples(program, cli->examples);
	if (!program->silent)
		return;
	describe_raw_examples(program, cli->examples);
	if (program->metric == METRIC_STEERING) {
		cli->usages[0] = (struct cli_usage){"-B MAC", "create and destroy steering rules"};
		cli->usages[1] = (struct cli_usage){0};
		cli->note = "There is no other side, and no frame is sent.";
		return;
	}
	cli->usages[0] = (struct cli_usage){"--server -B MAC -E MAC", "on the server: wait for the client's frames"};
	cli->usages[1] = (struct cli_usage){"--client -B MAC -E MAC", "on the client: send, and measure"};
	cli->note = "There is no side channel: each side uses its own options. Give both the same options, except "
		    "those that identify the side.";
}
