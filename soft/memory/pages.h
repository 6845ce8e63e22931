/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of memory/ offer to each other, and to those that register memory. */
#pragma once

#include <limits.h>

#include "host/core.h"
#include "host/mapping.h"

/* --- proc_maps.c: finds the mapping at an address of this process --- */

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* in the file */
	uint64_t inode;
	uint64_t device; /* as st_dev */
	int protection;	 /* PROT_* */
	bool is_shared;
	char name[PATH_MAX]; /* as /proc/self/maps shows it, empty for anonymous memory */
};

static inline void *move_at(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

struct maps {
	int fd;
	bool has_query; /* the kernel can query one address (6.11) */
	char *text;	/* otherwise the whole file, read once */
	char *next;
};

int soft_proc_maps_open(struct maps *maps);
void soft_proc_maps_close(struct maps *maps);
/* Addresses must ascend from call to call. The mapping that contains addr, or the first after it; -EFAULT: none. */
int soft_proc_maps_next(struct maps *maps, uint64_t addr, struct mapping *mapping);
/* The mapping that contains addr; -EFAULT: none. */
int soft_proc_maps_find(struct maps *maps, uint64_t addr, struct mapping *mapping);

/* --- tasks.c: the other threads of this process --- */

unsigned int soft_tasks_count(void); /* threads, including this one; 0: unknown */
/* May a thread other than the caller have its stack in that mapping, from `start` on? */
bool soft_tasks_stack_within(const struct mapping *mapping, uint64_t start);
/* The same; also true if the mapping is only part of the stack, or if that is unknown. */
bool soft_tasks_stack_around(const struct mapping *mapping, uint64_t start);
/* True if a thread other than the caller blocks the signal, or if that is unknown. */
bool soft_tasks_block(int signal);
/*
 * Does the range contain memory that the calling thread writes to while it runs: its stack, or its thread control
 * block?
 */
bool soft_tasks_own_stack(const struct mapping *mapping);
bool soft_tasks_own_block(const struct mapping *mapping);
/* Runs a function while the calling thread is in the kernel: its memory is not accessed meanwhile. */
int soft_tasks_run_apart(int (*run)(void *argument), void *argument);

/* --- guard.c: blocks other threads that store to pages while these are moved. One guard at a time. --- */

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
	bool has_faults;    /* GUARD_FAULTS for anonymous memory */
	bool guards_files;  /* and for shared memory (Linux 5.19) */
	bool can_take;	    /* guards that take pages (Linux 6.8) */
	bool blocks_kernel; /* a system call that accesses a guarded page also waits; otherwise it fails with EFAULT */
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

/* --- mover.c: moves pages, while no other thread can access them; page_move.c decides which and when --- */

#define CHUNK_PAGES (CHUNK / PAGE)

struct move {
	struct guard guard;
	uint64_t file;	 /* offset in the data file */
	uint64_t fresh;	 /* where the content of returned pages is read to; 0: in place */
	uint8_t *before; /* for a detached or reattached page: its content when it was detached */
	int huge_fd;
	void *huge_copy;
	bool skips; /* skips pages that were never touched */
	int result;
	int (*run)(struct move *move);
};

/* The current move. Static, because the pages that move may be the caller's stack. */
extern struct move soft_move SOFT_HIDDEN;

extern struct mover_files {
	int data;
	int pagemap; /* -1: there is none */
} soft_mover_files SOFT_HIDDEN;

/* The kinds of moves (values of `run`). */
int soft_mover_share(struct move *move);
int soft_mover_return(struct move *move);
int soft_mover_share_huge(struct move *move);
int soft_mover_detach(struct move *move);
int soft_mover_attach(struct move *move);

/* Runs soft_move. is_own: this thread's stack or thread control block is among the pages. */
int soft_mover_run(bool is_own);

/*
 * Writes zeroes to the data file where the program's pages, at most a chunk, are not present: that costs less than
 * faulting them in later.
 */
int soft_mover_fill(uint64_t start, uint64_t length);

/* --- page_move.c: moves pages of the program to the data file and back --- */

int soft_page_move_open(int *fd); /* creates the data file */
void soft_page_move_close(void);
bool soft_page_move_is_from_data_file(const struct mapping *mapping);
bool soft_page_move_is_data_file(const struct mapping *mapping); /* mapped from it, offset = address */
void soft_page_move_punch(uint64_t start, uint64_t end);

/*
 * Moves the pages [start, end) of the mapping, with their content: into the data file, and back, from wherever in it
 * they are mapped. 0, or a negative errno; share reports what cannot move and why.
 */
int soft_page_move_share(const struct mapping *mapping, uint64_t start, uint64_t end);
int soft_page_move_return(const struct mapping *mapping, uint64_t start, uint64_t end);
/* Replaces the whole mapping, of huge pages, by one of that file. `copy` is another mapping of the file. */
int soft_page_move_share_huge(const struct mapping *mapping, int fd, void *copy);

/*
 * Gives the program a private copy of a page of the data file during fork(), which the child inherits. `before` has
 * room for the page: it records the content, to detect later changes.
 */
int soft_page_move_detach(const struct mapping *mapping, uint64_t page, uint8_t *before);
int soft_page_move_attach(const struct mapping *mapping, uint64_t page, uint8_t *before);
bool soft_page_move_is_detached(const struct mapping *mapping, uint64_t page);

/* False: the pages from `start` on are on the stack of a running thread that cannot be blocked during the move. */
bool soft_page_move_can_block(const struct mapping *mapping, uint64_t start);

/* --- fork_pages.c: registered memory in a forked child. Called by mr_backing.c, in this order. --- */

void soft_fork_pages_open(size_t count);		 /* at most `count` are added; without memory none are kept */
void soft_fork_pages_add(uint64_t page, bool is_inside); /* is_inside: entirely in a buffer, otherwise not inherited */
void soft_fork_pages_detach(void);
/* After the fork; either one completes soft_fork_pages_open(). */
void soft_fork_pages_attach(void);
void soft_fork_pages_keep(void); /* in the child */

/* The used pages [*low, *high) of the calling thread's stack, within [start, end). */
void soft_fork_stack_within(uint64_t start, uint64_t end, uint64_t *low, uint64_t *high);

/* --- mr_backing.c: converts memory of the program, in place, to memory that peers can map --- */

/* Memory that is shared already, by a file or a SysV segment. */
struct mr_file {
	int fd;		    /* -1: a SysV segment */
	int sysv_id;	    /* shmid, -1: a file */
	uint64_t offset;    /* of the region's first byte */
	uint64_t page_size; /* a mapping's offset must be a multiple of this */
};

struct mr_backing; /* a registration's hold on its pages */

void soft_mr_backing_close_data(void);	 /* returns every page */
void soft_mr_backing_fork_prepare(void); /* locked; afterwards soft_fork_pages_attach() in the parent */
void soft_mr_backing_reset(void);	 /* in a forked child */
extern pthread_mutex_t soft_mr_backing_lock __attribute__((visibility("hidden")));

/* 0, -EFAULT (not mapped, or not writable where needs_write), -EOPNOTSUPP (cannot be shared), -ENOMEM. */
int soft_mr_backing_take(void *addr, size_t length, bool needs_write, struct mr_backing **backing);
void soft_mr_backing_give(struct mr_backing *backing);
/* Does it cover the whole range? */
bool soft_mr_backing_covers(const struct mr_backing *backing, uint64_t start, uint64_t length, bool needs_write);
/* NULL: its pages are in the data file, offset = address. */
const struct mr_file *soft_mr_backing_file(const struct mr_backing *backing);

/* file_backed.c: */
/*
 * Finds the file of the memory from start on; -EOPNOTSUPP: there is nothing to pass to a peer. The caller owns
 * file->fd.
 */
int soft_file_backed_take(const struct mapping *mapping, uint64_t start, bool needs_write, struct mr_file *file);
/* Private huge pages: first converts the whole mapping to a file of huge pages. */
int soft_file_backed_take_huge(const struct mapping *mapping, uint64_t start, struct mr_file *file);
