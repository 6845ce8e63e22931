/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which kind of memory do the options request, and is it available? Called by session and configure.c. */
#ifndef SESSION_MEMORY_KIND_H
#define SESSION_MEMORY_KIND_H

#include "memory/gpu.h"
#include "memory/memory.h"
#include "params/perftest_parameters.h"
#include "verbs/device.h"

const struct memory_ops *memory_kind_of(const struct params *params);
/* Can it be registered only as a dmabuf? */
bool memory_kind_needs_dmabuf(const struct params *params);
/* Opens what it needs: libraries, devices, files. 0 or -errno, reported. */
int memory_kind_choose(const struct params *params, const struct device *device);

/* The kind of memory/gpu.h that the options name. */
const struct gpu_kind *memory_kind_gpu(enum accelerator accelerator);

#endif
