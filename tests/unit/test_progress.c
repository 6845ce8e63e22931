// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the progress line shown only on a terminal, not too often, and erased before anything else is written? */
#include "config.h"

#include "report/progress.h"

#include <sys/ioctl.h>
#include <time.h>

#include "terminal.h"

#define ROUNDS	    2000
#define MIN_SPAN_NS 200000000 /* what progress.c promises */

static struct terminal terminal;
static FILE *stream;

static int setup(void **state)
{
	terminal = terminal_open();
	stream = fdopen(dup(terminal.slave), "w");
	assert_non_null(stream);
	assert_int_equal(dup2(terminal.slave, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(setenv("TERM", "xterm", true), 0);
	return 0;
}

static int teardown(void **state)
{
	fclose(stream);
	terminal_close(&terminal);
	return 0;
}

TEST(test_line, setup, teardown)
{
	const struct progress_state halfway = {.fraction = 0.42, .seconds = 4.2},
				    unknown = {.fraction = -1, .seconds = 7};
	struct progress progress;

	progress_open(&progress, stream);
	progress_show(&progress, &halfway);
	terminal_expect(&terminal, "\r running:  42 % after 4.2 s, 5.8 s left\r");
	progress_clear(&progress);
	/* What is written next begins after a newline, in the line that was wiped. */
	terminal_expect(&terminal, "\r                                       \r\033[A\r\n");
	/* Wiped once is wiped; and a new line comes at once. */
	progress_clear(&progress);
	progress_show(&progress, &unknown);
	terminal_expect(&terminal, "\r running: 7.0 s\r");
}

/* The line for this state, alone. */
static void expect_line(const struct progress_state *shown, const char *expected)
{
	struct progress progress;
	char line[160];

	progress_open(&progress, stream);
	progress_show(&progress, shown);
	snprintf(line, sizeof(line), "\r%s\r", expected);
	terminal_expect(&terminal, line);
}

TEST(test_states, setup, teardown)
{
	/* What comes after the end is still the end. */
	expect_line(&(struct progress_state){.fraction = 1.2, .seconds = 1}, " running: 100 % after 1.0 s, 0.0 s left");
	expect_line(&(struct progress_state){.fraction = 0.001, .seconds = 1}, " running:   0 % after 1.0 s");
	expect_line(&(struct progress_state){.planned_s = 60}, " running for 60 s");
	expect_line(&(struct progress_state){.size = 16, .number = 4, .count = 23}, " 16 bytes, size 4 of 23");
	expect_line(&(struct progress_state){.fraction = 0.5, .seconds = 2, .size = 16, .number = 4, .count = 23},
		    " 16 bytes, size 4 of 23:  50 % after 2.0 s, 2.0 s left of this size");
	expect_line(&(struct progress_state){.fraction = 0.5, .seconds = 2, .number = 3, .count = 9, .load = 30},
		    " 30 % load, 3 of 9:  50 % after 2.0 s, 2.0 s left of this load");
	expect_line(&(struct progress_state){.planned_s = 10, .number = 3, .count = 9, .load = 30},
		    " 30 % load, 3 of 9 for 10 s");
	expect_line(&(struct progress_state){.fraction = 0.5, .seconds = 2, .run = 3, .runs = 10},
		    " run 3 of 10:  50 % after 2.0 s, 2.0 s left of this run");
	/* 7 runs of this size follow, and 10 of each of 19 others. */
	expect_line(&(struct progress_state){.fraction = 0.5,
					     .seconds = 1,
					     .planned_s = 2,
					     .size = 16,
					     .number = 4,
					     .count = 23,
					     .run = 3,
					     .runs = 10},
		    " 16 bytes, size 4 of 23, run 3 of 10:  50 % after 1.0 s, 395.0 s left");
	/* By time the whole sweep is known: 19 sizes of 10 s follow. */
	expect_line(
		&(struct progress_state){
			.fraction = 0.5, .seconds = 5, .planned_s = 10, .size = 16, .number = 4, .count = 23},
		" 16 bytes, size 4 of 23:  50 % after 5.0 s, 195.0 s left");
}

/* What is longer than the terminal could not be written over. */
TEST(test_narrow, setup, teardown)
{
	const struct winsize window = {.ws_row = 24, .ws_col = 40};

	assert_int_equal(ioctl(terminal.master, TIOCSWINSZ, &window), 0);
	expect_line(&(struct progress_state){.fraction = 0.5, .seconds = 2, .size = 16, .number = 4, .count = 23},
		    " 16 bytes, size 4 of 23:  50 % after 2.");
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

TEST(test_seldom, setup, teardown)
{
	struct progress progress;
	int64_t begin, writings = 0, allowed;
	const char *text;
	int i;

	progress_open(&progress, stream);
	begin = now_ns();
	for (i = 0; i < ROUNDS; i++)
		progress_show(&progress, &(struct progress_state){.fraction = i / (double)ROUNDS, .seconds = 1});
	allowed = 1 + (now_ns() - begin) / MIN_SPAN_NS;
	fputc('#', stream);
	fflush(stream);
	text = terminal_read_to(&terminal, '#');
	assert_non_null(text);
	for (; (text = strstr(text, "running")); text++)
		writings++;
	assert_true(writings >= 1 && writings <= allowed);
}

static void expect_silence(void)
{
	struct progress progress;

	progress_open(&progress, stream);
	progress_show(&progress, &(struct progress_state){.fraction = 0.5, .seconds = 1});
	progress_clear(&progress);
	fputc('#', stream);
	fflush(stream);
	terminal_expect(&terminal, "#");
}

/* A terminal that only collects what a program writes has nobody who watches. */
TEST(test_nobody_watches, setup, teardown)
{
	const int nothing = open("/dev/null", O_RDONLY);

	assert_int_equal(setenv("TERM", "dumb", true), 0);
	expect_silence();
	assert_int_equal(unsetenv("TERM"), 0);
	expect_silence();
	assert_int_equal(setenv("TERM", "xterm", true), 0);
	assert_int_equal(dup2(nothing, STDIN_FILENO), STDIN_FILENO);
	close(nothing);
	expect_silence();
}

TEST(test_no_terminal)
{
	struct progress progress;
	FILE *file = tmpfile();

	assert_non_null(file);
	progress_open(&progress, file);
	progress_show(&progress, &(struct progress_state){.fraction = 0.5, .seconds = 1});
	progress_clear(&progress);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	assert_int_equal(ftell(file), 0);
	fclose(file);
}

TEST_MAIN(NULL, NULL)
