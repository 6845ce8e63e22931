/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel may have an RDMA device that libibverbs does not list, or can't open. Why? From sysfs and
 * the device files.
 */
#ifndef VERBS_DEVICE_PROBE_H
#define VERBS_DEVICE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * False: the kernel has no RDMA device (of this name; "": any). True: text says what keeps programs from using it
 * and what to do. sysfs, dev: "/sys", "/dev".
 */
bool device_probe_explain(const char *sysfs, const char *dev, const char *name, char *text, size_t size);
/* The same for this host, or for the one whose sysfs PERFTEST_SYSFS names. */
bool device_probe_explain_here(const char *name, char *text, size_t size);

#endif
