/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bandwidth loop's variants, for bandwidth.c and its unit test. There is one body; an instance
 * is that body with flags that the compiler knows, bw_general() the same with flags that it does not,
 * and bw_places() that one with the messages' places, which costs a run without them nothing.
 */
#ifndef LOOPS_BANDWIDTH_H
#define LOOPS_BANDWIDTH_H

#include <stddef.h>

#include "loops/run.h"

enum bw_flag {
	BW_SENDS = 1 << 0,
	BW_RECEIVES = 1 << 1,
	BW_MANY = 1 << 2,      /* more than one queue pair */
	BW_MODERATED = 1 << 3, /* not every message is signalled; never with BW_LIST */
	BW_LIST = 1 << 4,      /* chains of more than one send */
	BW_CLOCK = 1 << 5,     /* the clock is read when a poll found something: peak, sample window, end by time */
	BW_WR_API = 1 << 6,
	BW_EVENTS = 1 << 7,
	BW_RATE = 1 << 8,    /* software rate limit */
	BW_PLACES = 1 << 9,  /* a place for each message (--data_validation) */
	BW_SHARED = 1 << 10, /* queue pairs share receives (SRQ) */
};

struct bw_instance {
	unsigned flags;
	loop_fn loop;
};

extern const struct bw_instance bw_instances[];
extern const size_t bw_num_instances;

/* The flags that a run asks for; role is BW_SENDS, BW_RECEIVES or both. */
unsigned bw_flags(const struct run *run, unsigned role);
/* Without BW_PLACES. */
int bw_general(struct run *run, unsigned flags);
/* With it. */
int bw_places(struct run *run, unsigned flags);

#endif
