/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much did steering rules match? See counters.c. */
#ifndef SOFT_COUNTERS_H
#define SOFT_COUNTERS_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

/* What a program asks for by an index. */
struct counter_point {
	uint32_t index;
	enum ibv_counter_description what;
};

struct soft_counters {
	struct ibv_counters base;
	uint64_t packets, bytes; /* of all rules that name it */
	uint32_t flows;		 /* these rules: the points stay as they are */
	size_t point_count;
	struct counter_point *points;
};

/* Inline: rule.c stands alone in its tests. */
static inline void soft_counters_add(struct soft_counters *counters, uint32_t length)
{
	__atomic_fetch_add(&counters->packets, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&counters->bytes, length, __ATOMIC_RELAXED);
}

#endif
