// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Imports an open device: a dup(2) of its descriptor is opened as a second context, into which objects of the first are
 * imported by their handles. A soft device's objects belong to one process, so only that process can import them;
 * another one that received the descriptor gets an error.
 *
 * Real devices' descriptors are passed on to libibverbs.
 */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "abi/abi.h"
#include "host/core.h"
#include "host/threads.h"

typedef struct ibv_context *(*import_fn)(int fd);

/* The new context owns the descriptor. */
static struct ibv_context *soft_import_device(int fd, unsigned int device)
{
	struct ibv_context *context = soft_open_device(&soft_devices[device].base);

	if (!context)
		return NULL;
	close(context->cmd_fd);
	context->cmd_fd = fd;
	return context;
}

/* libibverbs looks for the device in ibv_get_device_list(), in what it knows of its own devices only. */
static struct ibv_context *real_import(import_fn real, int fd)
{
	struct ibv_context *context;

	soft_device_list_only_real(true);
	context = real(fd);
	soft_device_list_only_real(false);
	return context;
}

SOFT_EXPORT struct ibv_context *ibv_import_device(int cmd_fd)
{
	SOFT_UNCANCELLED;
	import_fn real;
	unsigned int device;

	switch (soft_command_fd_read(cmd_fd, &device)) {
	case 0:
		return soft_import_device(cmd_fd, device);
	case -EOPNOTSUPP:
		soft_error("this descriptor is a device that another process opened: import it there");
		return soft_refuse(EOPNOTSUPP);
	}
	real = (import_fn)soft_real_symbol("ibv_import_device", "IBVERBS_1.10");
	if (cmd_fd >= 0 && real)
		return real_import(real, cmd_fd);
	return soft_refuse(cmd_fd < 0 ? EBADF : EOPNOTSUPP);
}
