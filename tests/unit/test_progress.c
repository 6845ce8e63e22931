// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the progress line shown to a terminal only, seldom, and wiped before anything else is written? */
#include "config.h"

#include "report/progress.h"

#include <string.h>
#include <time.h>

#include "terminal.h"

#define ROUNDS	    2000
#define MIN_SPAN_NS 200000000 /* what progress.c promises */

static struct terminal terminal;
static FILE *stream;

static int setup(void **state)
{
	(void)state;
	terminal = terminal_open();
	stream = fdopen(dup(terminal.slave), "w");
	assert_non_null(stream);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fclose(stream);
	terminal_close(&terminal);
	return 0;
}

static void test_line(void **state)
{
	struct progress progress;

	(void)state;
	progress_open(&progress, stream);
	progress_show(&progress, 0.42, 4.25);
	terminal_expect(&terminal, "\r running:  42 % after 4.2 s\r");
	progress_clear(&progress);
	terminal_expect(&terminal, "\r                           \r");
	/* Wiped once is wiped; and a new line comes at once. */
	progress_clear(&progress);
	progress_show(&progress, -1, 7);
	terminal_expect(&terminal, "\r running: 7.0 s\r");
}

/* What comes after the end is still the end. */
static void test_above_one(void **state)
{
	struct progress progress;

	(void)state;
	progress_open(&progress, stream);
	progress_show(&progress, 1.2, 1);
	terminal_expect(&terminal, "\r running: 100 % after 1.0 s\r");
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
	progress_open(&progress, stream);
	begin = now_ns();
	for (i = 0; i < ROUNDS; i++)
		progress_show(&progress, i / (double)ROUNDS, 0);
	allowed = 1 + (now_ns() - begin) / MIN_SPAN_NS;
	fputc('#', stream);
	fflush(stream);
	text = terminal_read_to(&terminal, '#');
	assert_non_null(text);
	for (; (text = strstr(text, "running")); text++)
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
