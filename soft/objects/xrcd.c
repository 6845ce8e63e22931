// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * XRC domains: XRC requests may name shared receive queues of the same domain. A domain without a file belongs to its
 * process; one with a file is shared by all processes that open a file with the same device and inode, and exists as
 * long as one of them has it open. The kernel keeps track of that: each process holds a read lock, of its own open file
 * description, on a byte of the file that no program locks.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "host/core.h"
#include "host/descriptor.h"
#include "host/fault.h"
#include "host/threads.h"

#define MARK_OFFSET 0x3065726674657374ll /* far past any file's end */

static struct flock mark_of(short type)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = MARK_OFFSET, .l_len = 1};
}

/* Reopened, because the lock belongs to the open file description, and the program may lock its own. */
static int mark_open(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* 0 or a negative errno, as from ib_uverbs_open_xrcd(). */
static int domain_join(struct core_xrcd *xrcd, int fd, int oflags)
{
	struct flock mark = mark_of(F_WRLCK);
	struct stat status;
	bool is_there;

	if (fstat(fd, &status))
		return -errno;
	xrcd->name = (struct xrcd_name){(uint64_t)status.st_dev, (uint64_t)status.st_ino};
	xrcd->fd = mark_open(fd);
	if (xrcd->fd < 0)
		return -errno;
	if (fcntl(xrcd->fd, F_OFD_GETLK, &mark))
		return -errno;
	is_there = mark.l_type != F_UNLCK;
	if (is_there && oflags & O_EXCL)
		return -EINVAL;
	if (!is_there && !(oflags & O_CREAT))
		return -EAGAIN;
	mark = mark_of(F_RDLCK);
	return fcntl(xrcd->fd, F_OFD_SETLK, &mark) ? -errno : 0;
}

struct ibv_xrcd *soft_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr)
{
	SOFT_UNCANCELLED;
	const uint32_t needed = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
	static uint32_t next;
	struct core_xrcd *xrcd;
	int err;

	if (attr->comp_mask != needed || attr->oflags & ~(O_CREAT | O_EXCL) ||
	    (attr->fd == -1 && !(attr->oflags & O_CREAT)))
		return soft_refuse(attr->comp_mask & ~needed ? EOPNOTSUPP : EINVAL);
	xrcd = soft_fault_alloc(FAULT_OPEN_XRCD, sizeof(*xrcd));
	if (!xrcd)
		return NULL;
	xrcd->base.context = context;
	xrcd->fd = -1;
	if (attr->fd == -1) {
		/* No file has such a device number. */
		xrcd->name = (struct xrcd_name){UINT64_MAX, (uint64_t)soft_self.instance << 32 |
								    __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED)};
		return &xrcd->base;
	}
	err = domain_join(xrcd, attr->fd, attr->oflags);
	if (!err)
		return &xrcd->base;
	descriptor_close(&xrcd->fd);
	free(xrcd);
	return soft_refuse(-err);
}

int soft_close_xrcd(struct ibv_xrcd *public)
{
	struct core_xrcd *xrcd = (struct core_xrcd *)public;

	if (__atomic_load_n(&xrcd->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	descriptor_close(&xrcd->fd);
	free(xrcd);
	return 0;
}
