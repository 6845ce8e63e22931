// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The UDP header: RFC 768. A checksum of zero would mean "none", which IPv6 does not allow (RFC 8200, 8.1). */
#include "frames/headers.h"

uint32_t udp_write(uint8_t *at, const struct frame_spec *spec, uint64_t sum, uint32_t rest)
{
	const uint32_t length = UDP_HEADER_BYTES + rest;
	uint16_t checksum;

	write16(at, spec->source_port);
	write16(at + 2, spec->destination_port);
	write16(at + 4, (uint16_t)length);
	write16(at + 6, 0);
	checksum = checksum_of(checksum_add(sum + length, at, length));
	write16(at + 6, checksum ? checksum : 0xffff);
	return UDP_HEADER_BYTES;
}
