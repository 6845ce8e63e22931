/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel has about the NIC that a transport uses: a Cassini NIC, or a libfabric domain with the name of an
 * RDMA device or of a network interface. Called by cxi.c, for the documents of both sides, for
 * --explain, and for the bandwidth that is possible.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "cxi/buffers.h"
#include "cxi/ops.h"
#include "report/counters.h"
#include "traffic/payload_limit.h"
#include "util/device_identity.h"

struct cxi_adapter {
	struct device_identity identity; /* without a name: the provider chose */
	char netdev[64];		 /* its network interface; "": unknown */
	char function[PATH_MAX];	 /* folder of its PCI function; "": unknown */
};

/* By the link's domain. memory: the name of that of this side's messages; NULL: not known yet, as all that is not. */
void cxi_adapter_find(struct cxi_adapter *adapter, const struct cxi_link *link, const char *memory);

/*
 * -W: of port 1 of an RDMA device, of a Cassini NIC, or of an interface, whichever it is. 0, also if there are none and
 * names is "all"; or -errno, reported.
 */
int cxi_adapter_counters(const struct cxi_adapter *adapter, const char *names, struct counters *counters);

/* A provider of sockets? Its link is that of its interface. */
bool cxi_link_is_socket(const struct cxi_link *link);
/*
 * What sends pass through: the link of the NIC, and PCIe. Through shared memory, and through sockets of one host, they
 * are copied. The headers of Slingshot are not counted. on_one_host: both sides are.
 */
void cxi_payload_path(struct payload_path *path, const struct cxi_adapter *adapter, const struct cxi_link *link,
		      bool on_one_host);
