/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --cpu_util: the share of the machine's CPU time that was busy, from the first line of /proc/stat. Called by report.c,
 * and by qperf for its parts.
 */
#pragma once

#include <stdint.h>

/* Since boot, all processors, in ticks. */
struct cpu_times {
	uint64_t busy;	/* user, nice, system, irq, softirq, steal; guest time is included in user and nice */
	uint64_t total; /* and idle and iowait */
	/* parts of it */
	uint64_t user;	     /* user, nice */
	uint64_t kernel;     /* system, steal */
	uint64_t steal;	     /* of that what the hypervisor gave to others */
	uint64_t interrupts; /* irq, softirq */
	uint64_t iowait;
};

/* path: "/proc/stat" except in tests. 0 or -errno, not reported. */
int cpu_times_read(struct cpu_times *times, const char *path);
/* 0..100; NaN: too few ticks in between to tell. */
double cpu_times_percent(const struct cpu_times *before, const struct cpu_times *after);
