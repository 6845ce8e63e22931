// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Selects the headers of a frame and their order. See frame.h. */
#include "frames/frame.h"

#include <errno.h>

#include "frames/headers.h"

#define TYPE_VLAN	 0x8100
#define TYPE_IPV4	 0x0800
#define TYPE_IPV6	 0x86dd
#define TYPE_LENGTH_MAX	 1500u /* smaller or equal values are the length of the payload (802.3, 3.2.6) */
#define PROTOCOL_TCP	 6
#define PROTOCOL_UDP	 17
#define PROTOCOL_NONE_V6 59  /* no next header (RFC 8200, 4.7) */
#define PROTOCOL_NONE_V4 253 /* for experiments (RFC 3692): IPv4 has no number for "none" */
#define PRIORITY_MAX	 7
#define VLAN_ID_MAX	 4095
#define FLOW_LABEL_MAX	 0xfffffu

static uint32_t network_bytes(const struct frame_spec *spec)
{
	switch (spec->network) {
	case FRAME_NETWORK_IPV4:
		return IPV4_HEADER_BYTES;
	case FRAME_NETWORK_IPV6:
		return IPV6_HEADER_BYTES;
	default:
		return 0;
	}
}

static uint32_t transport_bytes(const struct frame_spec *spec)
{
	switch (spec->transport) {
	case FRAME_TRANSPORT_UDP:
		return UDP_HEADER_BYTES;
	case FRAME_TRANSPORT_TCP:
		return TCP_HEADER_BYTES;
	default:
		return 0;
	}
}

static uint32_t link_bytes(const struct frame_spec *spec)
{
	return ETHERNET_HEADER_BYTES + (spec->has_vlan ? VLAN_HEADER_BYTES : 0);
}

uint32_t frame_header_bytes(const struct frame_spec *spec)
{
	return link_bytes(spec) + network_bytes(spec) + transport_bytes(spec);
}

uint32_t frame_most_bytes(const struct frame_spec *spec)
{
	return spec->ethertype || spec->network ? FRAME_MAX_BYTES : link_bytes(spec) + TYPE_LENGTH_MAX;
}

static int spec_check(const struct frame_spec *spec, uint32_t length)
{
	if (spec->vlan_priority > PRIORITY_MAX || spec->vlan_id > VLAN_ID_MAX || spec->flow_label > FLOW_LABEL_MAX ||
	    (spec->transport && !spec->network))
		return -EINVAL;
	return length < frame_header_bytes(spec) || length > frame_most_bytes(spec) ? -EMSGSIZE : 0;
}

static uint16_t type_of(const struct frame_spec *spec, uint32_t payload)
{
	if (spec->ethertype)
		return spec->ethertype;
	switch (spec->network) {
	case FRAME_NETWORK_IPV4:
		return TYPE_IPV4;
	case FRAME_NETWORK_IPV6:
		return TYPE_IPV6;
	default:
		return (uint16_t)payload;
	}
}

static uint8_t protocol_of(const struct frame_spec *spec)
{
	switch (spec->transport) {
	case FRAME_TRANSPORT_UDP:
		return PROTOCOL_UDP;
	case FRAME_TRANSPORT_TCP:
		return PROTOCOL_TCP;
	default:
		return spec->network == FRAME_NETWORK_IPV6 ? PROTOCOL_NONE_V6 : PROTOCOL_NONE_V4;
	}
}

/* The sum of the pseudo header that a segment's checksum covers, except its length: both addresses and the protocol. */
static uint64_t pseudo_sum(const struct frame_spec *spec)
{
	const uint32_t bytes = spec->network == FRAME_NETWORK_IPV6 ? sizeof(spec->from.bytes) : 4;

	return checksum_add(checksum_add(protocol_of(spec), spec->from.bytes, bytes), spec->to.bytes, bytes);
}

int frame_build(const struct frame_spec *spec, uint8_t *frame, uint32_t length)
{
	int err = spec_check(spec, length);
	uint32_t rest, at;
	uint16_t type;

	if (err)
		return err;
	rest = length - link_bytes(spec);
	type = type_of(spec, rest);
	at = ethernet_write(frame, spec, spec->has_vlan ? TYPE_VLAN : type);
	if (spec->has_vlan)
		at += vlan_write(frame + at, spec, type);
	rest -= network_bytes(spec);
	if (spec->network == FRAME_NETWORK_IPV4)
		at += ipv4_write(frame + at, spec, protocol_of(spec), rest);
	else if (spec->network == FRAME_NETWORK_IPV6)
		at += ipv6_write(frame + at, spec, protocol_of(spec), rest);
	rest -= transport_bytes(spec);
	if (spec->transport == FRAME_TRANSPORT_UDP)
		udp_write(frame + at, spec, pseudo_sum(spec), rest);
	else if (spec->transport == FRAME_TRANSPORT_TCP)
		tcp_write(frame + at, spec, pseudo_sum(spec), rest);
	return 0;
}

void frame_multicast_mac(const struct frame_address *group, uint8_t mac[FRAME_MAC_BYTES])
{
	mac[0] = 0x01;
	mac[1] = 0x00;
	mac[2] = 0x5e;
	mac[3] = group->bytes[1] & 0x7f;
	mac[4] = group->bytes[2];
	mac[5] = group->bytes[3];
}
