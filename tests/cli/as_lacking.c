// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interposes ibv_create_qp(): no device creates UC queue pairs, nor UD ones with LACKS=UD; with LACKS=errno none at
 * all, and nothing says why. With LACKS=events none has completion channels, as older EFA.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>

#include "in_front.h"

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	const char *lacks = getenv("LACKS");

	NEXT(ibv_create_qp);
	if (lacks && strcmp(lacks, "errno") == 0) {
		errno = 0;
		return NULL;
	}
	if (attr->qp_type == IBV_QPT_UC || (attr->qp_type == IBV_QPT_UD && lacks)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return next(pd, attr);
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *cq_context,
			     struct ibv_comp_channel *channel, int vector)
{
	const char *lacks = getenv("LACKS");

	NEXT(ibv_create_cq);
	if (channel && lacks && strcmp(lacks, "events") == 0) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return next(context, entries, cq_context, channel, vector);
}
