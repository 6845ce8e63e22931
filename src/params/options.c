// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * THE table of all options of the ib_* programs. The parser, --help, the manual pages, the shell completion, the text
 * that a client sends to its server and the parameters in the JSON document all come from these rows; a rule between
 * two options is a row of rules_*.c. To add an option: a member in its group of struct params, a row in the group's
 * file, `make generate`.
 *
 * Names, ranges and defaults are those of the classic suite if it has the option. Values that it misread silently (-x
 * 300 as 44, "4G" as 4) are refused here.
 *
 * Reach. OPT_SHARED: what both ends must do alike for the test to work at all. OPT_FOLLOWED_IDLE: how much a test
 * measures, which a server without figures of its own leaves to its client. OPT_FOLLOWED: what the measuring side does
 * before it. OPT_OFFERED: what a server without
 * options should do as its client does, but may do differently (its own queues, pace, path and rows).
 * OPT_LOCAL: what belongs to one host - its devices, addresses, memory, CPUs, files, limits.
 */
#include "params/options.h"

#include <assert.h>
#include <stdio.h>

#include "params/engine/checks.h"
#include "params/engine/limits.h"
#include "params/engine/opt_rows.h"
#include "params/masks.h"
#include "params/perftest_parameters.h"
#include "params/programs.h"

#define OPTIONS_OF	struct params
#define USED_AS(member) .used_offset = offsetof(struct params, member), .used_width = SIZE_OF(member)
#define IN(heading, which, how, version)                                                                               \
	.group = PARAMS_GROUP_##heading, .programs = (which), .reach = (how), .since = (version)

#define WHOLE_BLOCKS "it works on whole blocks of a connection's messages, but an atomic operation has 8 bytes"

static const char *const groups[PARAMS_NUM_GROUPS] = {
	[PARAMS_GROUP_GENERAL] = "General",	   [PARAMS_GROUP_CHANNEL] = "Connection setup",
	[PARAMS_GROUP_DEVICE] = "Device and path", [PARAMS_GROUP_ETHERNET] = "Frames",
	[PARAMS_GROUP_TEST] = "Traffic",	   [PARAMS_GROUP_QUEUES] = "Queues and completions",
	[PARAMS_GROUP_RATE] = "Rate control",	   [PARAMS_GROUP_REPEAT] = "Repetition",
	[PARAMS_GROUP_MEMORY] = "Memory and CPUs", [PARAMS_GROUP_REPORT] = "Output",
};

static const struct opt_row rows[] = {
/* One file per group, in the order of the help; a row's position is its index in struct params' given[]. */
/* clang-format off */
#include "params/rows/rows_general.h"
#include "params/rows/rows_channel.h"
#include "params/rows/rows_device.h"
#include "params/rows/rows_ethernet.h"
#include "params/rows/rows_test.h"
#include "params/rows/rows_queues.h"
#include "params/rows/rows_rate.h"
	COMMON_REPEAT_ROWS("message size", repeat, 1000, "average (latency: of the median)", IN(REPEAT, MOVES, OPT_SHARED, "7.0")),
#include "params/rows/rows_memory.h"
#include "params/rows/rows_report.h"
	/* clang-format on */
};

/* Names that qperf, iperf3 and others have, and those of the JSON document. */
static const struct opt_guess guesses[] = {
	COMMON_OUTPUT_GUESSES,
	{"device", "ib-dev", false},
	{"time", "duration", false},
	{"seconds", "duration", false},
	{"iterations", "iters", false},
	{"count", "iters", false},
	{"length", "size", false},
	{"bytes", "size", false},
	{"msgsize", "size", false},
	{"qps", "qp", false},
	{"num_qps", "qp", false},
	{"parallel", "qp", false},
	{"streams", "qp", false},
	{"affinity", "pin_cores", false},
	{"bitrate", "rate_limit", false},
	{"gbps", "report_gbits", false},
	{"depth", "tx-depth", false},
	{"debug", "verbose", false},
	{NULL, NULL, false},
};

const struct opt_table params_options = {
	.rows = rows,
	.num_rows = sizeof(rows) / sizeof(rows[0]),
	.groups = groups,
	.num_groups = PARAMS_NUM_GROUPS,
	.operand = "HOST",
	.guesses = guesses,
	.programs_text = programs_text,
};

static_assert(sizeof(rows) / sizeof(rows[0]) <= PARAMS_MAX_OPTIONS, "struct params' given[] is too short");

unsigned params_option_index(const char *long_name)
{
	const struct opt_row *row = opt_find(&params_options, long_name);

	assert(row);
	return (unsigned)(row - rows);
}

bool params_given(const struct params *params, const char *long_name)
{
	return params->given[params_option_index(long_name)];
}

/* --- the command line of a program --- */

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
	cli->note =
		"Each side uses its own options. Give both the same options, except those that identify the side; or "
		"--side_channel, and HOST to the client, which then sends its options to the server.";
}
