/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stand-ins for driver APIs of one shape (cuda.c, musa.c, cndrv.c): what they do, under the names of each. */
#pragma once

#include "device.h"

void await_kernels(const char *function_name); /* of CUDA: cuda_kernel.c */

#define OUT_OF_MEMORY	2
#define NOT_INITIALIZED 3
#define INVALID_DEVICE	101
#define INVALID_CONTEXT 201

#define FIRST_HANDLE  40 /* a handle is not the ordinal */
#define FIRST_CONTEXT 1000

static bool is_initialised;
static _Thread_local int current = -1; /* device of this thread's context */

static inline int driver_init(const char *name, unsigned flags)
{
	if (flags || must_fail(name))
		return NOT_INITIALIZED;
	is_initialised = true;
	return 0;
}

static inline int driver_count(int *count)
{
	*count = device_count();
	return is_initialised ? 0 : NOT_INITIALIZED;
}

/* -1: none. */
static inline int driver_device(int ordinal)
{
	return ordinal < 0 || ordinal >= device_count() ? -1 : ordinal + FIRST_HANDLE;
}

static inline int driver_retain(const char *name, void **context, int device)
{
	if (device < FIRST_HANDLE || must_fail(name))
		return INVALID_DEVICE;
	*context = (void *)(uintptr_t)(device + FIRST_CONTEXT);
	return 0;
}

static inline int driver_set_current(void *context)
{
	if ((uintptr_t)context < FIRST_HANDLE + FIRST_CONTEXT)
		return INVALID_CONTEXT;
	current = (int)(uintptr_t)context - FIRST_HANDLE - FIRST_CONTEXT;
	return 0;
}

static inline int driver_alloc(const char *name, uint64_t *address, size_t bytes)
{
	if (current < 0)
		return INVALID_CONTEXT;
	*address = must_fail(name) ? 0 : device_alloc(bytes, MISALIGNED);
	return *address ? 0 : OUT_OF_MEMORY;
}

static inline int driver_free(uint64_t address)
{
	device_free(address, MISALIGNED);
	return 0;
}

/* Each thread needs a context of its own, as the real ones do. */
static inline int driver_write(const char *name, uint64_t to, const void *from, size_t bytes)
{
	if (current < 0 || must_fail(name))
		return INVALID_CONTEXT;
	device_write(to, from, bytes);
	return 0;
}

static inline int driver_read(const char *name, void *to, uint64_t from, size_t bytes)
{
	if (current < 0 || must_fail(name))
		return INVALID_CONTEXT;
	device_read(to, from, bytes);
	return 0;
}

/* type 1: a dmabuf; a flag, where there is one: mapped by PCIe. */
static inline int driver_handle(void *handle, uint64_t address, size_t bytes, int type, unsigned long long flags,
				unsigned long long allowed)
{
	int fd = type == 1 && !(flags & ~allowed) ? device_export(address, bytes) : -1;

	if (fd < 0)
		return INVALID_DEVICE;
	memcpy(handle, &fd, sizeof(fd));
	return 0;
}
