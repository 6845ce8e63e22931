/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A fuzzer's input, taken from the front as what happens next. Behind its end there are zeros. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct story {
	const uint8_t *bytes;
	size_t left;
};

static inline uint8_t story_byte(struct story *story)
{
	if (!story->left)
		return 0;
	story->left--;
	return *story->bytes++;
}

static inline uint32_t story_number(struct story *story)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 4; i++)
		value = value << 8 | story_byte(story);
	return value;
}

/* At most length bytes, which follow at *bytes. */
static inline size_t story_bytes(struct story *story, size_t length, const uint8_t **bytes)
{
	if (length > story->left)
		length = story->left;
	*bytes = story->bytes;
	story->bytes += length;
	story->left -= length;
	return length;
}
