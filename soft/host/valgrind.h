/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Client requests to valgrind's tools, for programs that run under them: a few instructions without effect elsewhere,
 * and none if the library was built without valgrind's headers.
 */
#pragma once

#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_VALGRIND_MEMCHECK_H
#include <valgrind/memcheck.h>
#endif

/* Does that tool of valgrind run? "": any. */
static inline bool valgrind_runs(const char *tool)
{
	const char *preloaded = getenv("LD_PRELOAD");
	char name[32];

	snprintf(name, sizeof(name), "vgpreload_%s", tool);
	return preloaded && strstr(preloaded, name);
}

#ifdef VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE
#define VALGRIND_LISTENS 1

/* memcheck then does not search this memory for pointers, and does not complain about our accesses to it. */
static inline void valgrind_hide(const void *addr, size_t length)
{
	VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE(addr, length);
	(void)VALGRIND_MAKE_MEM_NOACCESS(addr, length);
}

static inline void valgrind_show(const void *addr, size_t length)
{
	VALGRIND_ENABLE_ADDR_ERROR_REPORTING_IN_RANGE(addr, length);
}

/* Marks memory written by a system call that valgrind does not know. */
static inline void valgrind_written(const void *addr, size_t length)
{
	(void)VALGRIND_MAKE_MEM_DEFINED(addr, length);
}

/*
 * Ignores errors of this thread until valgrind_listen(): pages move whole, including bytes that the program has not
 * written yet.
 */
static inline void valgrind_ignore(void)
{
	VALGRIND_DISABLE_ERROR_REPORTING;
}

static inline void valgrind_listen(void)
{
	VALGRIND_ENABLE_ERROR_REPORTING;
}

#else
#define VALGRIND_LISTENS 0

#define valgrind_hide(addr, length)    ((void)(addr), (void)(length))
#define valgrind_show(addr, length)    ((void)(addr), (void)(length))
#define valgrind_written(addr, length) ((void)(addr), (void)(length))
#define valgrind_ignore()	       ((void)0)
#define valgrind_listen()	       ((void)0)

#endif
