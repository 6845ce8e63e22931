/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The machine and the command line, for a JSON document, and how busy the machine is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "Intel(R) Xeon(R) ..."; "" if the kernel does not tell. path: "/proc/cpuinfo" except in tests. */
void host_cpu_model(char *model, size_t size, const char *path);
/* What governs the frequency of the CPUs that this process may use: "performance"; "mixed"; "" unknown. */
void host_governor(char *text, size_t size);
/* Where this process's memory is taken from, as set_mempolicy(2) names it: "default", "bind:0-1"; "" unknown. */
void host_numa_policy(char *text, size_t size);
/* The CPUs that this process may use: "0-3,8"; "" unknown. */
void host_cpus(char *text, size_t size);
/* The words of the command line, as many as fit, each with a NUL behind it. Returns their bytes; 0: unknown. */
size_t host_command_line(char *words, size_t size);

/*
 * --cpu_util: the share of the machine's CPU time that was busy, from the first line of /proc/stat: since boot, all
 * processors, in ticks. Also for qperf and explain.
 */
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

/* --cpu_util of one run after another; zeroed at first. */
struct cpu_use {
	struct cpu_times start, interval; /* when each began */
	bool known;
};
void cpu_use_start(struct cpu_use *use);
/* 0..100, since the start; NaN: unknown. */
double cpu_use_percent(const struct cpu_use *use);
/* ... since the last call of this function, or the start. */
double cpu_use_interval(struct cpu_use *use);
