// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See dispatch.h. */
#include "front/dispatch.h"

#include <errno.h>
#include <string.h>

#include "front/figure.h"
#include "front/place.h"

#define VERSION	    1
#define HEADER_SIZE 12
#define MOST_SMALL  1024
#define MOST_LARGE  (DISPATCH_MOST_TEXT + MOST_SMALL)

static const uint8_t magic[4] = {'P', 'F', 'T', 'M'};

static const char too_long[] = "a text is too long", no_port[] = "the port is out of range",
		  no_rank[] = "the rank is out of range";

#define DISPATCH_TEXT(member)                                                                                          \
	{                                                                                                              \
		.fault = too_long, .kind = CODEC_TEXT, CODEC_MEMBER(struct dispatch, member)                           \
	}

static const char *check_rank(const void *from)
{
	const uint32_t rank = ((const struct dispatch *)from)->join.rank;

	return rank >= DISPATCH_MOST_HOSTS && rank != PLACE_NONE ? no_rank : NULL;
}

/* It becomes a word of a command line. */
static const char *address_fault(const char *address)
{
	static const char known[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.:%_-";

	return address[0] == '-' || address[strspn(address, known)] ? "the address is none" : NULL;
}

static const char *check_join_address(const void *from)
{
	return address_fault(((const struct dispatch *)from)->join.address);
}

static const char *check_call_address(const void *from)
{
	const char *address = ((const struct dispatch *)from)->address;

	return address[0] ? address_fault(address) : "the address is missing";
}

static const char *check_kind(const void *from)
{
	return ((const struct dispatch *)from)->kind >= figure_num_kinds ? "its figure is unknown" : NULL;
}

static const struct codec_field join_fields[] = {
	CODEC_NUMBER(struct dispatch, join.rank, 0, UINT32_MAX, no_rank),
	{.kind = CODEC_CHECK, .check = check_rank},
	CODEC_NUMBER(struct dispatch, join.run, 0, UINT64_MAX, NULL),
	DISPATCH_TEXT(join.host),
	DISPATCH_TEXT(join.address),
	{.kind = CODEC_CHECK, .check = check_join_address},
};

static const struct codec_field reason_fields[] = {DISPATCH_TEXT(reason)};

static const struct codec_field listens_fields[] = {CODEC_NUMBER(struct dispatch, port, 1, UINT16_MAX, no_port)};

static const struct codec_field call_fields[] = {
	CODEC_NUMBER(struct dispatch, port, 1, UINT16_MAX, no_port),
	DISPATCH_TEXT(address),
	{.kind = CODEC_CHECK, .check = check_call_address},
};

static const struct codec_field ended_fields[] = {
	DISPATCH_TEXT(reason),
	CODEC_NUMBER(struct dispatch, kind, 0, UINT8_MAX, NULL),
	{.kind = CODEC_CHECK, .check = check_kind},
	{.fault = "its figure is none", .kind = CODEC_MEASURE, CODEC_MEMBER(struct dispatch, value), .bytes = 8},
	{.fault = too_long, .kind = CODEC_SPAN, CODEC_MEMBER(struct dispatch, measurement), .max = DISPATCH_MOST_TEXT},
};

static const struct {
	uint32_t limit; /* of the payload */
	struct codec codec;
} types[DISPATCH_TYPES] = {
	[DISPATCH_JOIN] = {MOST_SMALL, {CODEC_TABLE(join_fields)}},
	[DISPATCH_REFUSE] = {MOST_SMALL, {CODEC_TABLE(reason_fields)}},
	[DISPATCH_LISTENS] = {MOST_SMALL, {CODEC_TABLE(listens_fields)}},
	[DISPATCH_CALL] = {MOST_SMALL, {CODEC_TABLE(call_fields)}},
	[DISPATCH_ENDED] = {MOST_LARGE, {CODEC_TABLE(ended_fields)}},
};

int dispatch_send(struct conn *conn, const struct dispatch *dispatch)
{
	const struct codec *codec = &types[dispatch->type].codec;
	const size_t length = codec_encode(codec, dispatch, NULL /* only counted */);
	struct codec_writer writer = {0};
	uint8_t *bytes;
	int ret;

	if (!conn->carrier)
		return -ENOTCONN;
	ret = conn_reserve(conn, HEADER_SIZE + length, &bytes);
	if (ret)
		return ret;
	writer.bytes = bytes;
	codec_put_bytes(&writer, magic, sizeof(magic));
	codec_put(&writer, 2, VERSION);
	codec_put(&writer, 2, dispatch->type);
	codec_put(&writer, 4, length);
	codec_encode(codec, dispatch, bytes + HEADER_SIZE);
	return conn_flush(conn);
}

int dispatch_send_type(struct conn *conn, enum dispatch_type type)
{
	return dispatch_send(conn, &(struct dispatch){.type = type});
}

int dispatch_fill(struct conn *conn)
{
	return conn_fill_some(conn, HEADER_SIZE + MOST_LARGE);
}

int dispatch_read(const struct conn *conn, struct dispatch *dispatch, size_t *length, const char **fault)
{
	const size_t pending = conn_pending(conn);
	struct codec_reader reader = {.bytes = pending ? conn_data(conn) : NULL, .left = pending};
	uint64_t version, type, payload;

	/* The first bytes reveal another program, however few arrive. */
	if (pending && memcmp(reader.bytes, magic, pending < sizeof(magic) ? pending : sizeof(magic)) != 0) {
		*fault = "it is not a message of perftest matrix";
		return -EPROTO;
	}
	if (pending < HEADER_SIZE)
		return 0;
	codec_get(&reader, sizeof(magic));
	version = codec_get(&reader, 2);
	type = codec_get(&reader, 2);
	payload = codec_get(&reader, 4);
	if (version != VERSION && type != DISPATCH_REFUSE) {
		*fault = "it is of another version: install the same perftest on all hosts";
		return -EPROTONOSUPPORT;
	}
	if (!type || type >= DISPATCH_TYPES || payload > types[type].limit) {
		*fault = type && type < DISPATCH_TYPES ? "it is too long" : "its type is unknown";
		return -EPROTO;
	}
	if (reader.left < payload)
		return 0;
	*dispatch = (struct dispatch){.type = (enum dispatch_type)type};
	reader.left = payload;
	if (!codec_decode(&types[type].codec, &reader, dispatch) && reader.left)
		reader.fault = "it has extra bytes";
	if (reader.fault) {
		*fault = reader.fault;
		return -EPROTO;
	}
	*length = HEADER_SIZE + payload;
	return 1;
}
