/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How do pages of the program change places with pages of the data file? See move.c. */
#ifndef SOFT_MOVE_H
#define SOFT_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "maps.h"

#define PAGE 4096ull

int soft_move_open(int *fd); /* makes the data file */
void soft_move_close(void);
bool soft_move_is_from_data_file(const struct mapping *mapping);
bool soft_move_is_data_file(const struct mapping *mapping);    /* mapped from it, offset = address */
int soft_move_read(uint8_t *to, uint64_t start, uint64_t end); /* from the data file */
void soft_move_punch(uint64_t start, uint64_t end);

/*
 * The pages [start, end) of the mapping, with their content: into the data file, and back, from wherever in it
 * they are mapped. 0 or a negative errno.
 */
int soft_move_share(const struct mapping *mapping, uint64_t start, uint64_t end);
int soft_move_return(const struct mapping *mapping, uint64_t start, uint64_t end);

int soft_move_prepare(void); /* before any move: the fault handler is in place */
/* Around a move by other means: whoever writes to the pages waits. */
void soft_move_begin(uint64_t start, uint64_t end);
void soft_move_end(void);

static inline void *move_at(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

#endif
