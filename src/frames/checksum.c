// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The Internet checksum: RFC 1071. */
#include "frames/headers.h"

uint64_t checksum_add(uint64_t sum, const uint8_t *data, uint32_t length)
{
	for (; length > 1; length -= 2, data += 2)
		sum += (uint64_t)(data[0] << 8 | data[1]);
	return length ? sum + (uint64_t)(data[0] << 8) : sum;
}

uint16_t checksum_of(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}
