/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lets the library omit its locks. A thread domain promises that only one thread at a time uses the objects in it, and
 * a parent domain combines it with a PD: QPs and CQs are created in the parent domain (ibv_alloc_td(3),
 * ibv_alloc_parent_domain(3)). MRs and address handles stay in the PD.
 */
#pragma once

#include <infiniband/verbs.h>

struct device;

struct thread_domain {
	struct ibv_td *td;
	struct ibv_pd *parent; /* NULL: not requested */
};

/* 0 or -errno, reported. */
int thread_domain_open(struct thread_domain *domain, const struct device *device, struct ibv_pd *pd);
/* Does nothing if it is not open. */
void thread_domain_close(struct thread_domain *domain);
/* Attributes of a CQ without locks. */
void thread_domain_fill_cq(const struct thread_domain *domain, struct ibv_cq_init_attr_ex *attr);
