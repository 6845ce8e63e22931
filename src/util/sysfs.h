/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's information about its devices: files of one line below /sys, and names in its tree. */
#pragma once

#include <glob.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "/sys", or the folder that PERFTEST_SYSFS names: another host's from a container, or a test's. */
const char *sysfs_root(void);
/*
 * At most size - 1 bytes of the first line of the file whose path that makes, without the newline; "" if it cannot be
 * read. Returns text.
 */
const char *sysfs_line(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Reads a file that contains only a number: 0, or a negative errno. */
int sysfs_number(const char *path, uint64_t *number);
/* Such a file of a PCI function: "vendor", with a hexadecimal number; 0: unknown. */
unsigned long sysfs_id(const char *folder, const char *name);
/* glob() of a pattern, also with braces, in a folder, whose path has characters of patterns perhaps. Its result. */
int sysfs_glob(glob_t *found, const char *folder, const char *pattern);
/* The last component of a path. */
const char *sysfs_name(const char *path);
/* Is it a PCI function such as "0000:3b:00.0"? Domains may be longer, as with VMD and Hyper-V. */
bool sysfs_is_pci_address(const char *name);
/* To the folder above. False: there is none. Some drivers insert a device of their own, which has few attributes. */
bool sysfs_go_up(char *path);
