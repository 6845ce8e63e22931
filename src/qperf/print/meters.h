/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --report_counters and --cpu_util: what is read of the client's host around the loop of a test, outside of its time,
 * and with each interval. The client opens them for each run, once the test's sockets or QPs are open; the session
 * calls the rest.
 */
#pragma once

#include <stdbool.h>

#include "report/host.h"
#include "report/results.h"

struct qperf_sides;

struct qperf_meters {
	const char *names;	 /* of counters, as the user gave them; "": none */
	struct results *results; /* has the counters */
	char place[192];	 /* whose those are: "mlx5_0:1", "eth0"; "": none are open */
	bool has_cpu;		 /* --cpu_util */
	struct cpu_use cpu;
	double cpu_percent; /* of the last run; NaN: unknown, or not asked for */
};

/*
 * The counters of the device of an RDMA test, of the interface to the server for one of sockets. They stay open for the
 * next test there. control_fd: leads to the server. 0 or -errno, reported.
 */
int qperf_meters_open(struct qperf_meters *meters, const struct qperf_sides *sides, int control_fd);
/* The loop begins. 0 or -errno, reported. */
int qperf_meters_begin(struct qperf_meters *meters);
/* An interval is over: its increases, and its share of the CPUs. 0 or -errno, reported. */
int qperf_meters_interval(struct qperf_meters *meters, double *cpu_percent);
/* The loop is over, and its last interval. 0 or -errno, reported. */
int qperf_meters_end(struct qperf_meters *meters);
