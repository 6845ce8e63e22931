// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See direct_library.h. */
#include "verbs/device/direct_library.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/log.h"

struct direct_opened {
	struct direct_opened *next;
	const struct direct_library *direct;
	max_align_t functions[]; /* the library's structure */
};

const void *direct_library_find(struct direct_set *set, const struct direct_library *direct, const char *what,
				char *reason, size_t size)
{
	const struct library soft = {.symbols = direct->library.symbols, .comes_with = "the loaded software device"};
	struct direct_opened *opened;

	for (opened = set->first; opened; opened = opened->next)
		if (opened->direct == direct)
			return opened->functions;
	opened = calloc(1, sizeof(*opened) + direct->bytes);
	if (!opened) {
		snprintf(reason, size, "no memory for the functions of %s", direct->library.files[0]);
		return NULL;
	}
	if (library_open(set->is_software && direct->is_of_soft ? &soft : &direct->library, opened->functions, what,
			 reason, size)) {
		free(opened);
		return NULL;
	}
	opened->direct = direct;
	opened->next = set->first;
	set->first = opened;
	return opened->functions;
}

const void *direct_library_of(struct direct_set *set, const struct direct_library *direct, const char *what)
{
	char reason[LOG_TEXT_SIZE];
	const void *functions = direct_library_find(set, direct, what, reason, sizeof(reason));

	if (!functions)
		log_error("%s", reason);
	return functions;
}

void direct_set_close(struct direct_set *set)
{
	while (set && set->first) {
		struct direct_opened *first = set->first;

		set->first = first->next;
		free(first);
	}
	free(set);
}
