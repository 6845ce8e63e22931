// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The headers of a frame: each by a function, and their order. See frame.h. */
#include "frames/frame.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define TYPE_VLAN	0x8100
#define TYPE_LENGTH_MAX 1500u /* smaller or equal values are the length of the payload (802.3, 3.2.6) */
#define PRIORITY_MAX	7
#define VLAN_ID_MAX	4095
#define FLOW_LABEL_MAX	0xfffffu

/* --- headers. rest: bytes after this one; each returns the number of bytes that it wrote --- */

static void write16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void write32(uint8_t *at, uint32_t value)
{
	write16(at, (uint16_t)(value >> 16));
	write16(at + 2, (uint16_t)value);
}

/* The Internet checksum: RFC 1071. An odd last byte is the upper half of a word. */
static uint64_t checksum_add(uint64_t sum, const uint8_t *data, uint32_t length)
{
	for (; length > 1; length -= 2, data += 2)
		sum += (uint64_t)(data[0] << 8 | data[1]);
	return length ? sum + (uint64_t)(data[0] << 8) : sum;
}

static uint16_t checksum_of(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* The Ethernet header: IEEE 802.3. */
static uint32_t ethernet_write(uint8_t *at, const struct frame_spec *spec, uint16_t type)
{
	memcpy(at, spec->destination, FRAME_MAC_BYTES);
	memcpy(at + FRAME_MAC_BYTES, spec->source, FRAME_MAC_BYTES);
	write16(at + 2 * FRAME_MAC_BYTES, type);
	return ETHERNET_HEADER_BYTES;
}

#define PRIORITY_SHIFT 13

/* The VLAN tag: IEEE 802.1Q. It is followed by the type that would otherwise precede it. */
static uint32_t vlan_write(uint8_t *at, const struct frame_spec *spec, uint16_t type)
{
	write16(at, (uint16_t)(spec->vlan_priority << PRIORITY_SHIFT | spec->vlan_id));
	write16(at + 2, type);
	return VLAN_HEADER_BYTES;
}

#define VERSION_AND_WORDS 0x45
#define DONT_FRAGMENT	  0x4000

/* The IPv4 header: RFC 791, without options. Datagrams with "don't fragment" need no identification (RFC 6864). */
static uint32_t ipv4_write(uint8_t *at, const struct frame_spec *spec, uint8_t protocol, uint32_t rest)
{
	at[0] = VERSION_AND_WORDS;
	at[1] = spec->traffic_class;
	write16(at + 2, (uint16_t)(IPV4_HEADER_BYTES + rest));
	write16(at + 4, 0);
	write16(at + 6, DONT_FRAGMENT);
	at[8] = spec->hops;
	at[9] = protocol;
	write16(at + 10, 0);
	memcpy(at + 12, spec->from.bytes, 4);
	memcpy(at + 16, spec->to.bytes, 4);
	write16(at + 10, checksum_of(checksum_add(0, at, IPV4_HEADER_BYTES)));
	return IPV4_HEADER_BYTES;
}

#define VERSION_SHIFT 28
#define CLASS_SHIFT   20

/* The IPv6 header: RFC 8200, without extensions. */
static uint32_t ipv6_write(uint8_t *at, const struct frame_spec *spec, uint8_t protocol, uint32_t rest)
{
	write32(at, 6u << VERSION_SHIFT | (uint32_t)spec->traffic_class << CLASS_SHIFT | spec->flow_label);
	write16(at + 4, (uint16_t)rest);
	at[6] = protocol;
	at[7] = spec->hops;
	memcpy(at + 8, spec->from.bytes, sizeof(spec->from.bytes));
	memcpy(at + 24, spec->to.bytes, sizeof(spec->to.bytes));
	return IPV6_HEADER_BYTES;
}

/* The UDP header: RFC 768. A checksum of zero would mean "none", which IPv6 does not allow (RFC 8200, 8.1). */
static void udp_write(uint8_t *at, const struct frame_spec *spec, uint64_t sum, uint32_t rest)
{
	const uint32_t length = UDP_HEADER_BYTES + rest;
	uint16_t checksum;

	write16(at, spec->source_port);
	write16(at + 2, spec->destination_port);
	write16(at + 4, (uint16_t)length);
	write16(at + 6, 0);
	checksum = checksum_of(checksum_add(sum + length, at, length));
	write16(at + 6, checksum ? checksum : 0xffff);
}

#define WORDS_SHIFT  12
#define HEADER_WORDS 5
#define FLAG_PUSH    0x08
#define FLAG_ACK     0x10
#define WINDOW	     8192

/* The TCP header: RFC 9293, without options: a segment of an open connection that has not acknowledged anything. */
static void tcp_write(uint8_t *at, const struct frame_spec *spec, uint64_t sum, uint32_t rest)
{
	const uint32_t length = TCP_HEADER_BYTES + rest;

	write16(at, spec->source_port);
	write16(at + 2, spec->destination_port);
	write32(at + 4, 0);
	write32(at + 8, 0);
	write16(at + 12, HEADER_WORDS << WORDS_SHIFT | FLAG_ACK | FLAG_PUSH);
	write16(at + 14, WINDOW);
	write16(at + 16, 0);
	write16(at + 18, 0);
	write16(at + 16, checksum_of(checksum_add(sum + length, at, length)));
}

/* --- frames --- */

static const struct {
	uint32_t bytes;
	uint16_t type;
	uint8_t protocol_none; /* of IPv6 "no next header" (RFC 8200, 4.7); IPv4 has 253, for experiments (RFC 3692) */
} networks[] = {
	[FRAME_NETWORK_NONE] = {0, 0, 253},
	[FRAME_NETWORK_IPV4] = {IPV4_HEADER_BYTES, 0x0800, 253},
	[FRAME_NETWORK_IPV6] = {IPV6_HEADER_BYTES, 0x86dd, 59},
};

static const struct {
	uint32_t bytes;
	uint8_t protocol;
} transports[] = {
	[FRAME_TRANSPORT_NONE] = {0, 0},
	[FRAME_TRANSPORT_UDP] = {UDP_HEADER_BYTES, 17},
	[FRAME_TRANSPORT_TCP] = {TCP_HEADER_BYTES, 6},
};

static uint32_t link_bytes(const struct frame_spec *spec)
{
	return ETHERNET_HEADER_BYTES + (spec->has_vlan ? VLAN_HEADER_BYTES : 0);
}

uint32_t frame_header_bytes(const struct frame_spec *spec)
{
	return link_bytes(spec) + networks[spec->network].bytes + transports[spec->transport].bytes;
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

static uint8_t protocol_of(const struct frame_spec *spec)
{
	return spec->transport ? transports[spec->transport].protocol : networks[spec->network].protocol_none;
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
	type = spec->ethertype ? spec->ethertype : spec->network ? networks[spec->network].type : (uint16_t)rest;
	at = ethernet_write(frame, spec, spec->has_vlan ? TYPE_VLAN : type);
	if (spec->has_vlan)
		at += vlan_write(frame + at, spec, type);
	rest -= networks[spec->network].bytes;
	if (spec->network == FRAME_NETWORK_IPV4)
		at += ipv4_write(frame + at, spec, protocol_of(spec), rest);
	else if (spec->network == FRAME_NETWORK_IPV6)
		at += ipv6_write(frame + at, spec, protocol_of(spec), rest);
	rest -= transports[spec->transport].bytes;
	if (spec->transport == FRAME_TRANSPORT_UDP)
		udp_write(frame + at, spec, pseudo_sum(spec), rest);
	else if (spec->transport == FRAME_TRANSPORT_TCP)
		tcp_write(frame + at, spec, pseudo_sum(spec), rest);
	return 0;
}

void frame_multicast_mac(const struct frame_address *group, uint8_t mac[FRAME_MAC_BYTES])
{
	memcpy(mac, "\x01\x00\x5e", 3);
	mac[3] = group->bytes[1] & 0x7f;
	memcpy(mac + 4, group->bytes + 2, 2);
}

/*
 * --- marks: word and complement are in network byte order; the lead is the first byte of the word ---
 */

#define LEAD_QUESTION 0x51u /* Q */
#define LEAD_ANSWER   0x41u /* A */
#define LEAD_SHIFT    56
#define EVERY_SHIFT   MARK_NUMBER_BITS
#define NUMBER_MASK   ((1ULL << MARK_NUMBER_BITS) - 1)

void mark_write(uint8_t *at, struct mark mark)
{
	const uint64_t word = (uint64_t)(mark.answers ? LEAD_ANSWER : LEAD_QUESTION) << LEAD_SHIFT |
			      (uint64_t)mark.every << EVERY_SHIFT | (mark.number & NUMBER_MASK);
	const uint64_t both[2] = {htobe64(word), htobe64(~word)};

	memcpy(at, both, sizeof(both));
}

bool mark_read(const uint8_t *at, struct mark *mark)
{
	uint64_t both[2], word, lead;

	memcpy(both, at, sizeof(both));
	word = be64toh(both[0]);
	lead = word >> LEAD_SHIFT;
	if (both[0] != ~both[1] || (lead != LEAD_QUESTION && lead != LEAD_ANSWER))
		return false;
	*mark = (struct mark){
		.answers = lead == LEAD_ANSWER, .every = (uint16_t)(word >> EVERY_SHIFT), .number = word & NUMBER_MASK};
	return true;
}
