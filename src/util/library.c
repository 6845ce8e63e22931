// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens a library and looks up its functions. See library.h. */
#define _GNU_SOURCE /* dlvsym(), dladdr() */
#include "util/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/sysfs.h"

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

static int lacks(const struct library *library, const char *file, const struct library_symbol *symbol, const char *who,
		 char *reason, size_t size)
{
	if (file && symbol->since)
		snprintf(reason, size,
			 "%s needs %s() of %s, which the installed version does not have; install that of "
			 "rdma-core %u or newer",
			 who, symbol->name, file, symbol->since);
	else if (file)
		snprintf(reason, size,
			 "%s needs %s() of %s, which the installed version does not have; install a newer one of %s",
			 who, symbol->name, file, library->comes_with);
	else
		snprintf(reason, size, "%s needs %s(), which %s does not provide", who, symbol->name,
			 library->comes_with);
	return -ENOENT;
}

int library_open(const struct library *library, void *functions, const char *who, char *reason, size_t size)
{
	const char *file = library->files[0];
	char fault[256] = "";
	/* Never closed: such libraries have threads of their own. */
	void *handle = file ? open_any(library->files, &file, fault, sizeof(fault)) : RTLD_DEFAULT;

	if (file && !handle) {
		if (library->is_optional)
			return 0;
		snprintf(reason, size, "%s needs %s, which comes with %s and cannot be loaded%s", who, file,
			 library->comes_with, fault);
		return -ENOENT;
	}
	for (const struct library_symbol *symbol = library->symbols; symbol->name; symbol++) {
		void **address =
			symbol->address ? symbol->address : (void **)(void *)((char *)functions + symbol->offset);

		*address = library_find(handle, symbol);
		if (!*address && !symbol->is_optional)
			return lacks(library, file, symbol, who, reason, size);
	}
	return 0;
}

static void file_name(char *text, size_t size, const char *path)
{
	char *real = path && path[0] ? realpath(path, NULL) : NULL;

	snprintf(text, size, "%s", real ? sysfs_name(real) : "");
	free(real);
}

void library_file(char *text, size_t size, const char *soname)
{
	void *library = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
	struct link_map *map = NULL;

	file_name(text, size, library && !dlinfo(library, RTLD_DI_LINKMAP, &map) ? map->l_name : NULL);
	if (library)
		dlclose(library);
}

void library_file_at(char *text, size_t size, const void *address)
{
	Dl_info info;

	file_name(text, size, dladdr(address, &info) ? info.dli_fname : NULL);
}
