/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* OpenCL options other than the device itself. */
#ifndef MEMORY_GPU_OPENCL_H
#define MEMORY_GPU_OPENCL_H

#include "memory/gpu.h"

/* --opencl_platform_id, --gpu_touch. To be called before gpu_probe(). */
void gpu_opencl_want(int platform, enum gpu_touch touch);

#endif
