/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies bytes to the peer's memory. Programs poll the last byte of a buffer to detect the whole message, so the last
 * byte is stored last, and no byte is stored twice.
 */
#ifndef SOFT_COPY_H
#define SOFT_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Larger copies bypass the caches. Below this size that gains nothing and costs the reader its cache. */
#define COPY_STREAM_MIN (2u << 20)

void soft_copy_stream(void *to, const void *from, size_t length);

/* Prefetches the line for writing. The address need not be the start of a line. */
static inline void line_claim(const void *addr)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ __volatile__("prefetchw %0" : : "m"(*(const uint8_t *)addr));
#else
	__builtin_prefetch(addr, 1 /* write */);
#endif
}

/* Copies by one aligned store, which is atomic. False: not possible. */
static inline bool copy_word(void *to, const void *from, size_t length)
{
	uint64_t value;

	if (length != sizeof(value) || (uintptr_t)to % sizeof(value))
		return false;
	memcpy(&value, from, sizeof(value));
	__atomic_store_n((uint64_t *)to, value, __ATOMIC_RELEASE);
	return true;
}

static inline void copy_ordered(void *to, const void *from, size_t length)
{
	uint8_t *bytes = to;

	if (copy_word(to, from, length) || length == 0)
		return;
	if (length < COPY_STREAM_MIN)
		memcpy(to, from, length - 1);
	else
		soft_copy_stream(to, from, length - 1);
	__atomic_store_n(bytes + length - 1, ((const uint8_t *)from)[length - 1], __ATOMIC_RELEASE);
}

/* The same, out of line. */
void soft_copy_ordered(void *to, const void *from, size_t length);

/* For data that the peer's program does not poll: in any order. */
static inline void copy_whole(void *to, const void *from, size_t length)
{
	if (length < COPY_STREAM_MIN)
		memcpy(to, from, length);
	else
		soft_copy_stream(to, from, length);
}

#endif
