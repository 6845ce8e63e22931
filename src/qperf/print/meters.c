// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See meters.h. */
#include "qperf/print/meters.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explain/watch.h"
#include "qperf/control/wire.h"
#include "util/log.h"
#include "util/sysfs.h"

/* Columns of CSV are those of the first test. */
static int move_to(struct qperf_meters *meters, const char *place)
{
	struct results *results = meters->results;

	if (meters->place[0] && results->format == FORMAT_CSV)
		return log_fail(-EINVAL,
				"--report_counters: the CSV has the columns of %s, and this test is one of %s: "
				"run it by itself",
				meters->place, place);
	counters_close(&results->counters);
	snprintf(meters->place, sizeof(meters->place), "%s", place);
	return 0;
}

int qperf_meters_open(struct qperf_meters *meters, const struct qperf_sides *sides, int control_fd)
{
	const char *device = sides->device.name, *root = sysfs_root();
	struct counters *counters = &meters->results->counters;
	char place[sizeof(meters->place)], folder[PATH_MAX / 2], netdev[WATCH_NAME_SIZE] = "";
	int ret;

	if (!meters->names[0])
		return 0;
	if (device[0]) {
		snprintf(place, sizeof(place), "%s:%u", device, sides->port);
	} else {
		watch_find_netdev(control_fd, netdev);
		snprintf(place, sizeof(place), "%s", netdev[0] ? netdev : sides->address);
	}
	if (strcmp(place, meters->place) == 0)
		return 0;
	ret = move_to(meters, place);
	if (ret)
		return ret;
	snprintf(folder, sizeof(folder), "%s/class/net/%s", root, place);
	ret = device[0] ? counters_open(counters, meters->names, root, device, sides->port)
			: counters_open_in(counters, meters->names, root, folder, netdev);
	if (!ret && !counters->count)
		log_warning("%s has no counters for --report_counters", place);
	return ret;
}

int qperf_meters_begin(struct qperf_meters *meters)
{
	meters->cpu_percent = NAN;
	if (meters->has_cpu)
		cpu_use_start(&meters->cpu);
	return counters_sample(&meters->results->counters, false /* since the run before, in no row */);
}

int qperf_meters_interval(struct qperf_meters *meters, double *cpu_percent)
{
	*cpu_percent = meters->has_cpu ? cpu_use_interval(&meters->cpu) : NAN;
	return counters_sample(&meters->results->counters, true);
}

int qperf_meters_end(struct qperf_meters *meters)
{
	if (meters->has_cpu)
		meters->cpu_percent = cpu_use_percent(&meters->cpu);
	return counters_sample(&meters->results->counters, false /* the whole run */);
}
