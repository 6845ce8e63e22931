// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The files /dev/infiniband/uverbs-soft0 and -soft1, for programs that check whether they exist.
 *
 * Programs that list devices with libibverbs and then check for the device's character node (UCX) would skip ours. They
 * use stat(2) and access(2) and never open it; stat() and its old names are answered here, access() with rdma_cm's in
 * cm/node.c. If a file of that name really exists, it is reported unchanged.
 */
#include "config.h"

/* Its inline functions would conflict with ours. */
#undef _FORTIFY_SOURCE

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "abi/abi.h"
#include "host/next.h"

#define NODE_FOLDER	 "/dev/infiniband/"
#define UVERBS_MAJOR	 231
#define UVERBS_MINOR_OWN 223 /* after the kernel's first 32; no program opens it */

int soft_device_node_number(const char *path)
{
	if (strncmp(path, NODE_FOLDER, sizeof(NODE_FOLDER) - 1) != 0)
		return -1;
	for (int i = 0; i < SOFT_DEVICE_COUNT; i++) {
		if (strcmp(path + sizeof(NODE_FOLDER) - 1, soft_devices[i].base.dev_name) == 0)
			return i;
	}
	return -1;
}

/* ret is the C library's result. */
static int device_node_disguise(const char *path, int ret, struct stat *status)
{
	int number = ret && errno == ENOENT ? soft_device_node_number(path) : -1;

	if (number < 0)
		return ret;
	memset(status, 0, sizeof(*status));
	status->st_mode = S_IFCHR | 0666;
	status->st_nlink = 1;
	status->st_rdev = makedev(UVERBS_MAJOR, UVERBS_MINOR_OWN + (unsigned int)number);
	return 0;
}

SOFT_STAT_NAMES(stat, __xstat, const char *, device_node_disguise)
