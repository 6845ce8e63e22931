// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * XRC domains: XRC requests may name shared receive queues of the same domain. A domain without a file belongs to its
 * process; one with a file is shared by all processes that open a file with the same device and inode.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "host/core.h"
#include "host/fault.h"

struct ibv_xrcd *soft_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr)
{
	const uint32_t needed = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
	static uint32_t next;
	struct core_xrcd *xrcd;
	struct stat status;

	/* Whether another process has opened a domain of that file is not known. */
	if (attr->comp_mask & ~needed || (attr->fd != -1 && attr->oflags & O_EXCL))
		return soft_refuse(EOPNOTSUPP);
	if (attr->comp_mask != needed || attr->oflags & ~(O_CREAT | O_EXCL) ||
	    (attr->fd == -1 && !(attr->oflags & O_CREAT)))
		return soft_refuse(EINVAL);
	if (attr->fd != -1 && fstat(attr->fd, &status))
		return NULL;
	xrcd = soft_fault_alloc(FAULT_OPEN_XRCD, sizeof(*xrcd));
	if (!xrcd)
		return NULL;
	xrcd->base.context = context;
	if (attr->fd != -1)
		xrcd->name = (struct xrcd_name){(uint64_t)status.st_dev, (uint64_t)status.st_ino};
	else /* no file has such a device number */
		xrcd->name = (struct xrcd_name){UINT64_MAX, (uint64_t)soft_self.instance << 32 |
								    __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED)};
	return &xrcd->base;
}

int soft_close_xrcd(struct ibv_xrcd *public)
{
	struct core_xrcd *xrcd = (struct core_xrcd *)public;

	if (__atomic_load_n(&xrcd->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	free(xrcd);
	return 0;
}
