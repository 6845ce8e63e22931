// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are CPU, memory and device close to each other? */
#include <stdio.h>
#include <string.h>

#include "doctor/checks.h"
#include "verbs/device/hardware.h"

#define NODES "/sys/devices/system/node"
#define CPUS  "/sys/devices/system/cpu"

/* Reads a list of CPUs or nodes. */
static int subject_read_list(struct subject *subject, struct cpulist *list, const char *path)
{
	char text[4096];
	int ret = tree_text(&subject->tree, text, sizeof(text), "%s", path);

	if (ret)
		return ret;
	return cpulist_parse(list, text) ? tree_malformed(&subject->tree, path, text, "which is no list") : 0;
}

/* A node's CPUs; one that has only memory, or whose CPUs are offline, has an empty line there. 0 or -errno. */
static int read_node_cpus(struct subject *subject, struct cpulist *cpus, int64_t node)
{
	char path[TREE_PATH], line[2];

	snprintf(path, sizeof(path), NODES "/node%lld/cpulist", (long long)node);
	*cpus = (struct cpulist){{0}};
	if (tree_bytes(&subject->tree, line, sizeof(line), "%s", path) == 1 && line[0] == '\n')
		return 0;
	return subject_read_list(subject, cpus, path);
}

/* CPUs that the kernel only uses for threads bound to them; mostly there are none. 0 or -errno. */
static int read_isolated(struct subject *subject, struct cpulist *isolated)
{
	char text[4096];

	*isolated = (struct cpulist){{0}};
	if (tree_text(&subject->tree, text, sizeof(text), CPUS "/isolated"))
		return 0;
	return cpulist_parse(isolated, text)
		       ? tree_malformed(&subject->tree, CPUS "/isolated", text, "which is no list")
		       : 0;
}

/* The node that a test binds itself to: -1 if the kernel does not know. 0 or -errno. */
static int device_node(struct subject *subject, int64_t *node)
{
	char sysfs[TREE_PATH], file[HARDWARE_NUMA_PATH];

	if (!subject->device[0])
		return tree_number(&subject->tree, node, "%s/numa_node", subject->pci);
	tree_sysfs(&subject->tree, sysfs);
	if (hardware_numa_file(sysfs, subject->device, file))
		return tree_number(&subject->tree, node, "%s", file + strlen(subject->tree.root));
	*node = -1;
	return 0;
}

/* The number of nodes that have memory or CPUs; 1 if unknown. */
static unsigned node_count(struct subject *subject)
{
	struct cpulist nodes;

	return subject_read_list(subject, &nodes, NODES "/online") ? 1 : cpulist_count(&nodes);
}

int check_numa(struct subject *subject, struct finding *finding)
{
	struct cpulist local, online, isolated, usable;
	int64_t node;

	if (device_node(subject, &node))
		return UNREAD;
	if (node_count(subject) == 1)
		return finding_ok(finding, "the machine has only one");
	if (!subject->pci[0])
		return finding_unknown(finding, "%s has no hardware that could be near a CPU", subject->device);
	if (node < 0)
		return finding_unknown(finding, "the firmware does not say where the device is\ntry numactl "
						"--cpunodebind[, or --numa_node,] with each node");
	if (read_node_cpus(subject, &local, node) || subject_read_list(subject, &online, CPUS "/online") ||
	    read_isolated(subject, &isolated))
		return UNREAD;
	usable = local;
	cpulist_remove(&usable, &isolated);
	cpulist_remove(&online, &isolated);
	if (!subject->cpus_known)
		return finding_unknown(finding, "/proc/self/status has no list of CPUs");
	if (!cpulist_count(&local))
		return finding_look(
			finding,
			"the device is on node %lld, which has no CPUs that are online: a test runs on "
			"other nodes\nnumactl --cpunodebind[, or --numa_node,] with a near node: numactl -H "
			"shows the distances",
			(long long)node);
	if (!cpulist_count(&usable) && !cpulist_overlaps(&subject->cpus, &local))
		return finding_look(
			finding,
			"the device is on node %lld, whose CPUs are all isolated (isolcpus): a test runs "
			"on other nodes\ntaskset -c[, or --pin_cores,][, or --cpu_affinity,] with a CPU of that "
			"node for each side",
			(long long)node);
	if (!cpulist_overlaps(&subject->cpus, &local))
		return finding_look(finding,
				    "the device is on node %lld, and this process may not use any CPU of that "
				    "node\nnumactl --cpunodebind=%lld --membind=%lld, or the container's CPU set",
				    (long long)node, (long long)node, (long long)node);
	if (subject->options->disable_numa || !cpulist_within(&online, &subject->cpus)) {
		if (cpulist_within(&subject->cpus, &local))
			return finding_ok(finding, "%lld, and so are the %u CPUs of this process", (long long)node,
					  cpulist_count(&subject->cpus));
		return finding_look(finding,
				    "the device is on node %lld; the kernel may also run this process on other "
				    "nodes\nnumactl --cpunodebind=%lld[, or --numa_node][, or --pin_cores][, or "
				    "--cpu_affinity]",
				    (long long)node, (long long)node);
	}
	return finding_ok(finding, "%lld; a test binds itself to its %u CPUs", (long long)node, cpulist_count(&usable));
}

/* "bind:0", "prefer:1", "interleave:0-1", "default": policy of the first mapping, which no program sets. */
static int memory_policy(struct subject *subject, char *policy, size_t size)
{
	char line[512], *word, *rest;
	int ret = tree_text(&subject->tree, line, sizeof(line), "/proc/self/numa_maps");

	if (ret)
		return ret;
	word = strtok_r(line, " ", &rest);
	word = word ? strtok_r(NULL, " ", &rest) : NULL;
	if (!word)
		return tree_malformed(&subject->tree, "/proc/self/numa_maps", line, "which is no mapping");
	snprintf(policy, size, "%s", word);
	return 0;
}

int check_memory_nodes(struct subject *subject, struct finding *finding)
{
	char text[512], policy[64] = "default", *colon;
	struct cpulist allowed, bound;
	int64_t node;

	if (node_count(subject) == 1)
		return 0;
	if (device_node(subject, &node))
		return UNREAD;
	if (tree_line(&subject->tree, text, sizeof(text), "/proc/self/status", "Mems_allowed_list"))
		return UNREAD;
	if (cpulist_parse(&allowed, text))
		return tree_malformed(&subject->tree, "/proc/self/status", text, "which is no list");
	memory_policy(subject, policy, sizeof(policy));
	colon = strchr(policy, ':');
	if (node < 0)
		return finding_unknown(finding, "nodes %s, policy %s; the device's node is unknown", text, policy);
	if (!cpulist_has(&allowed, (unsigned)node))
		return finding_look(finding,
				    "the device is on node %lld, and this process may use memory of %s only\nnumactl "
				    "--membind, or the container's memory set (cpuset.mems)",
				    (long long)node, text);
	if (colon && !cpulist_parse(&bound, colon + 1) && !cpulist_has(&bound, (unsigned)node))
		return finding_look(
			finding,
			"the device is on node %lld, and the policy of this process is %s\nnumactl --membind=%lld",
			(long long)node, policy, (long long)node);
	return finding_ok(finding, "%s, including the device's; policy %s", text, policy);
}

/* A set of CPUs in the topology of one CPU; empty if unknown. */
static struct cpulist relatives(struct subject *subject, unsigned cpu, const char *file)
{
	struct cpulist list = {{0}};
	char path[TREE_PATH];

	snprintf(path, sizeof(path), CPUS "/cpu%u/%s", cpu, file);
	subject_read_list(subject, &list, path);
	return list;
}

/*
 * On the software device the threads of both programs do the device's work, so that results depend on where they run.
 */
int check_soft_cores(struct subject *subject, struct finding *finding)
{
	struct cpulist siblings, near;
	unsigned first, count;

	if (!subject->cpus_known)
		return finding_unknown(finding, "/proc/self/status has no list of CPUs");
	first = cpulist_next(&subject->cpus, 0);
	count = cpulist_count(&subject->cpus);
	siblings = relatives(subject, first, "topology/thread_siblings_list");
	near = relatives(subject, first, "cache/index3/shared_cpu_list");
	if (count < 2)
		return finding_look(finding, "this process may use only one CPU, but both sides poll\nallow two "
					     "(taskset, or the container's CPU set)[; otherwise use --events]");
	if (cpulist_within(&subject->cpus, &siblings))
		return finding_look(finding,
				    "the %u CPUs of this process are threads of one core\ngive each side its own core: "
				    "taskset[, or --pin_cores][, or --cpu_affinity]",
				    count);
	if (cpulist_count(&siblings) && cpulist_count(&near) && !cpulist_within(&subject->cpus, &near))
		return finding_look(finding,
				    "the %u CPUs of this process share no L3 cache: figures depend on where the kernel "
				    "puts the two sides\ntaskset[, or --pin_cores][, or --cpu_affinity] on both sides, "
				    "with CPUs that share a cache, such as two of those near CPU %u",
				    count, first);
	if (cpulist_count(&siblings) > 1)
		return finding_ok(
			finding,
			"%u CPUs, of which each %u are threads of one core[: --pin_cores keeps the sides apart]", count,
			cpulist_count(&siblings));
	return finding_ok(finding, "%u CPUs that share no core", count);
}
