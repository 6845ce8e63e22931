/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the raw measurements: pinning to a CPU, and a figure per block of work, printed as minimum, median and
 * maximum to show noise. bench/run reads the line.
 */
#pragma once

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void spread_die(const char *what)
{
	perror(what);
	exit(1);
}

static inline double spread_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The nth CPU that this process may use; -1 if there are fewer. */
static inline int spread_cpu(int nth)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		spread_die("sched_getaffinity");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && nth-- == 0)
			return cpu;
	return -1;
}

static inline void spread_pin(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		spread_die("sched_setaffinity");
}

static inline int spread_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the figures. */
static inline void spread_print(const char *unit, double *figures, size_t count)
{
	qsort(figures, count, sizeof(*figures), spread_compare);
	printf("{\"unit\": \"%s\", \"min\": %.3f, \"median\": %.3f, \"max\": %.3f}\n", unit, figures[0],
	       figures[count / 2], figures[count - 1]);
}
