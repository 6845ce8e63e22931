// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See direct_library.h. */
#define _GNU_SOURCE /* dlvsym() */
#include "verbs/device/direct_library.h"

#include <dlfcn.h>
#include <errno.h>

#include "util/log.h"

int direct_library_open(const struct direct_library *library, bool is_software, const char *what, void *functions)
{
	void *handle = is_software ? RTLD_DEFAULT : dlopen(library->file, RTLD_NOW | RTLD_LOCAL);

	if (!is_software && !handle)
		return log_fail(-ENOENT, "%s needs %s, which cannot be loaded\n%s; install %s", what, library->file,
				dlerror(), library->package);
	for (size_t i = 0; i < library->count; i++) {
		const struct direct_symbol *symbol = &library->symbols[i];
		/* POSIX allows storing a function's address in an object pointer, see dlsym(). */
		void **member = (void **)(void *)((char *)functions + symbol->offset);

		*member = symbol->node ? dlvsym(handle, symbol->name, symbol->node) : dlsym(handle, symbol->name);
		if (*member || symbol->is_optional)
			continue;
		if (is_software)
			log_error("%s needs %s(), which the loaded software device does not provide", what,
				  symbol->name);
		else
			log_error("%s needs %s() of %s, which the installed version does not have; install that of "
				  "rdma-core %u or newer",
				  what, symbol->name, library->file, symbol->since);
		return -ENOENT;
	}
	return 0;
}
