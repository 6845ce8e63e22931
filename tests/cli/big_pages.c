// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded: makes a program believe that its host has pages of 64 KiB, as some have (arm64, ppc64le). Built by
 * page_sizes.bats. The kernel still maps smaller ones, which does no harm: all sizes are multiples of them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

long sysconf(int name)
{
	static long (*next)(int);

	if (name == _SC_PAGESIZE)
		return 65536;
	if (!next)
		next = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
	return next(name);
}
