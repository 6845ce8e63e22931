/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Raw Ethernet: the slots from which a queue pair sends. Frames of flows differ, so that each has a slot of its own;
 * ethernet.c writes them, wr.c sends them, mr.c makes room. Of bursts the receives have such slots as well.
 */
#ifndef VERBS_FRAME_SLOTS_H
#define VERBS_FRAME_SLOTS_H

#include <stdint.h>

struct verbs_config;

/* `count` slots, `step` bytes apart, before it begins anew; both are powers of two. */
struct frame_slots {
	uint32_t step;
	uint32_t count;
};

/* Of messages of that size; small ones slots over `page` bytes at least. */
struct frame_slots frame_slots(const struct verbs_config *config, uint64_t size, uint64_t page);

#endif
