// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See terminal.h. */
#include "util/terminal.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAST_COLUMNS 40

int terminal_set_columns(FILE *stream)
{
	struct winsize window;

	/* Serial lines and terminals of scripts have size 0. */
	if (!isatty(fileno(stream)) || ioctl(fileno(stream), TIOCGWINSZ, &window) || window.ws_col < LEAST_COLUMNS)
		return 0;
	return window.ws_col;
}

int terminal_columns(FILE *stream)
{
	const int columns = terminal_set_columns(stream);

	return columns || !isatty(fileno(stream)) ? columns : TERMINAL_USUAL_COLUMNS;
}

bool terminal_is_watched(FILE *stream)
{
	return isatty(fileno(stream)) && isatty(STDIN_FILENO);
}

void text_add(char *text, size_t size, const char *format, ...)
{
	const size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

void text_list_add(char *text, size_t size, const char *word)
{
	text_add(text, size, "%s%s", text[0] ? ", " : "", word);
}

struct folded {
	char *buffer;
	size_t size;
	size_t used;
};

static void folded_add(struct folded *folded, char c)
{
	if (folded->used + 1 < folded->size)
		folded->buffer[folded->used++] = c;
}

const char *text_fold(const char *text, int columns, int first, int indent, char *buffer, size_t size)
{
	struct folded folded = {.buffer = buffer, .size = size};
	int column = first, line_begin = first;

	while (*text) {
		const int word = (int)strcspn(text, " ");

		if (columns > 0 && column > line_begin && column + 1 + word > columns) {
			folded_add(&folded, '\n');
			for (column = 0; column < indent; column++)
				folded_add(&folded, ' ');
			line_begin = column;
		} else if (column > line_begin) {
			folded_add(&folded, ' ');
			column++;
		}
		for (int i = 0; i < word; i++)
			folded_add(&folded, text[i]);
		column += word;
		text += word;
		text += strspn(text, " ");
	}
	if (size)
		buffer[folded.used] = '\0';
	return buffer;
}

const char *printable(const void *bytes, size_t length, char *text, size_t size)
{
	const uint8_t *from = bytes;
	size_t i;

	for (i = 0; i < length && i + 1 < size; i++)
		text[i] = from[i] >= 0x20 && from[i] < 0x7f ? (char)from[i] : '.';
	text[i] = '\0';
	return text;
}

unsigned character_length(const char *text)
{
	const uint8_t *at = (const uint8_t *)text;
	const unsigned length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

	if (at[0] < 0x20 || at[0] == 0x7f || at[0] > 0xf4 || (at[0] == 0xc2 && at[1] < 0xa0))
		return 0;
	for (unsigned i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf0 && at[1] < 0x90) ||
	    (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe ? 0 : length;
}

char *without_controls(char *text)
{
	for (char *at = text; *at;) {
		const unsigned length = character_length(at);

		if (!length && *at != '\t')
			*at = '.';
		at += length ? length : 1;
	}
	return text;
}

const char *readable(const char *bytes, size_t length, char *text, size_t size)
{
	snprintf(text, size, "%.*s", (int)(length < size ? length : size), bytes);
	return without_controls(text);
}
