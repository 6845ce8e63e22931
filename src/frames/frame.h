/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Builds Ethernet frames: writes headers with correct lengths, checksums and types in front of a payload. Pure
 * functions. Sizes exclude the check sequence of 4 bytes, which the adapter adds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FRAME_MAC_BYTES	 6u
#define FRAME_PRIORITIES 8u	/* IEEE 802.1Q: 0 to 7 */
#define FRAME_MAX_BYTES	 65535u /* longest frame built here */

#define ETHERNET_HEADER_BYTES 14u
#define VLAN_HEADER_BYTES     4u
#define IPV4_HEADER_BYTES     20u
#define IPV6_HEADER_BYTES     40u
#define UDP_HEADER_BYTES      8u
#define TCP_HEADER_BYTES      20u

enum frame_network { FRAME_NETWORK_NONE, FRAME_NETWORK_IPV4, FRAME_NETWORK_IPV6 };
enum frame_transport { FRAME_TRANSPORT_NONE, FRAME_TRANSPORT_UDP, FRAME_TRANSPORT_TCP };

/* Addresses are in network byte order; IPv4 uses the first four bytes. */
struct frame_address {
	uint8_t bytes[16];
};

struct frame_spec {
	uint8_t destination[FRAME_MAC_BYTES];
	uint8_t source[FRAME_MAC_BYTES];
	bool has_vlan;
	uint8_t vlan_priority; /* 0 to 7 */
	uint16_t vlan_id;      /* 0 to 4095 */
	uint16_t ethertype;    /* 0: that of the network header; without one, the length of the payload (802.3) */
	enum frame_network network;
	struct frame_address from, to;
	uint8_t traffic_class;		/* TOS, or the traffic class of IPv6 */
	uint8_t hops;			/* TTL, or the hop limit */
	uint32_t flow_label;		/* 20 bits; IPv6 only */
	enum frame_transport transport; /* needs a network header */
	uint16_t source_port, destination_port;
};

/* Bytes of all headers. */
uint32_t frame_header_bytes(const struct frame_spec *spec);
/*
 * Size of the longest frame: without a type, the header has the length in its place, which is at most 1500 (IEEE
 * 802.3).
 */
uint32_t frame_most_bytes(const struct frame_spec *spec);

/*
 * Writes the headers of a frame of `length` bytes to `frame`. The payload must already be in place: checksums cover it.
 * 0; -EINVAL: the spec is not supported; -EMSGSIZE: the frame is too short for its headers, or longer than a header can
 * express.
 */
int frame_build(const struct frame_spec *spec, uint8_t *frame, uint32_t length);

/* The MAC address for IPv4 datagrams to a group (RFC 1112), with the last 23 bits of the group's address. */
void frame_multicast_mac(const struct frame_address *group, uint8_t mac[FRAME_MAC_BYTES]);

/*
 * --- marks ---
 *
 * Identify messages: a mark at the start of a payload relates an answer to its request. loops/burst.c writes and reads
 * it, verbs/work/ethernet.c reserves room for it. It is a word and its complement, so that their sum does not depend on
 * the word: the checksums of a frame fit all marks if they fit one. Other frames hardly ever start like that.
 */

#define MARK_BYTES	 16u
#define MARK_NUMBER_BITS 40
#define MARK_EVERY_MAX	 UINT16_MAX

struct mark {
	bool answers;
	uint16_t every;	 /* the last of this many messages is answered */
	uint64_t number; /* of the message, from 0; modulo 2^MARK_NUMBER_BITS */
};

void mark_write(uint8_t *at, struct mark mark);
/* False: there is no mark in these MARK_BYTES. */
bool mark_read(const uint8_t *at, struct mark *mark);
