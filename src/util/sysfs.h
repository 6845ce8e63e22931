/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does the kernel say of its devices? Files of one line below /sys, and names in its tree. */
#ifndef UTIL_SYSFS_H
#define UTIL_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "/sys", or the folder that PERFTEST_SYSFS names: another host's from a container, a test's. */
const char *sysfs_root(void);
/* Up to size - 1 bytes of the first line of a file, without its end; "" when it can't be read. Returns text. */
const char *sysfs_line(const char *path, char *text, size_t size);
/* Of a file that holds a number and nothing else: 0, or a negative errno. */
int sysfs_number(const char *path, uint64_t *number);
/* The last component of a path. */
const char *sysfs_name(const char *path);
/* "0000:3b:00.0" of a PCI function; domains may be longer, as those of VMD and Hyper-V. */
bool sysfs_is_pci_address(const char *name);

#endif
