// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See hostlist.h. */
#include "front/matrix/hostlist.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MOST_DIGITS 9 /* of a number */

static const char separators[] = ", \t\r\n", no_range[] = "a bracket is for numbers and ranges, as in n[1-4,7]",
		  too_long[] = "a name is too long";

struct expansion {
	hostlist_take_fn take;
	void *context;
	bool full; /* no more are wanted */
	char name[HOSTLIST_NAME_SIZE];
};

/* A number at *text, which is moved behind it. False: there is none, or a huge one. */
static bool number_read(const char **text, uint32_t *number, int *digits)
{
	*digits = (int)strspn(*text, "0123456789");
	if (!*digits || *digits > MOST_DIGITS)
		return false;
	*number = 0;
	for (int i = 0; i < *digits; i++)
		*number = 10 * *number + (uint32_t)((*text)[i] - '0');
	*text += *digits;
	return true;
}

static const char *expand(struct expansion *expansion, const char *from, const char *end, size_t used);

/* The ranges of a bracket, from behind "[" on, each number with what follows the bracket. */
static const char *expand_bracket(struct expansion *expansion, const char *from, const char *close, const char *end,
				  size_t used)
{
	const size_t size = sizeof(expansion->name) - used;
	uint32_t first, last;
	int width, digits;
	const char *fault = NULL;

	do {
		if (!number_read(&from, &first, &width))
			return no_range;
		last = first;
		if (*from == '-' && (from++, !number_read(&from, &last, &digits)))
			return no_range;
		if (last < first || (*from != ',' && from != close))
			return no_range;
		for (uint32_t i = first; i <= last && !fault && !expansion->full; i++) {
			const size_t length = (size_t)snprintf(expansion->name + used, size, "%0*u", width, i);

			fault = length < size ? expand(expansion, close + 1, end, used + length) : too_long;
		}
	} while (!fault && !expansion->full && from++ < close);
	return fault;
}

/* What is behind the name's first used characters. Goes no deeper than a name is long. */
static const char *expand(struct expansion *expansion, const char *from, const char *end, size_t used)
{
	const char *close;

	for (; from < end && *from != '['; from++) {
		if (*from == ']')
			return "a bracket is closed that is not open";
		if (used >= sizeof(expansion->name) - 1)
			return too_long;
		expansion->name[used++] = *from;
	}
	if (from < end) {
		close = memchr(from, ']', (size_t)(end - from));
		return close ? expand_bracket(expansion, from + 1, close, end, used) : "a bracket is not closed";
	}
	expansion->name[used] = '\0';
	expansion->full = !expansion->take(expansion->context, expansion->name);
	return NULL;
}

/* Where the name, with its brackets, ends. */
static const char *name_end(const char *name)
{
	bool inside = false;

	for (; *name && (inside || !strchr(separators, *name)); name++)
		inside = *name == '[' || (inside && *name != ']');
	return name;
}

const char *hostlist_each(const char *list, hostlist_take_fn take, void *context)
{
	struct expansion expansion = {.take = take, .context = context};
	const char *end, *fault = NULL;

	for (list += strspn(list, separators); *list && !fault && !expansion.full;
	     list = end + strspn(end, separators)) {
		end = name_end(list);
		fault = expand(&expansion, list, end, 0);
	}
	return fault;
}
