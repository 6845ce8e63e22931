// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Text in man(7) markup, for gen_man.c and gen_overview.c. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "gendocs/gen_docs.h"

/* Plain text for roff: dashes that can be copied, no requests at the start of a line. */
void roff_text(const char *text, const char *name)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (text[0] == '%' && text[1] == 's') {
			roff_text(name, name);
			text++;
		} else if (*text == '-') {
			fputs("\\-", stdout);
		} else if (*text == '\\') {
			fputs("\\e", stdout);
		} else if (*text == '^') {
			fputs("\\(ha", stdout);
		} else if (*text == '\'') {
			fputs("\\(cq", stdout);
		} else {
			putchar(*text);
		}
	}
}

void roff_around(const char *before, const char *text, const char *name, const char *behind)
{
	fputs(before, stdout);
	roff_text(text, name);
	fputs(behind, stdout);
}

/* One sentence per line, as is usual in manual pages. */
void roff_prose(const char *text, const char *name)
{
	char sentence[1024];

	while (*text) {
		size_t length = 0;

		while (text[length] &&
		       !(text[length] == '.' && text[length + 1] == ' ' && isupper((unsigned char)text[length + 2])))
			length++;
		if (text[length])
			length++;
		snprintf(sentence, sizeof(sentence), "%.*s", (int)length, text);
		roff_text(sentence, name);
		putchar('\n');
		text += length;
		text += strspn(text, " ");
	}
}

void roff_option(const struct opt_row *row)
{
	printf(".TP\n");
	if (row->short_name)
		printf("\\fB\\-%c\\fR, ", row->short_name);
	if (row->letters && row->letters[0])
		printf("\\fB\\-%s\\fR, ", row->letters);
	roff_around("\\fB\\-\\-", row->long_name, "", "\\fR");
	if (row->argument)
		printf(row->bare ? "[%s\\fI%s\\fR]" : "%s\\fI%s\\fR", row->letters ? " " : "=", row->argument);
	putchar('\n');
	roff_text(row->help, "");
	printf(".\n");
}
