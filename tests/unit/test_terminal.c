// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the width of a terminal detected, and is text wrapped to it word by word? */
#include "config.h"

#include "util/terminal.h"

#include <sys/ioctl.h>

#include "terminal.h"

static int columns_of(int fd)
{
	FILE *stream = fdopen(dup(fd), "w");
	int columns;

	assert_non_null(stream);
	columns = terminal_columns(stream);
	fclose(stream);
	return columns;
}

TEST(test_width)
{
	struct terminal terminal = terminal_open();
	const unsigned short widths[] = {100, 40, 0, 39};
	const int expected[] = {100, 40, 80, 80};

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		const struct winsize window = {.ws_row = 24, .ws_col = widths[i]};

		assert_int_equal(ioctl(terminal.master, TIOCSWINSZ, &window), 0);
		assert_int_equal(columns_of(terminal.slave), expected[i]);
	}
	terminal_close(&terminal);
}

TEST(test_no_terminal)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(terminal_columns(file), 0);
	fclose(file);
}

static const char *fold(const char *text, int columns, int first, int indent)
{
	static char buffer[128];

	return text_fold(text, columns, first, indent, buffer, sizeof(buffer));
}

TEST(test_fold)
{
	assert_string_equal(fold("", 10, 0, 0), "");
	assert_string_equal(fold("one two three", 13, 0, 2), "one two three");
	assert_string_equal(fold("one two three", 12, 0, 2), "one two\n  three");
	assert_string_equal(fold("one two three", 12, 6, 2), "one\n  two three");
	assert_string_equal(fold("one   two", 80, 0, 0), "one two");
	/* a word that fits nowhere is not cut, and no empty line stands before it */
	assert_string_equal(fold("abcdefghij k", 5, 0, 1), "abcdefghij\n k");
	assert_string_equal(fold("one two three", 0, 0, 2), "one two three");
}

TEST(test_small_buffer)
{
	char buffer[6];

	assert_string_equal(text_fold("one two three", 80, 0, 0, buffer, sizeof(buffer)), "one t");
}

/* As xterm obeys them: ESC, DEL, C1 as one byte and as two; what is cut; letters and tabs stay. */
TEST(test_controls)
{
	static char text[] = "a\033[1m\t\n\177\x9b"
			     "b\xc2\x9b\xc3\xa9\xe2\x82\xac\xef\xbf\xbf\xf0\x9f\x98";
	char copy[12];

	assert_string_equal(without_controls(text), "a.[1m\t...b..\xc3\xa9\xe2\x82\xac......");
	/* in more bytes than it needs, a surrogate, above U+10FFFF; and what does not fit */
	assert_string_equal(readable("\xe0\x9f\xbf\xed\xa0\x80\xf4\x90\x80\x80", 10, copy, sizeof(copy)), "..........");
	assert_string_equal(readable("0123456789\xc3\xa9", 12, copy, sizeof(copy)), "0123456789.");
	assert_string_equal(readable("\xc3\xa9t\xc3\xa9", 3, copy, sizeof(copy)), "\xc3\xa9t");
}

TEST_MAIN(NULL, NULL)
