// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes the device visible to programs that open libibverbs themselves (NCCL, Python's ctypes): dlsym() on that handle
 * would bypass interposed symbols. So libibverbs is opened globally, and the program gets the global handle, in which
 * this library comes first. All other calls reach the C library by a jump, so that it sees the original caller, whose
 * own search path applies.
 *
 * And finds the functions of libibverbs that this library interposes, for calls on a real device; each caller caches
 * the result. Preloaded, or linked ahead of libibverbs, the real function is the next definition in the search order. A
 * program linked only with this library has no libibverbs in that order (the linker drops it as not needed), nor has
 * one that opens libibverbs privately: then it is opened here.
 */
#include "config.h"

#include "abi/abi.h"
#include "host/next.h"

#define LIBIBVERBS "libibverbs.so.1"

typedef void *(*open_fn)(const char *, int);

static bool is_libibverbs(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	const char *name = slash ? slash + 1 : file;

	return name && (strcmp(name, "libibverbs.so") == 0 || strcmp(name, LIBIBVERBS) == 0);
}

static void *open_everything(open_fn open, const char *file, int mode)
{
	void *handle = open(file, mode | RTLD_GLOBAL);

	/* The name without a version number is only in the development package. */
	if (!handle)
		handle = open(LIBIBVERBS, mode | RTLD_GLOBAL);
	return handle ? open(NULL, mode) : NULL;
}

SOFT_EXPORT void *dlopen(const char *file, int mode)
{
	open_fn open = SOFT_NEXT(open_fn, "dlopen");

	if (!open)
		return NULL;
	return is_libibverbs(file) && !(mode & RTLD_NOLOAD) ? open_everything(open, file, mode) : open(file, mode);
}

static void *real_handle; /* where to search: RTLD_NEXT, or libibverbs; NULL if there is none */

static void *real_lookup(void *handle, const char *name, const char *node)
{
	return node ? dlvsym(handle, name, node) : dlsym(handle, name);
}

/* Decided once: mixing functions of two copies of libibverbs would be worse than having none. */
static void real_find(void)
{
	open_fn open = SOFT_NEXT(open_fn, "dlopen");

	if (real_lookup(RTLD_NEXT, "ibv_get_device_list", "IBVERBS_1.1"))
		real_handle = RTLD_NEXT;
	else if (open)
		real_handle = open(LIBIBVERBS, RTLD_LAZY | RTLD_LOCAL);
}

void *soft_real_symbol(const char *name, const char *node)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, real_find);
	return real_handle ? real_lookup(real_handle, name, node) : NULL;
}
