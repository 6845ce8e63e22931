/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When each request of an open loop is due. The rate is kept exactly, whatever happens to the requests: at equal
 * intervals, or as a Poisson process, whose intervals are independent and exponentially distributed.
 *
 * Stamps are cycles in fixed point with 64 fractional bits, so that adding loses nothing: the mean interval is a
 * double, off by 2^-53 of itself, which is a microsecond in 285 years. The same pace, seed and start give the same
 * schedule, to the cycle. For the n-th interval of a Poisson process, n from 1, splitmix64 (Steele, Lea and Flood,
 * "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014) uses the seed plus n times 0x9e3779b97f4a7c15 as its
 * state; with x its upper 53 bits, u = (x + 1) / 2^53 is in (0, 1], and the interval is -ln(u) times the mean.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pace {
	double mean_cycles; /* between two requests; 0: each is due immediately */
	bool is_poisson;
	uint64_t seed;
};

struct schedule {
	struct pace pace;
	unsigned __int128 interval; /* if equal: cycles, and their fraction */
	unsigned __int128 due;	    /* of the last request returned by schedule_next() */
	uint64_t state;
};

/* The first request is due one interval after begin_cycles. */
void schedule_begin(struct schedule *schedule, const struct pace *pace, uint64_t begin_cycles);
/* Advances to the next request; returns the stamp at which it is due, rounded down. */
uint64_t schedule_next(struct schedule *schedule);
