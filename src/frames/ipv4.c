// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The IPv4 header: RFC 791, without options. Datagrams with "don't fragment" need no identification (RFC 6864). */
#include <string.h>

#include "frames/headers.h"

#define VERSION_AND_WORDS 0x45
#define DONT_FRAGMENT	  0x4000

uint32_t ipv4_write(uint8_t *at, const struct frame_spec *spec, uint8_t protocol, uint32_t rest)
{
	at[0] = VERSION_AND_WORDS;
	at[1] = spec->traffic_class;
	write16(at + 2, (uint16_t)(IPV4_HEADER_BYTES + rest));
	write16(at + 4, 0);
	write16(at + 6, DONT_FRAGMENT);
	at[8] = spec->hops;
	at[9] = protocol;
	write16(at + 10, 0);
	memcpy(at + 12, spec->from.bytes, 4);
	memcpy(at + 16, spec->to.bytes, 4);
	write16(at + 10, checksum_of(checksum_add(0, at, IPV4_HEADER_BYTES)));
	return IPV4_HEADER_BYTES;
}
