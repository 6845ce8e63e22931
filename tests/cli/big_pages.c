// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded, a program believes that its host has pages of 64 KiB, as some have (arm64, ppc64le). Built by
 * page_sizes.bats. What the kernel maps is still in smaller ones, which is no harm: all it gets is a multiple of them.
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
