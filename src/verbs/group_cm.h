/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is this host in a multicast group of Ethernet? rdma_cm joins it, and tells switches by IGMP; for multicast.c. */
#ifndef VERBS_GROUP_CM_H
#define VERBS_GROUP_CM_H

#include <infiniband/verbs.h>

struct device;
struct group_cm;

/*
 * By the address of the device's GID. *joined: the group's GID as rdma_cm makes it of its address. -ENODEV: that
 * address is not this device's to rdma_cm. 0 or -errno, not reported.
 */
int group_cm_join(const struct device *device, const union ibv_gid *wanted, union ibv_gid *joined,
		  struct group_cm **made);
/* NULL: nothing to leave. */
void group_cm_leave(struct group_cm *group);

#endif
