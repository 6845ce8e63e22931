/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What takes place while pages move, and no other thread sees them. See mover.c; page_move.c says which and when. */
#ifndef SOFT_MOVER_H
#define SOFT_MOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "host/core.h"
#include "memory/guard.h"
#include "memory/proc_maps.h"

#define CHUNK	    GUARD_TAKE_MAX /* bytes of one move */
#define CHUNK_PAGES (CHUNK / PAGE)
#define PRESENT	    (1ull << 63 | 1ull << 62) /* of a page's entry in /proc/self/pagemap: in memory, swapped */

struct move {
	struct guard guard;
	uint64_t file;	 /* where in the data file */
	uint64_t fresh;	 /* where returned pages are filled; 0: in place */
	uint8_t *before; /* of a page that is detached, or attached again: its content when it was detached */
	int huge_fd;
	void *huge_copy;
	bool takes;
	bool skips; /* reading what was never touched */
	int result;
	int (*run)(struct move *move);
};

/* The one that goes on. Static: the pages that move may be the caller's stack. */
extern struct move soft_move SOFT_HIDDEN;

extern struct mover_files {
	int data;
	int pagemap; /* -1: there is none */
} soft_mover_files SOFT_HIDDEN;

/* What a move can be (its `run`). */
int soft_mover_share(struct move *move);
int soft_mover_return(struct move *move);
int soft_mover_share_huge(struct move *move);
int soft_mover_detach(struct move *move);
int soft_mover_attach(struct move *move);

/* Runs soft_move. is_own: this thread's stack or thread control block is among the pages. */
int soft_mover_run(bool is_own);

int soft_mover_read(uint64_t to, uint64_t file, uint64_t length); /* from the data file */
/* Which pages of [start, start + length), a chunk at most, are there at all? */
bool soft_mover_presence(uint64_t start, uint64_t length, uint64_t *presence);

#endif
