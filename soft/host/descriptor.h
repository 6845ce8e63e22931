/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Descriptors: closing them, and whether one is still an eventfd, and not another file that reused the number. */
#pragma once

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* -1: there is none. */
static inline void descriptor_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* 1, 0, or a negative number if /proc does not say. */
static inline int eventfd_look(int fd)
{
	static const char name[] = "anon_inode:[eventfd";
	char path[32], target[sizeof(name)];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, target, sizeof(target));
	return length < 0 ? -1 : length >= (ssize_t)sizeof(name) - 1 && memcmp(target, name, sizeof(name) - 1) == 0;
}
