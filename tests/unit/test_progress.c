// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the progress line shown to a terminal only, seldom, and wiped before anything else is written? */
#include "config.h"

#include "report/progress.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "cmocka_all.h"

#define ROUNDS	    2000
#define MIN_SPAN_NS 200000000 /* what progress.c promises */

static int master;
static FILE *terminal;

static int setup(void **state)
{
	struct termios raw;
	int slave;

	(void)state;
	master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(master >= 0);
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(tcgetattr(slave, &raw), 0);
	cfmakeraw(&raw);
	assert_int_equal(tcsetattr(slave, TCSANOW, &raw), 0);
	terminal = fdopen(slave, "w");
	assert_non_null(terminal);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fclose(terminal);
	close(master);
	return 0;
}

/* All that was written so far. */
static const char *written(void)
{
	static char text[4096];
	struct pollfd look = {.fd = master, .events = POLLIN};
	size_t length = 0;
	ssize_t n;

	/* The first wait is for the terminal's layer in the kernel, which hands on what was written a moment later. */
	while (length < sizeof(text) - 1 && poll(&look, 1, length ? 0 : 1000) > 0) {
		n = read(master, text + length, sizeof(text) - 1 - length);
		assert_true(n > 0);
		length += (size_t)n;
	}
	text[length] = '\0';
	return text;
}

static void test_line(void **state)
{
	struct progress progress;

	(void)state;
	progress_open(&progress, terminal);
	progress_show(&progress, 0.42, 4.25);
	assert_string_equal(written(), "\r running:  42 % after 4.2 s\r");
	progress_clear(&progress);
	assert_string_equal(written(), "\r                           \r");
	/* Wiped once is wiped; and a new line comes at once. */
	progress_clear(&progress);
	progress_show(&progress, -1, 7);
	assert_string_equal(written(), "\r running: 7.0 s\r");
}

/* What comes after the end is still the end. */
static void test_above_one(void **state)
{
	struct progress progress;

	(void)state;
	progress_open(&progress, terminal);
	progress_show(&progress, 1.2, 1);
	assert_string_equal(written(), "\r running: 100 % after 1.0 s\r");
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void test_seldom(void **state)
{
	struct progress progress;
	int64_t begin, writings = 0, allowed;
	const char *text;
	int i;

	(void)state;
	progress_open(&progress, terminal);
	begin = now_ns();
	for (i = 0; i < ROUNDS; i++)
		progress_show(&progress, i / (double)ROUNDS, 0);
	allowed = 1 + (now_ns() - begin) / MIN_SPAN_NS;
	for (text = written(); (text = strstr(text, "running")); text++)
		writings++;
	assert_true(writings >= 1 && writings <= allowed);
}

static void test_no_terminal(void **state)
{
	struct progress progress;
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	progress_open(&progress, file);
	progress_show(&progress, 0.5, 1);
	progress_clear(&progress);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	assert_int_equal(ftell(file), 0);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_line, setup, teardown),
		cmocka_unit_test_setup_teardown(test_above_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_seldom, setup, teardown),
		cmocka_unit_test(test_no_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
