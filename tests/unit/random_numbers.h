/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Random numbers for a unit test, the same in every run: xorshift64* (Vigna 2016). */
#pragma once

#include <math.h>
#include <stdint.h>

static uint64_t random_state = 0x9e3779b97f4a7c15; /* a test may set another seed */

static inline uint64_t random_u64(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1d;
}

static inline uint64_t random_below(uint64_t end)
{
	return (random_u64() >> 33) % end;
}

/* Between 0 and 1, exclusive. */
static inline double random_uniform(void)
{
	return ((double)(random_u64() >> 11) + 0.5) / 9007199254740992.0;
}

/* With mean 0 and deviation 1 (Box and Muller). */
static inline double random_normal(void)
{
	return sqrt(-2 * log(random_uniform())) * cos(2 * M_PI * random_uniform());
}
