/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be chosen of MUSA beyond the GPU itself. */
#ifndef MEMORY_GPU_MUSA_H
#define MEMORY_GPU_MUSA_H

#include <stdbool.h>

#include "memory/gpu.h"

/* --use_musa_pcie_mapping: dmabufs are mapped by PCIe. Before the first buffer. */
void gpu_musa_want(bool pcie_mapping);

#endif
