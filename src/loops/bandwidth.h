/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The variants of the bandwidth loop, for bandwidth.c and its unit test. There is one body. An instance is that body
 * with flags known at compile time; bw_general() is the body with flags known at run time. bw_slots(), bw_reads(),
 * bw_ports(), bw_queues(), bw_lengths() and bw_credits() add message slots, received data, two ports, counts per
 * receive queue or length, or flow control, which so cost other runs nothing.
 */
#pragma once

#include <stddef.h>

#include "loops/bw_work.h"
#include "loops/run.h"

struct bw_instance {
	unsigned flags;
	loop_fn loop;
};

extern const struct bw_instance bw_instances[];
extern const size_t bw_num_instances;

/* The flags of a run; role is BW_SENDS, BW_RECEIVES or both. */
unsigned bw_flags(const struct run *run, unsigned role);
/* Without BW_SLOTS, BW_READS, BW_PORTS, BW_QUEUES, BW_LENGTHS and BW_CREDITS. */
int bw_general(struct run *run, unsigned flags);
/* With the flag in their name. */
int bw_slots(struct run *run, unsigned flags);
int bw_reads(struct run *run, unsigned flags);
int bw_ports(struct run *run, unsigned flags);
int bw_queues(struct run *run, unsigned flags);
int bw_lengths(struct run *run, unsigned flags);
int bw_credits(struct run *run, unsigned flags);
