// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The text of a payload file: what is accepted, and the position in error messages. */
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "memory/memory.h"
#include "util/stop.h"

#define ACCEPTED(text, ...)                                                                                            \
	do {                                                                                                           \
		const uint8_t want[] = {__VA_ARGS__};                                                                  \
		accepted(text, want, sizeof(want));                                                                    \
	} while (0)

static void accepted(const char *text, const uint8_t *want, size_t want_count)
{
	char reason[128] = "";
	uint8_t *bytes = NULL;
	size_t count = 0;

	assert_int_equal(payload_parse(text, &bytes, &count, reason, sizeof(reason)), 0);
	assert_int_equal(count, want_count);
	assert_memory_equal(bytes, want, want_count);
	free(bytes);
}

static void refused(const char *text, const char *want)
{
	char reason[128] = "";
	uint8_t *bytes = NULL;
	size_t count = 77;

	assert_int_equal(payload_parse(text, &bytes, &count, reason, sizeof(reason)), -EINVAL);
	assert_string_equal(reason, want);
	assert_null(bytes);
	assert_int_equal(count, 77);
}

TEST(dwords_are_little_endian)
{
	ACCEPTED("0x11223344", 0x44, 0x33, 0x22, 0x11);
	ACCEPTED("0x11223344,0xAABBCCDD", 0x44, 0x33, 0x22, 0x11, 0xdd, 0xcc, 0xbb, 0xaa);
	ACCEPTED("0X1", 1, 0, 0, 0);
}

TEST(white_space_is_free)
{
	ACCEPTED(" \n0x1 ,\r\n\t0x2\n", 1, 0, 0, 0, 2, 0, 0, 0);
	ACCEPTED("0x1,0x2,\n", 1, 0, 0, 0, 2, 0, 0, 0);
}

TEST(complaints_have_a_place)
{
	refused("", "line 1, column 1: no dword found");
	refused(" \n ", "line 2, column 2: no dword found");
	refused("11223344", "line 1, column 1: a dword such as 0x11223344 is expected");
	refused("0x1,,0x2", "line 1, column 5: a dword such as 0x11223344 is expected");
	refused("0x1\n0x2", "line 2, column 1: a comma is expected between dwords");
	refused("0x1,\n  0x", "line 2, column 5: hexadecimal digits are expected after 0x");
	refused("0x1,\n0x", "line 2, column 3: hexadecimal digits are expected after 0x");
	refused("0x112233445", "line 1, column 11: a dword has at most 8 hexadecimal digits");
	refused("0", "line 1, column 1: a dword such as 0x11223344 is expected");
	refused("0x1;", "line 1, column 4: a comma is expected between dwords");
}

TEST(random_data_fills_the_whole_buffer)
{
	const size_t bytes = 200000;
	struct buffer buffer;
	size_t zeros = 0;

	assert_int_equal(buffer_open(&buffer, &memory_host, bytes, NULL /* context */), 0);
	assert_int_equal(buffer_fill(&buffer, ""), 0);
	for (size_t i = 0; i < bytes; i++)
		zeros += buffer.addr[i] == 0;
	/* One byte in 256, give or take: 781 expected, standard deviation 28. */
	assert_in_range(zeros, 300, 1500);
	buffer_close(&buffer);
}

TEST(a_fifo_is_refused)
{
	char path[] = "/tmp/perftest-payload-XXXXXX", fifo[64];
	struct buffer buffer = {0};

	assert_non_null(mkdtemp(path));
	snprintf(fifo, sizeof(fifo), "%s/fifo", path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	alarm(60);
	assert_int_equal(buffer_fill(&buffer, fifo), -EINVAL);
	alarm(0);
	assert_int_equal(unlink(fifo), 0);
	assert_int_equal(rmdir(path), 0);
}

TEST(a_byte_that_is_zero_is_refused)
{
	static const char text[] = "0x1,\0,0x2";
	char path[] = "/tmp/perftest-payload-XXXXXX";
	const int fd = mkstemp(path);
	uint8_t *bytes = NULL;
	size_t count = 0;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	assert_int_equal(payload_read(path, &bytes, &count), -EINVAL);
	assert_int_equal(ftruncate(fd, 4), 0);
	assert_int_equal(payload_read(path, &bytes, &count), 0);
	assert_int_equal(count, 4);
	free(bytes);
	close(fd);
	assert_int_equal(unlink(path), 0);
}

TEST(the_user_stops_the_filling)
{
	struct buffer buffer;

	assert_int_equal(buffer_open(&buffer, &memory_host, 1 << 20, NULL /* context */), 0);
	stop_flag = SIGTERM;
	assert_int_equal(buffer_fill(&buffer, ""), -EINTR);
	stop_flag = 0;
	assert_int_equal(buffer.addr[buffer.length - 1], 0);
	buffer_close(&buffer);
}

TEST_MAIN(NULL, NULL)
