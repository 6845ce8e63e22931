// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The Toeplitz hash of a frame's addresses and ports, as defined for RSS. Pure functions. */
#include "packet/rss.h"

#include <netinet/in.h>

#define ADDRESS_MAX	  16u
#define PORT_SIZE	  2u
#define INPUT_MAX	  (2 * ADDRESS_MAX + 2 * PORT_SIZE)
#define IPV4_SOURCE	  12u /* offsets in the headers */
#define IPV6_SOURCE	  8u
#define SOURCE_FIELD	  1u /* bits of a pair of fields */
#define DESTINATION_FIELD 2u
#define PAIR		  3u

/* XOR of the 32 key bits at the position of each set input bit. */
uint32_t soft_toeplitz(const uint8_t key[TOEPLITZ_KEY_SIZE], const uint8_t *data, uint32_t length)
{
	uint64_t window = 0;
	uint32_t hash = 0;

	for (uint32_t i = 0; i < 4; i++)
		window = window << 8 | key[i];
	for (uint32_t i = 0; i < length; i++) {
		window = window << 8 | (i + 4 < TOEPLITZ_KEY_SIZE ? key[i + 4] : 0u);
		for (unsigned int bit = 0; bit < 8; bit++) {
			if (data[i] >> (7 - bit) & 1)
				hash ^= (uint32_t)(window >> (8 - bit));
		}
	}
	return hash;
}

/* Copies the requested ones of two adjacent header fields. */
static uint32_t pair_take(uint8_t *to, const uint8_t *from, uint32_t size, uint64_t asked)
{
	uint32_t length = 0;

	if (asked & SOURCE_FIELD) {
		memcpy(to, from, size);
		length = size;
	}
	if (asked & DESTINATION_FIELD) {
		memcpy(to + length, from + size, size);
		length += size;
	}
	return length;
}

_Static_assert(IBV_RX_HASH_DST_IPV4 == 2 * IBV_RX_HASH_SRC_IPV4 && IBV_RX_HASH_SRC_IPV6 == 1 << 2 &&
		       IBV_RX_HASH_SRC_PORT_TCP == 1 << 4 && IBV_RX_HASH_SRC_PORT_UDP == 1 << 6,
	       "pairs of bits, the source's first");

uint32_t soft_toeplitz_frame(const uint8_t key[TOEPLITZ_KEY_SIZE], uint64_t fields, const struct soft_frame *frame)
{
	const uint8_t *network = frame->data + frame->network;
	uint8_t input[INPUT_MAX];
	uint32_t length = 0;

	if (frame->version == 4)
		length = pair_take(input, network + IPV4_SOURCE, 4, fields & PAIR);
	else if (frame->version == 6)
		length = pair_take(input, network + IPV6_SOURCE, ADDRESS_MAX, fields >> 2 & PAIR);
	if (frame->transport)
		length += pair_take(input + length, frame->data + frame->transport, PORT_SIZE,
				    fields >> (frame->protocol == IPPROTO_TCP ? 4 : 6) & PAIR);
	return soft_toeplitz(key, input, length);
}
