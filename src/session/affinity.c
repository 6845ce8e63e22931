// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Chooses where the measuring thread runs. Bandwidth halves if thread and device are on different NUMA nodes, so the
 * device's node is the default; a choice made from outside (taskset, numactl, cpuset) is left alone. Isolated CPUs
 * (isolcpus= of the kernel) are omitted: the kernel does not move threads between them, so both sides of a test could
 * stay on one.
 */
#define _GNU_SOURCE 1 /* syscall() */
#include "session/steps.h"

#include <errno.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cpulist.h"
#include "util/log.h"
#include "util/sysfs.h"

/* The CPUs of this process before it bound itself to the device's node. */
static struct cpulist before_binding;
static bool narrowed_by_us;

#define NODES	      "/devices/system/node/"
#define CPUS	      "/devices/system/cpu/"
#define BITS_PER_LONG (CHAR_BIT * sizeof(unsigned long))

/* Reads a sysfs file that contains a list. 0, or -errno if there is none, as in a kernel without NUMA. */
static int affinity_read_list(struct cpulist *list, const char *path)
{
	char text[4096] = "", full[PATH_MAX];
	FILE *file;
	int ret;

	snprintf(full, sizeof(full), "%s%s", sysfs_root(), path);
	file = fopen(full, "re");
	if (!file)
		return -errno;
	ret = fgets(text, sizeof(text), file) ? 0 : -EIO;
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return ret ? ret : cpulist_parse(list, text);
}

static int pin_cores(const char *list)
{
	struct cpulist wanted, there;

	if (cpulist_parse(&wanted, list) || !cpulist_count(&wanted) ||
	    (!affinity_read_list(&there, CPUS "possible") && !cpulist_within(&wanted, &there)))
		return log_fail(-EINVAL, "--pin_cores %s: not a list of CPUs of this machine, such as 0,2-3", list);
	if (cpulist_run_on(&wanted))
		return log_fail(-EINVAL, "--pin_cores %s: this process may not run on these CPUs", list);
	return 0;
}

/* CPUs on which the kernel runs only threads that request them by name. */
static struct cpulist isolated_cpus(void)
{
	struct cpulist isolated;

	return affinity_read_list(&isolated, CPUS "isolated") ? (struct cpulist){{0}} : isolated;
}

static bool same_cpus(const struct cpulist *a, const struct cpulist *b)
{
	return cpulist_within(a, b) && cpulist_within(b, a);
}

/* Were the CPUs restricted before we started? An isolated CPU among some of the others was requested, too. */
static bool affinity_narrowed(const struct cpulist *isolated)
{
	struct cpulist allowed, online, usual;

	if (cpulist_allowed(&allowed))
		return true;
	if (affinity_read_list(&online, CPUS "online"))
		return cpulist_count(&allowed) < (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	usual = online;
	cpulist_remove(&usual, isolated);
	return !same_cpus(&allowed, &usual) && !same_cpus(&allowed, &online);
}

/* The highest NUMA node of this machine; 0 if the kernel knows none. */
static int last_node(void)
{
	struct cpulist nodes;
	int last = 0;

	if (!affinity_read_list(&nodes, NODES "online"))
		for (unsigned node = cpulist_next(&nodes, 0); node < CPULIST_MAX; node = cpulist_next(&nodes, node + 1))
			last = (int)node;
	return last;
}

/* 0; -EBUSY: all CPUs of the node are isolated; -ENXIO: it has none; nothing was bound then; or another -errno. */
static int bind_node(int node, const struct cpulist *isolated)
{
	unsigned long mask[CPULIST_MAX / BITS_PER_LONG] = {0};
	char path[sizeof(NODES) + 32];
	struct cpulist cpus;
	int ret;

	snprintf(path, sizeof(path), NODES "node%d/cpulist", node);
	ret = affinity_read_list(&cpus, path);
	if (ret)
		return ret;
	if (!cpulist_count(&cpus))
		return -ENXIO;
	if (cpulist_within(&cpus, isolated))
		return -EBUSY;
	cpulist_remove(&cpus, isolated);
	ret = cpulist_run_on(&cpus);
	if (ret)
		return ret;
	/* If a container forbids it, memory is still allocated on the node of the thread that first touches it. */
	mask[(unsigned)node / BITS_PER_LONG] |= 1UL << (unsigned)node % BITS_PER_LONG;
	(void)syscall(SYS_set_mempolicy, MPOL_BIND, mask, (unsigned long)CPULIST_MAX);
	return 0;
}

/* Why this process is not to be bound; NULL: it is. */
static const char *reason_to_leave(const struct params *params, const struct device *device,
				   const struct cpulist *isolated)
{
	if (params->cpus.disable_numa)
		return "--disable_numa says so";
	if (device->numa_node < 0)
		return "the device does not belong to a NUMA node";
	if (device->numa_node > last_node())
		return "this machine does not have the device's NUMA node";
	if (!narrowed_by_us && affinity_narrowed(isolated))
		return "the CPUs are already restricted (taskset, numactl, cpuset)";
	return NULL;
}

#define ISOLATED "all of its CPUs are isolated (isolcpus): select one of them with --pin_cores"

static const char *bind_error(int error)
{
	switch (error) {
	case -EBUSY:
		return ISOLATED;
	case -ENXIO:
		return "it has only memory, no CPUs that are online: select a near node with --numa_node";
	default:
		return strerror(-error);
	}
}

int session_bind_cpus(const struct params *params, const struct device *device)
{
	const struct cpulist isolated = isolated_cpus();
	int node = params->cpus.numa_node;
	const char *reason;
	int ret;

	if (params->cpus.pin_cores[0])
		return pin_cores(params->cpus.pin_cores);
	if (node != CONFIG_AUTO) {
		if (node > last_node())
			return log_fail(-EINVAL, "--numa_node %d: this machine has nodes 0..%d", node, last_node());
		ret = bind_node(node, &isolated);
		if (ret == -EBUSY) {
			log_warning("--numa_node %d: " ISOLATED, node);
			ret = bind_node(node, &(const struct cpulist){{0}});
		}
		if (ret)
			log_error("--numa_node %d: %s", node, ret == -ENXIO ? "this node has no CPUs" : strerror(-ret));
		else
			log_detail("CPUs and memory: of NUMA node %d, as --numa_node says; the device's is %d", node,
				   device->numa_node);
		return ret;
	}
	reason = reason_to_leave(params, device, &isolated);
	if (reason) {
		log_detail("CPUs and memory: left to the kernel, because %s", reason);
		return 0;
	}
	if (!narrowed_by_us && cpulist_allowed(&before_binding))
		before_binding = (struct cpulist){{0}};
	ret = bind_node(device->numa_node, &isolated);
	narrowed_by_us = !ret;
	if (ret)
		log_warning("cannot run on the device's NUMA node %d: %s; figures may be worse", device->numa_node,
			    bind_error(ret));
	else
		log_detail("CPUs and memory: of NUMA node %d, the device's", device->numa_node);
	return 0;
}

/* --- CPUs of several threads --- */

/* CPUs in the order in which threads get them. */
struct order {
	uint16_t cpus[CPULIST_MAX];
	unsigned count;
	struct cpulist taken;
	struct cpulist cores; /* all CPUs of the cores of those chosen */
};

static void order_take(struct order *order, unsigned cpu)
{
	struct cpulist siblings;
	char path[sizeof(CPUS) + 64];

	order->cpus[order->count++] = (uint16_t)cpu;
	order->taken.bits[cpu / 64] |= 1ULL << cpu % 64;
	snprintf(path, sizeof(path), CPUS "cpu%u/topology/thread_siblings_list", cpu);
	if (affinity_read_list(&siblings, path))
		return;
	for (unsigned i = 0; i < CPULIST_MAX / 64; i++)
		order->cores.bits[i] |= siblings.bits[i];
}

/* One of each core, then the others. */
static void order_take_from(struct order *order, const struct cpulist *from)
{
	for (int others = 0; others <= 1; others++)
		for (unsigned cpu = cpulist_next(from, 0); cpu < CPULIST_MAX; cpu = cpulist_next(from, cpu + 1))
			if (!cpulist_has(&order->taken, cpu) && (others || !cpulist_has(&order->cores, cpu)))
				order_take(order, cpu);
}

int session_choose_cpus(int *cpus, unsigned count, bool from_end)
{
	struct order *order = calloc(1, sizeof(*order));
	struct cpulist near;
	unsigned used;
	int ret = order ? cpulist_allowed(&near) : -ENOMEM;

	if (!ret) {
		order_take_from(order, &near);
		if (narrowed_by_us)
			order_take_from(order, &before_binding);
	}
	if (!ret && !order->count)
		ret = -ENODEV;
	if (ret) {
		free(order);
		return ret;
	}
	used = order->count < count ? order->count : count;
	for (unsigned i = 0; i < count; i++) {
		const unsigned at = i % order->count;

		cpus[i] = order->cpus[from_end ? order->count - 1 - at : at];
	}
	free(order);
	return (int)used;
}
