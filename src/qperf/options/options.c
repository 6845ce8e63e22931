// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of qperf's options, with the names and letters of qperf 0.4.11. The command line parser, --help, the manual
 * page and the completion all use it.
 */
#include "qperf/options/options.h"

#include <string.h>

#include "params/engine/common.h"
#include "params/engine/limits.h"
#include "params/engine/opt_rows.h"

#define OPTIONS_OF struct qperf_params

/* What a row begins with: its words, and where it is stored; of a parameter of the tests for the local side. */
#define WORDS(type, long_form, short_form, word)                                                                       \
	.long_name = (long_form), .letters = (short_form), .argument = (word), .kind = (type)
#define OPTION(type, long_form, short_form, word, member) WORDS(type, long_form, short_form, word), STORED_IN(member)
#define OF_TEST(type, long_form, short_form, word, member, which, ...)                                                 \
	OPTION(type, long_form, short_form, word, local.member), IN(TEST, QPERF_CLIENT),                               \
		.own = &(const struct option_own)                                                                      \
	{                                                                                                              \
		.parameter = PARAM_##which, __VA_ARGS__                                                                \
	}
#define OF_RESULT(...) OPTION(__VA_ARGS__), IN(RESULT, QPERF_CLIENT)
#define OF_OUTPUT(...) OPTION(__VA_ARGS__), IN(OUTPUT, QPERF_CLIENT)
#define OF_SERVER(...) OPTION(__VA_ARGS__), IN(SERVER, QPERF_SERVER)
#define NUMBER(type, long_form, short_form, word, which, ...)                                                          \
	OF_TEST(type, long_form, short_form, word, number[PARAM_##which], which, __VA_ARGS__)
#define IN(heading, who) .group = OPTIONS_##heading, .programs = (who)
#define EITHER		 (QPERF_CLIENT | QPERF_SERVER)
#define VERBOSE(long_form, short_form, bits, high)                                                                     \
	WORDS(OPT_FLAG, long_form, short_form, NULL), IN(RESULT, QPERF_CLIENT), .own = &(const struct option_own)      \
	{                                                                                                              \
		.classes = (bits), .level = (high)                                                                     \
	}
#define EVERY_CLASS ((1U << NUM_VERBOSE) - 1)

#define MANY	     (1ULL << 53)
#define MOST_MESSAGE (1ULL << 40)
#define MOST_RUNS    10000

static const char *option_check_rate(const char *text)
{
	return value_static_rate(text) < 0 ? "is not a static rate; allowed: 2.5, 5, 10, 20, 30, 40, 60, 80 or 120; "
					     "1x, 4x or 8x followed by SDR, DDR or QDR; or max"
					   : NULL;
}

static const struct opt_row rows[] = {
	{
		NUMBER(OPT_INTEGER, "access_recv", "ar", "OnOff", ACCESS_RECV, .is_switch = true),
		RANGE(0, UINT32_MAX),
		.brief = "Read received data",
		.help = "Unless OnOff is 0, the side that receives data, also by RDMA READ, reads all of it, as an "
			"application would.",
	},
	{
		NUMBER(OPT_INTEGER, "alt_port", "ap", "Port", ALT_PORT, .one_sided = true),
		RANGE(0, 255),
		.brief = "Set alternate path port",
		.help = "Port of the RDMA device to which an RC, UC or XRC connection migrates when the path through "
			"the primary port fails. InfiniBand only; both sides need one.",
	},
	{
		NUMBER(OPT_INTEGER, "cpu_affinity", "ca", "PN", AFFINITY, .shown = "affinity", .one_sided = true),
		RANGE(0, 8191),
		OR_WORD("any", -1),
		.brief = "Set processor affinity",
		.help = "Run on CPU PN, counted from 0, or on any.",
	},
	{
		NUMBER(OPT_INTEGER, "flip", "f", "OnOff", FLIP, .is_switch = true),
		RANGE(0, UINT32_MAX),
		.brief = "Swap sender and receiver",
		.help = "Unless OnOff is 0, the server sends and the client receives; in a latency test the server "
			"begins.",
	},
	{
		WORDS(OPT_STRING, "help", "h", "Topic"),
		IN(OUTPUT, QPERF_CLIENT),
		.own = &(const struct option_own){.is_topic = true},
		.brief = "Describe a topic",
		.help = "Describe Topic; \"qperf --help categories\" lists them.",
	},
	{
		OF_OUTPUT(OPT_STRING, "host", "H", "Node", host),
		.check = check_printable,
		.brief = "Name the server",
		.help = "Name or address of the server, HOST:PORT or [ADDRESS]:PORT; otherwise the first word that is "
			"not an option.",
	},
	{
		OF_TEST(OPT_STRING, "id", "i", "Device:Port", id, ID, .one_sided = true),
		.check = check_printable,
		.brief = "Set RDMA device and port",
		.help = "RDMA device, by default the first one whose port is up, and its port, by default 1.",
	},
	{
		OPTION(OPT_INTEGER, "listen_port", "lp", "Port", listen_port),
		IN(OUTPUT, EITHER),
		.own = &(const struct option_own){.sets = offsetof(struct qperf_params, port_given),
						  .every_test = true},
		RANGE(1, 65535),
		.default_text = "19765",
		.brief = "Set server listen port",
		.help = "TCP port on which the server listens, by default 19765; give it to both sides.",
	},
	{
		WORDS(OPT_STRING, "loop", "oo", "Var:Init:Last:Incr"),
		IN(RESULT, QPERF_CLIENT),
		.own = &(const struct option_own){.loop = ""},
		.brief = "Run for a series of values",
		.help = "Run each test that follows once for every value of the option Var from Init to Last, adding "
			"Incr each time, or multiplying by N if Incr is *N; the default of Incr is Last. If given more "
			"than once, later loops run inside earlier ones. -vu shows the values.",
	},
	{
		NUMBER(OPT_SIZE, "msg_size", "m", "Size", MSG_SIZE),
		RANGE(1, MOST_MESSAGE),
		.parse_size = value_size,
		.brief = "Set message size",
		.help = "Bytes of a message. The suffixes K, M and G (or kib, mib, gib, KiB, MiB, GiB) are powers of "
			"1024; k, m and g (or kb, mb, gb) are powers of 1000. The default depends on the test.",
	},
	{
		NUMBER(OPT_SIZE, "mtu_size", "mt", "Size", MTU_SIZE),
		RANGE(256, 4096),
		.parse_size = value_size,
		.brief = "Set MTU size (RDMA only)",
		.help = "Path MTU of RC and UC queue pairs: 256, 512, 1K, 2K or 4K; by default the largest that both "
			"ports have.",
	},
	{
		NUMBER(OPT_INTEGER, "no_msgs", "n", "Count", NO_MSGS),
		RANGE(0, MANY),
		.brief = "Send Count messages",
		.help = "End after Count messages, or exchanges in a latency test, instead of after a time; with -t, "
			"whichever comes first.",
	},
	{
		NUMBER(OPT_INTEGER, "cq_poll", "cp", "OnOff", POLL_MODE, .shown = "poll_mode", .one_sided = true,
		       .is_switch = true),
		RANGE(0, UINT32_MAX),
		.brief = "Set polling mode on/off",
		.help = "Unless OnOff is 0, poll RDMA completion queues continuously; otherwise sleep until there is "
			"an event.",
	},
	{
		NUMBER(OPT_INTEGER, "ip_port", "ip", "Port", PORT, .shown = "port"),
		RANGE(0, 65535),
		.brief = "Set port used for socket tests",
		.help = "Server port of the data connection of a socket test; 0: any free port.",
	},
	{
		OF_RESULT(OPT_INTEGER, "precision", "e", "Digits", style.precision),
		RANGE(0, 400),
		.default_text = "3",
		.brief = "Set precision reported",
		.help = "Digits of results, by default 3. Those before the decimal point are always printed, and "
			"count: also the zero of a value below 1.",
	},
	{
		NUMBER(OPT_INTEGER, "rd_atomic", "nr", "Max", RD_ATOMIC, .one_sided = true),
		RANGE(0, 255),
		.brief = "Set RDMA read/atomic count",
		.help = "RDMA READ and atomic requests in flight on a connection; 0: as many as the devices support.",
	},
	{
		NUMBER(OPT_INTEGER, "service_level", "sl", "SL", SERVICE_LEVEL, .one_sided = true),
		RANGE(0, 15),
		.brief = "Set service level",
		.help = "Service level of RDMA traffic, 0 to 15.",
	},
	{
		NUMBER(OPT_SIZE, "sock_buf_size", "sb", "Size", SOCK_BUF_SIZE, .one_sided = true),
		RANGE(0, INT32_MAX),
		.parse_size = value_size,
		.brief = "Set socket buffer size",
		.help = "Size of the send and receive buffers of a socket test, set before it connects.",
	},
	{
		NUMBER(OPT_INTEGER, "src_path_bits", "sp", "N", SRC_PATH_BITS, .one_sided = true),
		RANGE(0, 127),
		.brief = "Set source path bits",
		.help = "Low bits of the LID that the connection uses, if the LMC of the port is not 0. InfiniBand "
			"only.",
	},
	{
		OF_TEST(OPT_STRING, "static_rate", "sr", "Rate", static_rate, STATIC_RATE, .one_sided = true),
		.check = option_check_rate,
		.brief = "Set IB static rate",
		.help = "Rate limit of an RDMA path in Gb/s: 2.5, 5, 10, 20, 30, 40, 60, 80 or 120; or by its lanes: "
			"1x, 4x or 8x followed by SDR (2.5 per lane), DDR (5) or QDR (10); or max.",
	},
	{
		NUMBER(OPT_TIME, "time", "t", "Time", TIME),
		RANGE(0, UINT32_MAX),
		.brief = "Set test duration",
		.help = "How long a test runs, in seconds, which may have a fraction, or with the suffix m, h or d in "
			"minutes, hours or days; by default 2. 0: until it is stopped.",
	},
	{
		NUMBER(OPT_TIME, "timeout", "to", "Time", TIMEOUT, .one_sided = true, .local_programs = EITHER),
		RANGE(0.1, COMMON_A_DAY_S),
		.default_text = "5",
		.brief = "Set timeout",
		.help = "Time limit of each exchange with the other side, and of the time without progress in a test "
			"that is not timed, or once its time is over; by default 5 seconds. The memory of a server "
			"that has been stopped takes WRITEs and gives READs, which is no progress. A server uses its "
			"own limit until it has the client's.",
	},
	{
		OF_RESULT(OPT_FLAG, "unify_nodes", "un", NULL, style.unify_nodes),
		.brief = "Unify nodes",
		.help = "Call the two sides local and remote instead of sender and receiver.",
	},
	{
		OF_RESULT(OPT_FLAG, "unify_units", "uu", NULL, style.unify_units),
		.brief = "Unify units",
		.help = "Print all figures in the base unit of their kind, for scripts.",
	},
	{
		OF_RESULT(OPT_FLAG, "use_bits_per_sec", "ub", NULL, style.bits),
		.brief = "Use bits/sec rather than bytes/sec",
		.help = "Print bandwidth in bits per second.",
	},
	{
		NUMBER(OPT_INTEGER, "use_cm", "cm", "OnOff", USE_CM, .is_switch = true),
		RANGE(0, 1),
		.brief = "Use RDMA Connection Manager or not",
		.help = "Unless OnOff is 0, connect RDMA queue pairs with rdma_cm. iWARP needs it, as do RC tests on "
			"RoCE with qperf 0.4.11 on the other side.",
	},
	{
		VERBOSE("verbose", "v", EVERY_CLASS, 1),
		.brief = "Verbose; turn on all of -v[cstu]",
		.help = "Print more: all of -vc, -vs, -vt and -vu.",
	},
	{VERBOSE("verbose_conf", "vc", 1U << VERBOSE_CONF, 1), .brief = "Show configuration information"},
	{VERBOSE("verbose_stat", "vs", 1U << VERBOSE_STAT, 1), .brief = "Show statistical information"},
	{VERBOSE("verbose_time", "vt", 1U << VERBOSE_TIME, 1), .brief = "Show timing information"},
	{VERBOSE("verbose_used", "vu", 1U << VERBOSE_USED, 1), .brief = "Show information on parameters"},
	{
		VERBOSE("verbose_more", "vv", EVERY_CLASS, 2),
		.brief = "More verbose; turn on all of -v[CSTU]",
		.help = "Print still more: all of -vvc, -vvs, -vvt and -vvu.",
	},
	{VERBOSE("verbose_more_conf", "vvc", 1U << VERBOSE_CONF, 2), .brief = "Show more configuration information"},
	{VERBOSE("verbose_more_stat", "vvs", 1U << VERBOSE_STAT, 2), .brief = "Show more statistical information"},
	{VERBOSE("verbose_more_time", "vvt", 1U << VERBOSE_TIME, 2), .brief = "Show more timing information"},
	{VERBOSE("verbose_more_used", "vvu", 1U << VERBOSE_USED, 2), .brief = "Show more information on parameters"},
	{
		OF_OUTPUT(OPT_FLAG, "version", "V", NULL, show_version),
		.brief = "Print out version",
	},
	{
		OF_OUTPUT(OPT_TIME, "wait_server", "ws", "Time", wait_server_ns),
		RANGE(0, COMMON_A_DAY_S),
		.default_text = "5",
		.brief = "Set time to wait for server",
		.help = "How long to try to reach a server that is not up yet, by default 5 seconds.",
	},
	/* not in qperf 0.4.11 from here on */
	{
		WORDS(OPT_STRING, "sizes", NULL, "First:Last:Step"),
		IN(RESULT, QPERF_CLIENT),
		.own = &(const struct option_own){.loop = "msg_size:"},
		.brief = "Run for a series of message sizes",
		.help = "The same as --loop msg_size:First:Last:Step (-oo), as in the other programs: 4K:1M:*4.",
	},
	{
		OF_TEST(OPT_STRING, "congestion", NULL, "Algorithm", congestion, CONGESTION, .one_sided = true),
		.check = check_printable,
		.brief = "Set TCP congestion control",
		.help = "TCP congestion control of the data connection, \"reno\" or another that the kernel has.",
	},
	{
		NUMBER(OPT_INTEGER, "spin", NULL, "OnOff", SPIN, .one_sided = true, .is_switch = true),
		RANGE(0, 1),
		.brief = "Spin on sockets rather than sleep",
		.help = "Unless OnOff is 0, poll sockets instead of sleeping: latency without the wake-up time, at the "
			"cost of a busy CPU.",
	},
	{
		NUMBER(OPT_CHOICE, "send", NULL, "How", SEND),
		CHOICES({"plain", SEND_PLAIN, 0}, {"batch", SEND_BATCH, 0}, {"segment", SEND_SEGMENT, 0},
			{"zerocopy", SEND_ZEROCOPY, 0}, {"file", SEND_FILE, 0}),
		.brief = "Set how socket tests send",
		.help = "plain: one send() for each message. batch: sendmmsg() of 64 datagrams. segment: datagrams "
			"that the kernel or the adapter segments from a larger one (UDP_SEGMENT). zerocopy: "
			"MSG_ZEROCOPY. file: sendfile().",
	},
	{
		NUMBER(OPT_CHOICE, "receive", NULL, "How", RECEIVE),
		CHOICES({"plain", RECEIVE_PLAIN, 0}, {"batch", RECEIVE_BATCH, 0}, {"coalesce", RECEIVE_COALESCE, 0},
			{"trunc", RECEIVE_TRUNC, 0}),
		.brief = "Set how socket tests receive",
		.help = "plain: one recv() for each message. batch: recvmmsg() of 64 datagrams. coalesce: datagrams of "
			"one flow that the kernel has coalesced (UDP_GRO). trunc: TCP data is discarded in the kernel "
			"(MSG_TRUNC).",
	},
	{
		OF_RESULT(OPT_FLAG, "verbose_details", "vd", NULL, style.details),
		.brief = "Show percentiles, TCP and process figures",
		.help = "Print rows that qperf 0.4.11 does not have: percentiles, lost messages, the CPU time of both "
			"processes, whether a side slept or polled, and TCP's statistics of the connection.",
	},
	{
		OF_OUTPUT(OPT_FLAG, "explain", NULL, NULL, explain),
		.brief = "Name the likeliest causes of a low figure",
		.help = "Below each result, name the causes why it is not what it could be, the likeliest first, with "
			"the evidence that both sides have seen during the test.",
	},
	{
		OF_RESULT(OPT_TIME, "report_interval", NULL, "Time", interval_ns),
		RANGE(0.1, COMMON_A_DAY_S),
		.brief = "Show this side's figures as a test goes on",
		.help = "Print what this side has measured in each interval of this length.",
	},
	{
		OF_OUTPUT(OPT_FLAG, "timestamps", NULL, NULL, timestamps),
		.brief = "Show when each result was over",
		.help = "Print with each result and interval the time of day at which it was over, in UTC (ISO 8601).",
	},
	{
		OF_RESULT(OPT_INTEGER, "repeat", NULL, "N", repeat.count),
		RANGE(1, MOST_RUNS),
		.default_text = "1",
		.brief = "Run each test N times",
		.help = "Run each test N times, each time anew, and print the median, extremes, spread, mean and 95 % "
			"confidence interval of its result after the last run.",
	},
	{
		OF_RESULT(OPT_DOUBLE, "until", NULL, "Percent", repeat.until_percent),
		RANGE(0, 50),
		.brief = "Run each test until it is certain",
		.help = "Run each test until the 95 % confidence interval of its result is within Percent of the mean, "
			"at least ten times, and print the same. 0: as often as --repeat says.",
	},
	{
		OF_RESULT(OPT_INTEGER, "max_repeats", NULL, "N", repeat.most),
		RANGE(10, MOST_RUNS),
		.brief = "Limit the runs of --until",
		.help = "With --until, run each test N times at most, by default 100.",
	},
	{
		OF_RESULT(OPT_FLAG, "steady", NULL, NULL, repeat.steady),
		.brief = "Omit runs of a warm-up",
		.help = "With --repeat or --until, detect and omit the first runs, those of a warm-up.",
	},
	{
		OF_RESULT(OPT_FLAG, "report_possible", NULL, NULL, possible),
		.brief = "Show the share of what is possible",
		.help = "Print below each bandwidth and message rate what share of the possible it is: of what the "
			"link, or PCIe, can carry of such messages, and of the software device of what memcpy moves. "
			"-vd and a terminal have it without the option where the link is known.",
	},
	{
		OF_RESULT(OPT_STRING, "report_counters", NULL, "Counters", counters),
		.check = check_counter_list,
		.brief = "Show the increase of counters",
		.help = "Print below each result and interval the increase of these counters of the client's host in "
			"it: files of the port of the RDMA device (counters/port_xmit_data), in tests of sockets those "
			"of the network interface to the server (statistics/tx_bytes), and statistics of the "
			"interface's driver (ethtool/tx_bytes), or patterns (*err*); all: those that increased.",
	},
	{
		OF_RESULT(OPT_FLAG, "cpu_util", NULL, NULL, style.cpu_util),
		.brief = "Show how busy the client's CPUs were",
		.help = "Print with each result and interval the share of the time of all CPUs of the client's host "
			"that was busy, in percent.",
	},
	{
		OF_RESULT(OPT_DOUBLE, "limit_bw", NULL, "Rate", limits.bw),
		RANGE(0, MANY),
		.parse_size = value_rate,
		.units = {"%", "%line"},
		.unit_offset = offsetof(struct qperf_params, limits.bw_unit),
		.default_text = "0",
		.brief = "Require this bandwidth",
		.help = "Exit with status 3 if a bandwidth (with --repeat and --until its mean) is below this, in "
			"bytes per second, with -ub in bits. The suffixes K, M and G are powers of 1000, as in "
			"results. 90%: below this share of what is possible, see --report_possible; 90%line: of the "
			"link's own rate. 0: no limit.",
	},
	{
		OF_RESULT(OPT_DOUBLE, "limit_msgrate", NULL, "Rate", limits.msgrate),
		RANGE(0, MANY),
		.parse_size = value_rate,
		.units = {"%", "%line"},
		.unit_offset = offsetof(struct qperf_params, limits.msgrate_unit),
		.default_text = "0",
		.brief = "Require this message rate",
		.help = "The same for the message rate of tests other than latency tests, in messages per second.",
	},
	{
		OF_RESULT(OPT_DOUBLE, "max_lat", NULL, "USEC", limits.latency.max_us),
		RANGE(0, MANY),
		.brief = "Limit the largest latency",
		.help = "Exit with status 3 if the max of a latency test (-vd shows it; with --repeat and --until that "
			"of all runs) is above this number of microseconds. 0: no limit.",
	},
	{
		OF_RESULT(OPT_DOUBLE, "max_p99", NULL, "USEC", limits.latency.p99_us),
		RANGE(0, MANY),
		.brief = "Limit the 99th percentile",
		.help = "The same for the 99th percentile.",
	},
	{
		OF_RESULT(OPT_STRING, "max_percentiles", NULL, "List", limits.latency.percentiles),
		.check = check_percentile_limits,
		.brief = "Limit any percentiles",
		.help = "The same for any percentiles: 50:25,99.9:100 allows the median 25 and the 99.9th percentile "
			"100 microseconds.",
	},
	{
		OF_RESULT(OPT_FLAG, "limit_intervals", NULL, NULL, limits.intervals),
		.brief = "Apply the limits to intervals, too",
		.help = "--limit_bw and --limit_msgrate also hold for what this side has measured in each interval of "
			"--report_interval: the first miss is reported at once, at the end of the test how many there "
			"were, and the worst.",
	},
	{COMMON_OUTPUT_FORMAT, STORED_IN(output.format), .brief = "Set form of the output", IN(OUTPUT, QPERF_CLIENT)},
	{COMMON_OUT_JSON, STORED_IN(output.json), .brief = "Also write a JSON file", IN(OUTPUT, QPERF_CLIENT)},
	{COMMON_OUT_JSON_FILE(". By default perftest_out.json"), STORED_IN(output.json_file),
	 .own = &(const struct option_own){.sets = offsetof(struct qperf_params, output.json)},
	 .brief = "Name the JSON file", IN(OUTPUT, QPERF_CLIENT)},
	{COMMON_LABEL, STORED_IN(output.labels), .brief = "Label the JSON document", IN(OUTPUT, QPERF_CLIENT)},
	{
		OF_SERVER(OPT_INTEGER, "max_clients", NULL, "N", max_clients),
		RANGE(1, 1000),
		.default_text = "32",
		.brief = "Clients served at once",
		.help = "Serve at most this many clients at a time, by default 32; others are refused with a message.",
	},
	{
		OF_SERVER(OPT_STRING, "bind", NULL, "Address", bind_address),
		.check = check_printable,
		.brief = "Listen on one address",
		.help = "Address or name of this host on which the server listens; by default all addresses.",
	},
	{
		OF_SERVER(OPT_STRING, "allow", NULL, "Networks", allow),
		.brief = "Serve these networks only",
		.help = "Addresses and networks whose clients are served, separated by commas: "
			"192.0.2.0/24,2001:db8::1. Others are refused.",
	},
	{
		OPTION(OPT_TIME, "max_time", NULL, "Time", max_time_ns),
		IN(RESULT, EITHER),
		RANGE(1, UINT32_MAX),
		.brief = "Limit the time of a test",
		.help = "On a server, refuse tests that would run longer than this; by default there is no limit. On a "
			"client, with --until, start no further run of a test after this time, by default 60 seconds.",
	},
	{
		OF_SERVER(OPT_FLAG, "no_quit", NULL, NULL, no_quit),
		.brief = "Refuse to quit",
		.help = "Do not quit when a client asks for it.",
	},
	{
		OF_SERVER(OPT_FLAG, "daemon", NULL, NULL, daemon),
		.brief = "Serve in the background",
		.help = "Once it listens, detach from the terminal and run in the background; messages go to syslog.",
	},
	{
		OPTION(OPT_FLAG, "debug", "D", NULL, debug),
		IN(OUTPUT, EITHER),
		.brief = "Tell what happens",
		.help = "Report on standard error what happens; on a server, for each client.",
	},
};

const struct opt_table qperf_options = {.rows = rows, .num_rows = sizeof(rows) / sizeof(rows[0])};

const struct opt_row *option_of(enum parameter parameter)
{
	const struct opt_row *row = rows;

	while (row->group != OPTIONS_TEST || option_own(row)->parameter != parameter)
		row++;
	return row;
}

void qperf_params_init(struct qperf_params *params)
{
	memset(params, 0, sizeof(*params));
	opt_init(&qperf_options, QPERF_CLIENT, params);
	params->remote = params->local;
}
