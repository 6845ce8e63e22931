// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In front of ibv_query_device(): every device is of the vendor and the part in AS_VENDOR, "02c9:1019". Debian's
 * perftest posts by ibv_wr_*(), without which it has no DC, on adapters of a list alone.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>

#include "in_front.h"

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	const char *asked = getenv("AS_VENDOR");
	int err;

	NEXT(ibv_query_device);
	err = next(context, attr);
	if (!err && asked && sscanf(asked, "%x:%x", &attr->vendor_id, &attr->vendor_part_id) != 2)
		abort();
	return err;
}
