// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interposes ibv_open_device(): the device paces queue pairs of the types in PACED, a mask of 1 << IBV_QPT_*, at 1 to
 * 100 Gb/s, and the rates that it was asked for are lines of the file "paces".
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>

#include "in_front.h"

static int (*query_device)(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size);

static int query_paced(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
		       struct ibv_device_attr_ex *attr, size_t size)
{
	int err = query_device(context, input, attr, size);

	if (!err && size >= sizeof(*attr))
		attr->packet_pacing_caps =
			(struct ibv_packet_pacing_caps){1000000, 100000000, (uint32_t)atoi(getenv("PACED"))};
	return err;
}

static int write_pace(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr)
{
	FILE *file = fopen("paces", "a");

	if (!file || qp->state != IBV_QPS_RTS)
		abort();
	fprintf(file, "%u\n", attr->rate_limit);
	fclose(file);
	return 0;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct verbs_context *verbs;
	struct ibv_context *context;

	NEXT(ibv_open_device);
	context = next(device);
	verbs = context ? verbs_get_ctx(context) : NULL;
	if (verbs) {
		query_device = verbs->query_device_ex;
		verbs->query_device_ex = query_paced;
		verbs->modify_qp_rate_limit = write_pace;
	}
	return context;
}
