// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The huge page sizes of a host, and the message if there are none. With a tree in place of /sys. */
#include <inttypes.h>
#include <sys/stat.h>

#include "cmocka_all.h"
#include "memory/kinds.h"
#include "util/log.h"

#define POOLS "kernel/mm/hugepages"
#define MIB   (UINT64_C(1) << 20)
#define GIB   (UINT64_C(1) << 30)

static char root[] = "/tmp/test_hugepages.XXXXXX";

static void write_number(const char *pool, const char *file, unsigned number)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/" POOLS "/%s/%s", root, pool, file);
	out = fopen(path, "we");
	assert_non_null(out);
	fprintf(out, "%u\n", number);
	fclose(out);
}

static void make_pool(const char *pool, unsigned reserved, unsigned free_pages)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/" POOLS "/%s", root, pool);
	assert_int_equal(mkdir(path, 0755), 0);
	write_number(pool, "nr_hugepages", reserved);
	write_number(pool, "free_hugepages", free_pages);
}

static int make_tree(void **state)
{
	const char *const parts[] = {"kernel", "kernel/mm", POOLS};
	char path[256];

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", root, parts[i]);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	make_pool("hugepages-1048576kB", 3, 1);
	make_pool("hugepages-2048kB", 0, 0);
	return setenv("PERFTEST_SYSFS", root, 1);
}

static int remove_tree(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

TEST(each_size_is_found)
{
	uint64_t sizes[HUGEPAGES_MAX_SIZES];
	char text[160];

	assert_int_equal(hugepages_sizes(sizes), 2);
	assert_true(sizes[0] == 2 * MIB && sizes[1] == GIB);
	assert_true(hugepages_count(GIB, "nr_hugepages") == 3 && hugepages_count(GIB, "free_hugepages") == 1);
	assert_string_equal(hugepages_title(GIB, text, sizeof(text)), "1 GiB");
	assert_string_equal(hugepages_title(512 * MIB, text, sizeof(text)), "512 MiB");
	assert_string_equal(hugepages_title(65536, text, sizeof(text)), "64 KiB");
	assert_string_equal(hugepages_command(512 * MIB, 7, text, sizeof(text)),
			    "echo 7 >/sys/kernel/mm/hugepages/hugepages-524288kB/nr_hugepages");
}

TEST(a_size_that_is_not_there_is_named)
{
	assert_int_equal(hugepages_choose(GIB, "--hugepage_size"), 0);
	assert_int_equal(hugepages_choose(64 * MIB, "--hugepage_size"), -EINVAL);
	assert_string_equal(log_last_error(), "--hugepage_size: this kernel has no huge pages of 64 MiB; its sizes: "
					      "2 MiB, 1 GiB");
	assert_int_equal(hugepages_choose(0, "--use_hugepages"), 0);
}

/* No machine gives 2^20 of them. */
TEST(too_few_pages_are_reported_with_the_command_that_makes_them)
{
	struct buffer buffer = {.ops = &memory_hugepages, .length = (size_t)GIB << 20, .fd = -1};

	assert_int_equal(hugepages_choose(GIB, "--hugepage_size"), 0);
	assert_true(memory_hugepages.alloc(&buffer, NULL) < 0);
	assert_non_null(strstr(log_last_error(),
			       "--hugepage_size: the buffer needs 1048576 huge pages of 1 GiB, but only 1 "
			       "are free: "));
	assert_non_null(strstr(log_last_error(), "reserve more with 'echo 1048578 >/sys/kernel/mm/hugepages/"
						 "hugepages-1048576kB/nr_hugepages' as root"));
	hugepages_choose(0, "--use_hugepages");
}

/* Those of arm64 with pages of 64 KiB, whose size goes into the sign bit of mmap()'s flags. */
TEST(the_largest_size_is_asked_for)
{
	struct buffer buffer = {.ops = &memory_hugepages, .length = 1, .fd = -1};
	int ret;

	make_pool("hugepages-16777216kB", 0, 0);
	assert_int_equal(hugepages_choose(16 * GIB, "--hugepage_size"), 0);
	ret = memory_hugepages.alloc(&buffer, NULL);
	if (ret)
		assert_non_null(
			strstr(log_last_error(), "the buffer needs 1 huge page of 16 GiB, but only 0 are free: "));
	else
		memory_hugepages.free(&buffer);
	hugepages_choose(0, "--use_hugepages");
}

TEST_MAIN(make_tree, remove_tree)
