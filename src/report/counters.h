/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -W: the port's counters that the kernel shows below /sys/class/infiniband/DEVICE/ports/PORT/, and how
 * much they moved during what a row is about. Called by report.c.
 */
#ifndef REPORT_COUNTERS_H
#define REPORT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counter {
	char *name; /* as asked for: "counters/port_xmit_data" */
	char *path;
	uint64_t now;
	uint64_t at_row;    /* when the row before was made */
	uint64_t at_result; /* when the row before that was no interval was made */
	int64_t delta;	    /* of the row being made; below 0 when the counter was reset */
};

struct counters {
	struct counter *list;
	size_t count;
	bool is_all; /* -W all: text shows only those that moved */
};

/*
 * names: comma separated; "all": every counter of the port. root: the folder that holds "class/infiniband", "/sys" but
 * in tests. Every counter is read once, so that a missing one is known before the test. 0 or -errno, reported.
 */
int counters_open(struct counters *counters, const char *names, const char *root, const char *device, unsigned port);
/*
 * Reads all and sets the deltas: an interval's since the row before it; a result's since the result before
 * it, intervals notwithstanding. 0 or -errno, reported.
 */
int counters_sample(struct counters *counters, bool is_interval);
void counters_close(struct counters *counters);

#endif
