// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config.h"

#include "qperf/control/session.h"

#include <string.h>

void access_data(const void *data, uint64_t length)
{
	static volatile uint64_t seen;
	const unsigned char *bytes = data;
	uint64_t sum = 0, word, i;

	for (i = 0; i + sizeof(word) <= length; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		sum += word;
	}
	for (; i < length; i++)
		sum += bytes[i];
	seen = sum;
	(void)seen;
}
