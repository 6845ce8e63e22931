// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does every message reach stderr as one line, and are warnings kept? */
#include "config.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal.h"
#include "util/log.h"

static char captured[3 * LOG_TEXT_SIZE];

static int saved_stderr;
static FILE *file;

static void capture_begin(void)
{
	file = tmpfile();
	assert_non_null(file);
	saved_stderr = dup(STDERR_FILENO);
	assert_true(saved_stderr >= 0);
	assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
}

static const char *capture_end(void)
{
	size_t n;

	assert_true(dup2(saved_stderr, STDERR_FILENO) >= 0);
	close(saved_stderr);
	rewind(file);
	n = fread(captured, 1, sizeof(captured) - 1, file);
	captured[n] = '\0';
	fclose(file);
	return captured;
}

TEST(every_kind_is_one_line)
{
	log_set_program("ib_test");
	capture_begin();
	log_error("port %d is in use", 18515);
	log_warning("%s", "100% noise\033[2J");
	log_info("waiting");
	log_classic("Couldn't connect to %s:%d", "hosta", 18515);
	assert_string_equal(capture_end(), "ib_test: error: port 18515 is in use\n"
					   "ib_test: warning: 100% noise.[2J\n"
					   "ib_test: waiting\n"
					   "Couldn't connect to hosta:18515\n");
}

/* Of a server's many clients. The peer, who is told the text, knows itself. */
TEST(a_line_says_whom_it_is_about)
{
	log_set_program("p");
	log_set_subject("192.0.2.1");
	capture_begin();
	log_error("one\ntwo");
	log_warning("three");
	assert_string_equal(capture_end(), "p: error: 192.0.2.1: one\n"
					   "    two\n"
					   "p: warning: 192.0.2.1: three\n");
	assert_string_equal(log_last_error(), "one; two");
	assert_string_equal(log_warning_at(log_warning_count() - 1), "three");
	log_forget_warnings(1);
	log_set_subject("");
}

/* Kept, for the peer and the JSON document, it is one line. */
TEST(details_are_a_second_line)
{
	log_set_program("p");
	capture_begin();
	log_error("cause: what to do\nQP %d", 7);
	log_human("nobody looks");
	assert_string_equal(capture_end(), "p: error: cause: what to do\n    QP 7\n");
	assert_string_equal(log_last_error(), "cause: what to do; QP 7");
}

TEST(a_terminal_gets_lines_of_its_width)
{
	struct terminal terminal = terminal_open();
	const struct winsize window = {.ws_row = 24, .ws_col = 40};
	const int saved_stdin = dup(STDIN_FILENO), nothing = open("/dev/null", O_RDONLY);

	assert_int_equal(ioctl(terminal.master, TIOCSWINSZ, &window), 0);
	saved_stderr = dup(STDERR_FILENO);
	assert_true(dup2(terminal.slave, STDERR_FILENO) >= 0);
	log_set_program("p");
	log_error("a cause that is longer than this line\nand details that are longer than this line, too");
	assert_true(dup2(nothing, STDIN_FILENO) >= 0);
	log_human("a program reads it, and no user");
	assert_true(dup2(terminal.slave, STDIN_FILENO) >= 0);
	log_human("waiting");
	assert_true(dup2(saved_stdin, STDIN_FILENO) >= 0);
	assert_true(dup2(saved_stderr, STDERR_FILENO) >= 0);
	close(saved_stderr);
	close(saved_stdin);
	close(nothing);
	terminal_expect(&terminal, "p: error: a cause that is longer than\n"
				   "    this line\n"
				   "    and details that are longer than\n"
				   "    this line, too\n"
				   "p: waiting\n");
	terminal_close(&terminal);
}

TEST(last_error_is_kept)
{
	log_error("QP %d is gone", 7);
	log_warning("not an error");
	assert_string_equal(log_last_error(), "QP 7 is gone");
}

TEST(only_warnings_are_kept_each_text_once)
{
	size_t before = log_warning_count();

	capture_begin();
	log_error("an error");
	log_info("a hint");
	log_warning("first %d", 1);
	log_warning("second");
	log_warning("first %d", 1);
	capture_end();
	assert_int_equal(log_warning_count(), before + 2);
	assert_string_equal(log_warning_at(before), "first 1");
	assert_string_equal(log_warning_at(before + 1), "second");
}

TEST(a_long_text_is_cut_not_overrun)
{
	char text[2 * LOG_TEXT_SIZE];
	const char *line;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_set_program("p");
	capture_begin();
	log_error("%s", text);
	line = capture_end();
	assert_int_equal(strlen(line), strlen("p: error: ") + LOG_TEXT_SIZE - 1 + strlen("\n"));
	assert_int_equal(line[strlen(line) - 1], '\n');
}

TEST(kept_warnings_are_bounded)
{
	capture_begin();
	for (int i = 0; i < 3 * LOG_MAX_WARNINGS; i++)
		log_warning("number %d", i);
	capture_end();
	assert_int_equal(log_warning_count(), LOG_MAX_WARNINGS);
	for (size_t i = 0; i < log_warning_count(); i++)
		assert_non_null(log_warning_at(i));
}

TEST_MAIN(NULL, NULL)
