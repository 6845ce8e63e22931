/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MUSA options other than the GPU itself. */
#ifndef MEMORY_GPU_MUSA_H
#define MEMORY_GPU_MUSA_H

#include <stdbool.h>

#include "memory/gpu.h"

/* --use_musa_pcie_mapping: map dmabufs through PCIe. To be called before the first buffer. */
void gpu_musa_want(bool pcie_mapping);

#endif
