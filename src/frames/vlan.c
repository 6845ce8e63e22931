// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The VLAN tag: IEEE 802.1Q. It is followed by the type that would otherwise precede it. */
#include "frames/headers.h"

#define PRIORITY_SHIFT 13

uint32_t vlan_write(uint8_t *at, const struct frame_spec *spec, uint16_t type)
{
	write16(at, (uint16_t)(spec->vlan_priority << PRIORITY_SHIFT | spec->vlan_id));
	write16(at + 2, type);
	return VLAN_HEADER_BYTES;
}
