// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes the device visible to programs that open libibverbs themselves (NCCL, Python's ctypes): dlsym() on that handle
 * would bypass interposed symbols. So libibverbs is opened globally, and the program gets the global handle, in which
 * this library comes first. All other calls reach the C library by a jump, so that it sees the original caller, whose
 * own search path applies.
 */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "abi/abi.h"
#include "host/next.h"

typedef void *(*open_fn)(const char *, int);

static bool is_libibverbs(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	const char *name = slash ? slash + 1 : file;

	return name && (strcmp(name, "libibverbs.so") == 0 || strcmp(name, "libibverbs.so.1") == 0);
}

void *soft_dlopen_behind(const char *file, int mode)
{
	open_fn open = SOFT_NEXT(open_fn, "dlopen");

	return open ? open(file, mode) : NULL;
}

static void *open_everything(open_fn open, const char *file, int mode)
{
	void *handle = open(file, mode | RTLD_GLOBAL);

	/* The name without a version number is only in the development package. */
	if (!handle)
		handle = open("libibverbs.so.1", mode | RTLD_GLOBAL);
	return handle ? open(NULL, mode) : NULL;
}

SOFT_EXPORT void *dlopen(const char *file, int mode)
{
	open_fn open = SOFT_NEXT(open_fn, "dlopen");

	if (!open)
		return NULL;
	if (is_libibverbs(file) && !(mode & RTLD_NOLOAD))
		return open_everything(open, file, mode);
	return open(file, mode);
}
