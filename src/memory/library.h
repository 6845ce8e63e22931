/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Libraries that not every host has, opened at run time: which of their functions are needed, and where do they go?
 * The kinds of memory describe theirs in rows; verbs has one of mlx5's.
 */
#ifndef MEMORY_LIBRARY_H
#define MEMORY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library_symbol {
	const char *name;
	void **address;	     /* where it goes; NULL behind the last one */
	const char *version; /* the version node that it must be of; NULL: the library has none */
	const char *older;   /* its name where there is none of the first; NULL: it has one */
	bool is_optional;    /* not in every release: the address stays NULL */
};

struct library {
	const char *const *files; /* up to a NULL: the first that can be opened; NULL: what the process has loaded */
	const struct library_symbol *symbols;
	const char *comes_with; /* "the driver's software" */
	bool is_optional;	/* without it, all of its addresses stay NULL */
};

/* A row's address: a function's may be kept in an object pointer (POSIX, dlsym()). */
#define LIBRARY_ADDRESS(pointer) ((void **)(void *)&(pointer))

/* Fills the addresses. It stays open. 0, or -ENOENT and what is missing, with who in front ("NVIDIA: ..."). */
int library_open(const struct library *library, const char *who, char *reason, size_t reason_size);

#endif
