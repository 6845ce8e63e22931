// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The machine and this process, from /proc. */
#include "report/host.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cpulist.h"
#include "util/log.h"
#include "util/sysfs.h"
#include "util/terminal.h"

#define MAX_LINE  512
#define MAX_NODES 1024
#define PROC_STAT "/proc/stat"

/* What follows one of the keys and a colon, in the first such line of a file; "": none does. */
static void value_of(char *text, size_t size, const char *path, const char *const *keys, size_t num_keys)
{
	char line[MAX_LINE], *colon;
	FILE *file = fopen(path, "re");

	text[0] = '\0';
	while (file && !text[0] && fgets(line, sizeof(line), file)) {
		size_t length = strcspn(line, ":");

		line[strcspn(line, "\n")] = '\0';
		colon = strchr(line, ':');
		while (colon && length && strchr(" \t", line[length - 1]))
			length--;
		for (size_t i = 0; colon && i < num_keys; i++)
			if (strlen(keys[i]) == length && !strncmp(line, keys[i], length))
				snprintf(text, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
	}
	if (file)
		fclose(file);
}

void host_cpu_model(char *model, size_t size, const char *path)
{
	/* Its key on each architecture: x86, s390 and loongarch; powerpc; arm and mips; riscv. */
	static const char *const keys[] = {"model name", "Model Name", "cpu", "cpu model", "Processor", "uarch"};

	value_of(model, size, path, keys, sizeof(keys) / sizeof(keys[0]));
}

void host_cpus(char *text, size_t size)
{
	value_of(text, size, "/proc/self/status", (const char *const[]){"Cpus_allowed_list"}, 1);
}

void host_governor(char *text, size_t size)
{
	char governor[64], cpus[MAX_LINE];
	struct cpulist list;

	text[0] = '\0';
	host_cpus(cpus, sizeof(cpus));
	if (cpulist_parse(&list, cpus))
		return;
	for (unsigned cpu = cpulist_next(&list, 0); cpu < CPULIST_MAX; cpu = cpulist_next(&list, cpu + 1)) {
		sysfs_line(governor, sizeof(governor), "%s/devices/system/cpu/cpu%u/cpufreq/scaling_governor",
			   sysfs_root(), cpu);
		if (text[0] && governor[0] && strcmp(text, governor) != 0) {
			snprintf(text, size, "mixed");
			return;
		}
		if (governor[0])
			snprintf(text, size, "%s", governor);
	}
}

/* ":0-1,3" */
static void nodes_add(char *text, size_t size, const unsigned long *nodes)
{
	const unsigned bits = 8 * sizeof(nodes[0]);
	const char *before = ":";

	for (unsigned node = 0; node < MAX_NODES; node++) {
		unsigned last = node;

		if (!(nodes[node / bits] >> node % bits & 1))
			continue;
		while (last + 1 < MAX_NODES && nodes[(last + 1) / bits] >> (last + 1) % bits & 1)
			last++;
		text_add(text, size, last > node ? "%s%u-%u" : "%s%u", before, node, last);
		before = ",";
		node = last;
	}
}

void host_numa_policy(char *text, size_t size)
{
	static const char *const names[] = {
		[MPOL_DEFAULT] = "default",	  [MPOL_PREFERRED] = "preferred", [MPOL_BIND] = "bind",
		[MPOL_INTERLEAVE] = "interleave", [MPOL_LOCAL] = "local",
	};
	unsigned long nodes[MAX_NODES / (8 * sizeof(unsigned long))] = {0};
	int mode;

	text[0] = '\0';
	if (syscall(SYS_get_mempolicy, &mode, nodes, (unsigned long)MAX_NODES, NULL, 0UL))
		return;
	mode &= ~MPOL_MODE_FLAGS;
	if (mode < 0 || (size_t)mode >= sizeof(names) / sizeof(names[0]))
		return;
	snprintf(text, size, "%s", names[mode]);
	nodes_add(text, size, nodes);
}

size_t host_command_line(char *words, size_t size)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	const size_t length = file ? fread(words, 1, size - 1, file) : 0;

	words[length] = '\0';
	if (file)
		fclose(file);
	return length;
}

/* --- how busy it is --- */

/*
 * The kernel accounts whole ticks, usually of 10 ms: each CPU's tick goes to what it did at that moment. A row of
 * microseconds is between two ticks, and would be 0 % or 100 % whatever the machine did.
 */
#define FEWEST_TICKS 10

/*
 * The machine's busy share. Classic perftest divides user by user + idle, so that a run that sleeps in the kernel or
 * spends its time in interrupts looks idle; here every kind of work counts (proc(5), /proc/stat).
 */
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

void cpu_use_start(struct cpu_use *use)
{
	const int err = cpu_times_read(&use->start, PROC_STAT);

	use->known = !err;
	use->interval = use->start;
	if (err)
		log_warning("--cpu_util: cannot read " PROC_STAT ": %s", strerror(-err));
}

double cpu_use_percent(const struct cpu_use *use)
{
	struct cpu_times now;

	return use->known && !cpu_times_read(&now, PROC_STAT) ? cpu_times_percent(&use->start, &now) : NAN;
}

double cpu_use_interval(struct cpu_use *use)
{
	const struct cpu_times before = use->interval;

	return use->known && !cpu_times_read(&use->interval, PROC_STAT) ? cpu_times_percent(&before, &use->interval)
									: NAN;
}
