/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the stand-ins for the vendors' libraries share: memory that the CPU can't reach by the address that it is given,
 * and the faults that the environment asks for. Their prototypes are those of the vendors' documents, written anew.
 *
 *	GPU_STANDIN_DEVICES=N      how many there are, 2
 *	GPU_STANDIN_FAIL=FUNCTION  that function fails
 *	GPU_STANDIN_PLAIN=1        addresses are the CPU's, for a NIC that is a stand-in itself
 *	GPU_STANDIN_DMABUF=1       memory can be had as a dmabuf, for which a descriptor of /dev/null stands
 */
#ifndef TESTS_GPU_DEVICE_H
#define TESTS_GPU_DEVICE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN_BIT (1ULL << 62)
#define MISALIGNED 512 /* all that CUDA and HIP promise is less than a page */
#define PAGE	   65536

static inline int device_count(void)
{
	const char *text = getenv("GPU_STANDIN_DEVICES");

	return text ? atoi(text) : 2;
}

static inline bool must_fail(const char *function)
{
	const char *text = getenv("GPU_STANDIN_FAIL");

	return text && strcmp(text, function) == 0;
}

/* 0: none. */
static inline uint64_t device_alloc(size_t bytes, size_t misaligned)
{
	char *memory = NULL;

	if (posix_memalign((void **)&memory, PAGE, bytes + misaligned) != 0)
		return 0;
	return (uintptr_t)(memory + misaligned) | (getenv("GPU_STANDIN_PLAIN") ? 0 : HIDDEN_BIT);
}

static inline void *device_reach(uint64_t address)
{
	return (void *)(uintptr_t)(address & ~HIDDEN_BIT);
}

static inline void device_free(uint64_t address, size_t misaligned)
{
	free((char *)device_reach(address) - misaligned);
}

/* A dmabuf is made of whole pages. -1: not of these, or there is none. */
static inline int device_export(uint64_t address, size_t bytes)
{
	return getenv("GPU_STANDIN_DMABUF") && address % PAGE == 0 && bytes % PAGE == 0
		       ? open("/dev/null", O_RDWR | O_CLOEXEC)
		       : -1;
}

#endif
