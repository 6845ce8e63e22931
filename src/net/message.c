// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See message.h. */
#include "net/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "stats/series.h"

/* A message that is a number or a text. */
#define PLAIN(of_kind, type, most, what)                                                                               \
	{                                                                                                              \
		.fault = (what), .kind = (of_kind), .width = sizeof(type), .bytes = sizeof(type), .max = (most)        \
	}

static const struct codec_field reason_fields[] = {
	PLAIN(CODEC_TEXT, char[MESSAGE_REASON_SIZE], 0, "a text is too long")};
static const struct codec_field barrier_fields[] = {PLAIN(CODEC_UINT, uint32_t, UINT32_MAX, NULL)};
static const struct codec_field vote_fields[] = {
	PLAIN(CODEC_UINT, enum series_vote, SERIES_NO_MORE, "a number is out of range")};
static const struct codec_field facts_fields[] = {
	PLAIN(CODEC_LINES, char[MESSAGE_FACTS_SIZE], 0, "facts are too long")};

static const struct message_row common[] = {
	[MESSAGE_REFUSE] = {"refusal", 4096, {CODEC_TABLE(reason_fields)}, MESSAGE_ANY_TIME},
	[MESSAGE_ABORT] = {"abort", 4096, {CODEC_TABLE(reason_fields)}, MESSAGE_ANY_TIME},
	[MESSAGE_ALIVE] = {"heartbeat", 4096, {0}, ~MESSAGE_BIT(MESSAGE_HELLO)},
	[MESSAGE_BARRIER] = {"readiness", 4096, {CODEC_TABLE(barrier_fields)}, 0},
	[MESSAGE_VOTE] = {"vote", 4096, {CODEC_TABLE(vote_fields)}, 0},
	[MESSAGE_FACTS] = {"facts", 2 * MESSAGE_FACTS_SIZE, {CODEC_TABLE(facts_fields)}, 0},
};

const struct message_row *message_row(const struct message_protocol *protocol, unsigned type)
{
	if (type < sizeof(common) / sizeof(common[0]) && protocol->common & MESSAGE_BIT(type))
		return &common[type];
	return type < protocol->num_types && protocol->rows[type].noun ? &protocol->rows[type] : NULL;
}

const char *message_noun(const struct message_protocol *protocol, unsigned type)
{
	const struct message_row *row = message_row(protocol, type);

	return row ? row->noun : "message of unknown type";
}

static void put_header(struct codec_writer *writer, const struct message_protocol *protocol, unsigned type,
		       size_t length)
{
	codec_put_bytes(writer, protocol->magic, sizeof(protocol->magic));
	codec_put(writer, 2, protocol->version);
	codec_put(writer, 2, type);
	codec_put(writer, 4, length);
}

size_t message_encode(const struct message_protocol *protocol, unsigned type, const void *from, uint8_t *bytes,
		      size_t size)
{
	const struct codec *codec = &message_row(protocol, type)->codec;
	const size_t length = codec_encode(codec, from, NULL /* only counted */);
	struct codec_writer writer = {.bytes = bytes};

	if (MESSAGE_HEADER_SIZE + length > size)
		return MESSAGE_HEADER_SIZE + length;
	put_header(&writer, protocol, type, length);
	codec_encode(codec, from, bytes + MESSAGE_HEADER_SIZE);
	return MESSAGE_HEADER_SIZE + length;
}

int message_peek(const struct message_protocol *protocol, const uint8_t *bytes, size_t count,
		 struct message_header *header, const char **fault)
{
	const size_t begun = count < sizeof(protocol->magic) ? count : sizeof(protocol->magic);
	struct codec_reader reader = {.bytes = bytes, .left = count};
	const struct message_row *row;

	*header = (struct message_header){0};
	/* The first bytes reveal another program, however few arrive. */
	if (begun && memcmp(codec_get_bytes(&reader, begun), protocol->magic, begun) != 0) {
		*fault = protocol->foreign;
		return -EPROTO;
	}
	if (count < MESSAGE_HEADER_SIZE)
		return 0;
	header->version = (uint16_t)codec_get(&reader, 2);
	header->type = (uint16_t)codec_get(&reader, 2);
	header->length = (uint32_t)codec_get(&reader, 4);
	if (header->version != protocol->version && header->type != MESSAGE_REFUSE) {
		*fault = "it is of another version of the protocol";
		return -EPROTONOSUPPORT;
	}
	row = message_row(protocol, header->type);
	if (!row) {
		*fault = "its type is unknown";
		return -EPROTO;
	}
	if (header->length > row->limit) {
		*fault = "it is too long";
		return -EPROTO;
	}
	return reader.left >= header->length;
}

const char *message_versions(const struct message_protocol *protocol, const struct message_header *header,
			     char text[MESSAGE_TEXT_SIZE])
{
	snprintf(text, MESSAGE_TEXT_SIZE,
		 "it is of version %u of the protocol, not %u: install the same version of the suite on both sides",
		 header->version, protocol->version);
	return text;
}

ssize_t message_find_end(const struct message_protocol *protocol, const uint8_t *bytes, size_t count,
			 struct message_header *header)
{
	const char *fault;

	for (size_t at = 0; message_peek(protocol, bytes + at, count - at, header, &fault) > 0;
	     at += MESSAGE_HEADER_SIZE + header->length)
		if (message_is_end(header->type))
			return (ssize_t)at;
	return -1;
}

size_t message_encode_end(const struct message_protocol *protocol, unsigned type, const char *reason,
			  uint8_t bytes[MESSAGE_END_SIZE])
{
	const size_t length = strnlen(reason, MESSAGE_REASON_SIZE - 1);
	struct codec_writer writer = {.bytes = bytes};

	put_header(&writer, protocol, type, 2 + length);
	codec_put(&writer, 2, length);
	codec_put_bytes(&writer, reason, length);
	return writer.used;
}

static int decode(const struct codec *codec, const struct message_header *header, const uint8_t *payload, void *into,
		  const char **fault)
{
	struct codec_reader reader = {.bytes = payload, .left = header->length};

	if (!codec_decode(codec, &reader, into))
		return 0;
	*fault = reader.fault;
	return -EPROTO;
}

int message_decode(const struct message_protocol *protocol, const struct message_header *header, const uint8_t *payload,
		   void *into, const char **fault)
{
	return decode(&message_row(protocol, header->type)->codec, header, payload, into, fault);
}

int message_decode_end(const struct message_header *header, const uint8_t *payload, char reason[MESSAGE_REASON_SIZE],
		       const char **fault)
{
	return decode(&common[MESSAGE_REFUSE].codec, header, payload, reason, fault);
}
