// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens libfabric. See fabric_library.h. */
#include "config.h" /* dlvsym() */

#include "cxi/fabric/fabric_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#define FILE_NAME "libfabric.so.1"

/*
 * struct fi_info has grown, and the version of a symbol says which one it expects: that of the headers. For headers of
 * 1.18 and newer we assume the newest symbol of the library, which is what linking with it would choose.
 */
#if FI_MAJOR_VERSION == 1 && FI_MINOR_VERSION <= 17
#define INFO_VERSION "FABRIC_1.3"
#else
#define INFO_VERSION NULL
#endif

static int fabric_library_find(struct fabric_library *library, void **symbol, const char *name, const char *version,
			       char *reason, size_t reason_size)
{
	*symbol = version ? dlvsym(library->handle, name, version) : dlsym(library->handle, name);
	if (*symbol)
		return 0;
	snprintf(reason, reason_size, FILE_NAME " has no %s%s%s: it is older than 1.3, or a different library", name,
		 version ? " of version " : "", version ? version : "");
	return -ENOENT;
}

/* POSIX allows storing a function's address in an object pointer, see dlsym(). */
#define FIND(member, name, version)                                                                                    \
	fabric_library_find(library, (void **)(void *)&library->member, name, version, reason, reason_size)

int fabric_library_open(struct fabric_library *library, char *reason, size_t reason_size)
{
	int ret;

	library->handle = dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL);
	if (!library->handle) {
		snprintf(reason, reason_size,
			 "--provider needs " FILE_NAME " of libfabric, which can't be loaded\n"
			 "%s; install libfabric1 (Debian) or libfabric (Fedora)",
			 dlerror());
		return -ENOENT;
	}
	ret = FIND(getinfo, "fi_getinfo", INFO_VERSION);
	if (!ret)
		ret = FIND(freeinfo, "fi_freeinfo", INFO_VERSION);
	if (!ret)
		ret = FIND(dupinfo, "fi_dupinfo", INFO_VERSION);
	if (!ret)
		ret = FIND(fabric, "fi_fabric", NULL);
	if (!ret)
		ret = FIND(strerror, "fi_strerror", NULL);
	if (!ret)
		ret = FIND(version, "fi_version", NULL);
	return ret;
}
