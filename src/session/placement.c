// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where does the measuring thread run? Bandwidth halves when thread and device sit on different NUMA
 * nodes, so the device's node is the default; a choice made from outside (taskset, numactl, cpuset)
 * is left alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <numa.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/state.h"
#include "util/log.h"

static int pin_cores(const char *list)
{
	struct bitmask *wanted = numa_parse_cpustring_all(list);
	cpu_set_t set;
	unsigned int cpu;
	int count = 0;

	if (!wanted) {
		log_error("--pin_cores %s: not a list of CPUs of this machine, such as 0,2-3", list);
		return -EINVAL;
	}
	CPU_ZERO(&set);
	for (cpu = 0; cpu < wanted->size && cpu < CPU_SETSIZE; cpu++) {
		if (!numa_bitmask_isbitset(wanted, cpu))
			continue;
		CPU_SET(cpu, &set);
		count++;
	}
	numa_bitmask_free(wanted);
	if (!count || sched_setaffinity(0, sizeof(set), &set)) {
		log_error("--pin_cores %s: this process may not run there", list);
		return -EINVAL;
	}
	log_detail("CPUs: %s, as --pin_cores says", list);
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

static int bind_node(int node)
{
	struct bitmask *nodes;

	if (numa_run_on_node(node))
		return -errno;
	nodes = numa_allocate_nodemask();
	numa_bitmask_setbit(nodes, (unsigned int)node);
	numa_set_membind(nodes);
	numa_free_nodemask(nodes);
	return 0;
}

/* Why the kernel shall place this process; NULL: it shall not. */
static const char *reason_to_leave(const struct params *params, const struct device *device, bool narrowed_by_us)
{
	if (params->disable_numa)
		return "--disable_numa says so";
	if (device->numa_node < 0)
		return "the device is of no NUMA node";
	if (numa_available() < 0 || device->numa_node > numa_max_node())
		return "this machine has no such NUMA node as the device's";
	if (!narrowed_by_us && affinity_narrowed())
		return "someone (taskset, numactl, a cpuset) has chosen the CPUs";
	return NULL;
}

/* Called twice where rdma_cm chooses the device: our own choice narrowed the CPUs then, nobody else's. */
int session_place(const struct params *params, const struct device *device)
{
	static bool narrowed_by_us;
	int node = params->numa_node;
	const char *reason;
	int ret;

	if (params->pin_cores[0])
		return pin_cores(params->pin_cores);
	if (node != PARAMS_AUTO) {
		if (numa_available() < 0 || node > numa_max_node()) {
			log_error("--numa_node %d: this machine has nodes 0..%d", node,
				  numa_available() < 0 ? 0 : numa_max_node());
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
