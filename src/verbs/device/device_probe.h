/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Explains, from sysfs and the device files, why libibverbs does not list or cannot open a device that the kernel has.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * False if the kernel has no RDMA device of this name ("": of any name). Otherwise text says why programs cannot use
 * it, and what to do. sysfs, dev: "/sys", "/dev".
 */
bool device_probe_explain(const char *sysfs, const char *dev, const char *name, char *text, size_t size);
/* The same for this host, or the one whose sysfs is at PERFTEST_SYSFS. */
bool device_probe_explain_here(const char *name, char *text, size_t size);
