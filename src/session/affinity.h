/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CPUs and NUMA nodes. Called by session.c; run_info.c and params ask for the last node. */
#ifndef SESSION_AFFINITY_H
#define SESSION_AFFINITY_H

#include "session/state.h"
#include "util/cpulist.h"

/* Applies --pin_cores or --numa_node, or binds to the device's NUMA node. 0 or -errno, reported. */
int session_bind_cpus(const struct params *params, const struct device *device);
/* The highest NUMA node of this machine; 0 if the kernel knows none. */
int session_last_node(void);

/*
 * Chooses a CPU for each of count threads from those of this process: first those near the device, one per core, then
 * the others; if there are too few, they are used again. from_end: in reverse order, so that the two sides of a test on
 * one host start at opposite ends. Call it after session_bind_cpus(). Returns the number of different CPUs, or -errno.
 */
int session_choose_cpus(int *cpus, unsigned count, bool from_end);
/* The CPUs on which the calling thread may run; and setting them. 0 or -errno. */
int session_allowed_cpus(struct cpulist *allowed);
int session_run_on(const struct cpulist *cpus);

#endif
