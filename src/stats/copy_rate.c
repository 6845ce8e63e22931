// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See copy_rate.h. */
#define _GNU_SOURCE
#include "stats/copy_rate.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define MOST_BYTES ((uint64_t)64 << 20)
#define BLOCK_S	   0.001 /* long enough for the clock */
#define TOTAL_S	   0.06

static double now_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* In time of the CPU: other processes of a busy host do not slow down memcpy(). */
static double copies_take(uint8_t *to, const uint8_t *from, size_t size, unsigned copies)
{
	const double begin = now_s(CLOCK_THREAD_CPUTIME_ID);

	for (unsigned i = 0; i < copies; i++) {
		memcpy(to, from, size);
		__asm__ volatile("" : : "r"(to) : "memory"); /* no copy is left out */
	}
	return now_s(CLOCK_THREAD_CPUTIME_ID) - begin;
}

double copy_rate_measure(uint64_t size)
{
	const size_t bytes = size < MOST_BYTES ? (size_t)size : MOST_BYTES;
	const double begin = now_s(CLOCK_MONOTONIC_RAW);
	double best = 0, took;
	unsigned copies = 1;
	uint8_t *memory;

	/* Shared pages, as those of the software device. */
	memory = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return 0;
	do {
		took = copies_take(memory + bytes, memory, bytes, copies);
		if (took < BLOCK_S && copies < 1U << 30)
			copies *= 2;
		else if ((double)bytes * copies / took > best)
			best = (double)bytes * copies / took;
	} while (!(best > 0) || now_s(CLOCK_MONOTONIC_RAW) - begin < TOTAL_S);
	munmap(memory, 2 * bytes);
	return best;
}
