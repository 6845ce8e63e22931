// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See payload_limit.h. */
#include "traffic/payload_limit.h"

#include <stddef.h>

/* All in bytes. */
#define ETHERNET     38 /* preamble 8, header 14, frame check sequence 4, gap 12 */
#define GAP	     20 /* of these, what no frame contains */
#define VLAN_TAG     4
#define LRH	     8
#define GRH	     40
#define IPV4	     20
#define IPV6	     40
#define UDP	     8
#define TCP	     20
#define FRAGMENT     8	/* header of IPv6, and the multiple that a fragment has of both versions */
#define LEAST_FRAME  46 /* what a frame has beside ETHERNET is padded to this */
#define ICRC	     4
#define VCRC	     2
#define BTH	     12
#define RETH	     16
#define ATOMIC_ETH   28
#define AETH	     4
#define ATOMIC_ACK   8
#define IMM_DT	     4
#define PAD	     4	/* payload is padded to a multiple */
#define TLP_ADDRESS  16 /* header of a write to memory, with a 64 bit address */
#define TLP_READ     12 /* ... of a completion, which brings what was read */
#define TLP_FRAMING  8
#define FLITS_FROM   64 /* GT/s: flits have no framing of each TLP */
#define BYTES_A_GBIT 125e6

static const unsigned around[] = {
	[WIRE_INFINIBAND] = LRH + BTH + ICRC + VCRC,
	[WIRE_INFINIBAND_GLOBAL] = LRH + GRH + BTH + ICRC + VCRC,
	[WIRE_ROCE_V1] = ETHERNET + GRH + BTH + ICRC,
	[WIRE_ROCE_V2_IPV4] = ETHERNET + IPV4 + UDP + BTH + ICRC,
	[WIRE_ROCE_V2_IPV6] = ETHERNET + IPV6 + UDP + BTH + ICRC,
	[WIRE_ETHERNET] = GAP,
};

static uint64_t parts_of(uint64_t size, uint64_t most)
{
	return most && size > most ? (size + most - 1) / most : 1;
}

/* What the messages of one direction occupy, each. */
struct occupied {
	double requests;
	double responses; /* in the other direction */
};

static struct occupied occupied_by(const struct payload_path *path, uint64_t size)
{
	const double response = around[path->wire] + (path->vlan ? VLAN_TAG : 0);
	const double request = response + transport_traits(path->transport)->request_header_bytes;
	const double packets = (double)parts_of(size, path->mtu), padded = (double)((size + PAD - 1) / PAD * PAD);

	switch (path->verb) {
	case VERB_READ:
		/* The first and the last packet of a response have an AETH. */
		return (struct occupied){request + RETH, padded + packets * response + (packets > 1 ? 2 : 1) * AETH};
	case VERB_ATOMIC:
		return (struct occupied){request + ATOMIC_ETH, response + AETH + ATOMIC_ACK};
	case VERB_WRITE:
		return (struct occupied){padded + packets * request + RETH + (path->with_imm ? IMM_DT : 0), 0};
	default:
		return (struct occupied){padded + packets * request + (path->with_imm ? IMM_DT : 0), 0};
	}
}

static bool is_tcp(const struct payload_path *path)
{
	return path->wire == WIRE_TCP_IPV4 || path->wire == WIRE_TCP_IPV6;
}

static bool is_udp(const struct payload_path *path)
{
	return path->wire == WIRE_UDP_IPV4 || path->wire == WIRE_UDP_IPV6;
}

static uint32_t ip_header(const struct payload_path *path)
{
	return path->wire == WIRE_TCP_IPV6 || path->wire == WIRE_UDP_IPV6 ? IPV6 : IPV4;
}

/* The share of the link that a full segment has. */
static double stream_share(const struct payload_path *path)
{
	const uint32_t headers = ip_header(path) + TCP + path->option_bytes;
	const uint32_t around_it = ETHERNET + (path->vlan ? VLAN_TAG : 0);

	return path->mtu > headers ? (double)(path->mtu - headers) / (path->mtu + around_it) : 0;
}

static double datagram_share(const struct payload_path *path, uint64_t size)
{
	const uint32_t ip = ip_header(path), around_it = ETHERNET + (path->vlan ? VLAN_TAG : 0);
	const uint32_t fragment_ip = ip + (ip == IPV6 ? FRAGMENT : 0);
	const uint64_t datagram = size + UDP;
	uint64_t most, each, fragments, last, padding;

	if (datagram + ip <= LEAST_FRAME)
		return (double)size / (LEAST_FRAME + around_it);
	if (datagram + ip <= path->mtu)
		return (double)size / (double)(datagram + ip + around_it);
	if (path->mtu < fragment_ip + FRAGMENT)
		return 0;
	/* The last fragment alone may be of any size. */
	most = path->mtu - fragment_ip;
	each = most / FRAGMENT * FRAGMENT;
	fragments = 1 + parts_of(datagram - most, each);
	last = datagram - (fragments - 1) * each + fragment_ip;
	padding = last < LEAST_FRAME ? LEAST_FRAME - last : 0;
	return (double)size / (double)(datagram + padding + fragments * (fragment_ip + around_it));
}

static double link_limit(const struct payload_path *path, uint64_t size)
{
	struct occupied occupied;
	double most;

	if (path->wire == WIRE_NOT_COUNTED)
		return path->link_gbits * BYTES_A_GBIT;
	if (path->wire == WIRE_ETHERNET)
		return path->link_gbits * BYTES_A_GBIT * (double)size / (double)(size + GAP);
	if (is_tcp(path))
		return path->link_gbits * BYTES_A_GBIT * stream_share(path);
	if (is_udp(path))
		return path->link_gbits * BYTES_A_GBIT * datagram_share(path, size);
	occupied = occupied_by(path, size);
	if (path->bidirectional)
		most = occupied.requests + occupied.responses;
	else
		most = occupied.requests > occupied.responses ? occupied.requests : occupied.responses;
	return path->link_gbits * BYTES_A_GBIT * (double)size / most;
}

static double pcie_limit(const struct payload_path *path, uint64_t size)
{
	const unsigned framing = path->pcie_rate < FLITS_FROM ? TLP_FRAMING : 0;
	const double tlps = path->pcie_bytes ? (double)parts_of(size, path->pcie_bytes) : 0;
	const double header = framing + (path->pcie_writes ? TLP_ADDRESS : TLP_READ);

	return path->pcie_gbits * BYTES_A_GBIT * (double)size / ((double)size + tlps * header);
}

const char *payload_limit_lacks(const struct payload_path *path)
{
	if (path->copies)
		return "messages are copied, over no link";
	if (path->stays)
		return "both sides are on this host, and use no link";
	if (!(path->link_gbits > 0))
		return "the rate of the link is not known";
	if ((is_tcp(path) && !(stream_share(path) > 0)) || (is_udp(path) && path->mtu < ip_header(path) + 2 * FRAGMENT))
		return "the MTU has no room for payload";
	return path->wire == WIRE_UNKNOWN ? "the format of the packets is not known" : NULL;
}

struct payload_limit payload_limit_of(const struct payload_path *path, uint64_t size)
{
	if (payload_limit_lacks(path) || !size)
		return (struct payload_limit){0};
	return (struct payload_limit){link_limit(path, size), path->pcie_gbits > 0 ? pcie_limit(path, size) : 0};
}
