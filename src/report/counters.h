/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -W: the counters of the port, which the kernel shows below /sys/class/infiniband/DEVICE/ports/PORT/, and those of its
 * network interface's driver (ethtool -S): how much did they move during what a row is about? Called by report.c.
 */
#ifndef REPORT_COUNTERS_H
#define REPORT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/nic_statistics.h"

struct counter {
	char *name;	    /* "counters/port_xmit_data", "ethtool/rx_out_of_buffer" */
	char *path;	    /* of a file; NULL: of the interface */
	uint32_t statistic; /* of the interface: which one */
	bool is_named;	    /* asked for by name: shown, too, where it did not move */
	size_t in_second;   /* the second port's of that name, its index + 1; 0: it has none */
	bool is_of_second;  /* alone: this port has none */
	uint64_t now;
	uint64_t at_row; /* when the row before was made */
	int64_t in_rows; /* by all rows of intervals since the row before that was none */
	int64_t delta;	 /* of the row being made; below 0 when the counter was reset */
};

struct counters {
	struct counter *list;
	size_t count;
	struct nic_statistics statistics; /* of the port's interface; count 0: none of them is wanted */
	struct counters *second;	  /* dual port: those of the other port, which are added; NULL: there is none */
};

/*
 * names: comma separated; a file below the port's folder, "ethtool/" and a name of the interface's driver, either
 * without its folder, a pattern of the shell ("*err*"), or "all". root: the folder that holds "class/infiniband",
 * "/sys" but in tests. Every counter is read once, so that a missing one is known before the test. 0 or -errno,
 * reported.
 */
int counters_open(struct counters *counters, const char *names, const char *root, const char *device, unsigned port);
/*
 * Dual port: from now on the deltas are those of both ports together. second is taken over. 0 or -ENOMEM, reported.
 */
int counters_join(struct counters *counters, const struct counters *second);
/*
 * Reads all and sets the deltas: an interval's since the row before it; a result's since the result before it, which is
 * what its intervals add up to: a counter may have wrapped in more than one of them. 0 or -errno, reported.
 */
int counters_sample(struct counters *counters, bool is_interval);
void counters_close(struct counters *counters);

/* In text and JSON; CSV, whose fields are fixed, has all. */
static inline bool counter_is_shown(const struct counter *counter)
{
	return counter->is_named || counter->delta;
}

#endif
