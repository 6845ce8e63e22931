// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counters of steering rules: packets and bytes of all rules created with the same counters, including those that drop
 * (ibv_create_counters(3), ibv_attach_counters_point_flow(3)). Called through the verbs; the steering thread adds.
 */
#include "packet/counters.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "host/fault.h"
#include "host/threads.h"
#include "soft.h"

#define MAX_POINTS 1024u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the points */

struct ibv_counters *soft_create_counters(struct ibv_context *context, struct ibv_counters_init_attr *attr)
{
	SOFT_UNCANCELLED;
	struct soft_counters *counters;

	if (attr->comp_mask)
		return soft_refuse(EOPNOTSUPP);
	counters = soft_fault_alloc(FAULT_CREATE_COUNTERS, sizeof(*counters));
	if (!counters)
		return NULL;
	counters->base.context = context;
	return &counters->base;
}

int soft_destroy_counters(struct ibv_counters *public)
{
	SOFT_UNCANCELLED;
	struct soft_counters *counters = (struct soft_counters *)public;

	if (__atomic_load_n(&counters->flows, __ATOMIC_ACQUIRE))
		return EBUSY;
	free(counters->points);
	free(counters);
	return 0;
}

static int point_add(struct soft_counters *counters, const struct ibv_counter_attach_attr *attr)
{
	struct counter_point *points;

	if (__atomic_load_n(&counters->flows, __ATOMIC_ACQUIRE))
		return EBUSY;
	if (counters->point_count == MAX_POINTS)
		return ENOMEM;
	points = realloc(counters->points, (counters->point_count + 1) * sizeof(*points));
	if (!points)
		return ENOMEM;
	counters->points = points;
	points[counters->point_count++] = (struct counter_point){attr->index, attr->counter_desc};
	return 0;
}

/* Only for rules that are created later. */
int soft_attach_counters_point_flow(struct ibv_counters *public, struct ibv_counter_attach_attr *attr,
				    struct ibv_flow *flow)
{
	SOFT_UNCANCELLED;
	int err;

	if (attr->comp_mask)
		return EINVAL;
	if (flow || (attr->counter_desc != IBV_COUNTER_PACKETS && attr->counter_desc != IBV_COUNTER_BYTES))
		return ENOTSUP;
	pthread_mutex_lock(&lock);
	err = point_add((struct soft_counters *)public, attr);
	pthread_mutex_unlock(&lock);
	return err;
}

/* Sums points with the same index. */
int soft_read_counters(struct ibv_counters *public, uint64_t *values, uint32_t count, uint32_t flags)
{
	SOFT_UNCANCELLED;
	struct soft_counters *counters = (struct soft_counters *)public;
	const uint64_t packets = __atomic_load_n(&counters->packets, __ATOMIC_RELAXED);
	const uint64_t bytes = __atomic_load_n(&counters->bytes, __ATOMIC_RELAXED);

	if (flags & ~(uint32_t)IBV_READ_COUNTERS_ATTR_PREFER_CACHED)
		return EINVAL;
	for (uint32_t i = 0; i < count; i++)
		values[i] = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < counters->point_count; i++) {
		const struct counter_point *point = &counters->points[i];

		if (point->index < count)
			values[point->index] += point->what == IBV_COUNTER_PACKETS ? packets : bytes;
	}
	pthread_mutex_unlock(&lock);
	return 0;
}
