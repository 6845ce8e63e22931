/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many messages of a queue pair fit into the buffer side by side, so that all of a round can be looked at when
 * it is over (--data_validation)? Both ends come to the same distance, since the sender aims at the slots of the
 * other.
 */
#ifndef VERBS_SLOTS_H
#define VERBS_SLOTS_H

#include <stdint.h>

struct verbs_config;

struct slot_grid {
	uint64_t step;	     /* bytes from a slot to the next; a power of two */
	uint32_t count;	     /* slots of a queue pair; a power of two */
	uint32_t granule;    /* a round has a multiple of so many messages */
	uint64_t recv_bytes; /* length of a receive */
	uint64_t bytes;	     /* of all slots of a queue pair, and what aligns them */
};

/* 0, or -EMSGSIZE, reported: not even one round fits into what the offsets can span. max_size: the largest of the run.
 */
int slot_grid_of(const struct verbs_config *config, uint64_t size, uint64_t max_size, struct slot_grid *grid);
/* What a queue pair needs for every size of the run; as slot_grid_of(). */
int slot_grid_bytes(const struct verbs_config *config, uint64_t max_size, uint64_t *bytes);

#endif
