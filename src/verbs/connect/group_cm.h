/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Joins a multicast group on Ethernet with rdma_cm, which notifies the switches by IGMP. Called by multicast.c. */
#pragma once

#include <infiniband/verbs.h>

struct device;
struct group_cm;

/*
 * Joins from the address of the device's GID. *joined: the group's GID, as rdma_cm derives it from the address. 0 or
 * -errno, not reported; -ENODEV if rdma_cm does not associate that address with the device.
 */
int group_cm_join(const struct device *device, const union ibv_gid *wanted, union ibv_gid *joined,
		  struct group_cm **made);
/* NULL: nothing to leave. */
void group_cm_leave(struct group_cm *group);
