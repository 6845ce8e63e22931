// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory left on a host and within its cgroups' limits, read from directories that simulate /. */
#include "cmocka_all.h"

#include <sys/stat.h>

#include "memory/memory.h"

#define MIB (UINT64_C(1) << 20)

static char root[64];

/* A file below root, with the folders above it. */
static void put(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", root, name);
	for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int begin(void **state)
{
	strcpy(root, "/tmp/perftest-available-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

TEST(nothing_is_known_of_an_empty_host, begin, end)
{
	assert_true(memory_available(root) == UINT64_MAX);
}

TEST(the_kernel_says, begin, end)
{
	put("/proc/meminfo", "MemTotal:       1000000 kB\nMemFree:         1024 kB\nMemAvailable:     204800 kB\n");
	assert_int_equal(memory_available(root), 200 * MIB);
	put("/proc/self/cgroup", "0::/\n");
	assert_int_equal(memory_available(root), 200 * MIB);
	put("/proc/self/cgroup", "1:memory:/x\n0::/a/b\n");
	put("/sys/fs/cgroup/a/b/memory.max", "max\n");
	put("/sys/fs/cgroup/a/b/memory.current", "5\n");
	assert_int_equal(memory_available(root), 200 * MIB);
}

TEST(the_narrowest_group_counts_and_its_cache_is_free, begin, end)
{
	put("/proc/meminfo", "MemAvailable:     204800 kB\n");
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/sys/fs/cgroup/a/memory.max", "104857600\n");
	put("/sys/fs/cgroup/a/memory.current", "94371840\n");
	assert_int_equal(memory_available(root), 10 * MIB);
	put("/sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 20971520\nactive_file 10485760\n");
	assert_int_equal(memory_available(root), 40 * MIB);
	put("/sys/fs/cgroup/a/b/memory.max", "10485760\n");
	put("/sys/fs/cgroup/a/b/memory.current", "20971520\n");
	assert_int_equal(memory_available(root), 0);
}

TEST(version_1_counts_too, begin, end)
{
	put("/proc/meminfo", "MemAvailable:     204800 kB\n");
	put("/proc/self/cgroup", "5:cpu,memory:/a/b\n4:memoryless:/c\n0::/d\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "94371840\n");
	assert_int_equal(memory_available(root), 200 * MIB);
	put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "104857600\n");
	put("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "94371840\n");
	assert_int_equal(memory_available(root), 10 * MIB);
	put("/sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 20971520\n");
	assert_int_equal(memory_available(root), 30 * MIB);
	/* A container: the group of /proc is the root of what it sees. */
	put("/proc/self/cgroup", "5:memory:/docker/0123\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "99614720\n");
	assert_int_equal(memory_available(root), 5 * MIB);
}

TEST_MAIN(NULL, NULL)
