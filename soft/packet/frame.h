/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is in an Ethernet frame? Where its headers lie (IEEE 802.3, 802.1Q; RFC 791, 8200, 9293, 768), and whether its
 * checksums hold. Pure functions on bytes, which come from the network: nothing behind `length` is looked at.
 */
#ifndef SOFT_FRAME_H
#define SOFT_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_HEADER_SIZE 14u /* bytes: both addresses and the type */
#define FRAME_MAC_SIZE	  6u
#define FRAME_TAG_SIZE	  4u /* of a VLAN */
#define FRAME_TAGS_MAX	  4u /* more are none that a rule could be about */

struct soft_frame {
	const uint8_t *data; /* from the destination's address to the end of the payload; without the check sequence */
	uint32_t length;
	bool has_tag;
	uint16_t tag;	     /* of the first VLAN tag: priority 3 bits, DEI 1, VLAN 12 */
	uint16_t ether_type; /* behind the last VLAN tag */
	uint32_t network;    /* offset of the IP header, whole; 0: none */
	uint8_t version;     /* 4 or 6, of what stands there; 0: none */
	uint8_t protocol;    /* IP's, behind the extension headers of version 6 */
	uint32_t transport;  /* offset of a TCP or UDP header that is in the frame up to its ports at least; 0: none */
	uint32_t end;	     /* offset behind the IP packet, no more than length: a short frame is padded */
};

/* Any bytes; what is not there is 0. */
void soft_frame_parse(struct soft_frame *frame, const void *data, uint32_t length);

/* The header of IPv4 and the TCP or UDP segment in it, not a fragment, are right. False for whatever is none. */
bool soft_frame_checksums_hold(const struct soft_frame *frame);
/* Fills in IPv4's checksum, and that of TCP or UDP over either IP, of a frame that was parsed where `data` is. */
void soft_frame_checksums_fill(const struct soft_frame *frame, uint8_t *data);

static inline bool soft_frame_is_multicast(const struct soft_frame *frame)
{
	return frame->data[0] & 1;
}

#endif
