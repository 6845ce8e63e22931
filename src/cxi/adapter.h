/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel has about the NIC that a transport uses: a Cassini NIC, or a libfabric domain with the name of an
 * RDMA device or of a network interface. Called by cxi.c, for the documents of both sides and for --explain.
 */
#pragma once

#include <limits.h>

#include "cxi/buffers.h"
#include "cxi/ops.h"
#include "util/device_identity.h"

struct cxi_adapter {
	struct device_identity identity; /* without a name: the provider chose */
	char netdev[64];		 /* its network interface; "": unknown */
	char function[PATH_MAX];	 /* folder of its PCI function; "": unknown */
};

/* link: after map(). buffer: of this side's messages. What is not known stays so. */
void cxi_adapter_find(struct cxi_adapter *adapter, const struct cxi_link *link, const struct buffer *buffer);
