/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Buffers in memory of the RDMA adapter itself (ibv_alloc_dm(3)). In work requests its addresses start at zero. */
#ifndef MEMORY_DEVICE_MEMORY_H
#define MEMORY_DEVICE_MEMORY_H

#include "memory/memory.h"

extern const struct memory_ops memory_of_adapter;	/* --use_ib_dm: of the device that runs the test */
extern const struct memory_ops memory_of_other_adapter; /* --use_ib_dm_dmabuf: of another device, as a dmabuf */

/* Opens the other device, before the first buffer. Keeps the pointer. 0 or -errno, reported. */
int device_memory_choose(const char *name);

/* Bytes of memory on the device; 0: none. */
uint64_t device_memory_bytes(struct ibv_context *context);
/* Can it be exported as a dmabuf? 0, or -errno and the reason. */
int device_memory_probe_dmabuf(struct ibv_context *context, char *reason, size_t size);

#endif
