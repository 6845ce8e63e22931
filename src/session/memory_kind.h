/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which kind of memory do the options request, and is it available? Called by session.c and agree.c. */
#ifndef SESSION_MEMORY_KIND_H
#define SESSION_MEMORY_KIND_H

#include "memory/gpu.h"
#include "memory/memory.h"
#include "params/perftest_parameters.h"
#include "verbs/device/device.h"

const struct memory_ops *memory_kind_of(const struct params *params);
/* Opens what it needs: libraries, devices, files. 0 or -errno, reported. */
int memory_kind_choose(const struct params *params, const struct device *device);

/* How much device memory the buffers need, if they are in it; the device may change until both sides have agreed. */
void memory_kind_measure(struct verbs_config *config, const struct device *device);

#endif
