// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Protection domains: a number in the row of each region, window, queue pair and address handle. Called through the
 * verbs.
 *
 * An imported domain is the same domain in another context of this process. Objects created in it may outlive it,
 * because ibv_unimport_pd() does not check for them; so it stays in memory until nothing uses it.
 */
#include <errno.h>
#include <stdlib.h>

#include "host/core.h"
#include "host/fault.h"
#include "soft.h"

static struct core_pd *domains; /* and imports; under soft_self.lock */

static void domain_list(struct core_pd *pd)
{
	pthread_mutex_lock(&soft_self.lock);
	pd->next = domains;
	domains = pd;
	pthread_mutex_unlock(&soft_self.lock);
}

/* soft_self.lock is held. */
static void domain_unlist(struct core_pd *pd)
{
	struct core_pd **link = &domains;

	while (*link != pd)
		link = &(*link)->next;
	*link = pd->next;
}

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
	domain_list(pd);
	return &pd->base;
}

/* Frees imports that were released and are no longer used. soft_self.lock is held. */
static void imports_free(void)
{
	for (struct core_pd *pd = domains, *next; pd; pd = next) {
		next = pd->next;
		if (!pd->is_given_back || __atomic_load_n(&pd->users, __ATOMIC_ACQUIRE))
			continue;
		domain_unlist(pd);
		__atomic_sub_fetch(&pd->original->users, 1, __ATOMIC_RELEASE);
		free(pd);
	}
}

int soft_dealloc_pd(struct ibv_pd *ibpd)
{
	struct core_pd *pd = (struct core_pd *)ibpd;
	bool is_used;

	if (pd->original) {
		soft_unimport_pd(ibpd);
		return 0;
	}
	pthread_mutex_lock(&soft_self.lock);
	imports_free();
	is_used = __atomic_load_n(&pd->users, __ATOMIC_ACQUIRE);
	if (!is_used)
		domain_unlist(pd);
	pthread_mutex_unlock(&soft_self.lock);
	if (is_used)
		return EBUSY;
	free(pd);
	return 0;
}

struct ibv_pd *soft_import_pd(struct ibv_context *context, uint32_t handle)
{
	struct core_pd *pd = calloc(1, sizeof(*pd));
	struct core_pd *original;

	if (!pd)
		return NULL;
	pthread_mutex_lock(&soft_self.lock);
	imports_free();
	for (original = domains; original; original = original->next) {
		if (original->number == handle && !original->original)
			break;
	}
	if (original) {
		__atomic_add_fetch(&original->users, 1, __ATOMIC_RELAXED);
		*pd = (struct core_pd){.number = handle, .original = original, .next = domains};
		domains = pd;
	}
	pthread_mutex_unlock(&soft_self.lock);
	if (!original) {
		free(pd);
		return soft_refuse(ENOENT);
	}
	pd->base.context = context;
	pd->base.handle = handle;
	return &pd->base;
}

void soft_unimport_pd(struct ibv_pd *ibpd)
{
	pthread_mutex_lock(&soft_self.lock);
	((struct core_pd *)ibpd)->is_given_back = ((struct core_pd *)ibpd)->original;
	imports_free();
	pthread_mutex_unlock(&soft_self.lock);
}
