/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Moves pages, while no other thread can access them. See mover.c; page_move.c decides which and when. */
#pragma once

#include "host/core.h"
#include "memory/guard.h"
#include "memory/proc_maps.h"

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
