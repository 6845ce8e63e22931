// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See direct_library.h. */
#define _GNU_SOURCE /* dlvsym() */
#include "verbs/device/direct_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/log.h"

struct direct_opened {
	struct direct_opened *next;
	const struct direct_library *library;
	max_align_t functions[]; /* the library's structure */
};

int direct_library_open(const struct direct_library *library, bool is_software, const char *what, void *functions,
			char *reason, size_t size)
{
	void *handle = is_software ? RTLD_DEFAULT : dlopen(library->file, RTLD_NOW | RTLD_LOCAL);

	if (!is_software && !handle) {
		snprintf(reason, size, "%s needs %s, which cannot be loaded; %s; install %s", what, library->file,
			 dlerror(), library->package);
		return -ENOENT;
	}
	for (size_t i = 0; i < library->count; i++) {
		const struct direct_symbol *symbol = &library->symbols[i];
		/* POSIX allows storing a function's address in an object pointer, see dlsym(). */
		void **member = (void **)(void *)((char *)functions + symbol->offset);

		*member = symbol->node ? dlvsym(handle, symbol->name, symbol->node) : dlsym(handle, symbol->name);
		if (*member || symbol->is_optional)
			continue;
		if (is_software)
			snprintf(reason, size, "%s needs %s(), which the loaded software device does not provide", what,
				 symbol->name);
		else
			snprintf(reason, size,
				 "%s needs %s() of %s, which the installed version does not have; install that of "
				 "rdma-core %u or newer",
				 what, symbol->name, library->file, symbol->since);
		return -ENOENT;
	}
	return 0;
}

const void *direct_library_find(struct direct_set *set, const struct direct_library *library, const char *what,
				char *reason, size_t size)
{
	struct direct_opened *opened;

	for (opened = set->first; opened; opened = opened->next)
		if (opened->library == library)
			return opened->functions;
	opened = calloc(1, sizeof(*opened) + library->bytes);
	if (!opened) {
		snprintf(reason, size, "no memory for the functions of %s", library->file);
		return NULL;
	}
	if (direct_library_open(library, set->is_software && library->is_of_soft, what, opened->functions, reason,
				size)) {
		free(opened);
		return NULL;
	}
	opened->library = library;
	opened->next = set->first;
	set->first = opened;
	return opened->functions;
}

const void *direct_library_of(struct direct_set *set, const struct direct_library *library, const char *what)
{
	char reason[LOG_TEXT_SIZE];
	const void *functions = direct_library_find(set, library, what, reason, sizeof(reason));

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
