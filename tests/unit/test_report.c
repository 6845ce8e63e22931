// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does stdout carry what was asked for, in order, and nothing else; and is a stdout that fails noticed, once? */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <jansson.h>

#include "report_fixture.h"
#include "terminal.h"

#define NUM_RANDOM_ROWS 200

static struct program program;
static struct params params;
static struct latency latency;

static int setup(void **state)
{
	program = fixture_program("ib_write_bw", VERB_WRITE, METRIC_BW);
	params = fixture_params(&program);
	return fixture_clock(state);
}

static int setup_lat(void **state)
{
	setup(state);
	program = fixture_program("ib_write_lat", VERB_WRITE, METRIC_LAT);
	fixture_latency(&latency);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	latency_close(&latency);
	return 0;
}

static struct report *open_report(void)
{
	struct report *report;

	assert_int_equal(report_open(&report, &params), 0);
	return report;
}

/* What one call of print() writes to stdout. */
static void expect(void (*print)(struct report *report), const char *expected)
{
	struct capture capture = capture_begin(STDOUT_FILENO, NULL);
	struct report *report = open_report();
	char *text;

	print(report);
	report_free(report);
	text = capture_end(&capture);
	assert_string_equal(text, expected);
	free(text);
}

/* --- around the table --- */

static void print_waiting(struct report *report)
{
	(void)report;
	report_waiting(&params);
}

static void test_waiting(void **state)
{
	(void)state;
	expect(print_waiting, "\n************************************\n"
			      "* Waiting for client to connect... *\n"
			      "************************************\n");
	params.output = OUTPUT_BANDWIDTH;
	expect(print_waiting, "");
	params.output = OUTPUT_ALL;
	params.output_format = FORMAT_CSV;
	expect(print_waiting, "");
}

static struct report_facts facts;

static void print_header(struct report *report)
{
	assert_int_equal(report_header(report, &facts), 0);
}

static void test_header(void **state)
{
	(void)state;
	facts = fixture_facts();
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
static void test_header_conditional(void **state)
{
	(void)state;
	facts = fixture_facts();
	facts.device = "soft0";
	facts.is_software = true;
	facts.sends = false;
	facts.receives = true;
	facts.gid_index = -1;
	facts.numa_node = -1;
	facts.wr_api = false;
	facts.pcie_relaxed = "Unsupported";
	program.verb = VERB_SEND;
	params.with_imm = true;
	params.bidirectional = true;
	params.post_list = 4;
	params.recv_post_list = 8;
	params.events = true;
	params.comp_vector = 2;
	params.disable_dynamic_polling = true;
	params.rdma_cm = true;
	params.tos = 32;
	facts.data_exchange = "rdma_cm";
	facts.lacks_peak = true;
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

/* With -R the client's queue pairs come to the server. */
static void test_header_rdma_cm_client(void **state)
{
	(void)state;
	facts = fixture_facts();
	strcpy(params.host, "hosta");
	params.rdma_cm = true;
	params.tos = -1;
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
static void test_header_atomic_lat(void **state)
{
	(void)state;
	facts = fixture_facts();
	program = fixture_program("ib_atomic_lat", VERB_ATOMIC, METRIC_LAT);
	params.tx_depth = 1;
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
	if (params.program->verb == VERB_WRITE)
		report_endpoint(report, false, &nothing_lent);
}

static void test_endpoints(void **state)
{
	(void)state;
	expect(print_endpoints,
	       " local address: LID 0000 QPN 0x0123 PSN 0xabcdef RKey 0xdeadbeef VAddr 0x007f0000001000\n"
	       " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:07\n"
	       " remote address: LID 0x12 QPN 0x0001 PSN 0x0002 RKey 0x000003 VAddr 0x00000000000004\n"
	       " remote address: LID 0x12 QPN 0x0001 PSN 0x0002 RKey 0x000000 VAddr 0x00000000000000\n");
	program.verb = VERB_READ;
	expect(print_endpoints,
	       " local address: LID 0000 QPN 0x0123 PSN 0xabcdef OUT 0x10 RKey 0xdeadbeef VAddr 0x007f0000001000\n"
	       " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:07\n"
	       " remote address: LID 0x12 QPN 0x0001 PSN 0x0002 OUT 0x01 RKey 0x000003 VAddr 0x00000000000004\n");
	program.verb = VERB_ATOMIC;
	expect(print_endpoints, " local address: LID 0000 QPN 0x0123 PSN 0xabcdef\n"
				" GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:07\n"
				" remote address: LID 0x12 QPN 0x0001 PSN 0x0002\n");
	program.verb = VERB_WRITE;
	params.with_imm = true;
	expect(print_endpoints, " local address: LID 0000 QPN 0x0123 PSN 0xabcdef\n"
				" GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:07\n"
				" remote address: LID 0x12 QPN 0x0001 PSN 0x0002\n"
				" remote address: LID 0x12 QPN 0x0001 PSN 0x0002\n");
	params.output = OUTPUT_BANDWIDTH;
	expect(print_endpoints, "");
}

/* --- the table --- */

static void add(struct report *report, const struct report_row *row, enum report_part part)
{
	assert_int_equal(report_result(report, row, part), 0);
}

static void print_sweep(struct report *report)
{
	struct report_row row = fixture_row_bw();

	report_heading(report);
	add(report, &row, REPORT_TOTAL);
	row.partial = true;
	add(report, &row, REPORT_TOTAL);
	assert_int_equal(report_close(report, "interrupted", "stopped by its user"), 0);
}

static void test_sweep(void **state)
{
	(void)state;
	expect(print_sweep, RULE HEADING_BW "\n" ROW_BW "\n" ROW_BW " (partial)\n" RULE);
}

#define CSV_BW                                                                                                         \
	"kind,part,partial,interval_begin_seconds,size_bytes,iterations,bandwidth_peak_bytes_per_second,"              \
	"bandwidth_average_bytes_per_second,message_rate_per_second,lost,elapsed_seconds\n"

static void test_sweep_csv(void **state)
{
	(void)state;
	params.output_format = FORMAT_CSV;
	expect(print_sweep, CSV_BW "result,total,false,,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819\n"
				   "result,total,true,,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819\n");
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

static void test_validation(void **state)
{
	(void)state;
	params.data_validation = true;
	expect(print_validation,
	       RULE HEADING_BW "\n" ROW_BW "\n"
			       "VALIDATION: PASSED - 5000 of 5000 messages checked, 327680000 bytes\n"
			       "VALIDATION: PASSED - 4990 of 5000 messages checked, 49900 bytes, 10 lost\n"
			       "VALIDATION: FAILED - 2 error(s), first at QP 3, Message 37, Offset 4096; "
			       "5000 of 5000 messages checked, 10000 bytes\n"
			       "VALIDATION: WARNING - no data validated; 0 of 12 messages checked, 0 bytes\n" RULE);
	params.output_format = FORMAT_CSV;
	expect(print_validation,
	       "kind,part,partial,interval_begin_seconds,size_bytes,iterations,bandwidth_peak_bytes_per_second,"
	       "bandwidth_average_bytes_per_second,message_rate_per_second,lost,checked,wrong,elapsed_seconds\n"
	       "result,total,false,,65536,5000,11622363955.2,11622122782.72,177340,0,5000,2,0.02819\n");
	params.output_format = FORMAT_TEXT;
	params.output = OUTPUT_BANDWIDTH;
	expect(print_validation, "11083.720000\n");
}

static void test_sweep_only(void **state)
{
	(void)state;
	params.output = OUTPUT_BANDWIDTH;
	expect(print_sweep, "11083.720000\n11083.720000\n");
	params.report_gbits = true;
	expect(print_sweep, "92.976982\n92.976982\n");
	params.output = OUTPUT_MESSAGE_RATE;
	expect(print_sweep, "0.177340\n0.177340\n");
}

/* With -b an interval has the row of this side alone. */
static void print_local_intervals(struct report *report)
{
	struct report_row row = fixture_row_bw();

	report_heading(report);
	row.is_interval = true;
	add(report, &row, REPORT_LOCAL);
	add(report, &row, REPORT_LOCAL);
	row.is_interval = false;
	add(report, &row, REPORT_TOTAL);
	assert_int_equal(report_close(report, "complete", NULL), 0);
}

static void test_local_intervals(void **state)
{
	(void)state;
	expect(print_local_intervals,
	       RULE HEADING_BW "\n" RULE "\n"
			       " Local results: \n" RULE HEADING_BW "\n" ROW_BW "\n" ROW_BW "\n" RULE "\n"
			       " Summary: \n" RULE HEADING_BW "\n" ROW_BW "\n" RULE);
	params.output = OUTPUT_BANDWIDTH;
	expect(print_local_intervals, "11083.720000\n11083.720000\n11083.720000\n");
}

/* What was busy before an interval is not in it. */
static void test_cpu_of_an_interval(void **state)
{
	struct report *report;
	double since_start = 0;

	(void)state;
	assert_int_equal(report_open(&report, &params), 0);
	report_cpu_start(report);
	while (since_start <= 0)
		since_start = report_cpu_percent(report);
	assert_true(report_cpu_interval(report) > 0);
	/* at last two calls without a tick of the kernel's between them */
	while (report_cpu_interval(report) > 0)
		;
	assert_true(report_cpu_percent(report) > 0);
	report_free(report);
}

static void print_parts(struct report *report)
{
	struct report_row row = fixture_row_bw();

	report_heading(report);
	add(report, &row, REPORT_TOTAL);
	add(report, &row, REPORT_LOCAL);
	add(report, &row, REPORT_REMOTE);
	add(report, &row, REPORT_TOTAL);
	assert_int_equal(report_close(report, "complete", NULL), 0);
}

static void test_parts(void **state)
{
	(void)state;
	expect(print_parts, RULE HEADING_BW "\n" ROW_BW "\n" RULE "\n"
					    " Local results: \n" RULE HEADING_BW "\n" ROW_BW "\n" RULE "\n"
					    " Remote results: \n" RULE HEADING_BW "\n" ROW_BW "\n" RULE HEADING_BW
					    "\n" ROW_BW "\n" RULE);
	params.output = OUTPUT_BANDWIDTH;
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

static void test_intervals(void **state)
{
	(void)state;
	expect(print_intervals,
	       RULE HEADING_BW "\n" ROW_BW "\n"
			       " 65536      5000             0.00               11083.72\t\t     0.177340\n" RULE "\n"
			       " Summary: \n" RULE HEADING_BW "\n"
			       " 65536      5000             0.00               11083.72\t\t     0.177340\n" RULE);
	params.output_format = FORMAT_CSV;
	expect(print_intervals,
	       CSV_BW "interval,total,false,0,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819\n"
		      "interval,total,false,0.5,65536,5000,,11622122782.72,177340,0,0.02819\n"
		      "result,total,false,,65536,5000,,11622122782.72,177340,3,0.02819\n");
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
static void test_unsupported_explained(void **state)
{
	const struct winsize wide = {.ws_row = 24, .ws_col = 160}; /* rules have their classic length */
	struct terminal terminal = terminal_open();
	int saved = dup(STDOUT_FILENO);
	struct report *report;

	(void)state;
	assert_int_equal(ioctl(terminal.master, TIOCSWINSZ, &wide), 0);
	latency_reset(&latency);
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

/* Where the number of samples is known before, the header says it, and nothing stands anywhere else. */
static void test_unsupported_announced(void **state)
{
	struct capture errors;
	char *text;

	(void)state;
	facts = fixture_facts();
	facts.samples = 3;
	latency_reset(&latency);
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
	facts.samples = 0;
	errors = capture_begin(STDERR_FILENO, NULL);
	expect(print_header_and_lat, HEADER_LAT RULE RULE HEADING_LAT "\n" ROW_FEW "\n" RULE);
	text = capture_end(&errors);
	assert_string_equal(text, "perftest: 3 samples are too few for 99% and above, which takes 100: the maximum is "
				  "shown\n");
	free(text);
	facts.samples = 1000;
	params.num_percentiles = 1;
	params.percentiles[0] = 99.95;
	expect(print_header, HEADER_LAT " Percentiles     : from 99.95% on the maximum, because 1000 samples are too "
					"few\n" RULE);
	params.num_percentiles = 0;
	expect(print_header, HEADER_LAT RULE);
}

static void test_unsupported(void **state)
{
	(void)state;
	latency_reset(&latency);
	latency_record(&latency, 6000);
	latency_record(&latency, 2000);
	latency_record(&latency, 4000);
	expect(print_lat, RULE HEADING_LAT "\n" ROW_FEW "\n" RULE);
	params.num_percentiles = 1;
	params.percentiles[0] = 99.5;
	params.output_format = FORMAT_CSV;
	expect(print_lat,
	       "kind,part,partial,interval_begin_seconds,size_bytes,iterations,latency_min_usec,latency_max_usec,"
	       "latency_typical_usec,latency_average_usec,latency_stdev_usec,latency_percentile_99_usec,"
	       "latency_percentile_99.9_usec,latency_percentile_99.5_usec,transactions_per_second,elapsed_seconds,"
	       "clock_backward,open_exchange_seconds\n"
	       "result,total,false,,2,3,1,3,2.00375,2,0.816496580927726,,,,750,0.004,0,\n");
}

static void test_lat_only(void **state)
{
	(void)state;
	params.output = OUTPUT_LATENCY;
	expect(print_lat, "1.226290\n");
}

static void test_samples(void **state)
{
	(void)state;
	latency_close(&latency);
	assert_int_equal(latency_open(&latency, 3), 0);
	latency_record(&latency, 6000);
	latency_record(&latency, 2000);
	latency_record(&latency, 4000);
	params.report_unsorted = true;
	expect(print_lat, RULE HEADING_LAT "\n#, usec\n1, 3\n2, 1\n3, 2\n" RULE HEADING_LAT "\n" ROW_FEW "\n" RULE);
	params.report_histogram = true;
	params.report_unsorted = false;
	expect(print_lat, RULE HEADING_LAT "\n#, usec\n1, 1\n2, 2\n3, 3\n" RULE HEADING_LAT "\n" ROW_FEW "\n" RULE);
	/* Dumping does not disturb the order that -U asks for. */
	assert_int_equal(latency.samples[0], 6000);
}

/* All are dumped, the two largest too, and the largest is the table's maximum. */
static void test_samples_all(void **state)
{
	struct capture capture;
	struct report *report;
	char *text;
	int i;

	(void)state;
	latency_close(&latency);
	assert_int_equal(latency_open(&latency, 1000), 0);
	for (i = 0; i < 1000; i++)
		latency_record(&latency, (uint64_t)(i * 7919 % 1000) * 2000 + 1);
	params.report_histogram = true;
	params.report_cycles = true;
	capture = capture_begin(STDOUT_FILENO, NULL);
	report = open_report();
	print_lat(report);
	report_free(report);
	text = capture_end(&capture);
	assert_non_null(strstr(text, "\n#, cycles\n1, 0.5\n2, 1000.5\n"));
	/* %g has six digits, the table two decimals. */
	assert_non_null(strstr(text, "\n999, 998000.5\n1000, 999000.5\n----"));
	assert_non_null(strstr(text, "999000.50"));
	free(text);
}

/* --- the three formats say the same --- */

static uint64_t random_u64(void)
{
	static uint64_t x = 0x2545f4914f6cdd1d;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	return x * 0x2545f4914f6cdd1d;
}

/* Spread over many magnitudes. */
static double random_figure(double smallest, double decades)
{
	return smallest * pow(10, decades * (double)(random_u64() >> 11) / 9007199254740992.0);
}

static char *output_of(const struct report_row *row, enum output_format format)
{
	struct capture capture = capture_begin(STDOUT_FILENO, NULL);
	struct report *report;

	params.output_format = format;
	report = open_report();
	report_heading(report);
	add(report, row, REPORT_TOTAL);
	assert_int_equal(report_close(report, "complete", NULL), 0);
	report_free(report);
	return capture_end(&capture);
}

/* The n-th line of a text, cut out in place; n counts from 0. */
static char *line_at(char *text, int n)
{
	char *rest = text;
	char *line = NULL;

	while (n-- >= 0) {
		line = strsep(&rest, "\n");
		assert_non_null(line);
	}
	return line;
}

/* The n-th word of a line parted by blanks and tabs, as scripts cut it. */
static const char *word_at(const char *line, int n, char *word, size_t size)
{
	line += strspn(line, " \t");
	while (n-- > 0) {
		line += strcspn(line, " \t");
		line += strspn(line, " \t");
	}
	snprintf(word, size, "%.*s", (int)strcspn(line, " \t"), line);
	return word;
}

/* The field of a CSV line under a key. */
static double csv_field(const char *keys, const char *fields, const char *key)
{
	for (;;) {
		size_t key_length = strcspn(keys, ",");
		size_t field_length = strcspn(fields, ",");

		if (strlen(key) == key_length && !strncmp(keys, key, key_length))
			return field_length ? strtod(fields, NULL) : NAN;
		assert_true(keys[key_length] && fields[field_length]);
		keys += key_length + 1;
		fields += field_length + 1;
	}
}

struct expectation {
	const char *key; /* in JSON and CSV */
	double scale;	 /* from there to the text */
	int decimals;
};

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-13 * fabs(b) || (isnan(a) && isnan(b));
}

static void expect_agreement(const struct report_row *row, const struct expectation *expected, int count)
{
	char *text = output_of(row, FORMAT_TEXT);
	char *csv = output_of(row, FORMAT_CSV);
	char *document = output_of(row, FORMAT_JSON);
	json_t *root = json_loads(document, JSON_REJECT_DUPLICATES, NULL);
	json_t *measurement = json_array_get(json_object_get(root, "measurements"), 0);
	char *line = line_at(text, 2);
	char *keys = strdup(line_at(csv, 0));
	const char *fields = csv + strlen(csv) + 1;
	char word[64], from_json[64];
	double value;
	int i;

	assert_non_null(measurement);
	line_at((char *)fields, 0);
	for (i = 0; i < count; i++) {
		value = json_number_value(json_object_get(measurement, expected[i].key));
		assert_true(json_is_number(json_object_get(measurement, expected[i].key)));
		assert_true(is_near(csv_field(keys, fields, expected[i].key), value));
		word_at(line, i, word, sizeof(word));
		snprintf(from_json, sizeof(from_json), "%.*f", expected[i].decimals, value * expected[i].scale);
		/* The figure may lie on the edge between two roundings. */
		if (strcmp(word, from_json))
			assert_true(fabs(strtod(word, NULL) - value * expected[i].scale) <=
				    0.5000001 * pow(10, -expected[i].decimals));
	}
	json_decref(root);
	free(keys);
	free(text);
	free(csv);
	free(document);
}

static void agree_bw(double unit, bool fine)
{
	const struct expectation expected[] = {
		{"size_bytes", 1, 0},
		{"iterations", 1, 0},
		{"bandwidth_peak_bytes_per_second", 1 / unit, fine ? 6 : 2},
		{"bandwidth_average_bytes_per_second", 1 / unit, fine ? 6 : 2},
		{"message_rate_per_second", 1e-6, 6},
	};
	struct report_row row = {.cpu_percent = -1};
	int i;

	for (i = 0; i < NUM_RANDOM_ROWS; i++) {
		row.size = random_u64() >> (33 + random_u64() % 31) | 1;
		row.iterations = random_u64() >> (16 + random_u64() % 48);
		row.seconds = random_figure(1e-5, 8);
		row.bw_average = fine ? random_figure(1, 7) : random_figure(2e7, 5);
		row.bw_peak = row.bw_average * (1 + random_figure(1e-3, 3));
		row.message_rate = random_figure(0.1, 9);
		expect_agreement(&row, expected, 5);
	}
}

static void test_agree_bw(void **state)
{
	(void)state;
	agree_bw(1048576, false);
	params.report_gbits = true;
	agree_bw(125e6, false);
	agree_bw(125e6, true);
}

static void agree_lat(const char *suffix)
{
	static const char *const names[] = {"min", "max", "typical", "average", "stdev"};
	struct expectation expected[7] = {{"size_bytes", 1, 0}, {"iterations", 1, 0}};
	char keys[5][64];
	struct report_row row;
	int i, n;

	for (i = 0; i < 5; i++) {
		snprintf(keys[i], sizeof(keys[i]), "latency_%s_%s", names[i], suffix);
		expected[i + 2] = (struct expectation){keys[i], 1, 2};
	}
	for (i = 0; i < NUM_RANDOM_ROWS; i++) {
		double decades = random_figure(0.1, 1);

		latency_reset(&latency);
		for (n = (int)(random_u64() % 300) + 1; n; n--)
			latency_record(&latency, (uint64_t)random_figure(500, decades));
		row = fixture_row_lat(&latency);
		row.size = random_u64() >> 40 | 1;
		row.tick_seconds = random_u64() & 1 ? 1e-9 : 0.5e-9;
		expect_agreement(&row, expected, 7);
	}
}

static void test_agree_lat(void **state)
{
	(void)state;
	agree_lat("usec");
	params.report_cycles = true;
	agree_lat("cycles");
}

/* The JSON list has the percentiles of the columns, 99 once though it is asked for again. */
static void test_agree_percentiles(void **state)
{
	struct report_row row = fixture_row_lat(&latency);
	static const double percents[] = {99, 99.9, 50, 99.99};
	char *document;
	json_t *root, *list, *entry;
	size_t i;

	(void)state;
	params.num_percentiles = 3;
	params.percentiles[0] = 50;
	params.percentiles[1] = 99;
	params.percentiles[2] = 99.99;
	document = output_of(&row, FORMAT_JSON);
	root = json_loads(document, 0, NULL);
	list = json_object_get(json_array_get(json_object_get(root, "measurements"), 0), "percentiles");
	assert_int_equal(json_array_size(list), 4);
	for (i = 0; i < 4; i++) {
		bool supported = histogram_supports(latency.histogram.count, percents[i]);

		entry = json_array_get(list, i);
		assert_true(json_real_value(json_object_get(entry, "percent")) == percents[i]);
		assert_true(json_is_boolean(json_object_get(entry, "supported")));
		assert_int_equal(json_is_true(json_object_get(entry, "supported")), supported);
		if (supported)
			assert_true(is_near(json_real_value(json_object_get(entry, "latency_usec")),
					    latency_percentile(&latency, percents[i]) / 2000));
		else
			assert_true(json_is_null(json_object_get(entry, "latency_usec")));
	}
	json_decref(root);
	free(document);
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
}

static void test_counters(void **state)
{
	char command[512];

	(void)state;
	assert_non_null(mkdtemp(sysfs));
	snprintf(command, sizeof(command), "mkdir -p %s/class/infiniband/mlx5_0/ports/1/counters", sysfs);
	assert_int_equal(system(command), 0);
	setenv("PERFTEST_SYSFS", sysfs, 1);
	strcpy(params.counters, "counters/port_xmit_data");
	expect(print_counters,
	       RULE HEADING_BW "\n" ROW_BW "\n\tcounters/port_xmit_data=10\n\n" RULE "\n"
			       " Summary: \n" RULE HEADING_BW "\n" ROW_BW "\n\tcounters/port_xmit_data=15\n\n" RULE "\n"
			       " Local results: \n" RULE HEADING_BW "\n" ROW_BW "\n" RULE "\n"
			       " Remote results: \n" RULE HEADING_BW "\n" ROW_BW "\n");
	params.output_format = FORMAT_CSV;
	expect(print_counters,
	       "kind,part,partial,interval_begin_seconds,size_bytes,iterations,bandwidth_peak_bytes_per_second,"
	       "bandwidth_average_bytes_per_second,message_rate_per_second,lost,elapsed_seconds,"
	       "counters/port_xmit_data\n"
	       "interval,total,false,0,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819,10\n"
	       "result,total,false,,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819,15\n"
	       "result,local,false,,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819,\n"
	       "result,remote,false,,65536,5000,11622363955.2,11622122782.72,177340,0,0.02819,\n");
	unsetenv("PERFTEST_SYSFS");
	snprintf(command, sizeof(command), "rm -r %s", sysfs);
	assert_int_equal(system(command), 0);
}

/* --- a stdout that fails --- */

/* Every call answers with the error, and the user reads it once. */
static void expect_failure(int expected)
{
	struct capture errors = capture_begin(STDERR_FILENO, NULL);
	struct report_row row = program.metric == METRIC_LAT ? fixture_row_lat(&latency) : fixture_row_bw();
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

static void test_stdout_full(void **state)
{
	static const enum output_format formats[] = {FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON};
	struct capture capture;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		params.output_format = formats[i];
		capture = capture_begin(STDOUT_FILENO, "/dev/full");
		expect_failure(-ENOSPC);
		free(capture_end(&capture));
	}
}

static void test_stdout_full_samples(void **state)
{
	struct capture capture;
	int i;

	(void)state;
	latency_close(&latency);
	assert_int_equal(latency_open(&latency, 100000), 0);
	for (i = 0; i < 100000; i++)
		latency_record(&latency, 1000);
	params.report_histogram = true;
	capture = capture_begin(STDOUT_FILENO, "/dev/full");
	expect_failure(-ENOSPC);
	free(capture_end(&capture));
}

/* "| head" */
static void test_stdout_closed(void **state)
{
	void (*handler)(int) = signal(SIGPIPE, SIG_IGN);
	struct capture capture;
	int ends[2];

	(void)state;
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

static void test_cpu(void **state)
{
	struct report *report = open_report();
	double percent;

	(void)state;
	assert_true(report_cpu_percent(report) < 0);
	report_cpu_start(report);
	percent = report_cpu_percent(report);
	assert_true(percent >= 0 && percent <= 100);
	report_free(report);
}

#define TEST(name)     cmocka_unit_test_setup_teardown(name, setup, teardown)
#define LAT_TEST(name) cmocka_unit_test_setup_teardown(name, setup_lat, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_waiting),
		TEST(test_header),
		TEST(test_header_conditional),
		TEST(test_header_rdma_cm_client),
		TEST(test_header_atomic_lat),
		TEST(test_endpoints),
		TEST(test_sweep),
		TEST(test_sweep_csv),
		TEST(test_validation),
		TEST(test_sweep_only),
		TEST(test_parts),
		TEST(test_intervals),
		TEST(test_local_intervals),
		TEST(test_cpu_of_an_interval),
		LAT_TEST(test_unsupported),
		LAT_TEST(test_unsupported_explained),
		LAT_TEST(test_unsupported_announced),
		LAT_TEST(test_lat_only),
		LAT_TEST(test_samples),
		LAT_TEST(test_samples_all),
		TEST(test_agree_bw),
		LAT_TEST(test_agree_lat),
		LAT_TEST(test_agree_percentiles),
		TEST(test_counters),
		TEST(test_stdout_full),
		LAT_TEST(test_stdout_full_samples),
		TEST(test_stdout_closed),
		TEST(test_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
