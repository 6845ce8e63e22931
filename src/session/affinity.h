/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CPUs and NUMA nodes. Called by session.c; run_info.c and params ask for the last node. */
#ifndef SESSION_AFFINITY_H
#define SESSION_AFFINITY_H

#include "session/state.h"
#include "util/cpulist.h"

/* --pin_cores, --numa_node, or the device's own NUMA node. 0 or -errno, reported. */
int session_bind_cpus(const struct params *params, const struct device *device);
/* The highest NUMA node of this machine; 0 where the kernel knows none. */
int session_last_node(void);

/*
 * One for each of so many threads: CPUs of this process, of which those near the device and one of each core come
 * first, as far as there are, and from the first again. from_end: the other way round, so that both sides of a test on
 * one host begin at either end. For after session_bind_cpus(). How many different ones there are, or -errno.
 */
int session_choose_cpus(int *cpus, unsigned count, bool from_end);
/* Of the calling thread: where it may run, and where it shall. 0 or -errno. */
int session_allowed_cpus(struct cpulist *allowed);
int session_run_on(const struct cpulist *cpus);

#endif
