/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Direct verbs of Amazon's EFA, from libefa. For files that are only built if its headers are there. */
#pragma once

#include <infiniband/efadv.h>

/* Defined by the headers of rdma-core 47 and newer. */
#define EFA_CAPS_RDMA_WRITE (1U << 3) /* EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE */

struct device; /* verbs/device/device.h */

struct efa_library {
	__typeof__(&efadv_query_device) query_device;
	__typeof__(&efadv_create_qp_ex) create_qp_ex;
};

/*
 * NULL if the device has another driver, or libefa is missing, reported. *attr: the device's capabilities. what: what
 * needs it, "-c SRD".
 */
const struct efa_library *efa_library_of(const struct device *device, const char *what, struct efadv_device_attr *attr);
