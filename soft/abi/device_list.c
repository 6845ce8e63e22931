// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The device list: libibverbs' real devices first, in its order, then soft0 and soft1; so a program that uses the first
 * device uses a real one if there is one.
 */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "abi/abi.h"
#include "host/threads.h"

typedef struct ibv_device **(*list_get_fn)(int *count);
typedef void (*list_free_fn)(struct ibv_device **list);
typedef struct ibv_context *(*import_fn)(int fd);

static __thread bool lists_only_real; /* in this thread, now */

static void theirs_free(struct ibv_device **theirs)
{
	list_free_fn real = (list_free_fn)soft_real_symbol("ibv_free_device_list", "IBVERBS_1.1");

	if (theirs && real)
		real(theirs);
}

/*
 * The list is one block from malloc, because programs (qperf) pass it to free() themselves. The list of libibverbs
 * holds references to the real devices, so it must live as long: its address is in the same block, after the NULL that
 * ends the list. A plain free() leaks it, as always. libibverbs fails (ENOSYS) if the kernel has no RDMA; that is not
 * an error here.
 */
SOFT_EXPORT struct ibv_device **ibv_get_device_list(int *num_devices)
{
	SOFT_UNCANCELLED;
	list_get_fn real = (list_get_fn)soft_real_symbol("ibv_get_device_list", "IBVERBS_1.1");
	struct ibv_device **theirs;
	struct ibv_device **list;
	int theirs_count = 0;
	int count;
	int i;

	theirs = real ? real(&theirs_count) : NULL;
	if (!theirs)
		theirs_count = 0;
	count = theirs_count + (lists_only_real ? 0 : SOFT_DEVICE_COUNT);
	list = calloc((size_t)count + 2, sizeof(*list));
	if (!list) {
		theirs_free(theirs);
		return soft_refuse(ENOMEM);
	}
	for (i = 0; i < theirs_count; i++)
		list[i] = theirs[i];
	soft_devices_describe();
	for (; i < count; i++)
		list[i] = &soft_devices[i - theirs_count].base;
	list[count + 1] = (struct ibv_device *)theirs;
	if (num_devices)
		*num_devices = count;
	return list;
}

SOFT_EXPORT void ibv_free_device_list(struct ibv_device **list)
{
	SOFT_UNCANCELLED;
	size_t count = 0;

	while (list[count])
		count++;
	theirs_free((struct ibv_device **)list[count + 1]);
	free(list);
}

static bool is_null_device(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

/*
 * Imports an open device by a dup(2) of its descriptor: that of a real device is passed on to libibverbs, which looks
 * for the device in ibv_get_device_list(), in what it knows of its own devices only. A soft device, whose descriptor is
 * the null device's (open.c), is not imported.
 */
SOFT_EXPORT struct ibv_context *ibv_import_device(int cmd_fd)
{
	SOFT_UNCANCELLED;
	import_fn real = (import_fn)soft_real_symbol("ibv_import_device", "IBVERBS_1.10");
	struct ibv_context *context;

	if (cmd_fd < 0 || !real || is_null_device(cmd_fd))
		return soft_refuse(cmd_fd < 0 ? EBADF : EOPNOTSUPP);
	lists_only_real = true;
	context = real(cmd_fd);
	lists_only_real = false;
	return context;
}
