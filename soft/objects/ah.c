// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Address handles, the destinations of datagrams; the queue pair number in the request identifies the process. */
#include <errno.h>
#include <stdlib.h>

#include "host/core.h"
#include "host/fault.h"
#include "host/identity.h"

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
