// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The prose of cxi_send_bw's manual page, in the order of the page. Definitions match the code: report.h (rates),
 * run.h (a size), buffers.h (offsets).
 */
#include "cxi/cxi.h"

#include "cxi/parameters.h"

static const struct manual_paragraph paragraphs[] = {
	/* --- description --- */
	{MANUAL_DESCRIPTION, CXI_PROGRAM, NULL,
	 "Measures the bandwidth of two-sided sends on HPE Slingshot, through libcxi. Start it twice: without an "
	 "operand it is the server, with the server's name or address the client. The client's options are sent to the "
	 "server, which needs only those that select its own NIC, port and memory. With --keep_serving it serves one "
	 "client after the other, and the document of --out_json_file has the client's number: run.1.json. With "
	 "--clients it starts several clients together, and a client with SERVER_ADDR,SERVER_ADDR,... several servers; "
	 "each pair is a process of its own."},
	{MANUAL_DESCRIPTION, CXI_PROGRAM, NULL,
	 "An iteration is a list of sends, all of which are in the command queue before its doorbell is rung, and the "
	 "wait until they are acknowledged and the receiver has answered. With -b both sides do the same at once."},
	{MANUAL_DESCRIPTION, CXI_PROGRAM, NULL,
	 "Sends are placed in a buffer one after the other, each at a multiple of its size rounded up to --buf-align, "
	 "at the same offsets on both sides. If a list does not fit into --buf-sz, offsets start over at 0."},
	{MANUAL_DESCRIPTION, CXI_PROGRAM, NULL,
	 "Without a Cassini NIC, --provider sends through libfabric instead. This is never chosen automatically, since "
	 "it measures something else: the receiver posts a receive for each send, and the provider decides how a send "
	 "is transferred. The banner says so, and the packet rate is not known."},

	/* --- output --- */
	{MANUAL_OUTPUT, CXI_PROGRAM, NULL,
	 "A summary of the test, then a row for each size. Errors go to standard error. A MB is 10^6 bytes."},
	{MANUAL_OUTPUT, CXI_PROGRAM, "Send Size[B]", "Bytes of a send."},
	{MANUAL_OUTPUT, CXI_PROGRAM, "Sends",
	 "Sends in the whole iterations of this side; - on a server that sends nothing."},
	{MANUAL_OUTPUT, CXI_PROGRAM, "BW[MB/s]",
	 "Bytes of these sends over the time until the last of these iterations ended, on the side that sent; with -D "
	 "over at least that time, even if nothing moved for part of it. With -b the rates of both sides are added up, "
	 "on both sides; if both are on one NIC (loopback) the sum is doubled, since each byte passes through the NIC "
	 "twice."},
	{MANUAL_OUTPUT, CXI_PROGRAM, "PktRate[Mpkt/s]",
	 "Packets of at most 2048 bytes, the MTU of Portals, into which these sends are split; computed in the same "
	 "way."},
	{MANUAL_OUTPUT, CXI_PROGRAM, NULL,
	 "A row of --report_interval counts what this side sent and received in the time printed after it, which ends "
	 "with the last list of the interval; Sends are those that it sent. The last row ends with the run, and "
	 "includes a remainder of less than 10 ms; a row shorter than a tenth of the interval has no rates. A run that "
	 "is cut short prints what it has up to the last list that "
	 "was completed, or up to Ctrl-C, marked as partial."},

	{MANUAL_OUTPUT, CXI_PROGRAM, NULL,
	 "With --repeat or --until a row has the mean bandwidth of all measurements of its size, the sum of their "
	 "sends, and after it the number of measurements and the 95 % confidence interval of that mean; --until "
	 "measures until it is within PERCENT of the mean, at least ten times and twice in a row. --steady omits the "
	 "first measurements from mean and interval if they are those of a warm-up."},

	{MANUAL_OUTPUT, CXI_PROGRAM, "all 3, fairness 0.998, overlap 97.1 %",
	 "With --clients, and several servers: after a row for each pair, with its address, the row of all that have "
	 "one. Its bandwidth is what they moved together, over the time from the first start to the last end; overlap "
	 "is the share of that time in which all ran, and fairness Jain's index of their bandwidths: 1 if all are "
	 "equal, 1/n if one has everything. If a pair ends early the others continue, and the row is partial."},
	{MANUAL_OUTPUT, CXI_PROGRAM, "CPU_Util[%]",
	 "With --cpu_util: the share of time for which the CPUs of this machine, all together, were busy. nan in a row "
	 "that is too short for the kernel's clock ticks."},
	{MANUAL_OUTPUT, CXI_PROGRAM, "NAME=DELTA",
	 "Below a row, with -W: by how much a counter has increased since the row before, in a result since its size "
	 "began. A row of an interval is printed about 10 ms after its end, and the counters are those of then."},
	{MANUAL_OUTPUT, CXI_PROGRAM, "95.0 % of 200.0 Gb/s, the rate of the link",
	 "Below the table, at a terminal and with --report_possible: what share of the possible bandwidth the highest "
	 "one is, with -b in both directions. The possible is the rate of the NIC's interface, or if that is lower "
	 "what "
	 "the slowest PCIe link on the way to it carries. The headers of Slingshot's packets are not counted, so that "
	 "100 % can't be reached. Over --provider=shm, and tcp on one host, it is what memcpy moves on one CPU at that "
	 "size, which is measured with --report_possible only, and no limit is a share of it. JSON has the object "
	 "possible in each row."},
	{MANUAL_OUTPUT, CXI_PROGRAM, "Likeliest cause, Also, No cause found",
	 "Below the table, with --explain: " MANUAL_EXPLAIN
	 "Both sides note their CPU time, their host and the network interface of the NIC or domain before and after "
	 "the measurements, and tell each other; HPE's program does not. perftest's documents explain each cause "
	 "(explain.md). JSON has the object explanation, with what both sides have seen. Then follows what the doctor "
	 "(perftest doctor) finds on both hosts that may slow a test down and has no figure here: it is no cause."},
	{MANUAL_OUTPUT, CXI_PROGRAM, "time[UTC]", "With --timestamps: when the row ended, in ISO 8601."},

	/* --- exit status --- */
	{MANUAL_EXIT_STATUS, CXI_PROGRAM, "0", "Success."},
	{MANUAL_EXIT_STATUS, CXI_PROGRAM, "1", "Something failed, here or on the other side."},
	{MANUAL_EXIT_STATUS, CXI_PROGRAM, "2", MANUAL_USAGE_ERROR},
	{MANUAL_EXIT_STATUS, CXI_PROGRAM, "3",
	 "A bandwidth is below --limit_bw, or a rate of sends below --limit_msgrate; a message says by how much, and "
	 "missed_limits of the JSON document has them all. With --limit_intervals this also holds for the rows of "
	 "--report_interval, but for a last one of less than half an interval."},
	{MANUAL_EXIT_STATUS, CXI_PROGRAM, "4", "--verify found sends that arrived wrong, here or on the other side."},
	{MANUAL_EXIT_STATUS, CXI_PROGRAM, "130",
	 "SIGINT, SIGTERM or SIGHUP stopped it; the other side exits with 1. A server with --keep_serving that has no "
	 "client then exits with 0."},

	/* --- environment --- */
	{MANUAL_ENVIRONMENT, CXI_PROGRAM, "SLINGSHOT_DEVICES, SLINGSHOT_SVC_IDS, SLINGSHOT_VNIS",
	 "What the job launcher assigned, separated by commas: devices and the service of each of them, which are the "
	 "defaults of -d and -v, and VNIs, of which the first is used. -d also selects the service."},
	{MANUAL_ENVIRONMENT, CXI_PROGRAM, "PERFTEST_CLOCK", MANUAL_CLOCK},

	/* --- notes --- */
	{MANUAL_NOTES, CXI_PROGRAM, NULL,
	 "The library (libcxi.so.1, libfabric.so.1, that of a GPU) is opened when it is needed; if it or the NIC is "
	 "missing, the program exits before it listens."},
	{MANUAL_NOTES, CXI_PROGRAM, NULL,
	 "This program has not yet been run on a Cassini NIC: docs/cxi.md says what has only been tested with a "
	 "stand-in for libcxi. GPU memory has not been tried with GPUs of AMD or Intel."},
	{MANUAL_NOTES, CXI_PROGRAM, NULL,
	 "The other side may be HPE's cxi_send_bw, in either role: a server takes its versions 2.x, a client speaks as "
	 "2.4, since a server of HPE only serves clients of its own version. That program has neither --verify, "
	 "--repeat, --until nor --provider, and when it refuses something it says why only in its own output; a range "
	 "of sizes with -R, -b and -D is refused."},
	{MANUAL_NOTES, CXI_PROGRAM, NULL,
	 "The TCP connection between the two sides is neither encrypted nor authenticated: use it only in networks "
	 "that you trust."},
};

const struct page cxi_page = {
	.cli =
		{
			.name = "cxi_send_bw",
			.purpose = "measure the bandwidth of sends on HPE Slingshot",
			.note = "The client's options go to the server.",
			.options = &cxi_options,
			.program = CXI_PROGRAM,
			.examples = {{"server$ %s", "The server, on its first NIC"},
				     {"client$ %s 192.0.2.1", "1000 lists of 256 sends of 64 KiB to it"},
				     {"client$ %s 192.0.2.1 -b -D 5 -s 1024:65536",
				      "Both directions, 5 seconds for each size"},
				     {"client$ %s --provider=shm --verify 127.0.0.1",
				      "Through shared memory, to a server with --provider=shm; no NIC is needed"}},
			.usages = {{"", "on the server: wait for a client"},
				   {"SERVER_ADDR", "on the client: connect to the server, and run"}},
		},
	.paragraphs = paragraphs,
	.num_paragraphs = sizeof(paragraphs) / sizeof(paragraphs[0]),
	.reaches = "Options marked as shared are sent from the client to the server, which refuses the test if it was "
		   "given another value. The others concern one side only.",
	.rule = cxi_rule,
	.see_also = ".BR perftest (7),\n.BR ib_send_bw (1),\n.BR fi_info (1)\n",
};
