// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of cmtime's options, with classic names, ranges and defaults. The parser, --help, the manual page, the
 * completion, the exchange between instances and the JSON parameters all use it.
 *
 * Reach. OPT_SHARED: all instances must have the same value; an instance that was given none adopts it. OPT_OFFERED: an
 * instance that was given its own value keeps it. OPT_LOCAL: concerns one instance.
 */
#include <string.h>

#include "cmtime/parameters.h"
#include "params/engine/opt_rows.h"

#define OPTIONS_OF		  struct cmtime_params
#define IN(heading, how, version) .group = (heading), .programs = CMTIME_PROGRAM, .reach = (how), .since = (version)

#define AN_HOUR_US   3600000000.0
#define MAX_QPN	     0xffffff
#define MAX_PER_PAIR 1000000

enum group {
	GENERAL, /* does not affect a test: not in the JSON document */
	MEETING,
	PLACE,
	TEST,
	PACE,
	REPORT,
	NUM_GROUPS,
};

static const char *const groups[NUM_GROUPS] = {
	[GENERAL] = "General", [MEETING] = "Connection setup", [PLACE] = "Addresses",
	[TEST] = "Test",       [PACE] = "Rate and repetition", [REPORT] = "Output",
};

static const struct opt_absent absent[] = {
	{"server", 's', "rdma-core 44's cmtime names the server with it; give -C HOST to both sides"},
	{NULL, '\0', NULL},
};

static const struct opt_guess guesses[] = {COMMON_OUTPUT_GUESSES, {NULL, NULL, false}};

static const char *check_interface(const char *text)
{
	return strchr(text, '/') || strchr(text, ' ') ? "is not the name of a network interface" : NULL;
}

static const struct opt_row rows[] = {
	COMMON_ASKED_ROWS(asked, IN(GENERAL, OPT_LOCAL, "7.0")),
	{
		STRING('C', "controller", "HOST", controller),
		.help = "Name or address of the controller, the instance that keeps all others in step: the first "
			"one whose own address it is becomes the controller; HOST:PORT and [ADDRESS]:PORT also name "
			"its port; required",
		.brief = "Controller of all instances, a server",
		IN(MEETING, OPT_LOCAL, "65"),
	},
	{
		COMMON_PORT,
		STORED_IN(port),
		.default_text = "7471",
		.help = "TCP port of the controller",
		IN(MEETING, OPT_LOCAL, "65"),
	},
	{
		INTEGER('P', "peers", "N", peers, 2, 1024),
		.default_text = "2",
		.help = "Number of instances, clients and servers together; give it to the controller",
		.brief = "Number of instances",
		IN(MEETING, OPT_SHARED, "65"),
	},
	{
		INTEGER(NO_LETTER, "join_timeout", "SECONDS", join_timeout_s, 1, COMMON_A_DAY_S),
		.default_text = "600",
		.help = "Give up when not all instances have joined the controller within this time",
		IN(MEETING, OPT_LOCAL, "7.0"),
	},
	{
		COMMON_KEEP_SERVING,
		STORED_IN(keep_serving),
		.brief = "Server: be one of further tests",
		IN(MEETING, OPT_LOCAL, "7.0"),
	},
	{
		COMMON_TIMEOUT(COMMON_A_DAY_S),
		STORED_IN(timeout_s),
		.help = "Give up when an instance has been silent or a step has made no progress for this long, or "
			"when one instance has kept all others waiting for five times as long",
		IN(MEETING, OPT_LOCAL, "7.0"),
	},
	{
		STRING('B', "bind_interface", "NAME", bind_interface),
		.check = check_interface,
		.help = "Use the first address of this network interface; this or -b is required",
		.brief = "Network interface of this side",
		IN(PLACE, OPT_LOCAL, "65"),
	},
	{
		STRING('b', "bind_address", "ADDRESS", bind_address),
		.help = "Local address of the connections, or its name",
		.brief = "Address of this side",
		IN(PLACE, OPT_LOCAL, "65"),
	},
	{
		FLAG('L', "listen", listen),
		.help = "Run as a server; without this option, as a client",
		.brief = "Be a server",
		IN(PLACE, OPT_LOCAL, "65"),
	},
	{
		INTEGER('c', "connections", "N", connections, 1, MAX_PER_PAIR),
		.default_text = "100",
		.help = "Connections of each client with each server",
		.brief = "Connections of each client",
		IN(TEST, OPT_SHARED, "65"),
	},
	{
		FLAG('S', "sockets", sockets),
		.help = "Connect TCP sockets instead, as a baseline",
		.brief = "TCP sockets instead of RDMA",
		IN(TEST, OPT_SHARED, "65"),
	},
	{
		INTEGER('m', "mimic_qp_delay", "USEC", mimic_us, 0, AN_HOUR_US),
		DEFAULT_WORD("off", -1),
		.help = "Create no queue pairs; sleep this long in place of each call that creates or modifies one",
		IN(TEST, OPT_SHARED, "65"),
	},
	{
		INTEGER('q', "base_qpn", "QPN", base_qpn, 1, MAX_QPN),
		.default_text = "1000",
		.help = "First number for queue pairs that are not created; increased if another instance uses it",
		IN(TEST, OPT_LOCAL, "65"),
	},
	{
		INTEGER('n', "threads", "N", threads, 1, 1024),
		.default_text = "1",
		.help = "Number of threads that handle events and queue pairs, besides the one that reads events",
		IN(TEST, OPT_LOCAL, "65"),
	},
	{
		INTEGER('r', "retries", "N", retries, 0, 1000),
		.default_text = "2",
		.help = "How often to retry resolving an address or a route, and connecting if the server takes the "
			"connection for an old one with the same queue pair number",
		IN(TEST, OPT_OFFERED, "65"),
	},
	{
		INTEGER('t', "resolve_timeout", "MS", timeout_ms, 1, 3600000),
		.default_text = "2000",
		.help = "Time limit of each attempt to resolve an address or a route, in milliseconds",
		IN(TEST, OPT_OFFERED, "65"),
	},
	{
		INTEGER(NO_LETTER, "window", "N", window, 0, MAX_PER_PAIR),
		.default_text = "0",
		.help = "Connections of each client in progress at a time, each going through all its steps; 0: all "
			"connections complete a step before the next one begins",
		IN(PACE, OPT_SHARED, "7.0"),
	},
	{
		DOUBLE(NO_LETTER, "rate", "PER_SECOND", rate, 0, 1e7),
		DEFAULT_WORD("off", 0),
		.help = "Connections that each client starts per second, whether or not earlier ones are done",
		.brief = "Connections to start per second",
		IN(PACE, OPT_SHARED, "7.0"),
	},
	{
		INTEGER(NO_LETTER, "duration", "SECONDS", duration_s, 0, COMMON_A_DAY_S),
		.default_text = "0",
		.help = "Connect and disconnect for this long; without --window and --rate, with -c connections in "
			"progress at a time; 0: until -c connections have been made",
		.brief = "Connect for this long",
		IN(PACE, OPT_SHARED, "7.0"),
	},
	COMMON_REPEAT_ROWS("test", repeat, 1000, "average rate", IN(PACE, OPT_SHARED, "7.0")),
	{
		COMMON_PERCENTILES(0.0001, "off"),
		STORED_IN(percentiles),
		.count_offset = offsetof(struct cmtime_params, num_percentiles),
		.help = "Add columns with these percentiles of a step's time",
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	{
		FLAG(NO_LETTER, "queueing", queueing),
		.help = "Add columns with the time that a step took without waiting for a thread, and with that "
			"wait, which is not part of most steps' times",
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	{
		FLAG(NO_LETTER, "merged", merged),
		.help = "Have the controller print one table for all instances instead of its own",
		.brief = "One table for all instances",
		IN(REPORT, OPT_OFFERED, "7.0"),
	},
	{
		DOUBLE(NO_LETTER, "limit_rate", "PER_SECOND", limit_rate, 0, 1e7),
		.default_text = "0",
		.help = "Exit with status 3 if fewer connections per second than this were established; 0: no limit",
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	COMMON_LATENCY_LIMIT_ROWS(latency, "the longest full connect", "of full connect", IN(REPORT, OPT_LOCAL, "7.0")),
	{
		DOUBLE(NO_LETTER, "report_interval", "SECONDS", report_interval_s, 0.01, COMMON_A_YEAR_S),
		DEFAULT_WORD("off", 0),
		.help = "With --duration, --window or --rate, print how many connections this instance established "
			"in each interval of this length, as soon as it is over",
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	{COMMON_LIMIT_INTERVALS(", which has a rate and no times"), STORED_IN(limit_intervals),
	 IN(REPORT, OPT_LOCAL, "7.0")},
	{
		FLAG(NO_LETTER, "limit_peers", limit_peers),
		.help = "The limits of the controller hold for each client, rather than for all of them together",
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	{COMMON_TIMESTAMPS_OF("Print the time of day at which a test"), STORED_IN(timestamps),
	 IN(REPORT, OPT_LOCAL, "7.0")},
	{COMMON_CPU_UTIL, STORED_IN(cpu_util), IN(REPORT, OPT_LOCAL, "7.0")},
	{
		COMMON_COUNTERS("files of the port of the RDMA device (counters/port_xmit_data), with -S those of the "
				"network interface (statistics/tx_bytes), and statistics of the interface's driver "
				"(ethtool/tx_bytes)",
				""),
		STORED_IN(counters),
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	{COMMON_EXPLAIN, STORED_IN(explain), IN(REPORT, OPT_SHARED, "7.0")},
	COMMON_OUTPUT_ROWS(output, IN(REPORT, OPT_LOCAL, "7.0")),
};

_Static_assert(sizeof(rows) / sizeof(rows[0]) <= CMTIME_MAX_OPTIONS, "given[] is too short");

const struct opt_table cmtime_options = {
	.rows = rows,
	.num_rows = sizeof(rows) / sizeof(rows[0]),
	.groups = groups,
	.num_groups = NUM_GROUPS,
	.operand = NULL,
	.absent = absent,
	.guesses = guesses,
};
