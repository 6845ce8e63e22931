/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many messages of a queue pair fit into the buffer side by side, so that all of a round can be looked at when
 * it is over (--data_validation)? Both ends come to the same distance, since the sender aims at the places of the
 * other.
 */
#ifndef VERBS_PLACES_H
#define VERBS_PLACES_H

#include <stdint.h>

struct verbs_config;

struct place_grid {
	uint64_t step;	     /* bytes from a place to the next; a power of two */
	uint32_t count;	     /* places of a queue pair; a power of two */
	uint32_t granule;    /* a round has a multiple of so many messages */
	uint64_t recv_bytes; /* length of a receive */
	uint64_t bytes;	     /* of all places of a queue pair, and what aligns them */
};

/* 0, or -EMSGSIZE, reported: not even one round fits into what a walk can span. max_size: the largest of the run. */
int places_of(const struct verbs_config *config, uint64_t size, uint64_t max_size, struct place_grid *grid);
/* What a queue pair needs for every size of the run; as places_of(). */
int places_bytes(const struct verbs_config *config, uint64_t max_size, uint64_t *bytes);

/* The least number that both divide, neither of which is 0. */
uint64_t places_common_multiple(uint32_t a, uint32_t b);

#endif
