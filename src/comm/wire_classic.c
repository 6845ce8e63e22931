// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The classic format, that of linux-rdma perftest: no frames, no types, every message of a
 * fixed length that both sides must know. H, the keys of one queue pair, is text: hexadecimal
 * fields in a fixed order with colons between them,
 *
 *     0012:0010:000123:abcdef:deadbeef:00007f0000001000:00000005            59 bytes with the NUL
 *     lid  outs qpn    psn    rkey     vaddr            srqn
 *
 * and with a GID 108 bytes: its 16 bytes, each behind its own colon, stand before srqn, and one
 * more colon before the NUL.
 *
 * By rdma_cm H is a C structure, 56 bytes of big-endian integers: the table of struct cm_field. From 6.29 on it has
 * 64: 8 more between vaddr and the GID.
 *
 * Classic programs read these with sscanf() and strpbrk() and trust them; here the places of the
 * colons, the digits and the ranges are checked.
 */
#include "comm/wire.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

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

#define CM_FIELD(at, width, member, max)                                                                               \
	{                                                                                                              \
		at, width, offsetof(struct endpoint, member), sizeof(((struct endpoint *)0)->member), max              \
	}

#define LONGEST_MESSAGE 0x80000000U /* bytes, of RDMA */
/* Far above what can be; text that is taken for a number is far above these. */
#define MOST_ITERATIONS (UINT64_C(1) << 56)
#define LARGEST_FIGURE	1e18

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const size_t sizes[] = {
	[WIRE_CLASSIC_NUMBER] = 4,	     [WIRE_CLASSIC_MTU] = 2,	  [WIRE_CLASSIC_KEYS] = 59,
	[WIRE_CLASSIC_KEYS_GID] = 108,	     [WIRE_CLASSIC_KEYS_CM] = 56, [WIRE_CLASSIC_RESULT] = 40,
	[WIRE_CLASSIC_KEYS_CM_MARKERS] = 64,
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

		put_hex(&at, key->digits, wire_load((const char *)keys + key->offset, key->width));
	}
	for (size_t i = 0; gid && i < sizeof(keys->gid); i++)
		put_hex(&at, 2, keys->gid[i]);
	put_hex(&at, key_srqn.digits, keys->srqn);
	if (gid)
		*at = '\0';
	else
		at[-1] = '\0'; /* only the form with a GID ends in a colon */
}

/* Each number has 4 bytes, the address 8; bytes 20 to 23 are the compiler's. */
static const struct cm_field {
	size_t at; /* on the wire */
	size_t width;
	size_t offset; /* in struct endpoint */
	size_t member_width;
	uint64_t max;
} cm_fields[] = {
	CM_FIELD(0, 4, lid, UINT16_MAX), CM_FIELD(4, 4, out_reads, UINT16_MAX), CM_FIELD(8, 4, qpn, 0xffffff),
	CM_FIELD(12, 4, psn, 0xffffff),	 CM_FIELD(16, 4, rkey, UINT32_MAX),	CM_FIELD(24, 8, vaddr, UINT64_MAX),
	CM_FIELD(48, 4, srqn, 0xffffff),
};

enum {
	CM_MARKERS_AT = 32, /* where there are any; all behind them is moved on */
	CM_MARKERS_SIZE = 8,
	CM_GID_AT = 32,
	CM_GID_INDEX_AT = 52,
};

static void encode_cm_keys(const struct endpoint *keys, size_t markers, uint8_t *bytes)
{
	memset(bytes, 0, sizes[WIRE_CLASSIC_KEYS_CM] + markers);
	for (size_t i = 0; i < COUNT(cm_fields); i++) {
		const struct cm_field *field = &cm_fields[i];

		wire_put(bytes + field->at + (field->at < CM_MARKERS_AT ? 0 : markers), field->width,
			 wire_load((const char *)keys + field->offset, field->member_width));
	}
	memcpy(bytes + markers + CM_GID_AT, keys->gid, sizeof(keys->gid));
	wire_put(bytes + markers + CM_GID_INDEX_AT, 4, keys->gid_index);
}

static int decode_cm_keys(const uint8_t *bytes, size_t markers, struct endpoint *keys, const char **fault)
{
	struct endpoint decoded = {0};

	*fault = "not the keys of a queue pair";
	for (size_t i = 0; i < COUNT(cm_fields); i++) {
		const struct cm_field *field = &cm_fields[i];
		const uint64_t value =
			wire_get(bytes + field->at + (field->at < CM_MARKERS_AT ? 0 : markers), field->width);

		if (value > field->max)
			return -EBADMSG;
		wire_store((char *)&decoded + field->offset, field->member_width, value);
	}
	if (markers && wire_get(bytes + CM_MARKERS_AT, 8)) {
		*fault = "it validates data (--data_validation) in a way that this side does not know: leave that out";
		return -EBADMSG;
	}
	memcpy(decoded.gid, bytes + markers + CM_GID_AT, sizeof(decoded.gid));
	*keys = decoded;
	return 0;
}

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
	const struct comm_result *result = &message->result;

	switch (message->type) {
	case WIRE_CLASSIC_NUMBER:
		wire_put(bytes, 4, message->number);
		break;
	case WIRE_CLASSIC_MTU:
		bytes[0] = mtu_digit(message->mtu);
		bytes[1] = '\0';
		break;
	case WIRE_CLASSIC_KEYS:
	case WIRE_CLASSIC_KEYS_GID:
		encode_keys(&message->keys, message->type == WIRE_CLASSIC_KEYS_GID, bytes);
		break;
	case WIRE_CLASSIC_KEYS_CM:
		encode_cm_keys(&message->keys, 0 /* markers */, bytes);
		break;
	case WIRE_CLASSIC_KEYS_CM_MARKERS:
		encode_cm_keys(&message->keys, CM_MARKERS_SIZE, bytes);
		break;
	case WIRE_CLASSIC_RESULT:
		wire_put(bytes, 8, result->size);
		wire_put(bytes + 8, 8, result->iterations);
		wire_put(bytes + 16, 8, wire_load(&result->bw_peak, 8));
		wire_put(bytes + 24, 8, wire_load(&result->bw_average, 8));
		wire_put(bytes + 32, 8, wire_load(&result->message_rate, 8));
		break;
	}
}

/* Reads digits and the byte behind them, which must be `end`. */
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
	wire_store((char *)keys + key->offset, key->width, value);
	return 0;
}

static int decode_keys(const uint8_t *bytes, bool gid, struct endpoint *keys, const char **fault)
{
	struct endpoint decoded = {0};
	const uint8_t *at = bytes;
	uint64_t value;

	*fault = "not the keys of a queue pair";
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

/* Where the forms of H differ, behind the fields that all have. */
enum {
	TAIL_AT = 50,			/* the first field behind vaddr */
	GID_COLON_AT = TAIL_AT + 2,	/* behind the first byte of a GID */
	SRQN_END_AT = TAIL_AT + 8,	/* behind srqn, where no GID stands before it */
	MARKER_COLON_AT = TAIL_AT + 16, /* behind the address that --data_validation of 6.29 adds */
};

const char *wire_classic_keys_misfit(enum wire_classic_type type, const uint8_t *bytes, size_t length)
{
	if (length > 1 && bytes[1] == '.')
		return "sent its version in place of its keys: give --dont_xchg_versions to both sides, or to none";
	if (type == WIRE_CLASSIC_KEYS_GID && length > SRQN_END_AT && bytes[SRQN_END_AT] == '\0')
		return "uses no GID, and this side does: give --gid-index (-x) to both sides, or to none";
	if (type == WIRE_CLASSIC_KEYS && length > GID_COLON_AT && bytes[GID_COLON_AT] == ':')
		return "uses a GID, and this side does not: give --gid-index (-x) to both sides, or to none";
	if (length > MARKER_COLON_AT && bytes[GID_COLON_AT] != ':' && bytes[SRQN_END_AT] != '\0' &&
	    bytes[MARKER_COLON_AT] == ':')
		return "validates data (--data_validation) in a way that this side does not know: leave that out";
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

static int decode_result(const uint8_t *bytes, struct comm_result *result, const char **fault)
{
	struct comm_result decoded = {.size = wire_get(bytes, 8), .iterations = wire_get(bytes + 8, 8)};
	double *const figures[] = {&decoded.bw_peak, &decoded.bw_average, &decoded.message_rate};

	if (decoded.size == 0 || decoded.size > LONGEST_MESSAGE) {
		*fault = "an impossible message size";
		return -EBADMSG;
	}
	if (decoded.iterations > MOST_ITERATIONS) {
		*fault = "an impossible number of iterations";
		return -EBADMSG;
	}
	for (size_t i = 0; i < COUNT(figures); i++) {
		uint64_t bits = wire_get(bytes + 16 + 8 * i, 8);
		double figure;

		wire_store(&figure, 8, bits);
		if (!wire_float_is_measure(bits) || figure > LARGEST_FIGURE) {
			*fault = "a figure is not a measurement";
			return -EBADMSG;
		}
		*figures[i] = figure;
	}
	*result = decoded;
	return 0;
}

int wire_classic_decode(enum wire_classic_type type, const uint8_t *bytes, struct wire_classic_message *message,
			const char **fault)
{
	struct wire_classic_message decoded = {.type = type};
	int rc = 0;

	switch (type) {
	case WIRE_CLASSIC_NUMBER:
		decoded.number = (uint32_t)wire_get(bytes, 4);
		break;
	case WIRE_CLASSIC_MTU:
		if (bytes[0] < '0' || bytes[0] > '9' || bytes[1] != '\0') {
			*fault = "not the number of an MTU";
			return -EBADMSG;
		}
		decoded.mtu = bytes[0] >= '1' && bytes[0] <= '5' ? 128U << (bytes[0] - '0') : 0;
		break;
	case WIRE_CLASSIC_KEYS:
	case WIRE_CLASSIC_KEYS_GID:
		rc = decode_keys(bytes, type == WIRE_CLASSIC_KEYS_GID, &decoded.keys, fault);
		break;
	case WIRE_CLASSIC_KEYS_CM:
		rc = decode_cm_keys(bytes, 0 /* markers */, &decoded.keys, fault);
		break;
	case WIRE_CLASSIC_KEYS_CM_MARKERS:
		rc = decode_cm_keys(bytes, CM_MARKERS_SIZE, &decoded.keys, fault);
		break;
	case WIRE_CLASSIC_RESULT:
		rc = decode_result(bytes, &decoded.result, fault);
		break;
	}
	if (rc)
		return rc;
	*message = decoded;
	return 0;
}
