// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which ports rdma_cm and TCP share; comm/rdma_cm.c asks before it listens. See cm.h. */
#include <infiniband/verbs.h>

#include "verbs/connect/cm.h"

bool cm_takes_tcp(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	bool takes = false;

	for (unsigned i = 0; list && list[i]; i++)
		takes |= list[i]->transport_type == IBV_TRANSPORT_IWARP;
	if (list)
		ibv_free_device_list(list);
	return takes;
}
