// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens a library and looks up its functions. See library.h. */
#define _GNU_SOURCE
#include "memory/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

static void *library_find(void *handle, const struct library_symbol *symbol)
{
	void *address = symbol->version ? dlvsym(handle, symbol->name, symbol->version) : dlsym(handle, symbol->name);

	return address || !symbol->older ? address : dlsym(handle, symbol->older);
}

int library_open(const struct library *library, const char *who, char *reason, size_t reason_size)
{
	const char *file = library->files ? library->files[0] : "libibverbs";
	void *handle = library->files ? NULL : RTLD_DEFAULT;

	/* Never closed: such libraries have threads of their own. */
	for (size_t i = 0; library->files && !handle && library->files[i]; i++) {
		handle = dlopen(library->files[i], RTLD_NOW | RTLD_LOCAL);
		if (handle)
			file = library->files[i];
	}
	if (library->files && !handle) {
		if (library->is_optional)
			return 0;
		snprintf(reason, reason_size, "%s: %s, which comes with %s, can't be loaded", who, file,
			 library->comes_with);
		return -ENOENT;
	}
	for (const struct library_symbol *symbol = library->symbols; symbol->name; symbol++) {
		*symbol->address = library_find(handle, symbol);
		if (*symbol->address || symbol->is_optional)
			continue;
		snprintf(reason, reason_size, "%s: %s has no %s%s%s", who, file, symbol->name,
			 symbol->version ? " of version " : "", symbol->version ? symbol->version : "");
		if (library->files)
			dlclose(handle);
		return -ENOENT;
	}
	return 0;
}
