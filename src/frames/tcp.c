// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The TCP header: RFC 9293, without options: a segment of an open connection that has not acknowledged anything. */
#include "frames/headers.h"

#define WORDS_SHIFT  12
#define HEADER_WORDS 5
#define FLAG_PUSH    0x08
#define FLAG_ACK     0x10
#define WINDOW	     8192

uint32_t tcp_write(uint8_t *at, const struct frame_spec *spec, uint64_t sum, uint32_t rest)
{
	const uint32_t length = TCP_HEADER_BYTES + rest;

	write16(at, spec->source_port);
	write16(at + 2, spec->destination_port);
	write32(at + 4, 0);
	write32(at + 8, 0);
	write16(at + 12, HEADER_WORDS << WORDS_SHIFT | FLAG_ACK | FLAG_PUSH);
	write16(at + 14, WINDOW);
	write16(at + 16, 0);
	write16(at + 18, 0);
	write16(at + 16, checksum_of(checksum_add(sum + length, at, length)));
	return TCP_HEADER_BYTES;
}
