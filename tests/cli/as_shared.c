// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interposes ibv_create_srq() and ibv_alloc_pd(): says how many receives a shared queue is to have room for, and
 * whether it is in the program's protection domain or in another one that was made from it.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <stdio.h>

#include "in_front.h"

static const struct ibv_pd *plain;

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd;

	NEXT(ibv_alloc_pd);
	pd = next(context);
	plain = pd;
	return pd;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	NEXT(ibv_create_srq);
	fprintf(stderr, "a shared receive queue of %u in %s domain\n", attr->attr.max_wr,
		pd == plain ? "the protection" : "a parent");
	return next(pd, attr);
}
