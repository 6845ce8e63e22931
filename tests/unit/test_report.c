// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does stdout have what was requested, in order, and nothing else; and is a write error on stdout reported, once? */
#define _GNU_SOURCE /* strptime(), timegm() */
#include "config.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>

#include "report/host.h"
#include "report_rig.h"
#include "terminal.h"

/* What one call of print() writes to stdout. */
static char *printed_by(void (*print)(struct report *report))
{
	struct capture capture = capture_begin(STDOUT_FILENO, NULL);
	struct report *report = open_report();

	print(report);
	report_free(report);
	return capture_end(&capture);
}

static void expect(void (*print)(struct report *report), const char *expected)
{
	char *text = printed_by(print);

	assert_string_equal(text, expected);
	free(text);
}

/* --- around the table --- */

static void print_waiting(struct report *report)
{
	report_waiting(&config);
}

TEST(test_waiting, setup, teardown)
{
	expect(print_waiting, "\n************************************\n"
			      "* Waiting for client to connect... *\n"
			      "************************************\n");
	config.output = OUTPUT_BANDWIDTH;
	expect(print_waiting, "");
	config.output = OUTPUT_ALL;
	config.format = FORMAT_CSV;
	expect(print_waiting, "");
}

static struct report_info run_info;

static void print_header(struct report *report)
{
	assert_int_equal(report_header(report, &run_info), 0);
}

TEST(test_header, setup, teardown)
{
	run_info = fixture_info();
	expect(print_header, RULE "                    RDMA_Write BW Test\n"
				  " Dual-port       : OFF\t\tDevice         : mlx5_0\n"
				  " Number of qps   : 1\t\tTransport type : IB\n"
				  " Connection type : RC\t\tUsing SRQ      : OFF\n"
				  " PCIe relax order: ON\t\tLock-free      : OFF\n"
				  " ibv_wr* API     : ON\t\tUsing Enhanced Reorder      : OFF\n"
				  " TX depth        : 128\n"
				  " CQ Moderation   : 1\n"
				  " CQE Poll Batch  : Dynamic\n"
				  " Mtu             : 4096[B]\n"
				  " Link type       : Ethernet\n"
				  " GID index       : 3\n"
				  " Max inline data : 0[B]\n"
				  " rdma_cm QPs\t : OFF\n"
				  " Data ex. method : Ethernet\n"
				  " NUMA node       : 0\n" RULE);
}

/* Every line that depends on something, the other way round. */
TEST(test_header_conditional, setup, teardown)
{
	run_info = fixture_info();
	strcpy(run_info.device.name, "soft0");
	run_info.software_measures = "this host's memory system";
	run_info.sends = false;
	run_info.receives = true;
	run_info.gid_index = -1;
	run_info.device.numa_node = -1;
	run_info.wr_api = false;
	run_info.pcie_relaxed = "Unsupported";
	specs[METRIC_BW].verb = VERB_SEND;
	specs[METRIC_BW].with_imm = true;
	specs[METRIC_BW].bidirectional = true;
	verbs[METRIC_BW].post_list = 4;
	verbs[METRIC_BW].recv_post_list = 8;
	verbs[METRIC_BW].events = true;
	verbs[METRIC_BW].comp_vector = 2;
	config.poll_batch = 16;
	verbs[METRIC_BW].rdma_cm = true;
	verbs[METRIC_BW].tos = 32;
	run_info.data_exchange = "rdma_cm";
	run_info.lacks_peak = true;
	expect(print_header,
	       " WARNING: BW peak won't be measured in this run.\n" RULE
	       "                    Send_imm Bidirectional Post List BW Test\n"
	       " Test with events. Using soft0_comp2\n"
	       " Dual-port       : OFF\t\tDevice         : soft0\n"
	       " Number of qps   : 1\t\tTransport type : IB\n"
	       " Connection type : RC\t\tUsing SRQ      : OFF\n"
	       " PCIe relax order: Unsupported\t\tLock-free      : OFF\n"
	       " ibv_wr* API     : OFF\t\tUsing Enhanced Reorder      : OFF\n"
	       " Post List       : 4\n"
	       " Recv Post List  : 8\n"
	       " RX depth        : 512\n"
	       " CQ Moderation   : 1\n"
	       " CQE Poll Batch  : 16\n"
	       " Mtu             : 4096[B]\n"
	       " Link type       : Ethernet\n"
	       " Max inline data : 0[B]\n"
	       " rdma_cm QPs\t : ON\n"
	       " Data ex. method : rdma_cm \tTOS    : 32\n" RULE " Waiting for client rdma_cm QP to connect\n"
	       " Please run the same command with the IB/RoCE interface IP\n"
	       " Software device : soft0 is built in: the figures are those of this host's memory system\n" RULE);
}

static bool header_has(const char *words)
{
	char *text = printed_by(print_header);
	const bool found = strstr(text, words);

	free(text);
	return found;
}

/* That of some aarch64 counts at 25 MHz. */
TEST(test_header_slow_clock, setup, teardown)
{
	run_info = fixture_info();
	run_info.clock_step_ns = 40;
	assert_false(header_has(" Clock"));
	specs[METRIC_BW].metric = METRIC_LAT;
	assert_true(header_has("\n Clock           : a counter with steps of 40 ns, samples with steps of 20 ns\n"));
	specs[METRIC_BW].verb = VERB_READ;
	assert_true(header_has(" samples with steps of 40 ns\n"));
	run_info.clock_step_ns = 0.4;
	assert_false(header_has(" Clock"));
}

/* With -R the client's queue pairs come to the server. */
TEST(test_header_rdma_cm_client, setup, teardown)
{
	run_info = fixture_info();
	config.is_client = true;
	verbs[METRIC_BW].rdma_cm = true;
	verbs[METRIC_BW].tos = -1;
	expect(print_header, RULE "                    RDMA_Write BW Test\n"
				  " Dual-port       : OFF\t\tDevice         : mlx5_0\n"
				  " Number of qps   : 1\t\tTransport type : IB\n"
				  " Connection type : RC\t\tUsing SRQ      : OFF\n"
				  " PCIe relax order: ON\t\tLock-free      : OFF\n"
				  " ibv_wr* API     : ON\t\tUsing Enhanced Reorder      : OFF\n"
				  " TX depth        : 128\n"
				  " CQ Moderation   : 1\n"
				  " CQE Poll Batch  : Dynamic\n"
				  " Mtu             : 4096[B]\n"
				  " Link type       : Ethernet\n"
				  " GID index       : 3\n"
				  " Max inline data : 0[B]\n"
				  " rdma_cm QPs\t : ON\n"
				  " Data ex. method : Ethernet\n"
				  " NUMA node       : 0\n" RULE);
}

/* A latency test has no moderation; reads and atomics show what may be outstanding in place of inline data. */
TEST(test_header_atomic_lat, setup, teardown)
{
	run_info = fixture_info();
	config = fixture_config("ib_atomic_lat", VERB_ATOMIC, METRIC_LAT);
	verbs[METRIC_LAT].tx_depth = 1;
	expect(print_header, RULE "                    Atomic FETCH_AND_ADD Latency Test\n"
				  " Dual-port       : OFF\t\tDevice         : mlx5_0\n"
				  " Number of qps   : 1\t\tTransport type : IB\n"
				  " Connection type : RC\t\tUsing SRQ      : OFF\n"
				  " PCIe relax order: ON\t\tLock-free      : OFF\n"
				  " ibv_wr* API     : ON\t\tUsing Enhanced Reorder      : OFF\n"
				  " TX depth        : 1\n"
				  " Mtu             : 4096[B]\n"
				  " Link type       : Ethernet\n"
				  " GID index       : 3\n"
				  " Outstand reads  : 16\n"
				  " rdma_cm QPs\t : OFF\n"
				  " Data ex. method : Ethernet\n"
				  " NUMA node       : 0\n" RULE);
}

static void print_endpoints(struct report *report)
{
	const struct endpoint roce = {
		.lid = 0,
		.qpn = 0x123,
		.psn = 0xabcdef,
		.rkey = 0xdeadbeef,
		.vaddr = 0x7f0000001000,
		.out_reads = 16,
		.gid = {[10] = 255, 255, 10, 0, 0, 7},
	};
	const struct endpoint infiniband = {.lid = 0x12, .qpn = 1, .psn = 2, .rkey = 3, .vaddr = 4, .out_reads = 1};
	const struct endpoint nothing_lent = {.lid = 0x12, .qpn = 1, .psn = 2};

	report_endpoint(report, true, &roce);
	report_endpoint(report, false, &infiniband);
	if (config.spec->verb == VERB_WRITE)
		report_endpoint(report, false, &nothing_lent);
}

TEST(test_endpoints, setup, teardown)
{
	expect(print_endpoints,
	       " local address: LID 0000 QPN 0x0123 PSN 0xabcdef RKey 0xdeadbeef VAddr 0x007f0000001000\n"
	       " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:07\n"
	       " remote address: LID 0x12 QPN 0x0001 PSN 0x0002 RKey 0x000003 VAddr 0x00000000000004\n"
	       " remote address: LID 0x12 QPN 0x0001 PSN 0x0002 RKey 0x000000 VAddr 0x00000000000000\n");
	specs[METRIC_BW].verb = VERB_READ;
	expect(print_endpoints,
	       " local address: LID 0000 QPN 0x0123 PSN 0xabcdef OUT 0x10 RKey 0xdeadbeef VAddr 0x007f0000001000\n"
	       " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:07\n"
	       " remote address: LID 0x12 QPN 0x0001 PSN 0x0002 OUT 0x01 RKey 0x000003 VAddr 0x00000000000004\n");
	specs[METRIC_BW].verb = VERB_ATOMIC;
	expect(print_endpoints, " local address: LID 0000 QPN 0x0123 PSN 0xabcdef\n"
				" GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:07\n"
				" remote address: LID 0x12 QPN 0x0001 PSN 0x0002\n");
	specs[METRIC_BW].verb = VERB_WRITE;
	specs[METRIC_BW].with_imm = true;
	expect(print_endpoints, " local address: LID 0000 QPN 0x0123 PSN 0xabcdef\n"
				" GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:07\n"
				" remote address: LID 0x12 QPN 0x0001 PSN 0x0002\n"
				" remote address: LID 0x12 QPN 0x0001 PSN 0x0002\n");
	config.output = OUTPUT_BANDWIDTH;
	expect(print_endpoints, "");
}

/* --- the table --- */

static void print_sweep(struct report *report)
{
	struct report_row row = fixture_row_bw();

	report_heading(report);
	add(report, &row, REPORT_TOTAL);
	row.partial = true;
	add(report, &row, REPORT_TOTAL);
	assert_int_equal(report_close(report, "interrupted", "stopped by its user"), 0);
}

TEST(test_sweep, setup, teardown)
{
	expect(print_sweep, RULE HEADING_BW "\n" ROW_BW "\n" ROW_BW " (partial)\n" RULE);
}

#define CSV_BW                                                                                                         \
	"kind,part,partial,interval_begin_seconds,size_bytes,iterations,bandwidth_peak_bytes_per_second,"              \
	"bandwidth_average_bytes_per_second,message_rate_per_second,lost,elapsed_seconds,first_arrivals\n"

TEST(test_sweep_csv, setup, teardown)
{
	config.format = FORMAT_CSV;
	expect(print_sweep, CSV_BW "result,total,false,,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819,0\n"
				   "result,total,true,,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819,0\n");
}

static void print_validation(struct report *report)
{
	static const struct report_validation verdicts[] = {
		{.messages = 5000, .checked = 5000, .bytes = 327680000},
		{.messages = 5000, .checked = 4990, .bytes = 49900, .lost = 10},
		{.messages = 5000, .checked = 5000, .bytes = 10000, .wrong = 2, .qp = 3, .message = 37, .offset = 4096},
		{.messages = 12},
	};
	struct report_row row = fixture_row_bw();

	row.checked = 5000;
	row.wrong = 2;
	report_heading(report);
	add(report, &row, REPORT_TOTAL);
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		report_validation(report, &verdicts[i]);
	assert_int_equal(report_close(report, "complete", NULL), 0);
}

TEST(test_validation, setup, teardown)
{
	verbs[METRIC_BW].data_validation = true;
	expect(print_validation,
	       RULE HEADING_BW "\n" ROW_BW "\n"
			       "VALIDATION: PASSED - 5000 of 5000 messages checked, 327680000 bytes\n"
			       "VALIDATION: PASSED - 4990 of 5000 messages checked, 49900 bytes, 10 lost\n"
			       "VALIDATION: FAILED - 2 error(s), first at QP 3, Message 37, Offset 4096; "
			       "5000 of 5000 messages checked, 10000 bytes\n"
			       "VALIDATION: WARNING - no data validated; 0 of 12 messages checked, 0 bytes\n" RULE);
	config.format = FORMAT_CSV;
	expect(print_validation,
	       "kind,part,partial,interval_begin_seconds,size_bytes,iterations,bandwidth_peak_bytes_per_second,"
	       "bandwidth_average_bytes_per_second,message_rate_per_second,lost,checked,wrong,elapsed_seconds,first_"
	       "arrivals\n"
	       "result,total,false,,65536,5000,11622363955.2,11622122782.72,177340,0,5000,2,0.02819,0\n");
	config.format = FORMAT_TEXT;
	config.output = OUTPUT_BANDWIDTH;
	expect(print_validation, "11083.720000\n");
}

TEST(test_sweep_only, setup, teardown)
{
	config.output = OUTPUT_BANDWIDTH;
	expect(print_sweep, "11083.720000\n11083.720000\n");
	config.gbits = true;
	expect(print_sweep, "92.976982\n92.976982\n");
	config.output = OUTPUT_MESSAGE_RATE;
	expect(print_sweep, "0.177340\n0.177340\n");
}

/* With -b an interval has the row of this side alone. */
static void print_local_intervals(struct report *report)
{
	struct report_row row = fixture_row_bw();

	row.is_interval = true;
	add(report, &row, REPORT_LOCAL);
	add(report, &row, REPORT_LOCAL);
	row.is_interval = false;
	add(report, &row, REPORT_TOTAL);
	assert_int_equal(report_close(report, "complete", NULL), 0);
}

TEST(test_local_intervals, setup, teardown)
{
	expect(print_local_intervals, RULE "\n Local results: \n" RULE HEADING_BW "\n" ROW_BW "\n" ROW_BW "\n" RULE "\n"
					   " Summary: \n" RULE HEADING_BW "\n" ROW_BW "\n" RULE);
	config.output = OUTPUT_BANDWIDTH;
	/* a number alone can't say that it is of one side */
	expect(print_local_intervals, "11083.720000\n");
}

/* What was busy before an interval is not in it. */
static uint64_t row_end;

static void print_stamped(struct report *report)
{
	const struct report_row row = {.size = 8, .iterations = 1, .seconds = 1, .end_cycles = row_end};

	add(report, &row, REPORT_TOTAL);
}

static double seconds_of(const struct timespec *when)
{
	return (double)when->tv_sec + (double)when->tv_nsec / 1e9;
}

/* A row of an interval may be printed later than the interval ended: the time of day is that of its end. */
TEST(test_row_of_the_past, setup, teardown)
{
	struct capture capture;
	struct timespec begin, end;
	struct report *report;
	struct tm utc = {0};
	double over_s;
	char *text;

	config.timestamps = true;
	config.format = FORMAT_CSV;
	clock_gettime(CLOCK_REALTIME, &begin);
	row_end = clock_cycles();
	while (clock_cycles() - row_end < clock_ns_to_cycles(50e6))
		;
	capture = capture_begin(STDOUT_FILENO, NULL);
	report = open_report();
	print_stamped(report);
	report_free(report);
	text = capture_end(&capture);
	clock_gettime(CLOCK_REALTIME, &end);
	assert_non_null(strptime(strrchr(text, ',') + 1, "%Y-%m-%dT%H:%M:%S", &utc));
	over_s = (double)timegm(&utc) + strtod(strrchr(text, '.'), NULL);
	/* its milliseconds are cut off */
	assert_true(over_s > seconds_of(&begin) - 0.002);
	assert_true(over_s < seconds_of(&end) - 0.049);
	free(text);
}

TEST(test_cpu_of_an_interval, setup, teardown)
{
	struct report *report;
	double since_start = 0;

	assert_int_equal(report_open(&report, &config), 0);
	cpu_use_start(report_cpu(report));
	while (!(since_start > 0))
		since_start = cpu_use_percent(report_cpu(report));
	assert_true(cpu_use_interval(report_cpu(report)) > 0);
	/* at last two calls without a tick of the kernel's between them */
	while (cpu_use_interval(report_cpu(report)) > 0)
		;
	assert_true(cpu_use_percent(report_cpu(report)) > 0);
	report_free(report);
}

static void print_parts(struct report *report)
{
	struct report_row row = fixture_row_bw();

	report_heading(report);
	for (int size = 0; size < 2; size++) {
		add(report, &row, REPORT_TOTAL);
		add(report, &row, REPORT_LOCAL);
		add(report, &row, REPORT_REMOTE);
	}
	assert_int_equal(report_close(report, "complete", NULL), 0);
}

TEST(test_parts, setup, teardown)
{
	/* Of two sizes: the table stays whole, and the parts follow it. */
	expect(print_parts, RULE HEADING_BW "\n" ROW_BW "\n" ROW_BW "\n" RULE "\n"
					    " Local results: \n" RULE HEADING_BW "\n" ROW_BW "\n" ROW_BW "\n" RULE "\n"
					    " Remote results: \n" RULE HEADING_BW "\n" ROW_BW "\n" ROW_BW "\n" RULE);
	config.output = OUTPUT_BANDWIDTH;
	expect(print_parts, "11083.720000\n11083.720000\n");
}

static void print_intervals(struct report *report)
{
	struct report_row row = fixture_row_bw();

	row.is_interval = true;
	report_heading(report);
	add(report, &row, REPORT_TOTAL);
	row.interval_begin_s = 0.5;
	row.bw_peak = 0;
	add(report, &row, REPORT_TOTAL);
	row.is_interval = false;
	row.lost = 3;
	add(report, &row, REPORT_TOTAL);
	assert_int_equal(report_close(report, "complete", NULL), 0);
}

TEST(test_intervals, setup, teardown)
{
	expect(print_intervals,
	       RULE HEADING_BW "\n" ROW_BW "\n"
			       " 65536      5000             0.00               11083.72\t\t     0.177340\n" RULE "\n"
			       " Summary: \n" RULE HEADING_BW "\n"
			       " 65536      5000             0.00               11083.72\t\t     0.177340\n" RULE);
	config.format = FORMAT_CSV;
	expect(print_intervals,
	       CSV_BW "interval,total,false,0,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819,0\n"
		      "interval,total,false,0.5,65536,5000,,11622122782.72,177340,0,0.02819,0\n"
		      "result,total,false,,65536,5000,,11622122782.72,177340,3,0.02819,0\n");
}

static void print_lat(struct report *report)
{
	struct report_row row = fixture_row_lat(&latency);

	report_heading(report);
	add(report, &row, REPORT_TOTAL);
	assert_int_equal(report_close(report, "complete", NULL), 0);
}

#define ROW_FEW                                                                                                        \
	" 2       3          1.00           3.00         2.00     \t       2.00        \t0.82   \t\t3.00    "          \
	"\t\t3.00   "

static void print_header_and_lat(struct report *report)
{
	print_header(report);
	print_lat(report);
}

#define HEADER_LAT                                                                                                     \
	RULE "                    RDMA_Write Latency Test\n"                                                           \
	     " Dual-port       : OFF\t\tDevice         : mlx5_0\n"                                                     \
	     " Number of qps   : 1\t\tTransport type : IB\n"                                                           \
	     " Connection type : RC\t\tUsing SRQ      : OFF\n"                                                         \
	     " PCIe relax order: ON\t\tLock-free      : OFF\n"                                                         \
	     " ibv_wr* API     : ON\t\tUsing Enhanced Reorder      : OFF\n"                                            \
	     " TX depth        : 128\n"                                                                                \
	     " Mtu             : 4096[B]\n"                                                                            \
	     " Link type       : Ethernet\n"                                                                           \
	     " GID index       : 3\n"                                                                                  \
	     " Max inline data : 0[B]\n"                                                                               \
	     " rdma_cm QPs\t : OFF\n"                                                                                  \
	     " Data ex. method : Ethernet\n"                                                                           \
	     " NUMA node       : 0\n"

/* A human reads below the table what the percentiles are; scripts find the table's end where it always was. */
TEST(test_unsupported_explained, setup_lat, teardown)
{
	const struct winsize wide = {.ws_row = 24, .ws_col = 160}; /* rules have their classic length */
	struct terminal terminal = terminal_open();
	int saved = dup(STDOUT_FILENO);
	struct report *report;

	assert_int_equal(ioctl(terminal.master, TIOCSWINSZ, &wide), 0);
	fixture_reset(&latency);
	latency_record(&latency, 6000);
	latency_record(&latency, 2000);
	latency_record(&latency, 4000);
	fflush(stdout);
	dup2(terminal.slave, STDOUT_FILENO);
	report = open_report();
	print_lat(report);
	report_free(report);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	terminal_expect(&terminal, RULE HEADING_LAT "\n" ROW_FEW "\n" RULE
						    " 3 samples are too few for 99% and above, which takes 100:"
						    " the maximum is shown\n");
	terminal_close(&terminal);
}

/* What is held back until the table ends is folded for the terminal that it goes to. */
TEST(test_threads_at_a_terminal, setup, teardown)
{
	const struct winsize narrow = {.ws_row = 24, .ws_col = 80};
	struct terminal terminal = terminal_open();
	struct report_row row = fixture_row_bw();
	int saved = dup(STDOUT_FILENO);
	struct report *report;
	const char *line;

	assert_int_equal(ioctl(terminal.master, TIOCSWINSZ, &narrow), 0);
	config.each_alone = true;
	verbs[METRIC_BW].num_threads = 2;
	fflush(stdout);
	dup2(terminal.slave, STDOUT_FILENO);
	report = open_report();
	report_heading(report);
	add(report, &row, REPORT_TOTAL);
	for (row.thread = 1; row.thread <= 2; row.thread++)
		add(report, &row, REPORT_THREAD);
	assert_int_equal(report_close(report, "complete", NULL), 0);
	report_free(report);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(write(terminal.slave, "\a", 1), 1);
	line = terminal_read_to(&terminal, '\a');
	assert_non_null(line);
	assert_non_null(strstr(line, " Results of each thread: \n"));
	for (; strchr(line, '\n'); line = strchr(line, '\n') + 1)
		assert_in_range(strcspn(line, "\n"), 0, 80);
	terminal_close(&terminal);
}

/* Where the number of samples is known before, the header says it, and nothing stands anywhere else. */
TEST(test_unsupported_announced, setup_lat, teardown)
{
	struct capture errors;
	char *text;

	run_info = fixture_info();
	run_info.samples = 3;
	fixture_reset(&latency);
	latency_record(&latency, 6000);
	latency_record(&latency, 2000);
	latency_record(&latency, 4000);
	errors = capture_begin(STDERR_FILENO, NULL);
	expect(print_header_and_lat, HEADER_LAT " Percentiles     : from 99% on the maximum, because 3 samples are too "
						"few\n" RULE RULE HEADING_LAT "\n" ROW_FEW "\n" RULE);
	text = capture_end(&errors);
	assert_string_equal(text, "");
	free(text);
	/* By time nobody knows before. */
	run_info.samples = 0;
	errors = capture_begin(STDERR_FILENO, NULL);
	expect(print_header_and_lat, HEADER_LAT RULE RULE HEADING_LAT "\n" ROW_FEW "\n" RULE);
	text = capture_end(&errors);
	assert_string_equal(text, "perftest: 3 samples are too few for 99% and above, which takes 100: the maximum is "
				  "shown\n");
	free(text);
	run_info.samples = 1000;
	config.num_percentiles = 1;
	config.percentiles[0] = 99.95;
	expect(print_header, HEADER_LAT " Percentiles     : from 99.95% on the maximum, because 1000 samples are too "
					"few\n" RULE);
	config.num_percentiles = 0;
	expect(print_header, HEADER_LAT RULE);
}

TEST(test_unsupported, setup_lat, teardown)
{
	fixture_reset(&latency);
	latency_record(&latency, 6000);
	latency_record(&latency, 2000);
	latency_record(&latency, 4000);
	expect(print_lat, RULE HEADING_LAT "\n" ROW_FEW "\n" RULE);
	config.num_percentiles = 1;
	config.percentiles[0] = 99.5;
	config.format = FORMAT_CSV;
	expect(print_lat,
	       "kind,part,partial,interval_begin_seconds,size_bytes,iterations,latency_min_usec,latency_max_usec,"
	       "latency_typical_usec,latency_average_usec,latency_stdev_usec,latency_percentile_99_usec,"
	       "latency_percentile_99.9_usec,latency_percentile_99.5_usec,transactions_per_second,elapsed_seconds,"
	       "clock_backward,open_exchange_seconds\n"
	       "result,total,false,,2,3,1,3,2.00375,2,0.816496580927726,,,,750,0.004,0,\n");
}

TEST(test_lat_only, setup_lat, teardown)
{
	config.output = OUTPUT_LATENCY;
	expect(print_lat, "1.226290\n");
}

TEST(test_samples, setup_lat, teardown)
{
	latency_close(&latency);
	assert_int_equal(latency_open(&latency, 3), 0);
	latency.tick_seconds = FIXTURE_TICK_S;
	latency_record(&latency, 6000);
	latency_record(&latency, 2000);
	latency_record(&latency, 4000);
	config.unsorted = true;
	expect(print_lat, RULE HEADING_LAT "\n#, usec\n1, 3\n2, 1\n3, 2\n" RULE HEADING_LAT "\n" ROW_FEW "\n" RULE);
	config.histogram = true;
	config.unsorted = false;
	expect(print_lat, RULE HEADING_LAT "\n#, usec\n1, 1\n2, 2\n3, 3\n" RULE HEADING_LAT "\n" ROW_FEW "\n" RULE);
	/* Dumping does not disturb the order that -U asks for. */
	assert_int_equal(latency.samples[0], 6000);
}

/* All are dumped, the two largest too, and the largest is the table's maximum. */
TEST(test_samples_all, setup_lat, teardown)
{
	struct capture capture;
	struct report *report;
	char *text;
	int i;

	latency_close(&latency);
	assert_int_equal(latency_open(&latency, 1000), 0);
	latency.tick_seconds = FIXTURE_TICK_S;
	for (i = 0; i < 1000; i++)
		latency_record(&latency, (uint64_t)(i * 7919 % 1000) * 2000 + 1);
	config.histogram = true;
	config.cycles = true;
	capture = capture_begin(STDOUT_FILENO, NULL);
	report = open_report();
	print_lat(report);
	report_free(report);
	text = capture_end(&capture);
	assert_non_null(strstr(text, "\n#, cycles\n1, 0.5\n2, 1000.5\n"));
	/* %g has six digits, the table two decimals. */
	assert_non_null(strstr(text, "\n999, 998000\n1000, 999000\n----"));
	assert_non_null(strstr(text, "999000.50"));
	free(text);
}

/* --- counters --- */

static char sysfs[] = "/tmp/test_report.XXXXXX";

static void write_counter(uint64_t value)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", sysfs);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%llu\n", (unsigned long long)value);
	fclose(file);
}

static void print_counters(struct report *report)
{
	struct report_row row = fixture_row_bw();

	write_counter(1000);
	assert_int_equal(report_counters_start(report, "mlx5_0", 1), 0);
	report_heading(report);
	write_counter(1010);
	row.is_interval = true;
	add(report, &row, REPORT_TOTAL);
	write_counter(1015);
	row.is_interval = false;
	add(report, &row, REPORT_TOTAL);
	add(report, &row, REPORT_LOCAL);
	add(report, &row, REPORT_REMOTE);
	assert_int_equal(report_close(report, "complete", NULL), 0);
}

TEST(test_counters, setup, teardown)
{
	char command[512];

	assert_non_null(mkdtemp(sysfs));
	snprintf(command, sizeof(command), "mkdir -p %s/class/infiniband/mlx5_0/ports/1/counters", sysfs);
	assert_int_equal(system(command), 0);
	setenv("PERFTEST_SYSFS", sysfs, 1);
	strcpy(config.counters, "counters/port_xmit_data");
	expect(print_counters,
	       RULE HEADING_BW "\n" ROW_BW "\n\tcounters/port_xmit_data=10\n\n" RULE "\n"
			       " Summary: \n" RULE HEADING_BW "\n" ROW_BW "\n\tcounters/port_xmit_data=15\n\n" RULE "\n"
			       " Local results: \n" RULE HEADING_BW "\n" ROW_BW "\n" RULE "\n"
			       " Remote results: \n" RULE HEADING_BW "\n" ROW_BW "\n" RULE);
	config.format = FORMAT_CSV;
	expect(print_counters,
	       "kind,part,partial,interval_begin_seconds,size_bytes,iterations,bandwidth_peak_bytes_per_second,"
	       "bandwidth_average_bytes_per_second,message_rate_per_second,lost,elapsed_seconds,first_arrivals,"
	       "counters/port_xmit_data\n"
	       "interval,total,false,0,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819,0,10\n"
	       "result,total,false,,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819,0,15\n"
	       "result,local,false,,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819,0,\n"
	       "result,remote,false,,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819,0,\n");
	unsetenv("PERFTEST_SYSFS");
	snprintf(command, sizeof(command), "rm -r %s", sysfs);
	assert_int_equal(system(command), 0);
}

/* --- a stdout that fails --- */

/* Every call answers with the error, and the user reads it once. */
static void expect_failure(int expected)
{
	struct capture errors = capture_begin(STDERR_FILENO, NULL);
	struct report_row row = config.spec->metric == METRIC_LAT ? fixture_row_lat(&latency) : fixture_row_bw();
	struct report *report = open_report();
	int results[3];
	char *text;

	report_heading(report);
	results[0] = report_result(report, &row, REPORT_TOTAL);
	results[1] = report_result(report, &row, REPORT_TOTAL);
	results[2] = report_close(report, "failed", NULL);
	report_free(report);
	text = capture_end(&errors);
	assert_int_equal(results[0], expected);
	assert_int_equal(results[1], expected);
	assert_int_equal(results[2], expected);
	assert_non_null(strstr(text, "error: cannot write the results to stdout: "));
	assert_non_null(strstr(text, strerror(-expected)));
	assert_true(strchr(text, '\n') == text + strlen(text) - 1);
	free(text);
}

TEST(test_stdout_full, setup, teardown)
{
	static const enum output_format formats[] = {FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON, FORMAT_JSONL};
	struct capture capture;
	size_t i;

	for (i = 0; i < 4; i++) {
		config.format = formats[i];
		capture = capture_begin(STDOUT_FILENO, "/dev/full");
		expect_failure(-ENOSPC);
		free(capture_end(&capture));
	}
}

TEST(test_stdout_full_samples, setup_lat, teardown)
{
	struct capture capture;
	int i;

	latency_close(&latency);
	assert_int_equal(latency_open(&latency, 100000), 0);
	latency.tick_seconds = FIXTURE_TICK_S;
	for (i = 0; i < 100000; i++)
		latency_record(&latency, 1000);
	config.histogram = true;
	capture = capture_begin(STDOUT_FILENO, "/dev/full");
	expect_failure(-ENOSPC);
	free(capture_end(&capture));
}

/* "| head" */
TEST(test_stdout_closed, setup, teardown)
{
	void (*handler)(int) = signal(SIGPIPE, SIG_IGN);
	struct capture capture;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	capture = capture_begin(STDOUT_FILENO, NULL);
	dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
	expect_failure(-EPIPE);
	free(capture_end(&capture));
	signal(SIGPIPE, handler);
}

/* --- what is read around a run --- */

TEST(test_cpu, setup, teardown)
{
	struct report *report = open_report();
	double percent;

	assert_true(isnan(cpu_use_percent(report_cpu(report))));
	cpu_use_start(report_cpu(report));
	/* not known until enough of the kernel's ticks have gone by */
	do
		percent = cpu_use_percent(report_cpu(report));
	while (isnan(percent));
	assert_true(percent <= 100);
	report_free(report);
}

TEST_MAIN(NULL, NULL)
