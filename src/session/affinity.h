/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CPUs and NUMA nodes. Called by session.c; run_info.c and params ask for the last node. */
#ifndef SESSION_AFFINITY_H
#define SESSION_AFFINITY_H

#include "session/state.h"

/* --pin_cores, --numa_node, or the device's own NUMA node. 0 or -errno, reported. */
int session_bind_cpus(const struct params *params, const struct device *device);
/* The highest NUMA node of this machine; 0 where the kernel knows none. */
int session_last_node(void);

#endif
