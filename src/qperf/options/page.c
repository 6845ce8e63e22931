// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The prose of qperf's manual page, and its options and tests from the tables. Definitions match the code: figures.c
 * (formulas), session.c (what a side counts), datagram.c (losses), wire.h (protocols).
 */
#include "qperf/qperf.h"

#include <stdio.h>
#include <string.h>

#include "params/engine/page.h"
#include "qperf/options/options.h"
#include "qperf/options/tests.h"
#include "util/terminal.h"

#define PROGRAM	    1U
#define MAX_OPTIONS 80
#define MAX_TESTS   48
#define MAX_TEXT    1024
#define MAX_PROSE   80

static const struct manual_paragraph before_tests[] = {
	{MANUAL_DESCRIPTION, PROGRAM, NULL,
	 "Measures bandwidth and latency between two hosts, over sockets as well as over RDMA. Without arguments it is "
	 "the server, which needs no options, serves many clients at once, and runs until a client tells it to quit. A "
	 "client names the server and one or more tests, and prints what both sides measured."},
	{MANUAL_DESCRIPTION, PROGRAM, NULL,
	 "It replaces qperf 0.4.11: the same command line prints the same lines on standard output, and each of the "
	 "two can be the other's client or server."},
	{MANUAL_DESCRIPTION, PROGRAM, NULL,
	 "The command line is read from left to right. The first word that is not an option is the server; each "
	 "further one is a test, which runs with the options before it. They also apply to later tests."},
	{MANUAL_DESCRIPTION, PROGRAM, NULL, "The tests:"},
};

static const struct manual_paragraph after_tests[] = {
	/* --- output --- */
	{MANUAL_OUTPUT, PROGRAM, NULL,
	 "A line with the test's name, and below it rows of a name, an equals sign, a value and its unit. The result "
	 "comes first; -v and the like add others. A row is written as soon as it is known. Warnings and errors go to "
	 "standard error."},
	{MANUAL_OUTPUT, PROGRAM, "latency",
	 "Half of the mean round trip, for RDMA READ the mean of whole ones: of all exchanges that began within the "
	 "time and were answered, each with all its time. The first one of an RDMA test is left out, since it shows "
	 "when the other side became ready, except over UD and UC with messages. For UDP, UC and UD a message without "
	 "an answer within 0.1 s, or within four round trips of the control connection if those take longer, is lost, "
	 "and the time spent waiting for it is subtracted; there an exchange that ends after the time is left out. "
	 "With -f and a server of qperf 0.4.11 it is the time over the messages that both sides received."},
	{MANUAL_OUTPUT, PROGRAM, "bw, recv_bw, send_bw",
	 "Bytes of whole messages over the time of the side that received, or sent, them; if both sides did, those of "
	 "both over the mean of their times. An RDMA test counts the messages whose completion was seen within the "
	 "time. If there was none, because posting the first ones took longer (large messages, a slow device), it "
	 "counts all, over the time until the last. KB, MB and GB are powers of 1000."},
	{MANUAL_OUTPUT, PROGRAM, "msg_rate",
	 "Messages received, computed in the same way; of a latency its reciprocal, unless messages were lost."},
	{MANUAL_OUTPUT, PROGRAM, "*_real_time",
	 "From the start of a side's loop to its end, of a latency to that of its last exchange, by the CPU's cycle "
	 "counter."},
	{MANUAL_OUTPUT, PROGRAM, "*_cpus_used, _user, _intr, _kernel, _iowait, *_cpu_time",
	 "CPU use of the whole machine, all its processes together, in that time, according to /proc/stat: in percent "
	 "of one CPU, so that two busy CPUs are 200. _intr is irq and softirq; _kernel includes steal. On one host "
	 "both sides show the same machine."},
	{MANUAL_OUTPUT, PROGRAM, "send_cost, recv_cost",
	 "cpu_time per 10^9 bytes, if traffic went in one direction only."},
	{MANUAL_OUTPUT, PROGRAM, "*_errors",
	 "Calls that failed without ending the test, such as a send for which a queue had no room."},
	{MANUAL_OUTPUT, PROGRAM, "min, p50 to p99.9, max",
	 "With -vd, in latency tests: half of each round trip, for RDMA READ a whole one, from a histogram that is off "
	 "by at most 1/256. A percentile with too few samples is omitted."},
	{MANUAL_OUTPUT, PROGRAM, "open_exchange",
	 "With -vd, in latency tests over reliable transports and uc_rdma_write_poll_lat: a round trip that was still "
	 "open at the end of the test's time, if it is longer than every other one and than 1/32 of that time. It "
	 "counts as a sample of at least that length, and a warning says so."},
	{MANUAL_OUTPUT, PROGRAM, "*_process_user, *_process_kernel, *_switches, *_run_delay",
	 "With -vd: what the side's own process used, in percent of one CPU, its context switches, and the time in "
	 "which it was ready to run but had no CPU, according to /proc/self/schedstat: latencies include that, and "
	 "messages counted as lost may only have been delayed by it."},
	{MANUAL_OUTPUT, PROGRAM, "*_clock",
	 "With -vd, if a side's cycle counter can't be trusted: the clock that it uses instead."},
	{MANUAL_OUTPUT, PROGRAM, "*_wait, *_calls, *_congestion, *_retransmits, *_rtt, *_cwnd, *_copied",
	 "With -vd: whether the side slept or spun while it waited, the calls that transferred the messages, and what "
	 "the kernel's TCP_INFO says when the test is over. copied counts sends with MSG_ZEROCOPY that the kernel "
	 "copied nevertheless, as it does on loopback."},
	{MANUAL_OUTPUT, PROGRAM, "*_max_cqe",
	 "With -vvs, in RDMA tests other than latency tests: the most completions that one poll found."},
	{MANUAL_OUTPUT, PROGRAM, "lost, lost_share, sent_late, late",
	 "With -vd, for UDP, UC and UD: messages that were sent and never arrived, also as a share of those sent; "
	 "those of UC and UD that were in flight at the end of the sender's time; and those that arrived after the end "
	 "of the receiver's time, which are not lost. Late ones are not included in any bandwidth: *_send_msgs plus "
	 "sent_late equals *_recv_msgs plus late plus lost. A qperf 0.4.11 on the other side does not report which "
	 "were late: they count as lost. In latency tests lost counts messages that were not answered in time, even if "
	 "only because the process that should have answered was not running."},
	{MANUAL_OUTPUT, PROGRAM, "Likeliest cause, Also, No cause found",
	 "With --explain: " MANUAL_EXPLAIN
	 "Both sides note their counters, CPU time and network before and after the loop, and tell each other, except "
	 "qperf 0.4.11. A cause is named from where it begins to cost about 5 % of a figure; what exceeds that most is "
	 "named first. A shared or stolen CPU is named from 50 ms of waiting on: a run of few milliseconds is too "
	 "short to judge that, and says so. explain.md of perftest's documents has them all. Then follows what the "
	 "doctor (perftest doctor) finds on both hosts that may slow a test down and has no figure here: it is no "
	 "cause."},
	{MANUAL_OUTPUT, PROGRAM, "name[0.0-1.0]",
	 "With --report_interval: what this side alone saw in that part of a test; the last part is the remainder, and "
	 "has no rate (nan) if it is shorter than a tenth of the others. In "
	 "tests in both directions over UC and UD it is what this side sent. A latency is the mean of the exchanges "
	 "that ended in it, as the result is that of all, or none; with -f, where only the server has samples, it is "
	 "the time over the messages, the first one and waits for lost ones included. CSV has no message counts for "
	 "intervals."},
	{MANUAL_OUTPUT, PROGRAM, "*_median, *_min, *_max, *_spread, *_mean, *_ci95_low, *_ci95_high, left_out, reached",
	 "With --repeat and --until each run of a test is one of its own, with new connections, and is printed as "
	 "such; so it also works with qperf 0.4.11. After the last one follow the median, minimum and maximum of their "
	 "results, their standard deviation over their mean, and the mean with the ends of its 95 % confidence "
	 "interval (of two runs or more). left_out counts the first runs that --steady omits from all of these: those "
	 "of a warm-up, at most half. --until ends at the second run in a row after which the interval is within that "
	 "many percent of the mean, after at least ten, or at --max_repeats or --max_time; reached says whether it "
	 "was. If a run is cut short, the complete ones are summed up so, marked as partial."},
	{MANUAL_OUTPUT, PROGRAM, "possible",
	 "What share of the possible a bandwidth is, or a message rate of atomics: \"97.1 % of 392.1 Gb/s, the payload "
	 "limit of MTU 4096 over a link of 400 Gb/s (PCIe 5.0 x16 allows 504.1)\". That is the rate of the link of "
	 "this side's adapter, of TCP and UDP of the interface that the connection uses, less the headers of all "
	 "packets that such messages take, for tests in both directions "
	 "twice, or what PCIe carries if that is less; see OUTPUT of ib_send_bw. It is printed with --report_possible, "
	 "which also tells why it is not known, and where it is known with -vd and at a terminal. On the software "
	 "device --report_possible compares with what memcpy moves on one CPU. JSON has the object possible for each "
	 "result and, where the link is known, interval."},
	{MANUAL_OUTPUT, PROGRAM, "--limit_bw, --limit_msgrate, --max_lat, --max_p99, --max_percentiles",
	 "Each limit holds for the tests that measure such a figure, and is compared with each result, with --repeat "
	 "and --until with the mean and the samples of all runs instead. One line on standard error says by how much a "
	 "limit is missed, and so does missed_limits of the JSON document. A percentile with too few samples misses "
	 "its limit. With --limit_intervals the first two also hold for each interval, but a last one of less than "
	 "half of its length: the first that misses one is named at once, after the result how many did, and the "
	 "worst. --limit_bw 90% and --limit_msgrate 90% are 90 % of what is possible, as above, and 90%line of the "
	 "link's rate itself; where it is not known a test with such a limit fails before it begins."},
	{MANUAL_OUTPUT, PROGRAM, "time",
	 "With --timestamps: the time of day at which the run or the interval above was over, in UTC. In CSV it is the "
	 "last field, and only there with the option."},
	{MANUAL_OUTPUT, PROGRAM, "partial",
	 "The test was cut short, and the rows above cover the time until then: on both sides after Ctrl-C, but only "
	 "on the client if the server did not report its counts, because it died or was stopped. In that case send_bw "
	 "is printed in place of a bw or recv_bw that only the server knows, and the exit status is 1."},
	{MANUAL_OUTPUT, PROGRAM, NULL,
	 "JSON has every figure of both sides in SI units, with what both are: build, host and adapter (of a server of "
	 "qperf 0.4.11 nothing), under the schema of the suite. Its run_id is what the server says with --debug. CSV "
	 "has a line for each result, each interval, and what the runs of a test have in common (kind spread or "
	 "partial_spread)."},

	/* --- exit status --- */
	{MANUAL_EXIT_STATUS, PROGRAM, "0", "All tests ran, or the server was told to quit."},
	{MANUAL_EXIT_STATUS, PROGRAM, "1",
	 "Something failed, or a test had no message answered or none received; one line on standard error says what."},
	{MANUAL_EXIT_STATUS, PROGRAM, "2", MANUAL_USAGE_ERROR},
	{MANUAL_EXIT_STATUS, PROGRAM, "3", "A result misses a limit."},
	{MANUAL_EXIT_STATUS, PROGRAM, "130",
	 "SIGINT, SIGTERM or SIGHUP stopped a client; what it had measured is printed."},

	/* --- environment --- */
	{MANUAL_ENVIRONMENT, PROGRAM, "PERFTEST_CLOCK", MANUAL_CLOCK},

	/* --- examples --- */
	{MANUAL_EXAMPLES, PROGRAM, "%s myserver -uu -ub tcp_bw", "One number for a script, in bits per second."},

	/* --- notes --- */
	{MANUAL_NOTES, PROGRAM, NULL,
	 "A server of version 0.4.11 accepts only whole seconds, and ignores -f and, except in rc_bw, uc_bw and ud_bw, "
	 "-n; the client refuses what such a server would ignore, and RDMA tests but those of RC with -cm1. It serves "
	 "one client at a time."},
	{MANUAL_NOTES, PROGRAM, NULL,
	 "Data is sent and received with plain libc calls, so that a library that replaces sockets can be preloaded."},
	{MANUAL_NOTES, PROGRAM, NULL,
	 "The server starts a process for each client, and checks a client's address only with --allow: any host that "
	 "reaches its port can load the host and the network and, without --no_quit, end the server. --max_clients and "
	 "--max_time set limits, and an RDMA test may use at most half of the memory that is available. qperf.service, "
	 "among the documents, is a unit for systemd."},
};

static const char *const rules[] = {
	"a client's option without a server's name, or a server's option with one",
	"a message of no bytes, or of more than the protocol can carry (UDP: 65507)",
	"a loop (-oo) that would never end, or has no value",
	"--send or --receive other than plain in a latency test",
	"--send batch or segment and --receive batch or coalesce in tests other than udp_bw",
	"--send zerocopy or file and --receive trunc in tests other than tcp_bw",
	"--congestion in tests other than those of TCP",
	"--repeat together with --until; a client's --max_repeats or --max_time without --until",
	"--steady without --repeat or --until",
	"with a server of version 0.4.11: a fraction of a second, -f, --spin, --send, --receive and --congestion",
	"with a server of version 0.4.11: -n, except in rc_bw, uc_bw and ud_bw",
};

static const char *qperf_rule_sentence(const struct cli *cli, size_t n)
{
	(void)cli;
	return n < sizeof(rules) / sizeof(rules[0]) ? rules[n] : NULL;
}

static const char *const groups[] = {"Tests", "Output", "Server"}; /* of the first, the next two, and the last one */

/* The help, the other forms and the allowed words, as one sentence without the full stop. */
static void page_row_text(const struct opt_row *row, char text[MAX_TEXT])
{
	const struct option_own *own = option_own(row);
	size_t length;

	snprintf(text, MAX_TEXT, "%s", row->help ? row->help : row->brief);
	length = strlen(text);
	if (text[length - 1] == '.')
		text[length - 1] = '\0';
	if (own->one_sided)
		text_add(text, MAX_TEXT, ". For one side: --loc_%s%s%s, --rem_%s%s%s", row->long_name,
			 row->letters ? " or -l" : "", row->letters ? row->letters : "", row->long_name,
			 row->letters ? " or -r" : "", row->letters ? row->letters : "");
	if (own->is_switch && row->letters)
		text_add(text, MAX_TEXT, ". -%s1 is short for OnOff 1", row->letters);
}

/* What --help describes, for the completion. */
static const char *topics(void)
{
	static char text[OPT_TEXT_SIZE];

	snprintf(text, sizeof(text), "categories examples options opts tests");
	for (size_t i = 0; i < num_test_rows; i++)
		text_add(text, sizeof(text), " %s", test_rows[i].name);
	return text;
}

/* As qperf writes it: a value is a word, and its range and default are in the help. */
static void make_row(const struct opt_row *row, struct opt_row *made, char text[MAX_TEXT])
{
	page_row_text(row, text);
	*made = *row;
	made->letters = row->letters ? row->letters : "";
	made->kind = row->kind == OPT_CHOICE || row->kind == OPT_FLAG ? row->kind : OPT_STRING;
	made->default_text = row->kind == OPT_CHOICE ? row->choices[0].word : NULL;
	made->help = text;
	made->known = option_own(row)->is_topic ? topics() : NULL;
	made->group -= row->group > OPTIONS_RESULT;
	made->programs = PROGRAM;
	made->since = "0.4.11";
}

const struct page *qperf_page(void)
{
	static struct opt_row rows[MAX_OPTIONS];
	static char texts[MAX_OPTIONS][MAX_TEXT];
	static const char *words[MAX_TESTS];
	static struct manual_paragraph prose[MAX_PROSE];
	static struct opt_table table = {
		.rows = rows,
		.groups = groups,
		.num_groups = sizeof(groups) / sizeof(groups[0]),
	};
	static struct page page = {
		.cli =
			{
				.name = "qperf",
				.purpose = "measure bandwidth and latency of sockets and RDMA",
				.options = &table,
				.program = PROGRAM,
				.examples = {{"server$ %s", "The server"},
					     {"client$ %s server tcp_bw tcp_lat conf",
					      "Bandwidth and latency of TCP, and the configuration of both hosts"},
					     {"client$ %s server -oo msg_size:1:64K:*2 -vu tcp_lat",
					      "The latency of messages from 1 byte to 64 KiB"},
					     {"client$ %s server -t 10 udp_lat quit",
					      "UDP latency for ten seconds; then the server quits"}},
				.usages = {{"", "the server"}, {"SERVER TEST...", "a client"}},
				.note = "",
			},
		.paragraphs = prose,
		.syntax = "Names can't be abbreviated; short forms begin with one dash. A value is the next word.",
		.reaches = "Options that begin with loc are for the client only, with rem for the server only.",
		.rule = qperf_rule_sentence,
		.see_also = ".BR perftest (7),\n.BR ib_send_bw (1),\n.BR iperf3 (1)\n",
		.words = words,
	};
	size_t n = 0;

	if (page.num_paragraphs)
		return &page;
	for (size_t i = 0; i < qperf_options.num_rows && i < MAX_OPTIONS; i++)
		make_row(&qperf_options.rows[i], &rows[table.num_rows++], texts[i]);
	for (size_t i = 0; i < sizeof(before_tests) / sizeof(before_tests[0]); i++)
		prose[n++] = before_tests[i];
	for (size_t i = 0; i < num_test_rows && i + 1 < MAX_TESTS; i++) {
		words[i] = test_rows[i].name;
		prose[n++] = (struct manual_paragraph){MANUAL_DESCRIPTION, PROGRAM, test_rows[i].name,
						       test_rows[i].description};
	}
	for (size_t i = 0; i < sizeof(after_tests) / sizeof(after_tests[0]) && n < MAX_PROSE; i++)
		prose[n++] = after_tests[i];
	page.num_paragraphs = n;
	return &page;
}
