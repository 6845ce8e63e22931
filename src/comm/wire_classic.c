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
 * Classic programs read these with sscanf() and strpbrk() and trust them; here they must be what would be written.
 */
#include "comm/wire.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "net/codec.h"

#define MAX_SRQN	0xffffff
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

/* Where the forms of H differ, after the fields that they share. */
enum {
	TAIL_AT = 50,			/* the first field after vaddr */
	GID_COLON_AT = TAIL_AT + 2,	/* after the first byte of a GID */
	SRQN_END_AT = TAIL_AT + 8,	/* after srqn, if no GID precedes it */
	MARKER_COLON_AT = TAIL_AT + 16, /* after the address that --data_validation of 6.29 adds */
};

/* Only the form with a GID ends in a colon. */
static void encode_keys(const struct endpoint *keys, enum wire_classic_type type, uint8_t *bytes)
{
	const bool gid = type == WIRE_CLASSIC_KEYS_GID;
	char text[256];
	int used = snprintf(text, sizeof(text), "%04x:%04x:%06x:%06x:%08x:%016" PRIx64 ":", keys->lid, keys->out_reads,
			    keys->qpn, keys->psn, keys->rkey, keys->vaddr);

	for (size_t i = 0; gid && i < sizeof(keys->gid); i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%02x:", keys->gid[i]);
	snprintf(text + used, sizeof(text) - (size_t)used, gid ? "%08x:" : "%08x", keys->srqn);
	memcpy(bytes, text, sizes[type]);
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

#define CM_KEY(member, in_wire, most) CODEC_FIELD(CODEC_UINT, struct endpoint, member, in_wire, 0, most, no_keys)
/* The padding is that of the compiler. */
#define CM_HEAD                                                                                                        \
	CM_KEY(lid, 4, UINT16_MAX), CM_KEY(out_reads, 4, UINT16_MAX), CM_KEY(qpn, 4, 0xffffff),                        \
		CM_KEY(psn, 4, 0xffffff), CM_KEY(rkey, 4, UINT32_MAX), CODEC_UNUSED(4), CM_KEY(vaddr, 8, UINT64_MAX)
#define CM_TAIL                                                                                                        \
	CODEC_WORDS(CODEC_BYTES, struct endpoint, gid, NULL), CM_KEY(srqn, 4, 0xffffff),                               \
		CODEC_OWNED(gid_index_ops, struct endpoint, gid_index, 4, NULL)

static const struct codec_field number_fields[] = {
	{.fault = "not a number", .kind = CODEC_UINT, .width = 4, .bytes = 4, .max = UINT32_MAX},
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
	CODEC_FIELD(CODEC_MEASURE, struct comm_result, member, 8, 0, LARGEST_FIGURE, "a figure is not a measurement")

static const struct codec_field result_fields[] = {
	CODEC_NUMBER(struct comm_result, size, 1, LONGEST_MESSAGE, "an impossible message size"),
	CODEC_NUMBER(struct comm_result, iterations, 0, MOST_ITERATIONS, "an impossible number of iterations"),
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

void wire_classic_encode(enum wire_classic_type type, const void *from, uint8_t *bytes)
{
	switch (type) {
	case WIRE_CLASSIC_MTU:
		bytes[0] = mtu_digit(*(const uint32_t *)from);
		bytes[1] = '\0';
		break;
	case WIRE_CLASSIC_KEYS:
	case WIRE_CLASSIC_KEYS_GID:
		encode_keys(from, type, bytes);
		break;
	default:
		codec_encode(&codecs[type], from, bytes);
	}
}

/* What was read must have been written like this. */
static int decode_keys(const uint8_t *bytes, enum wire_classic_type type, struct endpoint *keys, const char **fault)
{
	uint8_t again[WIRE_CLASSIC_MAX_SIZE];
	char text[WIRE_CLASSIC_MAX_SIZE + 1] = "";
	const char *at = text + TAIL_AT;
	struct endpoint decoded = {0};
	int tail_at = 0;

	*fault = no_keys;
	memcpy(text, bytes, sizes[type]);
	sscanf(text, "%4" SCNx16 ":%4x:%6x:%6x:%8x:%16" SCNx64 ":%n", &decoded.lid, &decoded.out_reads, &decoded.qpn,
	       &decoded.psn, &decoded.rkey, &decoded.vaddr, &tail_at);
	if (tail_at != TAIL_AT)
		return -EBADMSG;
	for (size_t i = 0; type == WIRE_CLASSIC_KEYS_GID && i < sizeof(decoded.gid); i++, at += 3)
		sscanf(at, "%2" SCNx8, &decoded.gid[i]);
	sscanf(at, "%8x", &decoded.srqn);
	encode_keys(&decoded, type, again);
	if (decoded.srqn > MAX_SRQN || memcmp(again, bytes, sizes[type]) != 0)
		return -EBADMSG;
	*keys = decoded;
	return 0;
}

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

int wire_classic_decode(enum wire_classic_type type, const uint8_t *bytes, void *into, const char **fault)
{
	struct codec_reader reader = {.bytes = bytes, .left = sizes[type]};
	int rc;

	switch (type) {
	case WIRE_CLASSIC_MTU:
		*fault = "not a valid MTU code";
		if (bytes[0] < '0' || bytes[0] > '9' || bytes[1] != '\0')
			return -EBADMSG;
		*(uint32_t *)into = bytes[0] >= '1' && bytes[0] <= '5' ? 128U << (bytes[0] - '0') : 0;
		return 0;
	case WIRE_CLASSIC_KEYS:
	case WIRE_CLASSIC_KEYS_GID:
		return decode_keys(bytes, type, into, fault);
	default:
		rc = codec_decode(&codecs[type], &reader, into);
		*fault = reader.fault;
		return rc;
	}
}
