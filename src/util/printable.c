// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Bytes as text for messages. See printable.h. */
#include "util/printable.h"

#include <stdint.h>

const char *printable(const void *bytes, size_t length, char *text, size_t size)
{
	const uint8_t *from = bytes;
	size_t i;

	for (i = 0; i < length && i + 1 < size; i++)
		text[i] = from[i] >= 0x20 && from[i] < 0x7f ? (char)from[i] : '.';
	text[i] = '\0';
	return text;
}
