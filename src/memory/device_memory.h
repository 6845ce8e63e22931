/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Buffers in memory on the RDMA adapter itself (ibv_alloc_dm(3)), which work requests address from zero. */
#ifndef MEMORY_DEVICE_MEMORY_H
#define MEMORY_DEVICE_MEMORY_H

#include "memory/memory.h"

extern const struct memory_ops memory_of_adapter;	/* --use_ib_dm: of the test's own device */
extern const struct memory_ops memory_of_other_adapter; /* --use_ib_dm_dmabuf: of another one, as a dmabuf */

/* The other one, opened; before the first buffer. Keeps the name. 0 or -errno, reported. */
int device_memory_choose(const char *name);

/* Bytes that a device has of it; 0: none. */
uint64_t device_memory_bytes(struct ibv_context *context);
/* Can it be a dmabuf? 0, or -errno and why not. */
int device_memory_probe_dmabuf(struct ibv_context *context, char *reason, size_t size);

#endif
