/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How are other threads kept from storing to pages that move? See guard.c. One guard at a time. */
#ifndef SOFT_GUARD_H
#define SOFT_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#define GUARD_TAKE_MAX                                                                                                 \
	(4ull << 20) /* bytes that soft_guard_take() takes at once, within an aligned block of that size */

enum guard_kind {
	GUARD_NONE,   /* there is no thread to be kept from it */
	GUARD_FAULTS, /* userfaultfd(2) */
	GUARD_SIGNAL, /* mprotect(2) and a SIGSEGV handler */
};

struct guard {
	uint64_t start; /* of the pages */
	uint64_t end;
	int protection; /* PROT_* of the mapping */
	enum guard_kind kind;
	bool is_anonymous; /* private memory without a file behind it */
};

/* What this kernel lets this process do. */
struct guard_means {
	bool has_faults;   /* GUARD_FAULTS of anonymous memory */
	bool guards_files; /* and of shared memory (Linux 5.19) */
	bool can_take;	   /* soft_guard_take() (Linux 6.8) */
	bool holds_kernel; /* a system call that comes upon a guarded page waits, too; it fails with EFAULT otherwise */
};

void soft_guard_open(bool has_pagemap); /* which pages are there is known: those that are not must not be read */
void soft_guard_close(void);
const struct guard_means *soft_guard_means(void);
/* Before a guard of kind GUARD_SIGNAL: the handler is in place, though the program may have put its own there since. */
int soft_guard_prepare_signal(void);

/*
 * These write to no memory of the calling thread but their frames (raw.h). From begin to end a thread that stores to
 * the pages waits. Everything between them is raw, too, and the thread's signals are blocked but SIGSEGV.
 */
int soft_guard_begin(const struct guard *guard);
/*
 * Instead of begin: the pages of anonymous memory are taken out of the range, so that a thread that reads waits, too,
 * and *taken is where they are meanwhile. -EBUSY: a device or io_uring holds some, or a child shares them.
 */
int soft_guard_take(const struct guard *guard, uint64_t *taken);
void soft_guard_put_back(const struct guard *guard);		  /* what was taken; ends the guard */
void soft_guard_end(const struct guard *guard, bool is_replaced); /* the range is another mapping now */

#endif
