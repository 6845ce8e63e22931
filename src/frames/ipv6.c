// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The IPv6 header: RFC 8200, without extensions. */
#include <string.h>

#include "frames/headers.h"

#define VERSION_SHIFT 28
#define CLASS_SHIFT   20

uint32_t ipv6_write(uint8_t *at, const struct frame_spec *spec, uint8_t protocol, uint32_t rest)
{
	write32(at, 6u << VERSION_SHIFT | (uint32_t)spec->traffic_class << CLASS_SHIFT | spec->flow_label);
	write16(at + 4, (uint16_t)rest);
	at[6] = protocol;
	at[7] = spec->hops;
	memcpy(at + 8, spec->from.bytes, sizeof(spec->from.bytes));
	memcpy(at + 24, spec->to.bytes, sizeof(spec->to.bytes));
	return IPV6_HEADER_BYTES;
}
