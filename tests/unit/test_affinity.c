// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The CPUs that a test is pinned to, on a simulated host with two NUMA nodes. */
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "session/steps.h"
#include "util/cpulist.h"
#include "util/log.h"

/* --- in place of the kernel --- */

static struct cpulist allowed; /* to this process */

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	assert_int_equal(pid, 0);
	CPU_ZERO_S(size, set);
	for (unsigned cpu = cpulist_next(&allowed, 0); cpu < CPULIST_MAX; cpu = cpulist_next(&allowed, cpu + 1))
		CPU_SET_S(cpu, size, set);
	return 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	assert_int_equal(pid, 0);
	allowed = (struct cpulist){{0}};
	for (unsigned cpu = 0; cpu < size * CHAR_BIT; cpu++)
		allowed.bits[cpu / 64] |= (uint64_t) !!CPU_ISSET_S(cpu, size, set) << cpu % 64;
	return 0;
}

/* --- a host: CPUs 0-3 are of node 0, 4-7 of node 1 --- */

static char folder[64];

static void put(const char *name, const char *line)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(path, 0777))
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", line);
	fclose(file);
}

static int make_host(void **state)
{
	snprintf(folder, sizeof(folder), "test_affinity.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	put("devices/system/node/online", "0-1");
	put("devices/system/node/node0/cpulist", "0-3");
	put("devices/system/node/node1/cpulist", "4-7");
	put("devices/system/cpu/online", "0-7");
	put("devices/system/cpu/isolated", "");
	return setenv("PERFTEST_SYSFS", folder, 1);
}

static int remove_host(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static struct cpulist cpus(const char *text)
{
	struct cpulist list;

	assert_int_equal(cpulist_parse(&list, text), 0);
	return list;
}

/* Where a process that may run on some CPUs comes to run, with a device of node 1. */
static void expect(const char *isolated, const char *before, const char *after, const struct params *params)
{
	const struct device device = {.name = "mlx9_0", .numa_node = 1};
	const struct cpulist expected = cpus(after);

	put("devices/system/cpu/isolated", isolated);
	allowed = cpus(before);
	assert_int_equal(session_bind_cpus(params, &device), 0);
	assert_memory_equal(&allowed, &expected, sizeof(allowed));
}

static const struct params automatic = {.cpus.numa_node = CONFIG_AUTO};

/* CPUs 2n and 2n + 1 are of one core. */
static void expect_threads(const char *before, unsigned count, bool from_end, int different, const int *expected)
{
	int chosen[8];

	allowed = cpus(before);
	for (int cpu = 0; cpu < 8; cpu++) {
		char name[64], siblings[16];

		snprintf(name, sizeof(name), "devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
		snprintf(siblings, sizeof(siblings), "%d-%d", cpu & ~1, cpu | 1);
		put(name, siblings);
	}
	assert_int_equal(session_choose_cpus(chosen, count, from_end), different);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(chosen[i], expected[i]);
}

/* The first test: this process has bound itself to no node yet. */
TEST(each_thread_has_a_core_and_then_a_cpu)
{
	expect_threads("0-7", 6, false, 6, (const int[]){0, 2, 4, 6, 1, 3});
	expect_threads("1-3", 3, false, 3, (const int[]){1, 2, 3});
	expect_threads("4", 2, false, 1, (const int[]){4, 4});
	expect_threads("0,2", 5, true, 2, (const int[]){2, 0, 2, 0, 2});
}

/* In front of the others: once this process has bound itself, its own choice is no one else's. */
TEST(a_choice_from_outside_is_left_alone)
{
	expect("", "2-5", "2-5", &automatic);
	expect("6-7", "2-5", "2-5", &automatic); /* narrower than what isolcpus leaves */
	expect("", "4", "4", &automatic);
	expect("6-7", "0-6", "0-6", &automatic); /* an isolated one that was asked for */
	assert_int_equal(log_warning_count(), 0);
}

/* Every process is kept from isolated CPUs: that is nobody's choice. */
TEST(a_node_of_isolated_cpus_is_named)
{
	expect("4-7", "0-3", "0-3", &automatic);
	assert_int_equal(log_warning_count(), 1);
}

TEST(isolated_cpus_are_left_out)
{
	expect("0,6-7", "1-5", "4-5", &automatic);
	expect("", "0-7", "4-7", &automatic);
	assert_int_equal(log_warning_count(), 1);
}

TEST(a_node_that_was_asked_for_is_taken)
{
	const struct params params = {.cpus.numa_node = 1};

	expect("6-7", "0-5", "4-5", &params);
	assert_int_equal(log_warning_count(), 1);
	expect("4-7", "0-3", "4-7", &params);
	assert_int_equal(log_warning_count(), 2);
}

/* What this process bound itself to before is forgotten where it can't be done. */
TEST(all_cpus_are_no_choice)
{
	expect("4-7", "0-3", "0-3", &automatic);
	expect("6-7", "0-7", "4-5", &automatic);
}

/* Of a process that has bound itself to the device's node those of the other node come last. */
TEST(cpus_near_the_device_come_first)
{
	const struct device device = {.name = "mlx9_0", .numa_node = 1};

	put("devices/system/cpu/isolated", "");
	allowed = cpus("0-7");
	assert_int_equal(session_bind_cpus(&automatic, &device), 0);
	expect_threads("4-7", 8, false, 8, (const int[]){4, 6, 5, 7, 0, 2, 1, 3});
}

/* Of memory alone (CXL), or with all of its CPUs offline. */
TEST(a_node_without_cpus_is_named)
{
	const struct params params = {.cpus.numa_node = 1};
	const struct device device = {.name = "mlx9_0", .numa_node = 1};

	const uint64_t before = log_warning_count();

	put("devices/system/node/node1/cpulist", "");
	expect("", "0-7", "0-7", &automatic);
	assert_int_equal(log_warning_count(), before + 1);
	assert_int_equal(session_bind_cpus(&params, &device), -ENXIO);
	assert_string_equal(log_last_error(), "--numa_node 1: this node has no CPUs");
}

TEST_MAIN(make_host, remove_host)
