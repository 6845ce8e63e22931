/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that write a single header, which build.c combines. `rest` is the number of bytes after the header; each
 * function returns the number of bytes that it wrote.
 */
#pragma once

#include "frames/frame.h"

static inline void write16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void write32(uint8_t *at, uint32_t value)
{
	write16(at, (uint16_t)(value >> 16));
	write16(at + 2, (uint16_t)value);
}

uint32_t ethernet_write(uint8_t *at, const struct frame_spec *spec, uint16_t type);
uint32_t vlan_write(uint8_t *at, const struct frame_spec *spec, uint16_t type);
uint32_t ipv4_write(uint8_t *at, const struct frame_spec *spec, uint8_t protocol, uint32_t rest);
uint32_t ipv6_write(uint8_t *at, const struct frame_spec *spec, uint8_t protocol, uint32_t rest);
/* `sum`: of the pseudo header, without the segment's length. */
uint32_t udp_write(uint8_t *at, const struct frame_spec *spec, uint64_t sum, uint32_t rest);
uint32_t tcp_write(uint8_t *at, const struct frame_spec *spec, uint64_t sum, uint32_t rest);

/*
 * checksum.c: RFC 1071. Adds 16-bit words to `sum`, an odd last byte being the upper half of a word; and the checksum
 * for a header.
 */
uint64_t checksum_add(uint64_t sum, const uint8_t *data, uint32_t length);
uint16_t checksum_of(uint64_t sum);
