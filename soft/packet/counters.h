/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of steering rules. See counters.c. */
#ifndef SOFT_COUNTERS_H
#define SOFT_COUNTERS_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

/* A counter that a program reads by an index. */
struct counter_point {
	uint32_t index;
	enum ibv_counter_description what;
};

struct soft_counters {
	struct ibv_counters base;
	uint64_t packets, bytes; /* of all rules that use it */
	uint32_t flows;		 /* these rules: the points do not change meanwhile */
	size_t point_count;
	struct counter_point *points;
};

/* Inline, so that rule.c can be tested alone. */
static inline void soft_counters_add(struct soft_counters *counters, uint32_t length)
{
	__atomic_fetch_add(&counters->packets, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&counters->bytes, length, __ATOMIC_RELAXED);
}

#endif
