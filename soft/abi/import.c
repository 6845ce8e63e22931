// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Imports an open device by a dup(2) of its descriptor: that of a real device is passed on to libibverbs. A soft
 * device, whose descriptor is the null device's (open.c), is not imported.
 */
#include "config.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "abi/abi.h"
#include "host/threads.h"

typedef struct ibv_context *(*import_fn)(int fd);

static bool is_null_device(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

/* libibverbs looks for the device in ibv_get_device_list(), in what it knows of its own devices only. */
SOFT_EXPORT struct ibv_context *ibv_import_device(int cmd_fd)
{
	SOFT_UNCANCELLED;
	import_fn real = (import_fn)soft_real_symbol("ibv_import_device", "IBVERBS_1.10");
	struct ibv_context *context;

	if (cmd_fd < 0 || !real || is_null_device(cmd_fd))
		return soft_refuse(cmd_fd < 0 ? EBADF : EOPNOTSUPP);
	soft_device_list_only_real(true);
	context = real(cmd_fd);
	soft_device_list_only_real(false);
	return context;
}
