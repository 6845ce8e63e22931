// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The classic format, that of linux-rdma perftest: no frames, no types; every message has a fixed length that both
 * sides must know. H, the keys of one queue pair, is text: hexadecimal fields in a fixed order, separated by colons,
 *
 *     0012:0010:000123:abcdef:deadbeef:00007f0000001000:00000005            59 bytes with the NUL
 *     lid  outs qpn    psn    rkey     vaddr            srqn
 *
 * and with a GID 108 bytes: its 16 bytes, each after a colon, precede srqn, and another colon precedes the NUL.
 *
 * With rdma_cm H is a C structure, 56 bytes of big-endian integers: the table cm_keys. Since 6.29 it has 64: 8 more
 * between vaddr and the GID.
 *
 * Classic programs read these with sscanf() and strpbrk() and trust them; here the positions of the colons, the digits
 * and the ranges are checked.
 */
#include "comm/wire.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "net/codec.h"

struct key {
	size_t digits;
	size_t offset; /* in struct endpoint */
	size_t width;
	uint64_t max;
};

#define KEY(member, digits, max)                                                                                       \
	{                                                                                                              \
		digits, offsetof(struct endpoint, member), sizeof(((struct endpoint *)0)->member), max                 \
	}

static const struct key keys_before_gid[] = {
	KEY(lid, 4, UINT16_MAX), KEY(out_reads, 4, UINT16_MAX), KEY(qpn, 6, 0xffffff),
	KEY(psn, 6, 0xffffff),	 KEY(rkey, 8, UINT32_MAX),	KEY(vaddr, 16, UINT64_MAX),
};
static const struct key key_srqn = KEY(srqn, 8, 0xffffff);

#define LONGEST_MESSAGE 0x80000000U /* bytes, of RDMA */
/* Far above any real number, and far below text that is read as a number. */
#define MOST_ITERATIONS (UINT64_C(1) << 56)
#define LARGEST_FIGURE	UINT64_C(1000000000000000000)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const size_t sizes[] = {
	[WIRE_CLASSIC_NUMBER] = 4,	     [WIRE_CLASSIC_MTU] = 2,	  [WIRE_CLASSIC_KEYS] = 59,
	[WIRE_CLASSIC_KEYS_GID] = 108,	     [WIRE_CLASSIC_KEYS_CM] = 56, [WIRE_CLASSIC_RESULT] = 40,
	[WIRE_CLASSIC_KEYS_CM_MARKERS] = 64, [WIRE_CLASSIC_PORTS] = 32,
};

size_t wire_classic_size(enum wire_classic_type type)
{
	return sizes[type];
}

static void put_hex(uint8_t **at, size_t digits, uint64_t value)
{
	for (size_t i = digits; i-- > 0; value >>= 4)
		(*at)[i] = (uint8_t) "0123456789abcdef"[value & 0xf];
	*at += digits;
	*(*at)++ = ':';
}

static void encode_keys(const struct endpoint *keys, bool gid, uint8_t *bytes)
{
	uint8_t *at = bytes;

	for (size_t i = 0; i < COUNT(keys_before_gid); i++) {
		const struct key *key = &keys_before_gid[i];

		put_hex(&at, key->digits, codec_load((const char *)keys + key->offset, key->width));
	}
	for (size_t i = 0; gid && i < sizeof(keys->gid); i++)
		put_hex(&at, 2, keys->gid[i]);
	put_hex(&at, key_srqn.digits, keys->srqn);
	if (gid)
		*at = '\0';
	else
		at[-1] = '\0'; /* only the form with a GID ends in a colon */
}

/* --- tables of integers --- */

static const char no_keys[] = "not the keys of a queue pair";

/* The peer's index in its own GID table, or -1: of no use here. */
static void write_gid_index(struct codec_writer *writer, const struct codec_field *field, const void *member)
{
	codec_put(writer, field->bytes, codec_load(member, field->width));
}

static void skip_gid_index(struct codec_reader *reader, const struct codec_field *field, void *member)
{
	(void)member;
	codec_get_bytes(reader, field->bytes);
}

static const struct codec_ops gid_index_ops = {.write = write_gid_index, .read = skip_gid_index};

/* Added by --data_validation of 6.29: an address. */
static void write_no_marker(struct codec_writer *writer, const struct codec_field *field, const void *member)
{
	(void)member;
	codec_put(writer, field->bytes, 0);
}

static void refuse_marker(struct codec_reader *reader, const struct codec_field *field, void *member)
{
	(void)member;
	if (codec_get(reader, field->bytes))
		reader->fault = field->fault;
}

static const struct codec_ops marker_ops = {.write = write_no_marker, .read = refuse_marker};

#define CM_KEY(member, in_wire, most)                                                                                  \
	{                                                                                                              \
		.fault = no_keys, .kind = CODEC_UINT, CODEC_MEMBER(struct wire_classic_message, keys.member),          \
		.bytes = (in_wire), .max = (most)                                                                      \
	}
/* The padding is that of the compiler. */
#define CM_HEAD                                                                                                        \
	CM_KEY(lid, 4, UINT16_MAX), CM_KEY(out_reads, 4, UINT16_MAX), CM_KEY(qpn, 4, 0xffffff),                        \
		CM_KEY(psn, 4, 0xffffff), CM_KEY(rkey, 4, UINT32_MAX), {.kind = CODEC_PAD, .bytes = 4},                \
		CM_KEY(vaddr, 8, UINT64_MAX)
#define CM_TAIL                                                                                                        \
	{.kind = CODEC_BYTES, CODEC_MEMBER(struct wire_classic_message, keys.gid)}, CM_KEY(srqn, 4, 0xffffff),         \
	{                                                                                                              \
		.kind = CODEC_OWN, CODEC_MEMBER(struct wire_classic_message, keys.gid_index), .bytes = 4,              \
		.ops = &gid_index_ops                                                                                  \
	}

static const struct codec_field number_fields[] = {
	CODEC_NUMBER(struct wire_classic_message, number, 0, UINT32_MAX, "not a number"),
};

static const struct codec_field cm_keys[] = {CM_HEAD, CM_TAIL};

static const struct codec_field cm_keys_markers[] = {
	CM_HEAD,
	{.fault = "it validates data (--data_validation) in a way that this side does not support: run it without",
	 .kind = CODEC_OWN,
	 .bytes = 8,
	 .ops = &marker_ops},
	CM_TAIL,
};

#define FIGURE(member)                                                                                                 \
	{                                                                                                              \
		.fault = "a figure is not a measurement", .kind = CODEC_MEASURE,                                       \
		CODEC_MEMBER(struct wire_classic_message, result.member), .bytes = 8, .max = LARGEST_FIGURE            \
	}

static const struct codec_field result_fields[] = {
	CODEC_NUMBER(struct wire_classic_message, result.size, 1, LONGEST_MESSAGE, "an impossible message size"),
	CODEC_NUMBER(struct wire_classic_message, result.iterations, 0, MOST_ITERATIONS,
		     "an impossible number of iterations"),
	FIGURE(bw_peak),
	FIGURE(bw_average),
	FIGURE(message_rate),
};

static const struct codec_field ports_fields[] = {
	FIGURE(ports[0].bw_average),
	FIGURE(ports[0].message_rate),
	FIGURE(ports[1].bw_average),
	FIGURE(ports[1].message_rate),
};

/* By type; without fields: text. */
static const struct codec codecs[] = {
	[WIRE_CLASSIC_NUMBER] = {CODEC_TABLE(number_fields)},
	[WIRE_CLASSIC_KEYS_CM] = {CODEC_TABLE(cm_keys)},
	[WIRE_CLASSIC_KEYS_CM_MARKERS] = {CODEC_TABLE(cm_keys_markers)},
	[WIRE_CLASSIC_RESULT] = {CODEC_TABLE(result_fields)},
	[WIRE_CLASSIC_PORTS] = {CODEC_TABLE(ports_fields)},
};

/* --- all of them --- */

/* IBV_MTU_256 is 1, IBV_MTU_4096 is 5. */
static uint8_t mtu_digit(uint32_t mtu)
{
	uint8_t digit = 1;

	while (digit < 5 && 128U << digit < mtu)
		digit++;
	return (uint8_t)('0' + digit);
}

void wire_classic_encode(const struct wire_classic_message *message, uint8_t *bytes)
{
	switch (message->type) {
	case WIRE_CLASSIC_MTU:
		bytes[0] = mtu_digit(message->mtu);
		bytes[1] = '\0';
		break;
	case WIRE_CLASSIC_KEYS:
	case WIRE_CLASSIC_KEYS_GID:
		encode_keys(&message->keys, message->type == WIRE_CLASSIC_KEYS_GID, bytes);
		break;
	default:
		codec_encode(&codecs[message->type], message, bytes);
	}
}

/* Reads digits and the byte after them, which must be `end`. */
static int get_hex(const uint8_t **at, size_t digits, uint8_t end, uint64_t *value)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < digits; i++) {
		uint8_t c = (*at)[i];
		unsigned digit;

		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if (c >= 'a' && c <= 'f')
			digit = c - 'a' + 10U;
		else if (c >= 'A' && c <= 'F')
			digit = c - 'A' + 10U;
		else
			return -EBADMSG;
		sum = sum << 4 | digit;
	}
	if ((*at)[digits] != end)
		return -EBADMSG;
	*at += digits + 1;
	*value = sum;
	return 0;
}

static int get_key(const uint8_t **at, const struct key *key, uint8_t end, struct endpoint *keys)
{
	uint64_t value;

	if (get_hex(at, key->digits, end, &value) || value > key->max)
		return -EBADMSG;
	codec_store((char *)keys + key->offset, key->width, value);
	return 0;
}

static int decode_keys(const uint8_t *bytes, bool gid, struct endpoint *keys, const char **fault)
{
	struct endpoint decoded = {0};
	const uint8_t *at = bytes;
	uint64_t value;

	*fault = no_keys;
	for (size_t i = 0; i < COUNT(keys_before_gid); i++) {
		if (get_key(&at, &keys_before_gid[i], ':', &decoded))
			return -EBADMSG;
	}
	for (size_t i = 0; gid && i < sizeof(decoded.gid); i++) {
		if (get_hex(&at, 2, ':', &value))
			return -EBADMSG;
		decoded.gid[i] = (uint8_t)value;
	}
	if (get_key(&at, &key_srqn, gid ? ':' : '\0', &decoded) || (gid && *at != '\0'))
		return -EBADMSG;
	*keys = decoded;
	return 0;
}

/* Where the forms of H differ, after the fields that they share. */
enum {
	TAIL_AT = 50,			/* the first field after vaddr */
	GID_COLON_AT = TAIL_AT + 2,	/* after the first byte of a GID */
	SRQN_END_AT = TAIL_AT + 8,	/* after srqn, if no GID precedes it */
	MARKER_COLON_AT = TAIL_AT + 16, /* after the address that --data_validation of 6.29 adds */
};

const char *wire_classic_keys_misfit(enum wire_classic_type type, const uint8_t *bytes, size_t length)
{
	if (length > 1 && bytes[1] == '.')
		return "sent its version instead of its keys: give --dont_xchg_versions to both sides, or to neither";
	if (type == WIRE_CLASSIC_KEYS_GID && length > SRQN_END_AT && bytes[SRQN_END_AT] == '\0')
		return "uses no GID, but this side does: give --gid-index (-x) to both sides, or to neither";
	if (type == WIRE_CLASSIC_KEYS && length > GID_COLON_AT && bytes[GID_COLON_AT] == ':')
		return "uses a GID, but this side does not: give --gid-index (-x) to both sides, or to neither";
	if (length > MARKER_COLON_AT && bytes[GID_COLON_AT] != ':' && bytes[SRQN_END_AT] != '\0' &&
	    bytes[MARKER_COLON_AT] == ':')
		return "validates data (--data_validation) in a way that this side does not support: run it without";
	return NULL;
}

bool wire_classic_is_keys(const uint8_t bytes[WIRE_GREETING_SIZE])
{
	for (size_t i = 0; i < 10; i++) {
		if (i % 5 == 4 ? bytes[i] != ':' : !isxdigit(bytes[i]))
			return false;
	}
	return true;
}

int wire_classic_decode(enum wire_classic_type type, const uint8_t *bytes, struct wire_classic_message *message,
			const char **fault)
{
	struct codec_reader reader = {.bytes = bytes, .left = sizes[type]};
	struct wire_classic_message decoded;
	int rc = 0;

	memset(&decoded, 0, sizeof(decoded));
	decoded.type = type;
	switch (type) {
	case WIRE_CLASSIC_MTU:
		if (bytes[0] < '0' || bytes[0] > '9' || bytes[1] != '\0') {
			*fault = "not a valid MTU code";
			return -EBADMSG;
		}
		decoded.mtu = bytes[0] >= '1' && bytes[0] <= '5' ? 128U << (bytes[0] - '0') : 0;
		break;
	case WIRE_CLASSIC_KEYS:
	case WIRE_CLASSIC_KEYS_GID:
		rc = decode_keys(bytes, type == WIRE_CLASSIC_KEYS_GID, &decoded.keys, fault);
		break;
	default:
		rc = codec_decode(&codecs[type], &reader, &decoded);
		if (rc)
			*fault = reader.fault;
	}
	if (rc)
		return rc;
	*message = decoded;
	return 0;
}
