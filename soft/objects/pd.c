// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Protection domains: a number in the row of each region, window, queue pair and address handle. And address handles,
 * the destinations of datagrams; the queue pair number in the request identifies the process. Called through the verbs.
 */

#include "host/core.h"
#include "host/fault.h"
#include "host/identity.h"

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

struct ibv_ah *soft_create_ah(struct ibv_pd *ibpd, struct ibv_ah_attr *attr)
{
	struct core_pd *pd = (struct core_pd *)ibpd;
	struct core_ah *ah = soft_fault_alloc(FAULT_CREATE_AH, sizeof(*ah));

	if (!ah)
		return NULL;
	/* RoCE has no other addresses: IBA A17.4.3. */
	if (!attr->is_global || soft_query_gid(ibpd->context, attr->port_num, attr->grh.sgid_index, &ah->sgid)) {
		free(ah);
		return soft_refuse(EINVAL);
	}
	ah->base.context = ibpd->context;
	ah->base.pd = ibpd;
	ah->attr = *attr;
	__atomic_add_fetch(&pd->users, 1, __ATOMIC_RELAXED);
	/* Shown to peers: see needs_handle of struct soft_profile. */
	__atomic_add_fetch(&soft_self.header->handles, 1, __ATOMIC_RELEASE);
	return &ah->base;
}

int soft_destroy_ah(struct ibv_ah *ah)
{
	struct core_pd *pd = (struct core_pd *)ah->pd;

	__atomic_sub_fetch(&soft_self.header->handles, 1, __ATOMIC_RELEASE);
	__atomic_sub_fetch(&pd->users, 1, __ATOMIC_RELEASE);
	free(ah);
	return 0;
}
