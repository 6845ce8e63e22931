/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A provider's direct verbs library, for functions that verbs does not have, opened at run time so that one build works
 * on all machines. The functions belong to the device that needs them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/library.h"

#define DIRECT_PROVIDERS "ibverbs-providers (Debian) or libibverbs (Fedora)"

struct direct_library {
	struct library library; /* its rows have offsets in the structure of functions */
	bool is_of_soft;	/* a software device has these functions, too, in its own library (docs/soft.md) */
	size_t bytes;		/* of the structure */
};

/* What is open for a device. */
struct direct_set {
	bool is_software;
	struct direct_opened *first;
};

/* The device's structure, which the first call fills. NULL and a sentence if something is missing. */
const void *direct_library_find(struct direct_set *set, const struct direct_library *direct, const char *what,
				char *reason, size_t size);
/* The same, reported. */
const void *direct_library_of(struct direct_set *set, const struct direct_library *direct, const char *what);
void direct_set_close(struct direct_set *set); /* NULL is allowed */
