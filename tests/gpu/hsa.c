// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stand-in for libhsa-runtime64.so.1: the function of ROCr that src/memory/gpu_amd.c calls. */
#include "device.h"

#define ERROR_INVALID_ARGUMENT 0x1001

int hsa_amd_portable_export_dmabuf(const void *address, size_t bytes, int *fd, uint64_t *offset);

int hsa_amd_portable_export_dmabuf(const void *address, size_t bytes, int *fd, uint64_t *offset)
{
	*fd = device_export((uintptr_t)address, bytes);
	*offset = 4096; /* the buffer is a part of what was exported */
	return *fd < 0 ? ERROR_INVALID_ARGUMENT : 0;
}
