/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is a device Amazon's Elastic Fabric Adapter? It has UD and SRD, a reliable datagram, and needs IBV_SEND_SIGNALED on
 * every request, which no device attribute says.
 */
#ifndef VERBS_EFA_H
#define VERBS_EFA_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#define EFA_VENDOR 0x1d0f /* Amazon's PCI vendor ID */

static inline bool device_is_efa(const struct ibv_device_attr *attr)
{
	return attr->vendor_id == EFA_VENDOR;
}

#endif
