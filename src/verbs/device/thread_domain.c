// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See thread_domain.h. */
#include "verbs/device/thread_domain.h"

#include <errno.h>
#include <string.h>

#include "util/log.h"
#include "verbs/device/device.h"

static int thread_domain_fail(const struct device *device, const char *what)
{
	const int err = errno ? -errno : -EIO;

	return log_fail(err, "%s cannot create the %s domain that lets the library omit its locks: %s; omit --no_lock",
			device->name, what, strerror(-err));
}

int thread_domain_open(struct thread_domain *domain, const struct device *device, struct ibv_pd *pd)
{
	struct ibv_td_init_attr td_attr = {.comp_mask = 0};
	struct ibv_parent_domain_init_attr attr = {.pd = pd};
	int err;

	errno = 0;
	attr.td = ibv_alloc_td(device->context, &td_attr);
	if (!attr.td)
		return thread_domain_fail(device, "thread");
	errno = 0;
	domain->parent = ibv_alloc_parent_domain(device->context, &attr);
	if (!domain->parent) {
		err = thread_domain_fail(device, "parent");
		ibv_dealloc_td(attr.td);
		return err;
	}
	domain->td = attr.td;
	return 0;
}

void thread_domain_close(struct thread_domain *domain)
{
	if (domain->parent)
		ibv_dealloc_pd(domain->parent);
	if (domain->td)
		ibv_dealloc_td(domain->td);
	*domain = (struct thread_domain){0};
}

void thread_domain_fill_cq(const struct thread_domain *domain, struct ibv_cq_init_attr_ex *attr)
{
	attr->comp_mask |= IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD;
	attr->flags |= IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	attr->parent_domain = domain->parent;
}
