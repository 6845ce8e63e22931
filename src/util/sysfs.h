/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does the kernel say of its devices? Files of one line below /sys; report and verbs read them. */
#ifndef UTIL_SYSFS_H
#define UTIL_SYSFS_H

#include <stddef.h>
#include <stdint.h>

/* "/sys", or the folder that PERFTEST_SYSFS names: another host's from a container, a test's. */
const char *sysfs_root(void);
/* Up to size - 1 bytes of the first line of a file, without its end; "" when it can't be read. Returns text. */
const char *sysfs_line(const char *path, char *text, size_t size);
/* Of a file that holds a number and nothing else: 0, or a negative errno. */
int sysfs_number(const char *path, uint64_t *number);

#endif
