// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is a result formatted exactly as by qperf 0.4.11? The expected text was captured from it. */
#include <math.h>

#include "cmocka_all.h"
#include "qperf/options/options.h"
#include "qperf/options/tests.h"
#include "qperf/print/text.h"

static const char *number(enum text_kind kind, double value, struct style style)
{
	static char text[TEXT_VALUE_SIZE + 64];
	struct text_value parts;

	if (!style.precision)
		style.precision = 3;
	text_format(kind, value, &style, &parts);
	snprintf(text, sizeof(text), "%s %s%s%s%s", parts.digits, parts.unit, parts.exact[0] ? " (" : "", parts.exact,
		 parts.exact[0] ? ")" : "");
	return text;
}

TEST(numbers_have_their_units)
{
	const struct style usual = {0}, plain = {.unify_units = true}, bits = {.bits = true, .precision = 6};
	const struct style both = {.unify_units = true, .bits = true}, one = {.precision = 1};

	assert_string_equal(number(TEXT_TIME, 7.07e-6, usual), "7.07 us");
	assert_string_equal(number(TEXT_TIME, 9.5e-6, usual), "9.5 us");
	assert_string_equal(number(TEXT_TIME, 0, usual), "0 ns");
	assert_string_equal(number(TEXT_TIME, 999.7e-6, usual), "1,000 us");
	assert_string_equal(number(TEXT_TIME, 2, usual), "2 sec");
	assert_string_equal(number(TEXT_TIME, 86400, usual), "86,400 sec");
	assert_string_equal(number(TEXT_TIME, 14.6e-6, one), "15 us");
	assert_string_equal(number(TEXT_TIME, 2, plain), "2000000000 ns");
	assert_string_equal(number(TEXT_RATE, 45700, usual), "45.7 K/sec");
	assert_string_equal(number(TEXT_RATE, 35655, plain), "35655 /sec");
	assert_string_equal(number(TEXT_BANDWIDTH, 2.96e9, usual), "2.96 GB/sec");
	assert_string_equal(number(TEXT_BANDWIDTH, 0, usual), "0 bytes/sec");
	assert_string_equal(number(TEXT_BANDWIDTH, 2298450000, bits), "18.3876 Gb/sec");
	assert_string_equal(number(TEXT_BANDWIDTH, 4384210944, both), "35073687552 bits/sec");
	assert_string_equal(number(TEXT_COST, 0.666, usual), "666 ms/GB");
	assert_string_equal(number(TEXT_COST, 110844, usual), "110,844 sec/GB");
	assert_string_equal(number(TEXT_CPUS, 0.695, usual), "69.5 % cpus");
	assert_string_equal(number(TEXT_COUNT, 68047, usual), "68,047 ");
	assert_string_equal(number(TEXT_COUNT, 1.89e6, usual), "1.89 million");
	assert_string_equal(number(TEXT_COUNT, 71311, plain), "71311 ");
	assert_string_equal(number(TEXT_SIZE, 65536, usual), "64 KiB (65,536)");
	assert_string_equal(number(TEXT_SIZE, 1048576, usual), "1 MiB (1,048,576)");
	assert_string_equal(number(TEXT_SIZE, 385024, usual), "376 KiB (385,024)");
	assert_string_equal(number(TEXT_SIZE, 1536, usual), "1.54 KB");
	assert_string_equal(number(TEXT_SIZE, 1, usual), "1 bytes");
	assert_string_equal(number(TEXT_SIZE, 65536, plain), "65536 bytes");
	assert_string_equal(number(TEXT_TIME, 12.3e-12, usual), "0.01 ns");
}

/* What was printed, and freed by the next call. possible: the row of that name; "": none. */
static const char *printed_with(const char *test, const char *setting, const struct figures *figures,
				const char *possible)
{
	static char text[8192];
	struct qperf_params params;
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	qperf_params_init(&params);
	params.local.number[PARAM_MSG_SIZE] = params.remote.number[PARAM_MSG_SIZE] = test_find(test)->default_size;
	params.local.number[PARAM_TIME] = params.remote.number[PARAM_TIME] = 2 * NS_PER_S;
	params.style.unify_nodes = strchr(setting, 'n') != NULL;
	params.style.details = strchr(setting, 'd') != NULL;
	for (unsigned i = 0; i < NUM_VERBOSE; i++)
		params.style.verbose[i] = strchr(setting, 'V') ? 2 : strchr(setting, 'v') ? 1 : 0;
	if (strchr(setting, 's'))
		params.style.verbose[VERBOSE_STAT] = 2;
	fprintf(out, "%s:\n", test);
	text_result(out, test_find(test), &params, figures, possible, "");
	fclose(out);
	return text;
}

static const char *printed(const char *test, const char *setting, const struct figures *figures)
{
	return printed_with(test, setting, figures, "");
}

static void compute(struct figures *figures, struct account local, struct account remote)
{
	figures_compute(MEASURE_BANDWIDTHS, &local, &remote, 0.5, figures);
}

static void one_way(struct figures *figures)
{
	const struct account local = {
		.elapsed_s = 2, .user_s = 2.39, .intr_s = 0.58, .kernel_s = 1, .sent = {68078ULL * 65536, 68078, 0}};
	struct account remote = local;

	remote.sent = (struct tally){0, 0, 0};
	remote.received = (struct tally){68047ULL * 65536, 68047, 0};
	compute(figures, local, remote);
}

/* Late is not lost, on either side, and in no bandwidth. */
TEST(late_is_not_lost)
{
	struct figures figures;
	const struct account local = {.elapsed_s = 1, .sent = {100, 100, 0}, .late_sent = 7};
	const struct account remote = {.elapsed_s = 1, .received = {90, 90, 0}, .late_received = 12};

	compute(&figures, local, remote);
	assert_int_equal(figures.lost, 5);
	assert_true(figures.recv_bandwidth == 90 && figures.send_bandwidth == 100);
}

TEST(bandwidth_in_full)
{
	struct figures figures;

	one_way(&figures);
	assert_string_equal(printed("tcp_bw", "V", &figures), "tcp_bw:\n"
							      "    bw                =    2.23 GB/sec\n"
							      "    msg_rate          =      34 K/sec\n"
							      "    msg_size          =      64 KiB (65,536)\n"
							      "    time              =       2 sec\n"
							      "    timeout           =       5 sec\n"
							      "    send_cost         =     890 ms/GB\n"
							      "    recv_cost         =     890 ms/GB\n"
							      "    send_cpus_used    =     198 % cpus\n"
							      "    send_cpus_user    =     120 % cpus\n"
							      "    send_cpus_intr    =      29 % cpus\n"
							      "    send_cpus_kernel  =      50 % cpus\n"
							      "    send_real_time    =       2 sec\n"
							      "    send_cpu_time     =    3.97 sec\n"
							      "    send_bytes        =    4.46 GB\n"
							      "    send_msgs         =  68,078 \n"
							      "    recv_cpus_used    =     198 % cpus\n"
							      "    recv_cpus_user    =     120 % cpus\n"
							      "    recv_cpus_intr    =      29 % cpus\n"
							      "    recv_cpus_kernel  =      50 % cpus\n"
							      "    recv_real_time    =       2 sec\n"
							      "    recv_cpu_time     =    3.97 sec\n"
							      "    recv_bytes        =    4.46 GB\n"
							      "    recv_msgs         =  68,047 \n");
	assert_string_equal(printed("tcp_bw", "v", &figures), "tcp_bw:\n"
							      "    bw              =  2.23 GB/sec\n"
							      "    msg_rate        =    34 K/sec\n"
							      "    send_cost       =   890 ms/GB\n"
							      "    recv_cost       =   890 ms/GB\n"
							      "    send_cpus_used  =   198 % cpus\n"
							      "    recv_cpus_used  =   198 % cpus\n");
	assert_string_equal(printed("tcp_bw", "", &figures), "tcp_bw:\n    bw  =  2.23 GB/sec\n");
	assert_string_equal(printed("tcp_bw", "sn", &figures), "tcp_bw:\n"
							       "    bw              =    2.23 GB/sec\n"
							       "    msg_rate        =      34 K/sec\n"
							       "    loc_send_bytes  =    4.46 GB\n"
							       "    loc_send_msgs   =  68,078 \n"
							       "    rem_recv_bytes  =    4.46 GB\n"
							       "    rem_recv_msgs   =  68,047 \n");
}

TEST(latency_in_full)
{
	const struct account local = {.elapsed_s = 2,
				      .user_s = 1.98,
				      .intr_s = 0.64,
				      .kernel_s = 1.39,
				      .sent = {143212, 143212, 0},
				      .received = {143211, 143211, 0}};
	const struct account remote = {.elapsed_s = 2,
				       .user_s = 1.98,
				       .intr_s = 0.64,
				       .kernel_s = 1.39,
				       .sent = {143211, 143211, 0},
				       .received = {143212, 143212, 0}};
	struct figures figures;

	compute(&figures, local, remote);
	assert_string_equal(printed("tcp_lat", "s", &figures), "tcp_lat:\n"
							       "    latency         =     6.98 us\n"
							       "    msg_rate        =      143 K/sec\n"
							       "    loc_send_bytes  =      143 KB\n"
							       "    loc_recv_bytes  =      143 KB\n"
							       "    loc_send_msgs   =  143,212 \n"
							       "    loc_recv_msgs   =  143,211 \n"
							       "    rem_send_bytes  =      143 KB\n"
							       "    rem_recv_bytes  =      143 KB\n"
							       "    rem_send_msgs   =  143,211 \n"
							       "    rem_recv_msgs   =  143,212 \n");
	assert_string_equal(printed("tcp_lat", "v", &figures), "tcp_lat:\n"
							       "    latency        =  6.98 us\n"
							       "    msg_rate       =   143 K/sec\n"
							       "    loc_cpus_used  =   200 % cpus\n"
							       "    rem_cpus_used  =   200 % cpus\n");
}

TEST(lost_datagrams)
{
	const struct account local = {.elapsed_s = 2, .sent = {9900000000, 302124, 0}};
	const struct account remote = {.elapsed_s = 2, .received = {5320000000, 162354, 0}};
	struct figures figures;

	compute(&figures, local, remote);
	assert_string_equal(printed("udp_bw", "", &figures), "udp_bw:\n"
							     "    send_bw  =  4.95 GB/sec\n"
							     "    recv_bw  =  2.66 GB/sec\n");
	/* Nothing arrived, and yet there are figures of what was sent. */
	compute(&figures, (struct account){.elapsed_s = 2, .sent = {0, 0, 1600000}}, (struct account){.elapsed_s = 2});
	assert_string_equal(printed("udp_bw", "s", &figures), "udp_bw:\n"
							      "    send_bw          =    0 bytes/sec\n"
							      "    recv_bw          =    0 bytes/sec\n"
							      "    loc_send_errors  =  1.6 million\n");
}

/* Waiting for an answer that got lost is not in the latency. */
TEST(latency_without_the_lost)
{
	const struct account local = {.elapsed_s = 2,
				      .lost = 10,
				      .lost_s = 1,
				      .sampled = 50000,
				      .sampled_s = 1,
				      .sent = {50010, 50010, 0},
				      .received = {50000, 50000, 0}};
	const struct account remote = {.elapsed_s = 2, .sent = {50000, 50000, 0}, .received = {50000, 50000, 0}};
	struct figures figures;

	compute(&figures, local, remote);
	assert_float_equal(figures.latency_s, 10e-6, 1e-12);
	assert_float_equal(figures.rate, 50000, 1e-6);
	compute(&figures, remote, local); /* -f: the server asks */
	assert_float_equal(figures.latency_s, 10e-6, 1e-12);
	/* What arrived, and whose answer got lost, is half of no round trip. */
	compute(&figures, (struct account){.elapsed_s = 2, .sent = {1, 1, 0}, .received = {1, 1, 0}},
		(struct account){.elapsed_s = 2, .lost = 19, .lost_s = 1.9, .sent = {20, 20, 0}});
	assert_true(figures.latency_s == 0);
}

/* Of READ only the client receives: a whole round trip, at the client's rate, whose bytes the other sent. */
TEST(one_sided)
{
	const struct account local = {.elapsed_s = 2, .received = {18220, 18220, 0}, .peer_sent = {18220, 18220, 0}};
	const struct account remote = {.elapsed_s = 2.5};
	struct figures figures;

	figures_compute(MEASURE_LATENCY, &local, &remote, 1, &figures);
	assert_true(figures.latency_s > 109.7e-6 && figures.latency_s < 109.8e-6);
	assert_true(figures.rate > 9109 && figures.rate < 9111);
	assert_int_equal(figures.remote.sent.msgs, 18220);
}

/* The server died: what it counted is not known, and is no 0. */
TEST(figures_of_the_client_alone)
{
	const struct account sender = {.elapsed_s = 2, .has_details = true, .sent = {6000000000, 6000, 0}};
	const struct account receiver = {.elapsed_s = 2, .has_details = true, .received = {4000000000, 4000, 0}};
	const struct account both = {
		.elapsed_s = 2, .has_details = true, .sent = {6000000000, 6000, 0}, .received = {4000000000, 4000, 0}};
	const struct account pinger = {.elapsed_s = 2, .sent = {50001, 50001, 0}, .received = {50000, 50000, 0}};
	const struct account reader = {.elapsed_s = 2, .received = {4000, 4000, 0}, .peer_sent = {4000, 4000, 0}};
	struct figures figures;

	figures_compute_own(MEASURE_BANDWIDTH, &sender, 0.5, &figures);
	assert_string_equal(printed("tcp_bw", "", &figures), "tcp_bw:\n"
							     "    send_bw  =  3 GB/sec\n"
							     "    partial  =  only the client's own figures\n");
	assert_null(strstr(printed("tcp_bw", "V", &figures), "rem_"));
	figures_compute_own(MEASURE_BANDWIDTH, &receiver, 0.5, &figures);
	assert_string_equal(printed("tcp_bw", "", &figures), "tcp_bw:\n"
							     "    bw       =  2 GB/sec\n"
							     "    partial  =  only the client's own figures\n");
	figures_compute_own(MEASURE_BANDWIDTH, &both, 0.5, &figures);
	assert_string_equal(printed("rc_bi_bw", "", &figures), "rc_bi_bw:\n"
							       "    bw       =  5 GB/sec\n"
							       "    partial  =  only the client's own figures\n");
	assert_float_equal(figures.rate, 5000, 1e-6);
	figures_compute_own(MEASURE_BANDWIDTHS, &sender, 0.5, &figures);
	assert_string_equal(printed("udp_bw", "", &figures), "udp_bw:\n"
							     "    send_bw  =  3 GB/sec\n"
							     "    partial  =  only the client's own figures\n");
	assert_int_equal(figures.lost, 0);
	figures_compute_own(MEASURE_LATENCY, &pinger, 0.5, &figures);
	assert_string_equal(printed("tcp_lat", "", &figures), "tcp_lat:\n"
							      "    latency  =  20 us\n"
							      "    partial  =  only the client's own figures\n");
	figures_compute_own(MEASURE_BANDWIDTH, &reader, 1, &figures);
	assert_string_equal(printed("rc_rdma_read_bw", "", &figures),
			    "rc_rdma_read_bw:\n"
			    "    bw       =  2 KB/sec\n"
			    "    partial  =  only the client's own figures\n");
	figures_compute_own(MEASURE_LATENCY, &reader, 1, &figures);
	assert_float_equal(figures.latency_s, 500e-6, 1e-9);
	figures_compute_own(MEASURE_RATE, &reader, 0.5, &figures);
	assert_float_equal(figures.rate, 2000, 1e-6);
}

/* Times that are not by the cycle counter say by what they are. */
TEST(another_clock_is_named)
{
	const struct account local = {.elapsed_s = 2, .has_details = true, .sent = {8, 8, 0}};
	struct account remote = {.elapsed_s = 2, .has_details = true, .received = {8, 8, 0}, .no_counter = 1};
	struct figures figures;

	compute(&figures, local, remote);
	assert_non_null(
		strstr(printed("tcp_bw", "d", &figures),
		       "    recv_clock           =  CLOCK_MONOTONIC_RAW in place of the CPU's cycle counter\n"));
	assert_null(strstr(printed("tcp_bw", "d", &figures), "send_clock"));
	assert_null(strstr(printed("tcp_bw", "V", &figures), "clock"));
}

/* Behind the rows of 0.4.11. */
TEST(the_share_of_what_is_possible)
{
	struct figures figures;

	one_way(&figures);
	assert_string_equal(printed_with("tcp_bw", "", &figures, "97.1 % of 392.1 Gb/s"),
			    "tcp_bw:\n"
			    "    bw        =  2.23 GB/sec\n"
			    "    possible  =  97.1 % of 392.1 Gb/s\n");
}

TEST(spread_of_runs)
{
	static char text[1024];
	static const double results[] = {3e9, NAN, 2e9, 2.5e9};
	const struct series_plan plan = {.until_percent = 5, .most = 4};
	const struct style style = {.precision = 3};
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct series_result result;
	struct series series;

	assert_non_null(out);
	assert_int_equal(series_open(&series, &plan, false), 0);
	for (unsigned i = 0; i < 4; i++)
		series_add(&series, results[i]);
	result = series_conclude(&series);
	text_spread(out, test_find("tcp_bw"), &style, &series, &result, "90.0 % of 0.0 Gb/s", true);
	fclose(out);
	series_close(&series);
	/* t(2) * 0.5 / sqrt(3) = 1.24 */
	assert_string_equal(text, "tcp_bw: 3 runs\n"
				  "    bw_median     =   2.5 GB/sec\n"
				  "    bw_min        =     2 GB/sec\n"
				  "    bw_max        =     3 GB/sec\n"
				  "    bw_spread     =    20 %\n"
				  "    bw_mean       =   2.5 GB/sec\n"
				  "    bw_ci95_low   =  1.26 GB/sec\n"
				  "    bw_ci95_high  =  3.74 GB/sec\n"
				  "    reached       =  no\n"
				  "    possible      =  90.0 % of 0.0 Gb/s\n"
				  "    partial       =  a run was cut short\n");
}

TEST_MAIN(NULL, NULL)
