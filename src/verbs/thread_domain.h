/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * May the library leave out its locks? A thread domain promises that one thread at a time uses what is made in it, a
 * parent domain says so of a protection domain: queue pairs are made in that, and completion queues with it
 * (ibv_alloc_td(3), ibv_alloc_parent_domain(3)). Regions and address handles stay with the protection domain.
 */
#ifndef VERBS_THREAD_DOMAIN_H
#define VERBS_THREAD_DOMAIN_H

#include <infiniband/verbs.h>

struct device;

struct thread_domain {
	struct ibv_td *td;
	struct ibv_pd *parent; /* NULL: none was asked for */
};

/* 0 or -errno, reported. */
int thread_domain_open(struct thread_domain *domain, const struct device *device, struct ibv_pd *pd);
/* Also of one that is not open. */
void thread_domain_close(struct thread_domain *domain);
/* Of a completion queue: without locks. */
void thread_domain_fill_cq(const struct thread_domain *domain, struct ibv_cq_init_attr_ex *attr);

#endif
