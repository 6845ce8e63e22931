/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copies bytes to the peer's memory. Programs poll the last byte of a buffer to detect the whole message, so the last
 * byte is stored last, and no byte is stored twice.
 */
#pragma once

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

/*
 * Copies an aligned word of 2, 4 or 8 bytes with one store, as an adapter does: the word may be a counter that the
 * reader acts on, and this process may be stopped between two stores. False: not such a word.
 */
static inline bool copy_word(void *to, const void *from, size_t length)
{
	union {
		uint16_t of_2;
		uint32_t of_4;
		uint64_t of_8;
	} word;

	if (length & ~(size_t)(sizeof(word.of_2) | sizeof(word.of_4) | sizeof(word.of_8)) ||
	    (uintptr_t)to & (length - 1)) /* lengths that are not powers of two reach the default */
		return false;
	switch (length) {
	case sizeof(word.of_2):
		memcpy(&word, from, sizeof(word.of_2));
		__atomic_store_n((uint16_t *)to, word.of_2, __ATOMIC_RELEASE);
		return true;
	case sizeof(word.of_4):
		memcpy(&word, from, sizeof(word.of_4));
		__atomic_store_n((uint32_t *)to, word.of_4, __ATOMIC_RELEASE);
		return true;
	case sizeof(word.of_8):
		memcpy(&word, from, sizeof(word.of_8));
		__atomic_store_n((uint64_t *)to, word.of_8, __ATOMIC_RELEASE);
		return true;
	default:
		return false;
	}
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
