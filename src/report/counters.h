/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * -W: the counters of a device, which the kernel shows in folders of sysfs, of an RDMA port those below
 * /sys/class/infiniband/DEVICE/ports/PORT/, and those of its network interface's driver (ethtool -S; of a bond those of
 * its ports together), as differences over the time of a row. Called by report.c and the reports of other programs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/nic_statistics.h"

struct json_t;

struct counter {
	char *name;	    /* "counters/port_xmit_data", "ethtool/rx_out_of_buffer" */
	char *path;	    /* of a file; NULL: a statistic of the interface */
	uint32_t statistic; /* of the interface: its index */
	bool is_named;	    /* requested by name: also shown if it did not move */
	size_t in_second;   /* index + 1 of the second port's counter with that name; 0: none */
	bool is_of_second;  /* only the second port has it */
	uint64_t now;
	uint64_t at_row; /* value at the previous row */
	int64_t in_rows; /* in all interval rows since the previous other row */
	int64_t delta;	 /* of the current row; negative if the counter was reset */
};

struct counters {
	struct counter *list;
	size_t count;
	struct nic_statistics statistics; /* of the port's interface; count 0: none is requested */
	struct counters *second;	  /* dual port: those of the other port, which are added; NULL: none */
};

/*
 * names: comma separated; a file below the port's folder, "ethtool/" and a name of the interface's driver, either
 * without its folder, a shell pattern ("*err*"), or "all". root: the folder that contains "class/infiniband", "/sys"
 * except in tests. Every counter is read once, so that a missing one is reported before the test. 0 or -errno,
 * reported.
 */
int counters_open(struct counters *counters, const char *names, const char *root, const char *device, unsigned port);
/*
 * The same of any device: folder: that whose folders counters, hw_counters, statistics and telemetry have the files.
 * netdev: its network interface; "": none.
 */
int counters_open_in(struct counters *counters, const char *names, const char *root, const char *folder,
		     const char *netdev);
/* Dual port: makes the deltas those of both ports together. Takes ownership of second. 0 or -ENOMEM, reported. */
int counters_join(struct counters *counters, const struct counters *second);
/*
 * Reads all counters and sets the deltas: of an interval since the previous row; of a result since the previous result,
 * as the sum of its intervals, because a counter may have wrapped in more than one of them. 0 or -errno, reported.
 */
int counters_sample(struct counters *counters, bool is_interval);
void counters_close(struct counters *counters);

/* In text and JSON; CSV, with its fixed fields, has all. */
static inline bool counter_is_shown(const struct counter *counter)
{
	return counter->is_named || counter->delta;
}
/* Below a row of text. */
void counters_print(FILE *out, const struct counters *counters);
/* In a line of CSV; a comma is in front of each. */
void counters_csv_names(FILE *out, const struct counters *counters);
/* has_values: otherwise the fields are empty. */
void counters_csv_values(FILE *out, const struct counters *counters, bool has_values);
/* An object, or NULL without memory. */
struct json_t *counters_json(const struct counters *counters);
