/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opens a provider's direct verbs library at run time, for functions that verbs does not have, so that one build works
 * on all machines. The functions belong to the device that needs them.
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
	bool is_of_soft;     /* a software device has these functions, too, in its own library (docs/soft.md) */
	const struct direct_symbol *symbols;
	size_t count;
	size_t bytes; /* of the structure of functions */
};

/* What is open for a device. */
struct direct_set {
	bool is_software;
	struct direct_opened *first;
};

/* Fills a structure of functions. what: what needs them, "-c DC". 0, or -ENOENT and a sentence. Never closed. */
int direct_library_open(const struct direct_library *library, bool is_software, const char *what, void *functions,
			char *reason, size_t size);
/* The device's structure, which the first call fills. NULL and a sentence if something is missing. */
const void *direct_library_find(struct direct_set *set, const struct direct_library *library, const char *what,
				char *reason, size_t size);
/* The same, reported. */
const void *direct_library_of(struct direct_set *set, const struct direct_library *library, const char *what);
void direct_set_close(struct direct_set *set); /* NULL is allowed */
