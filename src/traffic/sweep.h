/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The message sizes of a run, of -a and --sizes; the values of a loop of qperf. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SWEEP_MOST_SIZES 1000

struct sweep {
	uint64_t first, last; /* sizes: bytes, 1 to 2^31; last may be no size of it, but limits them */
	uint64_t step;	      /* at least 1; to multiply by 2 */
	bool multiplies;      /* by step; otherwise it is added */
};

/* Does size have a next one, up to largest? Writes it only then. */
bool sweep_next(const struct sweep *sweep, uint64_t largest, uint64_t *size);
/* How many sizes there are up to this one; SWEEP_MOST_SIZES + 1: more than so many. */
unsigned sweep_count(const struct sweep *sweep, uint64_t largest);
