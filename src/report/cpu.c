// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The machine's busy share. Classic perftest divides user by user + idle, so that a run that sleeps in the kernel or
 * spends its time in interrupts looks idle; here every kind of work counts (proc(5), /proc/stat).
 */
#include "report/cpu.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/*
 * The kernel accounts whole ticks, usually of 10 ms: each CPU's tick goes to what it did at that moment. A row of
 * microseconds is between two ticks, and would be 0 % or 100 % whatever the machine did.
 */
#define FEWEST_TICKS 10

int cpu_times_read(struct cpu_times *times, const char *path)
{
	uint64_t user, nice, system, idle, iowait = 0, irq = 0, softirq = 0, steal = 0;
	FILE *file = fopen(path, "re");
	int fields, err = 0;

	if (!file)
		return -errno;
	/* Kernels before 2.6.11 have fewer fields; today's guest and guest_nice at the end are included in user. */
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
	times->steal = steal;
	times->interrupts = irq + softirq;
	times->iowait = iowait;
	times->busy = user + nice + system + irq + softirq + steal;
	times->total = times->busy + idle + iowait;
	return 0;
}

double cpu_times_percent(const struct cpu_times *before, const struct cpu_times *after)
{
	/* iowait may go backwards slightly (proc(5)), so the total may be less than the busy time. */
	double busy = after->busy > before->busy ? (double)(after->busy - before->busy) : 0;
	double total = after->total > before->total ? (double)(after->total - before->total) : 0;

	if (total < busy)
		total = busy;
	return total < FEWEST_TICKS ? NAN : 100 * busy / total;
}
