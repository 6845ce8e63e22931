/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the tests of the report layer: inputs, run_info, rows, and captured output. */
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "params/engine/opt.h"
#include "report/report.h"
#include "stats/clock.h"

#define RULE "---------------------------------------------------------------------------------------\n"

#define HEADING_BW " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]"
#define HEADING_GB " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]"
#define HEADING_LAT                                                                                                    \
	" #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"           \
	"   99% percentile[usec]   99.9% percentile[usec] "

#define ROW_BW " 65536      5000             11083.95            11083.72\t\t     0.177340"

/* What the report is about, for each metric. */
static struct traffic_spec specs[METRIC_STEERING + 1];
static struct verbs_config verbs[METRIC_STEERING + 1];

/* Without a program's options: the document's parameters are empty. */
static inline struct report_config fixture_config(const char *program, enum verb verb, enum metric metric)
{
	static const struct opt_table no_options;

	specs[metric] = (struct traffic_spec){
		.verb = verb, .metric = metric, .transport = TRANSPORT_RC, .atomic_type = ATOMIC_FETCH_AND_ADD};
	verbs[metric] = (struct verbs_config){
		.tos = CONFIG_AUTO,
		.num_qps = 1,
		.tx_depth = 128,
		.rx_depth = 512,
		.cq_mod = 1,
		.post_list = 1,
		.recv_post_list = 1,
		.messages = 1000,
	};
	return (struct report_config){
		.spec = &specs[metric],
		.verbs = &verbs[metric],
		.program = program,
		.options = &no_options,
	};
}

static inline struct report_info fixture_info(void)
{
	return (struct report_info){
		.device = {.name = "mlx5_0",
			   .link_gbits = 200,
			   .link_lanes = 4,
			   .driver = "mlx5_core",
			   .firmware = "20.43.2026",
			   .pci_address = "0000:3b:00.0",
			   .pcie_rate = 16,
			   .memory = "host"},
		.transport_type = "IB",
		.link_type = "Ethernet",
		.mtu = 4096,
		.gid_index = 3,
		.gid = "::ffff:10.0.0.2",
		.gid_type = "RoCE v2",
		.wr_api = true,
		.outs = 16,
		.pcie_relaxed = "ON",
		.memory_way = "address",
		.memory_bytes = 131072,
		.data_exchange = "Ethernet",
		.sends = true,
		.peer = "10.0.0.1:18515",
		.peer_host = "tern",
		.peer_version = "7.0",
	};
}

/* The row of the classic examples. */
static inline struct report_row fixture_row_bw(void)
{
	return (struct report_row){
		.size = 65536,
		.iterations = 5000,
		.seconds = 0.02819,
		.bw_peak = 11083.95 * 1048576,
		.bw_average = 11083.72 * 1048576,
		.message_rate = 177340,
		.cpu_percent = NAN,
	};
}

/*
 * With the clock of fixture_clock() and half a round trip: once 1.00, 989 times 1.21 and ten times 2.86
 * microseconds; average 1.22629, deviation 0.16433, 99 % 1.21, 99.9 % 2.86.
 */
#define FIXTURE_TICK_S 0.5e-9 /* of fixture_clock(), half a round trip */

static inline void fixture_reset(struct latency *latency)
{
	latency_reset(latency);
	latency->tick_seconds = FIXTURE_TICK_S;
}

static inline void fixture_latency(struct latency *latency)
{
	int i;

	assert_int_equal(latency_open(latency, 0), 0);
	latency_record(latency, 2000);
	for (i = 0; i < 989; i++)
		latency_record(latency, 2420);
	for (i = 0; i < 10; i++)
		latency_record(latency, 5720);
}

static inline struct report_row fixture_row_lat(struct latency *latency)
{
	latency->tick_seconds = FIXTURE_TICK_S;
	return (struct report_row){
		.size = 2,
		.iterations = latency->histogram.count,
		.seconds = 0.004,
		.latency = latency,
		.cpu_percent = NAN,
	};
}

/* A cycle is a nanosecond on every machine. */
static inline int fixture_clock(void **state)
{
	clock_start(true);
	clock_calibrate();
	return 0;
}

/* Captures what is written to a descriptor between begin and end. */
struct capture {
	int fd;
	int saved;
	FILE *file;
};

/* To a temporary file, or to the given one. */
static inline struct capture capture_begin(int fd, const char *path)
{
	struct capture capture = {.fd = fd, .file = path ? fopen(path, "w") : tmpfile()};

	assert_non_null(capture.file);
	fflush(stdout);
	capture.saved = dup(fd);
	assert_true(capture.saved >= 0);
	assert_true(dup2(fileno(capture.file), fd) >= 0);
	return capture;
}

/* The caller frees the text. */
static inline char *capture_end(struct capture *capture)
{
	char *text;
	long size;

	fflush(stdout);
	clearerr(stdout);
	assert_true(dup2(capture->saved, capture->fd) >= 0);
	close(capture->saved);
	fseek(capture->file, 0, SEEK_END);
	size = ftell(capture->file);
	text = calloc(1, size > 0 ? (size_t)size + 1 : 1);
	assert_non_null(text);
	rewind(capture->file);
	if (size > 0)
		assert_int_equal(fread(text, 1, (size_t)size, capture->file), size);
	fclose(capture->file);
	return text;
}
