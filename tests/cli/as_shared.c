// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interposes ibv_create_srq(), ibv_create_srq_ex() and ibv_alloc_pd(): says how many receives a shared queue is to have
 * room for, and whether it is in the program's protection domain or in another one that was made from it.
 */
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <stdio.h>

#include "in_front.h"

static const struct ibv_pd *plain;
static struct ibv_srq *(*create_ex)(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr);

static void say(const struct ibv_pd *pd, uint32_t receives)
{
	fprintf(stderr, "a shared receive queue of %u in %s domain\n", receives,
		pd == plain ? "the protection" : "a parent");
}

static struct ibv_srq *create_said(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	say(attr->pd, attr->attr.max_wr);
	return create_ex(context, attr);
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct verbs_context *verbs = verbs_get_ctx(context);
	struct ibv_pd *pd;

	NEXT(ibv_alloc_pd);
	pd = next(context);
	plain = pd;
	if (verbs->create_srq_ex != create_said) {
		create_ex = verbs->create_srq_ex;
		verbs->create_srq_ex = create_said;
	}
	return pd;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	NEXT(ibv_create_srq);
	say(pd, attr->attr.max_wr);
	return next(pd, attr);
}
