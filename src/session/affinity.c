// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where does the measuring thread run? Bandwidth halves when thread and device sit on different NUMA
 * nodes, so the device's node is the default; a choice made from outside (taskset, numactl, cpuset)
 * is left alone.
 */
#define _GNU_SOURCE
#include "session/affinity.h"

#include <errno.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cpulist.h"
#include "util/log.h"

#define NODES	      "/sys/devices/system/node/"
#define CPUS	      "/sys/devices/system/cpu/"
#define BITS_PER_LONG (CHAR_BIT * sizeof(unsigned long))

/* A file of sysfs with a list in it. 0, or -errno where there is none, as in a kernel without NUMA. */
static int affinity_read_list(struct cpulist *list, const char *path)
{
	char text[4096] = "";
	FILE *file = fopen(path, "re");
	int ret;

	if (!file)
		return -errno;
	ret = fgets(text, sizeof(text), file) ? 0 : -EIO;
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return ret ? ret : cpulist_parse(list, text);
}

static int run_on(const struct cpulist *cpus)
{
	cpu_set_t *set = CPU_ALLOC(CPULIST_MAX);
	const size_t size = CPU_ALLOC_SIZE(CPULIST_MAX);
	int ret;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	for (unsigned cpu = cpulist_next(cpus, 0); cpu < CPULIST_MAX; cpu = cpulist_next(cpus, cpu + 1))
		CPU_SET_S(cpu, size, set);
	ret = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return ret;
}

static int pin_cores(const char *list)
{
	struct cpulist wanted, there;

	if (cpulist_parse(&wanted, list) || !cpulist_count(&wanted) ||
	    (!affinity_read_list(&there, CPUS "possible") && !cpulist_within(&wanted, &there))) {
		log_error("--pin_cores %s: not a list of CPUs of this machine, such as 0,2-3", list);
		return -EINVAL;
	}
	if (run_on(&wanted)) {
		log_error("--pin_cores %s: this process may not run there", list);
		return -EINVAL;
	}
	return 0;
}

/* Has someone narrowed the CPUs before us? */
static bool affinity_narrowed(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return true;
	return CPU_COUNT(&set) < sysconf(_SC_NPROCESSORS_ONLN);
}

int session_last_node(void)
{
	struct cpulist nodes;
	int last = 0;

	if (!affinity_read_list(&nodes, NODES "online"))
		for (unsigned node = cpulist_next(&nodes, 0); node < CPULIST_MAX; node = cpulist_next(&nodes, node + 1))
			last = (int)node;
	return last;
}

static int bind_node(int node)
{
	unsigned long mask[CPULIST_MAX / BITS_PER_LONG] = {0};
	char path[sizeof(NODES) + 32];
	struct cpulist cpus;
	int ret;

	snprintf(path, sizeof(path), NODES "node%d/cpulist", node);
	ret = affinity_read_list(&cpus, path);
	if (!ret)
		ret = run_on(&cpus);
	if (ret)
		return ret;
	/* Where a container forbids it, memory still comes from where the thread first touches it. */
	mask[(unsigned)node / BITS_PER_LONG] |= 1UL << (unsigned)node % BITS_PER_LONG;
	(void)syscall(SYS_set_mempolicy, MPOL_BIND, mask, (unsigned long)CPULIST_MAX);
	return 0;
}

/* Why the kernel shall place this process; NULL: it shall not. */
static const char *reason_to_leave(const struct params *params, const struct device *device, bool narrowed_by_us)
{
	if (params->memory.disable_numa)
		return "--disable_numa says so";
	if (device->numa_node < 0)
		return "the device is of no NUMA node";
	if (device->numa_node > session_last_node())
		return "this machine has no such NUMA node as the device's";
	if (!narrowed_by_us && affinity_narrowed())
		return "someone (taskset, numactl, a cpuset) has chosen the CPUs";
	return NULL;
}

int session_bind_cpus(const struct params *params, const struct device *device)
{
	static bool narrowed_by_us;
	int node = params->memory.numa_node;
	const char *reason;
	int ret;

	if (params->memory.pin_cores[0])
		return pin_cores(params->memory.pin_cores);
	if (node != PARAMS_AUTO) {
		if (node > session_last_node()) {
			log_error("--numa_node %d: this machine has nodes 0..%d", node, session_last_node());
			return -EINVAL;
		}
		ret = bind_node(node);
		if (ret)
			log_error("--numa_node %d: %s", node, strerror(-ret));
		else
			log_detail("CPUs and memory: of NUMA node %d, as --numa_node says; the device's is %d", node,
				   device->numa_node);
		return ret;
	}
	reason = reason_to_leave(params, device, narrowed_by_us);
	if (reason) {
		log_detail("CPUs and memory: left to the kernel, because %s", reason);
		return 0;
	}
	ret = bind_node(device->numa_node);
	narrowed_by_us = true;
	if (ret)
		log_warning("can't run on the device's NUMA node %d: %s; figures may suffer", device->numa_node,
			    strerror(-ret));
	else
		log_detail("CPUs and memory: of NUMA node %d, the device's", device->numa_node);
	return 0;
}
