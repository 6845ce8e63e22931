// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the function that this library interposes. Called by export.c and device.c before they pass on a call for a
 * real device; each caller caches the result.
 *
 * Preloaded, or linked ahead of libibverbs, the real function is the next definition in the search order. A program
 * linked only with this library has no libibverbs in that order (the linker drops it as not needed), nor has one that
 * opens libibverbs privately: then it is opened here.
 */
#include "config.h"

#include <dlfcn.h>
#include <pthread.h>

#include "abi/abi.h"

#define REAL_SONAME "libibverbs.so.1"

static void *real_handle; /* where to search: RTLD_NEXT, or libibverbs; NULL if there is none */

static void *real_lookup(void *handle, const char *name, const char *node)
{
	return node ? dlvsym(handle, name, node) : dlsym(handle, name);
}

/* Decided once: mixing functions of two copies of libibverbs would be worse than having none. */
static void real_find(void)
{
	if (real_lookup(RTLD_NEXT, "ibv_get_device_list", "IBVERBS_1.1"))
		real_handle = RTLD_NEXT;
	else
		real_handle = soft_dlopen_behind(REAL_SONAME, RTLD_LAZY | RTLD_LOCAL);
}

void *soft_real_symbol(const char *name, const char *node)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, real_find);
	return real_handle ? real_lookup(real_handle, name, node) : NULL;
}
