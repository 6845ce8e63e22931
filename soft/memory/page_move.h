/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Moves pages of the program to the data file and back. See page_move.c. */
#pragma once

#include "memory/proc_maps.h"

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
bool soft_page_move_can_hold(const struct mapping *mapping, uint64_t start);
