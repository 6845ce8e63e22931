/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --data_validation: how many messages of a QP fit side by side into the buffer, so that all messages of a round can be
 * checked after it? Both sides compute the same distance, since the sender addresses the other's slots.
 */
#pragma once

#include <stdint.h>

struct verbs_config;

struct slot_grid {
	uint64_t step;	     /* bytes from one slot to the next; a power of two */
	uint32_t count;	     /* slots of a QP; a power of two */
	uint32_t granule;    /* the number of messages of a round is a multiple of this */
	uint64_t recv_bytes; /* length of a receive */
	uint64_t bytes;	     /* all slots of a QP, including alignment */
};

/*
 * 0, or -EMSGSIZE, reported: not even one round fits into the range of the offsets. max_size: the largest of the run.
 */
int slot_grid_of(const struct verbs_config *config, uint64_t size, uint64_t max_size, struct slot_grid *grid);
/* What a QP needs for all sizes of the run. Returns as slot_grid_of(). */
int slot_grid_bytes(const struct verbs_config *config, uint64_t max_size, uint64_t *bytes);

/*
 * Raw Ethernet: the slots from which a QP sends. Frames of different flows need slots of their own; with bursts,
 * receives have such slots, too. Both numbers are powers of two. After `count` slots, `step` bytes apart, the first one
 * follows again.
 */
struct frame_slots {
	uint32_t step;
	uint32_t count;
};

/* For messages of this size. Slots of small messages cover at least `page` bytes. */
struct frame_slots frame_slots(const struct verbs_config *config, uint64_t size, uint64_t page);
