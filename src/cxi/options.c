// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of cxi_send_bw's options, with the names, ranges and defaults of its manual page (HPE, version 2.1.0). The
 * parser, --help, the manual page, the completion, the exchange with the server and the JSON parameters all use it.
 *
 * Reach. OPT_SHARED: the server adopts the client's value, and refuses if it was given another one. OPT_LOCAL: concerns
 * one side.
 */
#include <string.h>

#include "cxi/parameters.h"
#include "params/engine/host.h"
#include "params/engine/opt_rows.h"

#define OPTIONS_OF		  struct cxi_params
#define IN(heading, how, version) .group = (heading), .programs = CXI_PROGRAM, .reach = (how), .since = (version)

#define HPE		 "2.1.0" /* version of the manual page that has it */
#define MAX_ITERS	 1e15	 /* multiplied by CXI_MAX_LIST it fits 64 bits */
#define MAX_DURATION	 4294967295.0
#define MAX_SVC_ID	 2147483647.0
#define MAX_GPU		 255
#define MAX_BUFFER	 0x1p46 /* roughly the address space of a process */
#define DEFAULT_BUF_SIZE "4294967296"
#define USUAL_PROVIDERS	 "tcp, shm, verbs, efa, cxi"

enum group {
	GENERAL, /* does not affect a test: not in the JSON document */
	PLACE,
	MEETING,
	TEST,
	BUFFERS,
	REPEAT,
	REPORT,
	NUM_GROUPS,
};

static const char *const groups[NUM_GROUPS] = {
	[GENERAL] = "General", [PLACE] = "Device and memory", [MEETING] = "Connection setup", [TEST] = "What is done",
	[BUFFERS] = "Buffers", [REPEAT] = "Repetition",	      [REPORT] = "What is printed",
};

static const char *check_name(const char *text)
{
	return strpbrk(text, "/ \t\n") ? "is not a device's name" : NULL;
}

static const char *option_check_provider(const char *text)
{
	return strpbrk(text, "/ \t\n^,") ? "is not the name of a single libfabric provider" : NULL;
}

static const struct opt_row rows[] = {
	COMMON_ASKED_ROWS(asked, IN(GENERAL, OPT_LOCAL, HPE)),
	{
		STRING('d', "device", "DEV", place.device),
		.check = check_name,
		.help = "Cassini NIC; by default cxi0, or the one in SLINGSHOT_DEVICES. With --provider, one of its "
			"domains, as named by fi_info",
		.brief = "NIC, if not cxi0",
		IN(PLACE, OPT_LOCAL, HPE),
	},
	{
		INTEGER('v', "svc-id", "SVC_ID", place.svc_id, 1, MAX_SVC_ID),
		.default_text = CXI_DEFAULT_SVC,
		.help = "Service of the NIC that this user may use; by default the one in SLINGSHOT_SVC_IDS",
		IN(PLACE, OPT_LOCAL, HPE),
	},
	{
		STRING(NO_LETTER, "provider", "NAME", place.provider),
		.check = option_check_provider,
		.known = USUAL_PROVIDERS,
		.help = "Send with this provider of libfabric (" USUAL_PROVIDERS ") in place of libcxi, on both sides",
		.brief = "Provider of libfabric instead of libcxi",
		IN(PLACE, OPT_LOCAL, "7.0"),
	},
	{
		INTEGER('t', "tx-gpu", "GPU", tx_gpu, 0, MAX_GPU),
		DEFAULT_WORD("off", CXI_NO_GPU),
		.help = "Index of the GPU whose memory is sent from; off: system memory",
		IN(PLACE, OPT_LOCAL, HPE),
	},
	{
		INTEGER('r', "rx-gpu", "GPU", rx_gpu, 0, MAX_GPU),
		DEFAULT_WORD("off", CXI_NO_GPU),
		.help = "Index of the GPU whose memory receives; off: system memory",
		IN(PLACE, OPT_LOCAL, HPE),
	},
	{
		CHOICE('g', "gpu-type", "TYPE", gpu_type),
		DEFAULT_WORD("auto", GPU_AUTO),
		CHOICES({"AMD", GPU_AMD, 0}, {"NVIDIA", GPU_NVIDIA, 0}, {"INTEL", GPU_INTEL, 0}),
		.help = "Vendor of the GPU; auto: the first of these whose library and device are present",
		IN(PLACE, OPT_LOCAL, HPE),
	},
	{
		COMMON_PORT,
		STORED_IN(port),
		.default_text = CXI_DEFAULT_PORT,
		.help = "TCP port on which the two sides exchange options and addresses and wait for each other",
		IN(MEETING, OPT_LOCAL, HPE),
	},
	{
		FLAG(NO_LETTER, "ipv6-addr", ipv6),
		.help = "Use only IPv6 for the TCP connection; without this option a server listens on IPv4 and IPv6",
		IN(MEETING, OPT_LOCAL, "7.0"),
	},
	{COMMON_KEEP_SERVING, STORED_IN(keep_serving), IN(MEETING, OPT_LOCAL, "7.0")},
	{
		INTEGER(NO_LETTER, "clients", "COUNT", num_clients, 1, HOSTS_MOST),
		DEFAULT_WORD("off", 0),
		.help = "Server: wait for COUNT clients, start them together, and print a row for each and for all of "
			"them; a client with SERVER_ADDR,SERVER_ADDR,... does so with several servers",
		IN(MEETING, OPT_LOCAL, "7.0"),
	},
	{
		COMMON_MAX_DURATION,
		STORED_IN(max_duration_s),
		.help = "Server: refuse a client whose -D, for all sizes and repetitions, is longer, and end any test "
			"that exceeds this by 10 s; with --keep_serving the default is an hour",
		IN(MEETING, OPT_LOCAL, "7.0"),
	},
	{
		COMMON_TIMEOUT(COMMON_A_DAY_S),
		STORED_IN(timeout_s),
		.help = "Give up when the other side has been silent, or a list of sends has not completed, for this "
			"long and 1 s more for each 10 MB of a list",
		IN(MEETING, OPT_LOCAL, "7.0"),
	},
	{
		INTEGER('n', "iters", "ITERS", iters, 1, MAX_ITERS),
		.default_text = "1000",
		.help = "Iterations for each size; an iteration is a list of sends and the wait until all of them "
			"are acknowledged",
		.brief = "Iterations of each size",
		IN(TEST, OPT_SHARED, HPE),
	},
	{
		INTEGER('D', "duration", "DURATION", duration_s, 1, MAX_DURATION),
		DEFAULT_WORD("off", 0),
		.help = "Seconds to run for each size, regardless of -n",
		.brief = "Run each size for this long instead",
		IN(TEST, OPT_SHARED, HPE),
	},
	{
		STRING('s', "size", "MIN[:MAX[:STEP]]", size),
		.aliases = {"sizes"},
		.shows_alias = true, /* as the other programs call it */
		.check = cxi_check_size,
		.default_text = "65536",
		.help = "Bytes of a send, 1 to 4294967295 (K, M and G are allowed), or a range of powers of two, all "
			"of which are run; of other sizes with STEP, which is added each time, or with * in front "
			"multiplied by: 4K:1M:*4, 64:1K:64; at most 1000 sizes up to 2G",
		.brief = "Size of a send, or a range",
		IN(TEST, OPT_SHARED, HPE),
	},
	{
		INTEGER('l', "list-size", "LIST_SIZE", list, 1, CXI_MAX_LIST),
		.default_text = "256",
		.help = "Sends in an iteration, all queued before the doorbell is rung",
		.brief = "Sends in an iteration",
		IN(TEST, OPT_SHARED, HPE),
	},
	{
		FLAG('b', "bidirectional", bidirectional),
		.help = "Send in both directions, and report the sum of both rates",
		.brief = "Send in both directions at once",
		IN(TEST, OPT_SHARED, HPE),
	},
	{
		FLAG(NO_LETTER, "no-idc", no_idc),
		.help = "Do not use immediate data commands, which carry sends of up to 192 bytes; with --provider, "
			"do not inject sends",
		IN(TEST, OPT_SHARED, HPE),
	},
	{
		FLAG('R', "rdzv", rdzv),
		.help = "Use rendezvous: the receiver's NIC fetches the data",
		.brief = "Use rendezvous",
		IN(TEST, OPT_SHARED, HPE),
	},
	{
		FLAG(NO_LETTER, "verify", verify),
		.help = "Fill and check every send (only the last ones of a list that does not fit into --buf-sz); "
			"the time that this takes is in the figures",
		.brief = "Check every send",
		IN(TEST, OPT_SHARED, "7.0"),
	},
	{
		SIZE(NO_LETTER, "buf-sz", "BUF_SIZE", buf_size, 1, MAX_BUFFER),
		.default_text = DEFAULT_BUF_SIZE,
		.help = "Maximum size of a buffer; if a list does not fit, offsets wrap around",
		IN(BUFFERS, OPT_SHARED, HPE),
	},
	{
		SIZE(NO_LETTER, "buf-align", "BUF_ALIGN", buf_align, 1, CXI_MAX_SIZE),
		.default_text = "64",
		.help = "Alignment of sends in the buffers, bytes",
		IN(BUFFERS, OPT_SHARED, HPE),
	},
	{
		CHOICE(NO_LETTER, "use-hp", "HP_SIZE", huge_pages),
		DEFAULT_WORD("off", HUGE_OFF),
		CHOICES({"2M", HUGE_2M, 0}, {"1G", HUGE_1G, 0}),
		.help = "Huge pages of this size for buffers in system memory",
		IN(BUFFERS, OPT_SHARED, HPE),
	},
	COMMON_REPEAT_ROWS("message size", repeat, 1000, "average", IN(REPEAT, OPT_SHARED, "7.0")),
	{
		FLAG(NO_LETTER, "report_possible", possible),
		.help = "Below the table, print what share of the possible bandwidth the highest one is: of the rate "
			"of "
			"the link, or of what PCIe carries if that is lower; through shared memory, and sockets of one "
			"host, of what memcpy moves. At a terminal it is printed without the option where the link is "
			"known",
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	{
		DOUBLE(NO_LETTER, "limit_bw", "RATE", limit_bw, 0, 1e12),
		.units = {"%", "%line"},
		.unit_offset = offsetof(struct cxi_params, bw_unit),
		.default_text = "0",
		.help = "Exit with status 3 if the bandwidth of any size is below this, in MB/s; 90%: below this share "
			"of the possible bandwidth, see --report_possible; 90%line: of the link's rate; 0: no limit",
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	{
		DOUBLE(NO_LETTER, "limit_msgrate", "RATE", limit_msgrate, 0, 1e12),
		.units = {"%", "%line"},
		.unit_offset = offsetof(struct cxi_params, msgrate_unit),
		.default_text = "0",
		.help = "Exit with status 3 if the rate of sends of any size is below this, in 10^6 per second; shares "
			"as of --limit_bw; 0: no limit",
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	{COMMON_LIMIT_INTERVALS(""), STORED_IN(limit_intervals), IN(REPORT, OPT_LOCAL, "7.0")},
	{
		FLAG(NO_LETTER, "limit_peers", limit_peers),
		.help = "With --clients or several servers the limits hold for each peer, rather than for all together",
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	{
		DOUBLE(NO_LETTER, "report_interval", "SECONDS", report_interval_s, 0.01, COMMON_A_YEAR_S),
		DEFAULT_WORD("off", 0),
		.help = "Also print a row for each interval of this length, with what this side sent and received",
		.brief = "Also a row for each interval",
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	{COMMON_TIMESTAMPS, STORED_IN(timestamps), IN(REPORT, OPT_LOCAL, "7.0")},
	{COMMON_CPU_UTIL, STORED_IN(cpu_util), IN(REPORT, OPT_LOCAL, "7.0")},
	{
		COMMON_COUNTERS("files of the NIC (telemetry/hni_sts_tx_ok_octets), of the port of an RDMA device "
				"(counters/port_xmit_data) or else of the network interface (statistics/tx_bytes), and "
				"statistics of the interface's driver (ethtool/tx_bytes)",
				""),
		STORED_IN(counters),
		IN(REPORT, OPT_LOCAL, "7.0"),
	},
	{COMMON_EXPLAIN, STORED_IN(explain), IN(REPORT, OPT_FOLLOWED, "7.0")},
	COMMON_OUTPUT_ROWS(output, IN(REPORT, OPT_LOCAL, "7.0")),
};

_Static_assert(sizeof(rows) / sizeof(rows[0]) <= CXI_MAX_OPTIONS, "given[] is too short");

static const struct opt_guess guesses[] = {COMMON_OUTPUT_GUESSES, {NULL, NULL, false}};

const struct opt_table cxi_options = {
	.rows = rows,
	.num_rows = sizeof(rows) / sizeof(rows[0]),
	.groups = groups,
	.num_groups = NUM_GROUPS,
	.operand = "SERVER_ADDR",
	.guesses = guesses,
};
