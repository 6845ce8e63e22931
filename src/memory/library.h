/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Optional libraries that are opened at run time, and the functions that are needed from them. Each memory kind
 * describes its libraries in a table; verbs has one for mlx5.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct library_symbol {
	const char *name;
	void **address;	     /* where to store the function's address; NULL ends the table */
	const char *version; /* symbol version; NULL: the library has none */
	const char *older;   /* the function's name in older releases; NULL: the same */
	bool is_optional;    /* missing in some releases: the address stays NULL */
};

struct library {
	const char *const *files; /* NULL-terminated: the first that opens is used; NULL: what the process has loaded */
	const struct library_symbol *symbols;
	const char *comes_with; /* "the driver's software" */
	bool is_optional;	/* without the library, all of its addresses stay NULL */
};

/* The address member of a row. POSIX allows storing a function's address in an object pointer, see dlsym(). */
#define LIBRARY_ADDRESS(pointer) ((void **)(void *)&(pointer))

/*
 * Fills the addresses. The library is never closed. 0, or -ENOENT and what is missing, prefixed with who ("NVIDIA:
 * ...").
 */
int library_open(const struct library *library, const char *who, char *reason, size_t reason_size);
