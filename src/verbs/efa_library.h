/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The direct verbs of Amazon's EFA, of libefa. For the files that are built where its headers are. */
#ifndef VERBS_EFA_LIBRARY_H
#define VERBS_EFA_LIBRARY_H

#include <infiniband/efadv.h>

/* What headers have since rdma-core 47, in any. */
#define EFA_CAPS_RDMA_WRITE (1U << 3) /* EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE */

struct device; /* verbs/device.h */

struct efa_library {
	__typeof__(&efadv_query_device) query_device;
	__typeof__(&efadv_create_qp_ex) create_qp_ex;
};

/*
 * For a device of that driver's, and *attr is what it can. NULL: there is none, or the library is not here, reported.
 * what: "-c SRD" needs it.
 */
const struct efa_library *efa_library_of(const struct device *device, const char *what, struct efadv_device_attr *attr);

#endif
