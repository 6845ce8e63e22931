// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stand-in for libhl-thunk.so: the functions that src/memory/gpu_habana.c calls. */
#include <errno.h>

#include "device.h"

#define DEVICE_FD 1234
#define ANY_KIND  4
#define HANDLE	  7 /* of the only allocation */

static uint64_t mapped;
static uint64_t allocated; /* bytes */

int hlthunk_get_device_count(int kind);
int hlthunk_open(int kind, const char *bus_id);
uint64_t hlthunk_device_memory_alloc(int fd, uint64_t bytes, uint64_t page_bytes, bool contiguous, bool shared);
uint64_t hlthunk_device_memory_map(int fd, uint64_t handle, uint64_t address);
int hlthunk_memory_unmap(int fd, uint64_t address);
int hlthunk_device_memory_free(int fd, uint64_t handle);
int hlthunk_device_mapped_memory_export_dmabuf_fd(int fd, uint64_t address, uint64_t bytes, uint64_t offset,
						  uint32_t flags);

int hlthunk_get_device_count(int kind)
{
	return kind == ANY_KIND ? device_count() : -EINVAL;
}

int hlthunk_open(int kind, const char *bus_id)
{
	return kind == ANY_KIND && device_at(bus_id) >= 0 && !must_fail("hlthunk_open") ? DEVICE_FD : -ENODEV;
}

uint64_t hlthunk_device_memory_alloc(int fd, uint64_t bytes, uint64_t page_bytes, bool contiguous, bool shared)
{
	if (fd != DEVICE_FD || page_bytes || !contiguous || shared || allocated ||
	    must_fail("hlthunk_device_memory_alloc"))
		return 0;
	allocated = bytes;
	return HANDLE;
}

uint64_t hlthunk_device_memory_map(int fd, uint64_t handle, uint64_t address)
{
	mapped = fd == DEVICE_FD && handle == HANDLE && !address && !must_fail("hlthunk_device_memory_map")
			 ? device_alloc(allocated, 0)
			 : 0;
	return mapped;
}

int hlthunk_memory_unmap(int fd, uint64_t address)
{
	if (fd != DEVICE_FD || address != mapped)
		abort();
	device_free(mapped, 0);
	mapped = 0;
	return 0;
}

int hlthunk_device_memory_free(int fd, uint64_t handle)
{
	if (fd != DEVICE_FD || handle != HANDLE || !allocated || mapped)
		abort();
	allocated = 0;
	return 0;
}

/* A part of what was mapped. */
int hlthunk_device_mapped_memory_export_dmabuf_fd(int fd, uint64_t address, uint64_t bytes, uint64_t offset,
						  uint32_t flags)
{
	int made = fd == DEVICE_FD && address == mapped && flags == (O_RDWR | O_CLOEXEC)
			   ? device_export(address + offset, bytes)
			   : -1;

	return made < 0 ? -EINVAL : made;
}
