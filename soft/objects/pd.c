// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Protection domains: a number in the row of each region, window, queue pair and address handle. Called through the
 * verbs.
 */
#include <errno.h>
#include <stdlib.h>

#include "host/core.h"
#include "host/fault.h"
#include "soft.h"

struct ibv_pd *soft_alloc_pd(struct ibv_context *context)
{
	static uint32_t next;
	struct core_pd *pd = soft_fault_alloc(FAULT_ALLOC_PD, sizeof(*pd));

	if (!pd)
		return NULL;
	/* Numbers are unique in one process; one is reused after 2^32 allocations. */
	pd->number = __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED);
	pd->base.context = context;
	pd->base.handle = pd->number;
	return &pd->base;
}

int soft_dealloc_pd(struct ibv_pd *ibpd)
{
	struct core_pd *pd = (struct core_pd *)ibpd;

	if (__atomic_load_n(&pd->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	free(pd);
	return 0;
}
