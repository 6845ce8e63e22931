/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do bytes reach the peer's memory? Programs poll on the last byte of a buffer for the arrival of the
 * whole, so the last byte is stored last, and nothing of it twice.
 */
#ifndef SOFT_COPY_H
#define SOFT_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* From here on stores go round the caches. Below it they win nothing and cost the reader its cache. */
#define COPY_STREAM_MIN (2u << 20)

void soft_copy_stream(void *to, const void *from, size_t length);

static inline void copy_ordered(void *to, const void *from, size_t length)
{
	uint8_t *bytes = to;

	/* One aligned store is whole by itself. */
	if (length == 8 && ((uintptr_t)to & 7) == 0) {
		uint64_t value;

		memcpy(&value, from, sizeof(value));
		__atomic_store_n((uint64_t *)to, value, __ATOMIC_RELEASE);
		return;
	}
	if (length == 0)
		return;
	if (length < COPY_STREAM_MIN)
		memcpy(to, from, length - 1);
	else
		soft_copy_stream(to, from, length - 1);
	__atomic_store_n(bytes + length - 1, ((const uint8_t *)from)[length - 1], __ATOMIC_RELEASE);
}

#endif
