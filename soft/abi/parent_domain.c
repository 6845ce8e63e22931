// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Thread domains and parent domains: a promise that one thread at a time uses their objects (ib_write_bw --no_lock).
 * There is nothing to gain from it here, because locks cost a program with one thread no atomic instruction (lock.h):
 * the domains are only counted. Called through export.c and the operations of a context.
 *
 * A parent domain is a protection domain with the number of the one that it was created from, so that the objects of
 * both work together.
 *
 * Allocators of a parent domain are not asked: memory that peers write to is shared, and cannot come from the program.
 */

#include "abi/abi.h"
#include "host/core.h"
#include "host/fault.h"
#include "host/profile.h"

struct soft_td {
	struct ibv_td base;
	uint32_t users; /* parent domains created with it */
};

struct soft_parent_domain {
	struct core_pd core;
	struct core_pd *pd; /* not owned; cannot be deallocated while this exists */
	struct soft_td *td; /* not owned, likewise; or NULL */
};

static bool domain_is_parent(const struct ibv_pd *pd)
{
	return ((const struct core_pd *)pd)->is_parent;
}

struct ibv_td *soft_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
	struct soft_td *td;

	if (attr->comp_mask)
		return soft_refuse(EOPNOTSUPP);
	td = soft_fault_alloc(FAULT_ALLOC_TD, sizeof(*td));
	if (!td)
		return NULL;
	td->base.context = context;
	return &td->base;
}

int soft_dealloc_td(struct ibv_td *td)
{
	struct soft_td *soft = (struct soft_td *)td;

	if (__atomic_load_n(&soft->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	free(soft);
	return 0;
}

struct ibv_pd *soft_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
{
	struct soft_parent_domain *parent;
	const uint32_t allocators = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;

	/* The last flag permits memory that is only needed if a device cannot access private memory. */
	if (attr->comp_mask & (~(allocators | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT | SOFT_DOMAIN_UNPROTECTED) |
			       soft_profile()->domains_lack))
		return soft_refuse(EOPNOTSUPP);
	if ((attr->comp_mask & allocators && (!attr->alloc || !attr->free)) || !attr->pd || domain_is_parent(attr->pd))
		return soft_refuse(EINVAL);
	parent = soft_fault_alloc(FAULT_ALLOC_PARENT_DOMAIN, sizeof(*parent));
	if (!parent)
		return NULL;
	parent->pd = (struct core_pd *)attr->pd;
	parent->td = (struct soft_td *)attr->td;
	parent->core.is_parent = true;
	parent->core.number = parent->pd->number;
	parent->core.base.context = context;
	parent->core.base.handle = attr->pd->handle;
	__atomic_add_fetch(&parent->pd->users, 1, __ATOMIC_RELAXED);
	if (parent->td)
		__atomic_add_fetch(&parent->td->users, 1, __ATOMIC_RELAXED);
	return &parent->core.base;
}

static int parent_dealloc(struct soft_parent_domain *parent)
{
	if (__atomic_load_n(&parent->core.users, __ATOMIC_ACQUIRE))
		return EBUSY;
	__atomic_sub_fetch(&parent->pd->users, 1, __ATOMIC_RELEASE);
	if (parent->td)
		__atomic_sub_fetch(&parent->td->users, 1, __ATOMIC_RELEASE);
	free(parent);
	return 0;
}

int soft_parent_domain_dealloc(struct ibv_pd *pd)
{
	return domain_is_parent(pd) ? parent_dealloc((struct soft_parent_domain *)pd) : soft_dealloc_pd(pd);
}
