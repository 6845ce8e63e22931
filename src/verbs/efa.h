/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is a device Amazon's Elastic Fabric Adapter? It has UD and SRD, a datagram of its own, and takes no request without
 * IBV_SEND_SIGNALED, of which no attribute of a device tells.
 */
#ifndef VERBS_EFA_H
#define VERBS_EFA_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#define EFA_VENDOR 0x1d0f /* Amazon's, of PCI */

static inline bool device_is_efa(const struct ibv_device_attr *attr)
{
	return attr->vendor_id == EFA_VENDOR;
}

#endif
