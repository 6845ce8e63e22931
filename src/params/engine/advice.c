// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See advice.h. */
#include "params/engine/advice.h"

#include <string.h>

#define DASHES	"--"
#define LETTERS "abcdefghijklmnopqrstuvwxyz_-"

/* The first option behind the place, before the end; NULL: none. */
static const char *next_option(const char *at, const char *end)
{
	const char *found = strstr(at, DASHES);

	return found && found < end ? found + strlen(DASHES) : NULL;
}

static bool has_all(const struct advised *advised, const char *name, const char *end)
{
	for (; name; name = next_option(name, end))
		if (!advised->options || !opt_has(advised->options, advised->program, name, strspn(name, LETTERS)))
			return false;
	return true;
}

void advice_fit(const struct advised *advised, char *text)
{
	char *out = text;

	for (const char *at = text; *at; at++) {
		const char *end = *at == '[' ? strchr(at, ']') : NULL;
		const char *option = end ? next_option(at, end) : NULL;
		size_t length;

		if (!option) { /* "always [madvise] never" is a file's */
			*out++ = *at;
			continue;
		}
		if (has_all(advised, option, end)) {
			length = (size_t)(end - at) - 1;
			memmove(out, at + 1, length);
			out += length;
		}
		at = end;
	}
	*out = '\0';
}
