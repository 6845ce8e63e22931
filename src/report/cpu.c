// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The machine's busy share. Classic perftest divides user by user + idle, so that a run which sleeps in
 * the kernel or lives in interrupts looks free; here every kind of work counts (proc(5), /proc/stat).
 */
#include "report/cpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/*
 * The kernel charges whole ticks, of 10 ms on most: each CPU's go to what it did when the tick came. A row of
 * microseconds lies between two, and is 0 % or 100 % whatever the machine did.
 */
#define FEWEST_TICKS 10

int cpu_times_read(struct cpu_times *times, const char *path)
{
	uint64_t user, nice, system, idle, iowait = 0, irq = 0, softirq = 0, steal = 0;
	FILE *file = fopen(path, "re");
	int fields, err = 0;

	if (!file)
		return -errno;
	/* Kernels before 2.6.11 have fewer fields; today's have guest and guest_nice behind, told already in user. */
	fields = fscanf(file,
			"cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			" %" SCNu64,
			&user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal);
	if (fields < 4)
		err = ferror(file) ? -EIO : -EBADMSG;
	fclose(file);
	if (err)
		return err;
	times->user = user + nice;
	times->kernel = system + steal;
	times->interrupts = irq + softirq;
	times->iowait = iowait;
	times->busy = user + nice + system + irq + softirq + steal;
	times->total = times->busy + idle + iowait;
	return 0;
}

double cpu_times_percent(const struct cpu_times *before, const struct cpu_times *after)
{
	/* iowait may run backwards a little (proc(5)), so that the total may lag behind the busy time. */
	double busy = after->busy > before->busy ? (double)(after->busy - before->busy) : 0;
	double total = after->total > before->total ? (double)(after->total - before->total) : 0;

	if (total < busy)
		total = busy;
	return total < FEWEST_TICKS ? -1 : 100 * busy / total;
}
