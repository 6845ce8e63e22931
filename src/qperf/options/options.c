// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of qperf's options, with the names and letters of qperf 0.4.11. The command line parser, --help, the manual
 * page and the completion all use it.
 */
#include "qperf/options/options.h"

#include <string.h>

#include "params/engine/checks.h"
#include "params/engine/limits.h"
#include "qperf/options/values.h"
#include "util/path_words.h"

/* What a row begins with: its words, and a parameter of the tests or a member of struct qperf_params. */
#define WORDS(type, long_form, short_form, word)                                                                       \
	.name = (long_form), .letters = (short_form), .argument = (word), .kind = (type)
#define OF_TEST(type, long_form, short_form, word, which)                                                              \
	WORDS(type, long_form, short_form, word), .parameter = PARAM_##which, .owner = OWNER_CLIENT
#define VALUE(type, long_form, short_form, word, member)                                                               \
	WORDS(type, long_form, short_form, word), .parameter = -1, .offset = offsetof(struct qperf_params, member)
#define TEXT(long_form, short_form, word, member)                                                                      \
	VALUE(OPTION_TEXT, long_form, short_form, word, member), .size = sizeof(((struct qperf_params *)NULL)->member)
#define RANGE(from, to) .min = (from), .max = (to)
#define VERBOSE(long_form, short_form, bits, high)                                                                     \
	WORDS(OPTION_VERBOSE, long_form, short_form, NULL), .parameter = -1, .classes = (bits), .level = (high)
#define EVERY_CLASS ((1U << NUM_VERBOSE) - 1)

#define A_DAY_NS     (86400 * NS_PER_S)
#define MANY	     (1ULL << 53)
#define MOST_MESSAGE (1ULL << 40)
#define MOST_RUNS    10000

static const char *option_check_rate(const char *text)
{
	return value_static_rate(text) < 0 ? "not a static rate; try: qperf --help options" : NULL;
}

static const char *option_check_file(const char *text)
{
	return strcmp(text, "-") ? NULL : "no file; --output_format json writes to standard output";
}

const struct option_row option_rows[] = {
	{
		OF_TEST(OPTION_ON_OFF, "access_recv", "ar", "OnOff", ACCESS_RECV),
		.has_on = true,
		RANGE(0, UINT32_MAX),
		.summary = "Read received data",
		.help = "Unless OnOff is 0, the side that receives data, also by RDMA READ, reads all of it, as an "
			"application would.",
	},
	{
		OF_TEST(OPTION_INTEGER, "alt_port", "ap", "Port", ALT_PORT),
		.one_sided = true,
		RANGE(0, 255),
		.summary = "Set alternate path port",
		.help = "Port of the RDMA device to which an RC, UC or XRC connection migrates when the path through "
			"the primary port fails. InfiniBand only; both sides need one.",
	},
	{
		OF_TEST(OPTION_CPU, "cpu_affinity", "ca", "PN", AFFINITY),
		.shown = "affinity",
		.one_sided = true,
		RANGE(0, 8191),
		.summary = "Set processor affinity",
		.help = "Run on CPU PN, counted from 0, or on any.",
	},
	{
		OF_TEST(OPTION_ON_OFF, "flip", "f", "OnOff", FLIP),
		.has_on = true,
		RANGE(0, UINT32_MAX),
		.summary = "Swap sender and receiver",
		.help = "Unless OnOff is 0, the server sends and the client receives; in a latency test the server "
			"begins.",
	},
	{
		WORDS(OPTION_TOPIC, "help", "h", "Topic"),
		.parameter = -1,
		.summary = "Describe a topic",
		.help = "Describe Topic; \"qperf --help categories\" lists them.",
	},
	{
		TEXT("host", "H", "Node", host),
		.summary = "Name the server",
		.help = "Name or address of the server, HOST:PORT or [ADDRESS]:PORT; otherwise the first word that is "
			"not an option.",
	},
	{
		OF_TEST(OPTION_TEXT, "id", "i", "Device:Port", ID),
		.one_sided = true,
		.summary = "Set RDMA device and port",
		.help = "RDMA device and its port, by default 1.",
	},
	{
		VALUE(OPTION_INTEGER, "listen_port", "lp", "Port", listen_port),
		.owner = OWNER_EITHER,
		RANGE(1, 65535),
		.summary = "Set server listen port",
		.help = "TCP port on which the server listens, by default 19765; give it to both sides.",
	},
	{
		WORDS(OPTION_LOOP, "loop", "oo", "Var:Init:Last:Incr"),
		.parameter = -1,
		.summary = "Run for a series of values",
		.help = "Run each test that follows once for every value of the option Var from Init to Last, adding "
			"Incr each time, or multiplying by N if Incr is *N; the default of Incr is Last. If given "
			"more than once, later loops run inside earlier ones. -vu shows the values.",
	},
	{
		OF_TEST(OPTION_SIZE, "msg_size", "m", "Size", MSG_SIZE),
		RANGE(1, MOST_MESSAGE),
		.summary = "Set message size",
		.help = "Bytes of a message. The suffixes K, M and G (or kib, mib, gib, KiB, MiB, GiB) are powers of "
			"1024; k, m and g (or kb, mb, gb) are powers of 1000. The default depends on the test.",
	},
	{
		OF_TEST(OPTION_SIZE, "mtu_size", "mt", "Size", MTU_SIZE),
		RANGE(256, 4096),
		.summary = "Set MTU size (RDMA only)",
		.help = "Path MTU of RC and UC queue pairs: 256, 512, 1K, 2K or 4K; by default the largest that both "
			"ports have.",
	},
	{
		OF_TEST(OPTION_INTEGER, "no_msgs", "n", "Count", NO_MSGS),
		RANGE(0, MANY),
		.summary = "Send Count messages",
		.help = "End after Count messages, or exchanges in a latency test, instead of after a time; with -t, "
			"whichever comes first.",
	},
	{
		OF_TEST(OPTION_ON_OFF, "cq_poll", "cp", "OnOff", POLL_MODE),
		.shown = "poll_mode",
		.one_sided = true,
		.has_on = true,
		RANGE(0, UINT32_MAX),
		.summary = "Set polling mode on/off",
		.help = "Unless OnOff is 0, poll RDMA completion queues continuously; otherwise sleep until there is "
			"an event.",
	},
	{
		OF_TEST(OPTION_INTEGER, "ip_port", "ip", "Port", PORT),
		.shown = "port",
		RANGE(0, 65535),
		.summary = "Set port used for socket tests",
		.help = "Server port of the data connection of a socket test; 0: any free port.",
	},
	{
		VALUE(OPTION_INTEGER, "precision", "e", "Digits", style.precision),
		RANGE(0, 400),
		.summary = "Set precision reported",
		.help = "Digits of results, by default 3. Those before the decimal point are always printed, and "
			"count: "
			"also the zero of a value below 1.",
	},
	{
		OF_TEST(OPTION_INTEGER, "rd_atomic", "nr", "Max", RD_ATOMIC),
		.one_sided = true,
		RANGE(0, 255),
		.summary = "Set RDMA read/atomic count",
		.help = "RDMA READ and atomic requests in flight on a connection; 0: as many as the devices support.",
	},
	{
		OF_TEST(OPTION_INTEGER, "service_level", "sl", "SL", SERVICE_LEVEL),
		.one_sided = true,
		RANGE(0, 15),
		.summary = "Set service level",
		.help = "Service level of RDMA traffic, 0 to 15.",
	},
	{
		OF_TEST(OPTION_SIZE, "sock_buf_size", "sb", "Size", SOCK_BUF_SIZE),
		.one_sided = true,
		RANGE(0, INT32_MAX),
		.summary = "Set socket buffer size",
		.help = "Size of the send and receive buffers of a socket test, set before it connects.",
	},
	{
		OF_TEST(OPTION_INTEGER, "src_path_bits", "sp", "N", SRC_PATH_BITS),
		.one_sided = true,
		RANGE(0, 127),
		.summary = "Set source path bits",
		.help = "Low bits of the LID that the connection uses, if the LMC of the port is not 0. InfiniBand "
			"only.",
	},
	{
		OF_TEST(OPTION_TEXT, "static_rate", "sr", "Rate", STATIC_RATE),
		.one_sided = true,
		.check = option_check_rate,
		.summary = "Set IB static rate",
		.help = "Rate limit of an RDMA path in Gb/s: 2.5, 5, 10, 20, 30, 40, 60, 80 or 120; or by its lanes: "
			"1x, 4x or 8x followed by SDR (2.5 per lane), DDR (5) or QDR (10); or max.",
	},
	{
		OF_TEST(OPTION_TIME, "time", "t", "Time", TIME),
		RANGE(0, UINT64_MAX),
		.summary = "Set test duration",
		.help = "How long a test runs, in seconds, which may have a fraction, or with the suffix m, h or d in "
			"minutes, hours or days; by default 2. 0: until it is stopped.",
	},
	{
		OF_TEST(OPTION_TIME, "timeout", "to", "Time", TIMEOUT),
		.one_sided = true,
		.local_owner = OWNER_EITHER,
		RANGE(100000000, A_DAY_NS),
		.summary = "Set timeout",
		.help = "Time limit of each exchange with the other side, and of the time without progress in a test "
			"that is not timed, or once its time is over; by default 5 seconds. The memory of a server "
			"that has been stopped takes WRITEs and gives READs, which is progress. A server uses its own "
			"limit until it has the client's.",
	},
	{
		VALUE(OPTION_FLAG, "unify_nodes", "un", NULL, style.unify_nodes),
		.summary = "Unify nodes",
		.help = "Call the two sides local and remote instead of sender and receiver.",
	},
	{
		VALUE(OPTION_FLAG, "unify_units", "uu", NULL, style.unify_units),
		.summary = "Unify units",
		.help = "Print all figures in the base unit of their kind, for scripts.",
	},
	{
		VALUE(OPTION_FLAG, "use_bits_per_sec", "ub", NULL, style.bits),
		.summary = "Use bits/sec rather than bytes/sec",
		.help = "Print bandwidth in bits per second.",
	},
	{
		OF_TEST(OPTION_ON_OFF, "use_cm", "cm", "OnOff", USE_CM),
		.has_on = true,
		RANGE(0, 1),
		.summary = "Use RDMA Connection Manager or not",
		.help = "Unless OnOff is 0, connect RDMA queue pairs with rdma_cm. iWARP needs it, as do RC tests on "
			"RoCE with qperf 0.4.11 on the other side.",
	},
	{
		VERBOSE("verbose", "v", EVERY_CLASS, 1),
		.summary = "Verbose; turn on all of -v[cstu]",
		.help = "Print more: all of -vc, -vs, -vt and -vu.",
	},
	{VERBOSE("verbose_conf", "vc", 1U << VERBOSE_CONF, 1), .summary = "Show configuration information"},
	{VERBOSE("verbose_stat", "vs", 1U << VERBOSE_STAT, 1), .summary = "Show statistical information"},
	{VERBOSE("verbose_time", "vt", 1U << VERBOSE_TIME, 1), .summary = "Show timing information"},
	{VERBOSE("verbose_used", "vu", 1U << VERBOSE_USED, 1), .summary = "Show information on parameters"},
	{
		VERBOSE("verbose_more", "vv", EVERY_CLASS, 2),
		.summary = "More verbose; turn on all of -v[CSTU]",
		.help = "Print still more: all of -vvc, -vvs, -vvt and -vvu.",
	},
	{VERBOSE("verbose_more_conf", "vvc", 1U << VERBOSE_CONF, 2), .summary = "Show more configuration information"},
	{VERBOSE("verbose_more_stat", "vvs", 1U << VERBOSE_STAT, 2), .summary = "Show more statistical information"},
	{VERBOSE("verbose_more_time", "vvt", 1U << VERBOSE_TIME, 2), .summary = "Show more timing information"},
	{VERBOSE("verbose_more_used", "vvu", 1U << VERBOSE_USED, 2), .summary = "Show more information on parameters"},
	{
		VALUE(OPTION_FLAG, "version", "V", NULL, show_version),
		.summary = "Print out version",
	},
	{
		VALUE(OPTION_TIME, "wait_server", "ws", "Time", wait_server_ns),
		RANGE(0, A_DAY_NS),
		.summary = "Set time to wait for server",
		.help = "How long to try to reach a server that is not up yet, by default 5 seconds.",
	},
	/* not in qperf 0.4.11 from here on */
	{
		OF_TEST(OPTION_TEXT, "congestion", NULL, "Algorithm", CONGESTION),
		.one_sided = true,
		.summary = "Set TCP congestion control",
		.help = "TCP congestion control of the data connection, \"reno\" or another that the kernel has.",
	},
	{
		OF_TEST(OPTION_ON_OFF, "spin", NULL, "OnOff", SPIN),
		.one_sided = true,
		.has_on = false,
		RANGE(0, 1),
		.summary = "Spin on sockets rather than sleep",
		.help = "Unless OnOff is 0, poll sockets instead of sleeping: latency without the wake-up time, at the "
			"cost of a busy CPU.",
	},
	{
		OF_TEST(OPTION_CHOICE, "send", NULL, "How", SEND),
		.choices = {"plain", "batch", "segment", "zerocopy", "file"},
		.summary = "Set how socket tests send",
		.help = "plain: one send() for each message. batch: sendmmsg() of 64 datagrams. segment: datagrams "
			"that the kernel or the adapter segments from a larger one (UDP_SEGMENT). zerocopy: "
			"MSG_ZEROCOPY. file: sendfile().",
	},
	{
		OF_TEST(OPTION_CHOICE, "receive", NULL, "How", RECEIVE),
		.choices = {"plain", "batch", "coalesce", "trunc"},
		.summary = "Set how socket tests receive",
		.help = "plain: one recv() for each message. batch: recvmmsg() of 64 datagrams. coalesce: datagrams of "
			"one flow that the kernel has coalesced (UDP_GRO). trunc: TCP data is discarded in the kernel "
			"(MSG_TRUNC).",
	},
	{
		VALUE(OPTION_FLAG, "verbose_details", "vd", NULL, style.details),
		.summary = "Show percentiles, TCP and process figures",
		.help = "Print rows that qperf 0.4.11 does not have: percentiles, lost messages, the CPU time of both "
			"processes, whether a side slept or polled, and TCP's statistics of the connection.",
	},
	{
		VALUE(OPTION_FLAG, "explain", NULL, NULL, explain),
		.summary = "Name the likeliest causes of a low figure",
		.help = "Below each result, name the causes why it is not what it could be, the likeliest first, with "
			"the evidence that both sides have seen during the test.",
	},
	{
		VALUE(OPTION_TIME, "report_interval", NULL, "Time", interval_ns),
		RANGE(100000000, A_DAY_NS),
		.summary = "Show this side's figures as a test goes on",
		.help = "Print what this side has measured in each interval of this length.",
	},
	{
		VALUE(OPTION_FLAG, "timestamps", NULL, NULL, timestamps),
		.summary = "Show when each result was over",
		.help = "Print with each result and interval the time of day at which it was over, in UTC (ISO 8601).",
	},
	{
		VALUE(OPTION_INTEGER, "repeat", NULL, "N", repeat.count),
		RANGE(1, MOST_RUNS),
		.summary = "Run each test N times",
		.help = "Run each test N times, each time anew, and print the median, extremes, spread, mean and 95 % "
			"confidence interval of its result after the last run.",
	},
	{
		VALUE(OPTION_REAL, "until", NULL, "Percent", repeat.until),
		RANGE(0, 50000),
		.summary = "Run each test until it is certain",
		.help = "Run each test until the 95 % confidence interval of its result is within Percent of the mean, "
			"at least ten times, and print the same. 0: as often as --repeat says.",
	},
	{
		VALUE(OPTION_INTEGER, "max_repeats", NULL, "N", repeat.most),
		RANGE(10, MOST_RUNS),
		.summary = "Limit the runs of --until",
		.help = "With --until, run each test N times at most, by default 100.",
	},
	{
		VALUE(OPTION_FLAG, "steady", NULL, NULL, repeat.steady),
		.summary = "Omit runs of a warm-up",
		.help = "With --repeat or --until, detect and omit the first runs, those of a warm-up.",
	},
	{
		VALUE(OPTION_SIZE, "limit_bw", NULL, "Rate", limits.bw),
		RANGE(0, MANY),
		.summary = "Require this bandwidth",
		.help = "Exit with status 3 if a bandwidth (with --repeat and --until its mean) is below this, in "
			"bytes "
			"per second, with -ub in bits; suffixes as of -m. 0: no limit.",
	},
	{
		VALUE(OPTION_SIZE, "limit_msgrate", NULL, "Rate", limits.msgrate),
		RANGE(0, MANY),
		.summary = "Require this message rate",
		.help = "The same for the message rate of tests other than latency tests, in messages per second.",
	},
	{
		VALUE(OPTION_REAL, "max_lat", NULL, "USEC", limits.max_ns),
		RANGE(0, MANY),
		.summary = "Limit the largest latency",
		.help = "Exit with status 3 if the max of a latency test (-vd shows it; with --repeat and --until that "
			"of all runs) is above this number of microseconds. 0: no limit.",
	},
	{
		VALUE(OPTION_REAL, "max_p99", NULL, "USEC", limits.p99_ns),
		RANGE(0, MANY),
		.summary = "Limit the 99th percentile",
		.help = "The same for the 99th percentile.",
	},
	{
		TEXT("max_percentiles", NULL, "List", limits.percentiles),
		.check = check_percentile_limits,
		.summary = "Limit any percentiles",
		.help = "The same for any percentiles: 50:25,99.9:100 allows the median 25 and the 99.9th percentile "
			"100 microseconds.",
	},
	{
		VALUE(OPTION_FLAG, "limit_intervals", NULL, NULL, limits.intervals),
		.summary = "Apply the limits to intervals, too",
		.help = "--limit_bw and --limit_msgrate also hold for what this side has measured in each interval of "
			"--report_interval: the first miss is reported at once, at the end of the test how many there "
			"were, and the worst.",
	},
	{
		VALUE(OPTION_CHOICE, "output_format", NULL, "Format", format),
		.choices = {"text", "json", "csv", "jsonl", "openmetrics"},
		.summary = "Set form of the output",
		.help = "text, json, csv, jsonl: the JSON document with a line for each row, or openmetrics: its "
			"figures for a monitor, at the end.",
	},
	{
		VALUE(OPTION_FLAG, "out_json", NULL, NULL, out_json),
		.summary = "Also write a JSON file",
		.help = "Write a JSON document as well, to perftest_out.json unless --out_json_file names another "
			"file.",
	},
	{
		TEXT("out_json_file", NULL, "FILE", out_json_file),
		.check = option_check_file,
		.summary = "Name the JSON file",
		.help = "Name of the JSON file; implies --out_json" PATH_WORDS_HELP ".",
	},
	{
		TEXT("label", NULL, "KEY=VALUE", labels),
		.repeats = true,
		.check = check_label,
		.summary = "Label the JSON document",
		.help = "Add this to the labels of the JSON document, which perftest metrics shows, too; may be "
			"repeated.",
	},
	{
		VALUE(OPTION_INTEGER, "max_clients", NULL, "N", max_clients),
		.owner = OWNER_SERVER,
		RANGE(1, 1000),
		.summary = "Clients served at once",
		.help = "Serve at most this many clients at a time, by default 32; others are refused with a message.",
	},
	{
		TEXT("bind", NULL, "Address", bind_address),
		.owner = OWNER_SERVER,
		.summary = "Listen on one address",
		.help = "Address or name of this host on which the server listens; by default all addresses.",
	},
	{
		TEXT("allow", NULL, "Networks", allow),
		.owner = OWNER_SERVER,
		.summary = "Serve these networks only",
		.help = "Addresses and networks whose clients are served, separated by commas: "
			"192.0.2.0/24,2001:db8::1. Others are refused.",
	},
	{
		VALUE(OPTION_TIME, "max_time", NULL, "Time", max_time_ns),
		.owner = OWNER_EITHER,
		RANGE(NS_PER_S, UINT64_MAX),
		.summary = "Limit the time of a test",
		.help = "On a server, refuse tests that would run longer than this; by default there is no limit. On a "
			"client, with --until, start no further run of a test after this time, by default 60 seconds.",
	},
	{
		VALUE(OPTION_FLAG, "no_quit", NULL, NULL, no_quit),
		.owner = OWNER_SERVER,
		.summary = "Refuse to quit",
		.help = "Do not quit when a client asks for it.",
	},
	{
		VALUE(OPTION_FLAG, "daemon", NULL, NULL, daemon),
		.owner = OWNER_SERVER,
		.summary = "Serve in the background",
		.help = "Once it listens, detach from the terminal and run in the background; messages go to syslog.",
	},
	{
		VALUE(OPTION_FLAG, "debug", "D", NULL, debug),
		.owner = OWNER_EITHER,
		.summary = "Tell what happens",
		.help = "Report on standard error what happens; on a server, for each client.",
	},
};

const size_t num_option_rows = sizeof(option_rows) / sizeof(option_rows[0]);

const struct option_row *option_of(enum parameter parameter)
{
	const struct option_row *row = option_rows;

	while (row->parameter != (int)parameter)
		row++;
	return row;
}

void qperf_params_init(struct qperf_params *params)
{
	*params = (struct qperf_params){
		.listen_port = 19765,
		.wait_server_ns = 5 * NS_PER_S,
		.style.precision = 3,
		.repeat.count = 1,
		.max_clients = 32,
	};
	params->local.number[PARAM_TIMEOUT] = 5 * NS_PER_S;
	params->remote.number[PARAM_TIMEOUT] = 5 * NS_PER_S;
}
