// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The Ethernet header: IEEE 802.3. */
#include <string.h>

#include "frames/headers.h"

uint32_t ethernet_write(uint8_t *at, const struct frame_spec *spec, uint16_t type)
{
	memcpy(at, spec->destination, FRAME_MAC_BYTES);
	memcpy(at + FRAME_MAC_BYTES, spec->source, FRAME_MAC_BYTES);
	write16(at + 2 * FRAME_MAC_BYTES, type);
	return ETHERNET_HEADER_BYTES;
}
