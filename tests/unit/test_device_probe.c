// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the first broken link between a device and a program reported? In directories that simulate /sys and /dev. */
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "verbs/device/device_diag.h"
#include "verbs/device/locked_memory.h"

static char top[] = "/tmp/perftest-presence-XXXXXX";
static char text[1024];

static void make(const char *path, const char *content)
{
	char whole[256];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	for (char *slash = whole + strlen(top) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		assert_true(mkdir(whole, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
	if (!content)
		return; /* folders only */
	file = fopen(whole, "w");
	assert_non_null(file);
	assert_true(fputs(content, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static bool explain(const char *name)
{
	char sys[64], dev[64];

	snprintf(sys, sizeof(sys), "%s/sys", top);
	snprintf(dev, sizeof(dev), "%s/dev", top);
	text[0] = '\0';
	return device_probe_explain(sys, dev, name, text, sizeof(text));
}

static int make_top(void **state)
{
	strcpy(top, "/tmp/perftest-presence-XXXXXX");
	return mkdtemp(top) == NULL;
}

static int remove_top(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	return system(command);
}

TEST(without_a_device_there_is_nothing_to_say, make_top, remove_top)
{
	assert_false(explain(""));
	make("sys/class/infiniband/", NULL);
	assert_false(explain(""));
	make("sys/class/infiniband/mlx9_0/", NULL);
	assert_false(explain("mlx9_1"));
	assert_true(explain("mlx9_0"));
	assert_true(explain(""));
}

TEST(without_ib_uverbs, make_top, remove_top)
{
	make("sys/class/infiniband/mlx9_0/", NULL);
	assert_true(explain("mlx9_0"));
	assert_ptr_equal(strstr(text, "the kernel has the RDMA device mlx9_0, but programs have no access to it: "
				      "load the module with 'modprobe ib_uverbs'"),
			 text);
	/* one of another device does not help */
	make("sys/class/infiniband_verbs/uverbs0/ibdev", "mlx9_1\n");
	assert_true(explain("mlx9_0"));
	assert_non_null(strstr(text, "modprobe ib_uverbs"));
}

TEST(a_missing_device_file, make_top, remove_top)
{
	make("sys/class/infiniband/mlx9_0/", NULL);
	make("sys/class/infiniband_verbs/abi_version", "6\n");
	make("sys/class/infiniband_verbs/uverbs0/ibdev", "mlx9_1\n");
	make("sys/class/infiniband_verbs/uverbs7/ibdev", "mlx9_0\n");
	make("sys/class/infiniband_verbs/uverbs7/dev", "231:199\n");
	make("dev/infiniband/uverbs0", "");
	assert_true(explain(""));
	assert_non_null(strstr(text, "/dev/infiniband/uverbs7 is missing: pass it to the container (--device="));
	assert_non_null(strstr(text, "(character device 231:199)"));
}

TEST(a_device_file_that_may_not_be_opened, make_top, remove_top)
{
	char path[128];

	make("sys/class/infiniband/mlx9_0/", NULL);
	make("sys/class/infiniband_verbs/uverbs0/ibdev", "mlx9_0\n");
	make("dev/infiniband/uverbs0", "");
	snprintf(path, sizeof(path), "%s/dev/infiniband/uverbs0", top);
	assert_int_equal(chmod(path, 0400), 0);
	if (geteuid() == 0) {
		/* root may: then the provider is what is missing */
		assert_true(explain("mlx9_0"));
		assert_non_null(strstr(text, "lacks the provider library"));
		assert_int_equal(chmod(top, 0755), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	assert_true(explain("mlx9_0"));
	assert_int_equal(seteuid(getuid()), 0);
	assert_non_null(strstr(text, "may not open its device file"));
	assert_non_null(strstr(text, "with mode 400"));
}

TEST(a_short_buffer_is_not_overrun, make_top, remove_top)
{
	char small[60];

	make("sys/class/infiniband/mlx9_0/", NULL);
	memset(small, 'x', sizeof(small));
	explain("");
	assert_true(device_probe_explain(top, top, "", small, 0) == false);
	snprintf(text, sizeof(text), "%s/sys", top);
	assert_true(device_probe_explain(text, top, "", small, 50));
	assert_int_equal(strlen(small), 49);
	assert_int_equal(small[50], 'x');
}

/* --- the limit of locked memory --- */

static const char *blame(bool exempt, uint64_t limit_kib, uint64_t pinned_kib, int error, uint64_t asked_kib)
{
	const struct locked_memory memory = {
		.exempt = exempt,
		.limit = limit_kib == UINT64_MAX ? UINT64_MAX : limit_kib << 10,
		.pinned = pinned_kib << 10,
	};

	return locked_memory_blame(&memory, error, asked_kib << 10, text, sizeof(text));
}

TEST(the_limit_is_blamed_where_it_is_to_blame)
{
	assert_ptr_equal(strstr(blame(false, 64, 60, ENOMEM, 8),
				"; this process may lock 64 KiB of memory (RLIMIT_MEMLOCK) and has locked 60 KiB: "
				"run 'ulimit -l unlimited' first"),
			 text);
	assert_string_not_equal(blame(false, 64, 0, ENOMEM, 0), ""); /* nobody knows how much a queue takes */
	assert_string_not_equal(blame(false, 0, 0, EPERM, 64), "");
	assert_string_equal(blame(false, 64, 0, ENOMEM, 64), ""); /* it would have fitted */
	assert_string_equal(blame(true, 64, 60, ENOMEM, 8), "");
	assert_string_equal(blame(false, UINT64_MAX, 60, ENOMEM, 8), "");
	assert_string_equal(blame(false, 64, 60, EINVAL, 8), "");
}

TEST(this_process_has_a_limit)
{
	struct locked_memory memory = {.pinned = 1};

	locked_memory_read(&memory);
	assert_int_equal(memory.pinned, 0); /* no device holds memory of a test */
	assert_true(memory.limit > 0);
}

int main(void)
{
	umask(022); /* a user who is not root must be able to look into the folders, whatever the caller's mask */
	return tests_run(NULL, NULL);
}
