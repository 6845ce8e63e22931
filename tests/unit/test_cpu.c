// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses /proc/stat and /proc/cpuinfo of various kernels and machines. */
#include "report/host.h"

#include <math.h>
#include <unistd.h>

#include "cmocka_all.h"

static char path[64];

static void write_file(const char *text)
{
	FILE *file;
	int fd;

	strcpy(path, "/tmp/test_cpu.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	fputs(text, file);
	fclose(file);
}

static int read_stat(const char *text, struct cpu_times *times)
{
	int err;

	write_file(text);
	err = cpu_times_read(times, path);
	unlink(path);
	return err;
}

/* Guests' time is in user and nice already; counting it again would make more than there is. */
TEST(test_all_kinds)
{
	struct cpu_times times;

	assert_int_equal(read_stat("cpu  1 20 300 4000 50000 600000 7000000 80000000 900000000 1000000000\n"
				   "cpu0 9 9 9 9 9 9 9 9 9 9\n",
				   &times),
			 0);
	assert_int_equal(times.busy, 1 + 20 + 300 + 600000 + 7000000 + 80000000);
	assert_int_equal(times.total, times.busy + 4000 + 50000);
}

TEST(test_old_kernel)
{
	struct cpu_times times;

	assert_int_equal(read_stat("cpu 1 2 3 4\ncpu0 1 2 3 4\n", &times), 0);
	assert_int_equal(times.busy, 6);
	assert_int_equal(times.total, 10);
}

TEST(test_rubbish)
{
	struct cpu_times times = {.busy = 7};

	assert_int_equal(read_stat("", &times), -EBADMSG);
	assert_int_equal(read_stat("cpu 1 2 3\n", &times), -EBADMSG);
	assert_int_equal(read_stat("intr 1 2 3 4 5\n", &times), -EBADMSG);
	assert_int_equal(cpu_times_read(&times, "/nowhere/stat"), -ENOENT);
	assert_int_equal(times.busy, 7);
}

TEST(test_percent)
{
	const struct cpu_times before = {.busy = 100, .total = 1000};
	const struct cpu_times after = {.busy = 125, .total = 1100};
	const struct cpu_times idle_went_back = {.busy = 110, .total = 1005};
	const struct cpu_times all_went_back = {.busy = 90, .total = 990};

	assert_true(cpu_times_percent(&before, &after) == 25);
	assert_true(isnan(cpu_times_percent(&before, &before)));
	assert_true(cpu_times_percent(&before, &idle_went_back) == 100);
	assert_true(isnan(cpu_times_percent(&before, &all_went_back)));
}

/* Of 9 ticks a share is off by a tenth and more. */
TEST(test_too_few_ticks)
{
	const struct cpu_times before = {.busy = 100, .total = 1000};
	const struct cpu_times one_tick = {.busy = 101, .total = 1001};
	const struct cpu_times nine = {.busy = 104, .total = 1009};
	const struct cpu_times ten = {.busy = 105, .total = 1010};

	assert_true(isnan(cpu_times_percent(&before, &one_tick)));
	assert_true(isnan(cpu_times_percent(&before, &nine)));
	assert_true(cpu_times_percent(&before, &ten) == 50);
}

TEST(test_this_machine)
{
	struct cpu_times times;

	assert_int_equal(cpu_times_read(&times, "/proc/stat"), 0);
	assert_true(times.busy > 0 && times.total >= times.busy);
}

static void expect_model(const char *text, const char *expected)
{
	char model[64] = "before";

	write_file(text);
	host_cpu_model(model, sizeof(model), path);
	unlink(path);
	assert_string_equal(model, expected);
}

TEST(test_cpu_model)
{
	expect_model("processor\t: 0\ncpu family\t: 6\nmodel\t\t: 106\nmodel name\t: A Processor: fast\n"
		     "\nprocessor\t: 1\nmodel name\t: Another\n",
		     "A Processor: fast");
	expect_model("processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 3800.0MHz\n",
		     "POWER9, altivec supported");
	expect_model("processor\t: 0\nhart\t\t: 1\nuarch\t\t: sifive,u74-mc\n", "sifive,u74-mc");
	expect_model("BogoMIPS : 50.00\nCPU part : 0xd40\nno colon here\n", "");
	expect_model("", "");
	expect_model("model name\t: 0123456789012345678901234567890123456789012345678901234567890123456789\n",
		     "012345678901234567890123456789012345678901234567890123456789012");
}

TEST(test_command_line)
{
	char words[4096], other[4];
	const size_t length = host_command_line(words, sizeof(words));
	const char *name = strrchr(words, '/');

	assert_in_range(length, strlen("test_cpu") + 1, sizeof(words) - 1);
	assert_non_null(strstr(name ? name : words, "test_cpu"));
	assert_int_equal(words[length - 1], '\0');
	assert_int_equal(host_command_line(other, sizeof(other)), 3);
	assert_memory_equal(other, words, 3);
	assert_int_equal(other[3], '\0');
}

TEST_MAIN(NULL, NULL)
