/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A provider's library of direct verbs, opened at run time: what its devices can beyond verbs is called there, and one
 * build serves every machine. mlx5_library.h and efa_library.h have the functions.
 */
#ifndef VERBS_DIRECT_LIBRARY_H
#define VERBS_DIRECT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct direct_symbol {
	const char *name;
	const char *node; /* its version in the library, which a function keeps for as long as it is the same */
	unsigned since;	  /* release of rdma-core that has it; 33 or newer, with which this builds */
	bool is_optional; /* the pointer stays NULL where the library is older */
	size_t offset;	  /* of the pointer, in the structure of functions */
};

struct direct_library {
	const char *file;    /* "libmlx5.so.1" */
	const char *package; /* where it comes from */
	const struct direct_symbol *symbols;
	size_t count;
};

/*
 * Fills the structure of functions. A software device answers for itself: its library stands in front of all others
 * (docs/soft.md). what: what needs them, "-c DC". 0, or -ENOENT, reported. It stays open for as long as the process.
 */
int direct_library_open(const struct direct_library *library, bool is_software, const char *what, void *functions);

#endif
