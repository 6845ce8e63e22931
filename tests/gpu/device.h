/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the stand-ins for the vendors' libraries share: memory that the CPU can't reach by the address that it is given,
 * and the faults that the environment asks for. Their prototypes are those of the vendors' documents, written anew.
 *
 *	GPU_STANDIN_DEVICES=N      how many there are, 2
 *	GPU_STANDIN_FAIL=FUNCTION  that function fails
 *	GPU_STANDIN_PLAIN=1        addresses are the CPU's, for a NIC that is a stand-in itself
 *	GPU_STANDIN_MASK=N         what lies in memory is xored with that byte, so that a load by the CPU reads what was
 *	                           never sent and a store writes it: of copies alone it is right
 *	GPU_STANDIN_DMABUF=1       memory can be had as a dmabuf, for which a descriptor of /dev/null stands
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN_BIT (1ULL << 62)
#define MISALIGNED 512 /* all that CUDA and HIP promise is less than a page */
#define PAGE	   65536
#define FIRST_BUS  0x3b /* PCI bus of the first device; the others follow */

static inline int number_of(const char *variable, int otherwise)
{
	const char *text = getenv(variable);

	return text ? (int)strtol(text, NULL, 0) : otherwise;
}

static inline int device_count(void)
{
	return number_of("GPU_STANDIN_DEVICES", 2);
}

/* The device at a PCI address, with a domain or without; -1: there is none. */
static inline int device_at(const char *bus_id)
{
	unsigned domain, bus = 0, slot;
	int index;

	if (sscanf(bus_id, "%x:%x:%x", &domain, &bus, &slot) != 3)
		sscanf(bus_id, "%x:%x", &bus, &slot);
	index = (int)bus - FIRST_BUS;
	return index >= 0 && index < device_count() ? index : -1;
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

static inline void masked_copy(uint8_t *to, const uint8_t *from, size_t bytes)
{
	static int mask = -1;

	if (mask < 0)
		mask = number_of("GPU_STANDIN_MASK", 0) & 0xff;
	for (size_t i = 0; i < bytes; i++)
		to[i] = from[i] ^ (uint8_t)mask;
}

static inline void device_write(uint64_t to, const void *host, size_t bytes)
{
	masked_copy(device_reach(to), host, bytes);
}

static inline void device_read(void *host, uint64_t from, size_t bytes)
{
	masked_copy(host, device_reach(from), bytes);
}

/* A dmabuf is made of whole pages. -1: not of these, or there is none. */
static inline int device_export(uint64_t address, size_t bytes)
{
	return getenv("GPU_STANDIN_DMABUF") && address % PAGE == 0 && bytes % PAGE == 0
		       ? open("/dev/null", O_RDWR | O_CLOEXEC)
		       : -1;
}
