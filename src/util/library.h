/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Libraries that are opened at run time, and the functions that are needed from them: those of GPUs, of providers'
 * direct verbs, of Slingshot. Each is described by a table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct library_symbol {
	const char *name; /* NULL ends the table */
	void **address;	  /* where to store the function's address; NULL: at the offset in the structure of functions */
	size_t offset;
	const char *version; /* symbol version; constant as long as the function's ABI is. NULL: any */
	const char *older;   /* the function's name in older releases; NULL: the same */
	unsigned since;	  /* release of rdma-core that added it; 0: not of that, or older than any that we build with */
	bool is_optional; /* missing in some releases: the address stays NULL */
};

#define LIBRARY_FILES 4 /* names of one library, at most */

struct library {
	const char *files[LIBRARY_FILES + 1]; /* the first that opens is used; none: what the process has loaded */
	const struct library_symbol *symbols;
	const char *comes_with; /* "the driver's software" */
	bool is_optional;	/* without the library, all of its addresses stay NULL */
};

/* The address member of a row. POSIX allows storing a function's address in an object pointer, see dlsym(). */
#define LIBRARY_ADDRESS(pointer) ((void **)(void *)&(pointer))
/* Rows: the function, its pointer, or the pointer in a structure, and other members of the row. */
#define LIBRARY_ROW(symbol, pointer, ...)                                                                              \
	{                                                                                                              \
		.name = (symbol), .address = LIBRARY_ADDRESS(pointer), ##__VA_ARGS__                                   \
	}
#define LIBRARY_ROW_IN(type, member, symbol, ...)                                                                      \
	{                                                                                                              \
		.name = (symbol), .offset = offsetof(type, member), ##__VA_ARGS__                                      \
	}

/*
 * Fills the addresses, and the structure of functions (NULL: no row has an offset). The library is never closed. who:
 * needs them, "NVIDIA", "-c DC". 0, or -ENOENT and a sentence that says what is missing.
 */
int library_open(const struct library *library, void *functions, const char *who, char *reason, size_t size);
/*
 * The file of a library that is loaded, behind all symbolic links, whose name ends with its version:
 * "libibverbs.so.1.14.44.0". "": it is not loaded.
 */
void library_file(char *text, size_t size, const char *soname);
/* The same of the library that this address is in. */
void library_file_at(char *text, size_t size, const void *address);
