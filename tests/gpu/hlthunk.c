// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stand-in for libhl-thunk.so: the function that src/memory/gpu_habana.c calls. */
#include <errno.h>

#include "device.h"

#define DEVICE_FD 1234 /* as synapse.c has it */

int hlthunk_device_mapped_memory_export_dmabuf_fd(int fd, uint64_t address, uint64_t bytes, uint64_t offset,
						  uint32_t flags);

/* A part of all of the device's memory, which begins at PAGE. */
int hlthunk_device_mapped_memory_export_dmabuf_fd(int fd, uint64_t address, uint64_t bytes, uint64_t offset,
						  uint32_t flags)
{
	int made = fd == DEVICE_FD && address == PAGE && flags == (O_RDWR | O_CLOEXEC)
			   ? device_export(address + offset, bytes)
			   : -1;

	return made < 0 ? -EINVAL : made;
}
