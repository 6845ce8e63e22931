// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens a library and looks up its functions. See library.h. */
#define _GNU_SOURCE
#include "memory/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void *library_find(void *handle, const struct library_symbol *symbol)
{
	void *address = symbol->version ? dlvsym(handle, symbol->name, symbol->version) : dlsym(handle, symbol->name);

	return address || !symbol->older ? address : dlsym(handle, symbol->older);
}

/* Opens the first that can be. fault: what the loader says about one that is there, as that it needs another one. */
static void *open_any(const char *const *files, const char **file, char *fault, size_t fault_size)
{
	void *handle = NULL;

	for (size_t i = 0; !handle && files[i]; i++) {
		char absent[128];
		const char *words;

		handle = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
		words = handle ? NULL : dlerror();
		if (handle)
			*file = files[i];
		snprintf(absent, sizeof(absent), "%s: cannot open shared object file", files[i]);
		if (words && strncmp(words, absent, strlen(absent)) != 0)
			snprintf(fault, fault_size, ": %s", words);
	}
	return handle;
}

int library_open(const struct library *library, const char *who, char *reason, size_t reason_size)
{
	const char *file = library->files ? library->files[0] : "libibverbs";
	char fault[256] = "";
	/* Never closed: such libraries have threads of their own. */
	void *handle = library->files ? open_any(library->files, &file, fault, sizeof(fault)) : RTLD_DEFAULT;

	if (library->files && !handle) {
		if (library->is_optional)
			return 0;
		snprintf(reason, reason_size, "%s: %s, which comes with %s, can't be loaded%s", who, file,
			 library->comes_with, fault);
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
