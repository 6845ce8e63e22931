/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the limit of locked memory the reason why memory cannot be registered? Called if verbs fails with ENOMEM. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

struct locked_memory {
	bool exempt;	 /* the process has CAP_IPC_LOCK in the initial user namespace */
	uint64_t limit;	 /* RLIMIT_MEMLOCK in bytes; UINT64_MAX: unlimited */
	uint64_t pinned; /* bytes that devices have pinned so far */
};

void locked_memory_read(struct locked_memory *memory);
/*
 * "; the limit ...", or "" if the limit is not the reason. asked: bytes of the request that failed with error
 * (positive); 0: only the device knows. Returns text.
 */
const char *locked_memory_blame(const struct locked_memory *memory, int error, uint64_t asked, char *text, size_t size);
/* Both of the above, for this process and a device. */
const char *locked_memory_advice(const struct device *device, int error, uint64_t asked, char *text, size_t size);
