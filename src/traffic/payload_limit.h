/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much payload can a path carry? What a link's rate leaves beside the headers of packets, and what PCIe's leaves
 * beside those of its own packets (TLPs), for messages of one size. Pure functions of plain facts, which session
 * (session/payload_path.c), qperf (sockets/socket_path.c, rdma/) and cxi (adapter.c) collect; report shows the share
 * that was reached, and session compares it with -w and -y.
 *
 * Both are upper bounds. What a device decides is not counted: acknowledgements, retransmissions, flow control, work
 * requests and completions.
 *
 * Packets: InfiniBand Architecture Specification 1.4, sections 5.2 and 9.2 to 9.4, annexes A16 (RoCE) and A17 (RoCE
 * v2); IEEE 802.3, 3.1.1 and 4.4.2, and 802.1Q; RFC 791, 8200 (4.5), 9293 and 768. TLPs: R. Neugebauer et al.,
 * "Understanding PCIe performance for end host networking", SIGCOMM 2018, section 3: each has a header and 8 bytes of
 * framing, sequence number and CRC.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "traffic/traffic.h"

/* What surrounds a packet. */
enum wire {
	WIRE_UNKNOWN,		/* iWARP, whose segments verbs does not tell, and SRD, which is not published */
	WIRE_INFINIBAND,	/* routed by LID */
	WIRE_INFINIBAND_GLOBAL, /* with a global route header (GRH) */
	WIRE_ROCE_V1,
	WIRE_ROCE_V2_IPV4,
	WIRE_ROCE_V2_IPV6,
	WIRE_ETHERNET, /* a message is a whole frame */
	WIRE_TCP_IPV4, /* a stream: segments are full, whatever the messages */
	WIRE_TCP_IPV6,
	WIRE_UDP_IPV4, /* a message is a datagram, which may be several fragments */
	WIRE_UDP_IPV6,
	WIRE_NOT_COUNTED, /* headers of unknown size: the rate of the link is an upper bound all the same */
};

struct payload_path {
	/* --- the messages --- */
	enum verb verb;
	enum transport transport;
	bool with_imm;
	bool bidirectional; /* both directions at once; */
	bool sums;	    /* ... a row has the sum of them */
	double paced;	    /* the rate that was asked for, per second in one direction: bytes, or messages; 0: none */
	bool paces_messages;

	/* --- the link --- */
	double link_gbits;  /* of all ports together, in one direction, without encoding; 0: unknown, so is the limit */
	unsigned num_links; /* 2 with two ports */
	enum wire wire;
	bool vlan; /* packets have a tag */
	/* Bytes of payload in a packet; TCP and UDP: with the headers of IP; WIRE_ETHERNET: not used. */
	uint32_t mtu;
	uint32_t option_bytes; /* TCP: in each header */
	bool stays;	       /* both sides of a socket are on this host, and messages pass no link */

	/* --- PCIe: the slowest link from the device to the root complex --- */
	double pcie_rate;    /* GT/s of a lane; 0: unknown */
	unsigned pcie_lanes; /* 0: unknown */
	double pcie_gbits;   /* of all adapters together, in one direction, without encoding; 0: unknown */
	uint32_t pcie_bytes; /* MaxPayloadSize; 0: unknown, and TLPs are not counted */
	bool pcie_writes;    /* messages are written to this host's memory: the header has an address */

	/* --- a software device: messages are copied --- */
	bool copies;
};

/* Bytes of payload per second in one direction; 0: unknown. */
struct payload_limit {
	double link;
	double pcie;
};

struct payload_limit payload_limit_of(const struct payload_path *path, uint64_t size);
/* Why the limit is unknown: "the rate of the link is not known"; NULL: it is not. */
const char *payload_limit_lacks(const struct payload_path *path);

/* Is this rate, in messages per second, the one that was asked for? It may be lower for another reason. */
static inline bool payload_is_paced(const struct payload_path *path, uint64_t size, double message_rate)
{
	const double paced = path->paces_messages ? path->paced : path->paced / (double)size;

	return paced > 0 && message_rate >= 0.95 * paced * (path->sums ? 2 : 1);
}

static inline bool payload_limit_is_pcie(const struct payload_limit *limit)
{
	return limit->link > 0 && limit->pcie > 0 && limit->pcie < limit->link;
}

/* The lower one; 0: the link's is unknown. */
static inline double payload_limit_least(const struct payload_limit *limit)
{
	return payload_limit_is_pcie(limit) ? limit->pcie : limit->link;
}
