/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opens a provider's direct verbs library at run time, for functions that verbs does not have, so that one build works
 * on all machines. mlx5_library.h and efa_library.h list the functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct direct_symbol {
	const char *name;
	const char *node; /* symbol version; constant as long as the function's ABI is. NULL: any */
	unsigned since;	  /* release of rdma-core that added it, if newer than 33, the oldest that we build with */
	bool is_optional; /* the pointer stays NULL if the library is older */
	size_t offset;	  /* of the pointer in the structure of functions */
};

struct direct_library {
	const char *file;    /* "libmlx5.so.1" */
	const char *package; /* that contains it */
	const struct direct_symbol *symbols;
	size_t count;
};

/*
 * Fills the structure of functions. For a software device they come from its own library, which precedes all others
 * (docs/soft.md). what: what needs them, "-c DC". 0, or -ENOENT, reported. Never closed.
 */
int direct_library_open(const struct direct_library *library, bool is_software, const char *what, void *functions);
