// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interposes ibv_query_device(): every device has the vendor and part in AS_VENDOR, "02c9:1019". Debian's perftest
 * posts with ibv_wr_*(), which it requires for DC, only on adapters in a list.
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
