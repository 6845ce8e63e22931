/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parses an Ethernet frame: the offsets of its headers (IEEE 802.3, 802.1Q; RFC 791, 8200, 9293, 768). Pure functions
 * on bytes, which come from the network: nothing beyond `length` is read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FRAME_HEADER_SIZE 14u /* bytes: both addresses and the type */
#define FRAME_MAC_SIZE	  6u
#define FRAME_TAG_SIZE	  4u /* of a VLAN */
#define FRAME_TAGS_MAX	  4u /* no rule can match more */

struct soft_frame {
	const uint8_t *data; /* from the destination address to the end of the payload, without the FCS */
	uint32_t length;
	bool has_tag;
	uint16_t tag;	     /* of the first VLAN tag: priority 3 bits, DEI 1, VLAN 12 */
	uint16_t ether_type; /* after the last VLAN tag */
	uint32_t network;    /* offset of a complete IP header; 0: none */
	uint8_t version;     /* 4 or 6; 0: none */
	uint8_t protocol;    /* IP protocol, after the extension headers of IPv6 */
	uint32_t transport;  /* offset of a TCP or UDP header, of which the frame has at least the ports; 0: none */
	uint32_t end;	     /* offset after the IP packet, at most length: a short frame is padded */
};

/* Accepts any bytes; missing headers are 0. */
void soft_frame_parse(struct soft_frame *frame, const void *data, uint32_t length);

static inline bool soft_frame_is_multicast(const struct soft_frame *frame)
{
	return frame->data[0] & 1;
}
