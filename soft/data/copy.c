// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies messages that are larger than the caches. Called by copy.h. */
#include "data/copy.h"

#define COPY_LINE 64u
#define COPY_TAIL 2048u /* 35 to 50 ns */

#if defined(__SSE2__)
#include <emmintrin.h>

/* Non-temporal stores do not read the lines before writing them, which saves a third of the memory traffic. */
void soft_copy_stream(void *to, const void *from, size_t length)
{
	uint8_t *target = to;
	const uint8_t *source = from;
	size_t ahead = -(uintptr_t)target & (COPY_LINE - 1);

	memcpy(target, source, ahead);
	target += ahead;
	source += ahead;
	length -= ahead;
	for (; length >= COPY_LINE; length -= COPY_LINE, target += COPY_LINE, source += COPY_LINE) {
		__m128i a = _mm_loadu_si128((const __m128i *)source);
		__m128i b = _mm_loadu_si128((const __m128i *)source + 1);
		__m128i c = _mm_loadu_si128((const __m128i *)source + 2);
		__m128i d = _mm_loadu_si128((const __m128i *)source + 3);

		_mm_stream_si128((__m128i *)target, a);
		_mm_stream_si128((__m128i *)target + 1, b);
		_mm_stream_si128((__m128i *)target + 2, c);
		_mm_stream_si128((__m128i *)target + 3, d);
	}
	_mm_sfence();
	memcpy(target, source, length);
}
#else
void soft_copy_stream(void *to, const void *from, size_t length)
{
	memcpy(to, from, length);
}
#endif

/*
 * Claims the line that the reader polls while the last bytes before it are copied: they take about as long as a line
 * from a near CPU, and a third of what it takes from a far one. If it came earlier, the reader would have fetched it
 * back by then. The C library copies longer ranges with a single instruction, during which nothing else executes.
 */
void soft_copy_ordered(void *to, const void *from, size_t length)
{
	uint8_t *target = to;
	const uint8_t *source = from;
	size_t ahead = 0;

	if (length >= COPY_TAIL && length < COPY_STREAM_MIN) {
		ahead = (length - COPY_TAIL) & ~(size_t)(COPY_LINE - 1);
		memcpy(target, source, ahead);
		line_claim(target + length - 1);
	}
	copy_ordered(target + ahead, source + ahead, length - ahead);
}
