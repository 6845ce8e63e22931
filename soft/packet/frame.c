// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the headers of a frame. See frame.h. */
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
#define IPV4_OFFSET	   0x1fff
#define IPV6_HEADER	   40u
#define IPV6_LENGTH	   4u
#define IPV6_NEXT	   6u
#define IPV6_EXTENSION_MAX 8 /* headers */
#define IPV6_FRAGMENT_SIZE 8u
#define IPV6_OFFSET	   0xfff8
#define PORTS_SIZE	   4u

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
