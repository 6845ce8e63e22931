/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Raw Ethernet: the slots from which a QP sends. Frames of different flows need slots of their own; ethernet.c writes
 * them, wr.c sends them, mr.c allocates the memory. With bursts, receives have such slots, too.
 */
#pragma once

#include <stdint.h>

struct verbs_config;

/* Both numbers are powers of two. After `count` slots, `step` bytes apart, the first one follows again. */
struct frame_slots {
	uint32_t step;
	uint32_t count;
};

/* For messages of this size. Slots of small messages cover at least `page` bytes. */
struct frame_slots frame_slots(const struct verbs_config *config, uint64_t size, uint64_t page);
