/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Blocks other threads that store to pages while these are moved. See guard.c. One guard at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CHUNK (4ull << 20) /* bytes of one move, within an aligned block of that size */

enum guard_kind {
	GUARD_NONE,   /* there is no other thread */
	GUARD_FAULTS, /* userfaultfd(2) */
	GUARD_SIGNAL, /* mprotect(2) and a SIGSEGV handler */
};

struct guard {
	uint64_t start; /* of the pages */
	uint64_t end;
	int protection; /* PROT_* of the mapping */
	enum guard_kind kind;
	bool is_anonymous; /* private memory without a file */
	bool takes;	   /* GUARD_FAULTS moves its pages out of the range: readers wait, too */
};

/* What this kernel permits this process. */
struct guard_means {
	bool has_faults;   /* GUARD_FAULTS for anonymous memory */
	bool guards_files; /* and for shared memory (Linux 5.19) */
	bool can_take;	   /* guards that take pages (Linux 6.8) */
	bool holds_kernel; /* a system call that accesses a guarded page also waits; otherwise it fails with EFAULT */
};

void soft_guard_open(bool has_pagemap); /* has_pagemap: present pages are known; others must not be read */
void soft_guard_close(void);
const struct guard_means *soft_guard_means(void);
/* Called before a guard of kind GUARD_SIGNAL: installs the handler again if the program has replaced it. */
int soft_guard_prepare_signal(void);

/*
 * These only write to their own stack frames (raw.h). From begin to end a thread that stores to the pages waits. The
 * code between them is raw, too, and all signals of the thread except SIGSEGV are blocked. If the guard takes: -EBUSY
 * if the kernel holds pages for a device or io_uring, or a child shares them; other errors: it cannot take them.
 */
int soft_guard_begin(const struct guard *guard);
uint64_t soft_guard_place(const struct guard *guard);		  /* where the pages are until end */
void soft_guard_end(const struct guard *guard, bool is_replaced); /* is_replaced: the range is another mapping now */
