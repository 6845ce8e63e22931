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

#include "params/engine/checks.h"
#include "params/engine/limits.h"
#include "params/engine/opt_rows.h"
#include "params/engine/sizes.h"
#include "params/load.h"
#include "params/masks.h"
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
	COMMON_REPEAT_ROWS(repeat, 1000, "average (latency: of the median)", IN(REPEAT, IB, OPT_SHARED, "7.0")),
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
