// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the headers of a frame, and checks its checksums. See frame.h. */
#include "packet/frame.h"

#include <netinet/in.h>

#define TYPE_IPV4     0x0800
#define TYPE_IPV6     0x86dd
#define TYPE_VLAN     0x8100
#define TYPE_PROVIDER 0x88a8 /* the outer tag of two */
#define TYPE_OFFSET   12u

#define IPV4_HEADER_MIN	   20u
#define IPV4_LENGTH	   2u /* offsets in the header */
#define IPV4_FRAGMENT	   6u
#define IPV4_PROTOCOL	   9u
#define IPV4_CHECKSUM	   10u
#define IPV4_ADDRESSES	   12u
#define IPV4_IS_PART	   0x3fff /* more fragments, or an offset */
#define IPV4_OFFSET	   0x1fff
#define IPV6_HEADER	   40u
#define IPV6_LENGTH	   4u
#define IPV6_NEXT	   6u
#define IPV6_ADDRESSES	   8u
#define IPV6_EXTENSION_MAX 8 /* headers */
#define IPV6_FRAGMENT_SIZE 8u
#define IPV6_OFFSET	   0xfff8
#define PORTS_SIZE	   4u
#define TCP_HEADER	   20u
#define TCP_CHECKSUM	   16u
#define UDP_HEADER	   8u
#define UDP_LENGTH	   4u
#define UDP_CHECKSUM	   6u

static uint16_t read16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

/* Bytes from an offset to the end of the IP packet. */
static uint32_t room_at(const struct soft_frame *frame, uint32_t offset)
{
	return offset < frame->end ? frame->end - offset : 0;
}

static void end_set(struct soft_frame *frame, uint32_t offset, uint32_t size)
{
	if (size < frame->length - offset)
		frame->end = offset + size;
}

static void transport_set(struct soft_frame *frame, uint32_t offset)
{
	if ((frame->protocol == IPPROTO_TCP || frame->protocol == IPPROTO_UDP) && room_at(frame, offset) >= PORTS_SIZE)
		frame->transport = offset;
}

static void ipv4_parse(struct soft_frame *frame, uint32_t offset)
{
	const uint8_t *header = frame->data + offset;
	uint32_t size;

	if (frame->length - offset < IPV4_HEADER_MIN || header[0] >> 4 != 4)
		return;
	size = (header[0] & 15u) * 4;
	if (size < IPV4_HEADER_MIN || size > frame->length - offset || read16(header + IPV4_LENGTH) < size)
		return;
	frame->network = offset;
	frame->version = 4;
	frame->protocol = header[IPV4_PROTOCOL];
	end_set(frame, offset, read16(header + IPV4_LENGTH));
	if (!(read16(header + IPV4_FRAGMENT) & IPV4_OFFSET))
		transport_set(frame, offset + size);
}

static bool is_extension(uint8_t next)
{
	return next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING || next == IPPROTO_DSTOPTS ||
	       next == IPPROTO_FRAGMENT;
}

static void ipv6_parse(struct soft_frame *frame, uint32_t offset)
{
	const uint8_t *header = frame->data + offset;
	uint32_t at = offset + IPV6_HEADER;

	if (frame->length - offset < IPV6_HEADER || header[0] >> 4 != 6)
		return;
	frame->network = offset;
	frame->version = 6;
	frame->protocol = header[IPV6_NEXT];
	end_set(frame, at, read16(header + IPV6_LENGTH));
	for (int i = 0; i < IPV6_EXTENSION_MAX && is_extension(frame->protocol); i++) {
		const uint8_t *extension = frame->data + at;
		bool is_fragment = frame->protocol == IPPROTO_FRAGMENT;

		if (room_at(frame, at) < IPV6_FRAGMENT_SIZE)
			return;
		frame->protocol = extension[0];
		if (is_fragment && read16(extension + 2) & IPV6_OFFSET)
			return;
		at += is_fragment ? IPV6_FRAGMENT_SIZE : (extension[1] + 1u) * 8;
	}
	transport_set(frame, at);
}

void soft_frame_parse(struct soft_frame *frame, const void *data, uint32_t length)
{
	uint32_t at = TYPE_OFFSET;

	*frame = (struct soft_frame){.data = data, .length = length, .end = length};
	if (length < FRAME_HEADER_SIZE)
		return;
	frame->ether_type = read16(frame->data + at);
	for (uint32_t i = 0; i < FRAME_TAGS_MAX; i++) {
		if ((frame->ether_type != TYPE_VLAN && frame->ether_type != TYPE_PROVIDER) ||
		    length - at < 2 * FRAME_TAG_SIZE - 2)
			break;
		if (!frame->has_tag)
			frame->tag = read16(frame->data + at + 2);
		frame->has_tag = true;
		at += FRAME_TAG_SIZE;
		frame->ether_type = read16(frame->data + at);
	}
	at += 2;
	if (frame->ether_type == TYPE_IPV4)
		ipv4_parse(frame, at);
	else if (frame->ether_type == TYPE_IPV6)
		ipv6_parse(frame, at);
}

/* RFC 1071: the sum of 16-bit words, not yet folded; an odd last byte is padded with a zero. */
static uint64_t sum_of(const uint8_t *data, uint32_t length, uint64_t sum)
{
	for (; length > 1; length -= 2, data += 2)
		sum += read16(data);
	return length ? sum + ((uint64_t)data[0] << 8) : sum;
}

static uint16_t checksum_fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static uint32_t ipv4_header_size(const struct soft_frame *frame)
{
	return (frame->data[frame->network] & 15u) * 4;
}

/* Bytes of the segment that its checksum covers; 0: it is incomplete. */
static uint32_t segment_length(const struct soft_frame *frame)
{
	const uint8_t *header = frame->data + frame->network;
	uint32_t room = room_at(frame, frame->transport), length;

	if (!frame->transport)
		return 0;
	if (frame->version == 4 && read16(header + IPV4_FRAGMENT) & IPV4_IS_PART)
		return 0;
	/* The IP packet is longer than the frame. */
	if (frame->version == 4 ? frame->network + read16(header + IPV4_LENGTH) > frame->length
				: frame->network + IPV6_HEADER + read16(header + IPV6_LENGTH) > frame->length)
		return 0;
	if (frame->protocol == IPPROTO_TCP)
		return room < TCP_HEADER ? 0 : room;
	length = room < UDP_HEADER ? 0 : read16(frame->data + frame->transport + UDP_LENGTH);
	return length < UDP_HEADER || length > room ? 0 : length;
}

/* With the pseudo header of either IP version. */
static uint16_t segment_sum(const struct soft_frame *frame, const uint8_t *data, uint32_t length)
{
	const uint8_t *header = data + frame->network;
	uint64_t sum =
		frame->version == 4 ? sum_of(header + IPV4_ADDRESSES, 8, 0) : sum_of(header + IPV6_ADDRESSES, 32, 0);

	return checksum_fold(sum_of(data + frame->transport, length, sum + length + frame->protocol));
}

bool soft_frame_checksums_hold(const struct soft_frame *frame)
{
	uint32_t length = segment_length(frame);

	if (frame->version != 4 || !length ||
	    checksum_fold(sum_of(frame->data + frame->network, ipv4_header_size(frame), 0)) != 0xffff)
		return false;
	/* UDP over IPv4 may omit the checksum: then there is nothing to check. */
	if (frame->protocol == IPPROTO_UDP && read16(frame->data + frame->transport + UDP_CHECKSUM) == 0)
		return false;
	return segment_sum(frame, frame->data, length) == 0xffff;
}

static void checksum_write(uint8_t *at, uint16_t sum)
{
	at[0] = (uint8_t)(sum >> 8);
	at[1] = (uint8_t)sum;
}

void soft_frame_checksums_fill(const struct soft_frame *frame, uint8_t *data)
{
	uint32_t length = segment_length(frame);
	uint8_t *at;
	uint16_t sum;

	if (frame->version == 4) {
		at = data + frame->network + IPV4_CHECKSUM;
		checksum_write(at, 0);
		checksum_write(at, (uint16_t)~checksum_fold(sum_of(data + frame->network, ipv4_header_size(frame), 0)));
	}
	if (!length)
		return;
	at = data + frame->transport + (frame->protocol == IPPROTO_TCP ? TCP_CHECKSUM : UDP_CHECKSUM);
	checksum_write(at, 0);
	sum = (uint16_t)~segment_sum(frame, data, length);
	/* In UDP, zero means that there is no checksum (RFC 768). */
	checksum_write(at, sum == 0 && frame->protocol == IPPROTO_UDP ? 0xffff : sum);
}
