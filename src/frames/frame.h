/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames: what does an Ethernet frame look like that is addressed so? Headers written in front of a payload, right to
 * the byte: lengths, checksums, types. Pure functions; a header is a file (ethernet.c, vlan.c, ipv4.c, ipv6.c, udp.c,
 * tcp.c), build.c puts them one behind the other. Sizes are without the check sequence of 4 bytes, which the adapter
 * adds.
 */
#ifndef FRAMES_FRAME_H
#define FRAMES_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAC_BYTES	 6u
#define FRAME_FCS_BYTES	 4u
#define FRAME_MIN_BYTES	 60u	/* IEEE 802.3: a shorter one is padded by its sender */
#define FRAME_PRIORITIES 8u	/* IEEE 802.1Q: 0 to 7 */
#define FRAME_MAX_BYTES	 65535u /* of a frame that is built here */

#define ETHERNET_HEADER_BYTES 14u
#define VLAN_HEADER_BYTES     4u
#define IPV4_HEADER_BYTES     20u
#define IPV6_HEADER_BYTES     40u
#define UDP_HEADER_BYTES      8u
#define TCP_HEADER_BYTES      20u

enum frame_network { FRAME_NETWORK_NONE, FRAME_NETWORK_IPV4, FRAME_NETWORK_IPV6 };
enum frame_transport { FRAME_TRANSPORT_NONE, FRAME_TRANSPORT_UDP, FRAME_TRANSPORT_TCP };

/* An address is in the order of the wire; IPv4's is the first four bytes. */
struct frame_address {
	uint8_t bytes[16];
};

struct frame_spec {
	uint8_t destination[FRAME_MAC_BYTES];
	uint8_t source[FRAME_MAC_BYTES];
	bool has_vlan;
	uint8_t vlan_priority; /* 0 to 7 */
	uint16_t vlan_id;      /* 0 to 4095 */
	uint16_t ethertype;    /* 0: that of the network header; without one the length of the payload (802.3) */
	enum frame_network network;
	struct frame_address from, to;
	uint8_t traffic_class;		/* TOS, or the traffic class */
	uint8_t hops;			/* TTL, or the hop limit */
	uint32_t flow_label;		/* 20 bits; of IPv6 */
	enum frame_transport transport; /* takes a network header */
	uint16_t source_port, destination_port;
};

/* Bytes of all headers. */
uint32_t frame_header_bytes(const struct frame_spec *spec);
/* Of the longest such frame: one without a type has its length in that place, which goes up to 1500 (IEEE 802.3). */
uint32_t frame_most_bytes(const struct frame_spec *spec);

/*
 * Writes the headers of a frame of `length` bytes at `frame`, whose payload stands behind them already: checksums are
 * over it. 0; -EINVAL: the spec asks for what there is not, -EMSGSIZE: it is too short for its headers, or longer than
 * a header can say.
 */
int frame_build(const struct frame_spec *spec, uint8_t *frame, uint32_t length);

/* The MAC address that IPv4 datagrams to a group go to (RFC 1112): its last 23 bits. */
void frame_multicast_mac(const struct frame_address *group, uint8_t mac[FRAME_MAC_BYTES]);

#endif
