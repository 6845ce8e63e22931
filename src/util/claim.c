// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The judge of what a peer says of its measurement. See claim.h. */
#include "util/claim.h"

#include <math.h>
#include <time.h>

const char claim_too_long[] = "its time is longer than the test has lasted";

static int64_t read_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Where the clock is not monotonic, now and then a reading is too early. */
int64_t claim_now_ns(void)
{
	const int64_t first = read_clock(), second = read_clock();

	return first > second ? first : second;
}

double claim_since_s(int64_t begin_ns)
{
	return begin_ns ? (double)(claim_now_ns() - begin_ns) / 1e9 : INFINITY;
}

const char *claim_judge(const struct claim *claims, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!(claims[i].said <= claims[i].most)) /* also: it is no number */
			return claims[i].fault;
	return NULL;
}
