// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The native format: one table row per message, one table row per field, from which net/codec.c makes bytes.
 * docs/wire.md has the same tables for people.
 *
 * Compatibility: a newer version adds new fields after the old ones, in a message and in an endpoint; a reader uses the
 * fields that it knows and skips the rest. A new message that may be ignored has WIRE_FLAG_OPTIONAL.
 */
#include "comm/wire.h"

#include <errno.h>
#include <string.h>

#include "net/codec.h"

#define UINT(type, member, min, max) CODEC_NUMBER(type, member, min, max, #member " is out of range")
#define POWER(type, member, least, most, what)                                                                         \
	{                                                                                                              \
		.fault = (what), .kind = CODEC_POWER, CODEC_MEMBER(type, member),                                      \
		.bytes = sizeof(((type *)NULL)->member), .min = (least), .max = (most)                                 \
	}
#define MEASURE(type, member)                                                                                          \
	{                                                                                                              \
		.fault = #member " is not a measurement", .kind = CODEC_MEASURE, CODEC_MEMBER(type, member),           \
		.bytes = sizeof(((type *)NULL)->member)                                                                \
	}
/* A field that the first version of the message lacked; reads as all ones then. */
#define LATER(type, member)                                                                                            \
	{                                                                                                              \
		.fault = #member, .kind = CODEC_LATER, CODEC_MEMBER(type, member), .bytes = 8, .max = UINT64_MAX       \
	}
#define TEXT(type, member)                                                                                             \
	{                                                                                                              \
		.fault = #member " is too long", .kind = CODEC_TEXT, CODEC_MEMBER(type, member)                        \
	}
#define BITS(n)	     ((UINT64_C(1) << (n)) - 1)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct codec_field endpoint_fields[] = {
	UINT(struct endpoint, lid, 0, UINT16_MAX),
	UINT(struct endpoint, qpn, 0, BITS(24)),
	UINT(struct endpoint, psn, 0, BITS(24)),
	UINT(struct endpoint, rkey, 0, UINT32_MAX),
	UINT(struct endpoint, vaddr, 0, UINT64_MAX),
	UINT(struct endpoint, srqn, 0, BITS(24)),
	UINT(struct endpoint, out_reads, 0, UINT16_MAX),
	POWER(struct endpoint, mtu, 256, 4096, "mtu is not 256 to 4096"),
	{.kind = CODEC_BYTES, CODEC_MEMBER(struct endpoint, gid)},
	UINT(struct endpoint, gid_kind, 0, GID_ROCE_V2),
	UINT(struct endpoint, gid_index, 0, UINT16_MAX),
	UINT(struct endpoint, cm_port, 0, UINT16_MAX),
};

static const struct codec endpoint_codec = {CODEC_TABLE(endpoint_fields)};

#define ENDPOINT_SIZE	  55  /* of the fields above */
#define ENDPOINT_MAX_SIZE 256 /* room for newer versions */

static const struct codec_list endpoint_list = {
	.entry = &endpoint_codec,
	.item_size = sizeof(struct endpoint),
	.items = offsetof(struct wire_message, endpoints.items),
	.count = offsetof(struct wire_message, endpoints.count),
	.capacity = offsetof(struct wire_message, endpoints.capacity),
	.entry_size = ENDPOINT_SIZE,
	.most_entry = ENDPOINT_MAX_SIZE,
};

static const struct codec_field hello_fields[] = {
	TEXT(struct wire_message, hello.program),
	TEXT(struct wire_message, hello.version),
	TEXT(struct wire_message, hello.host),
	{.fault = "hello.params is too long or has a NUL",
	 .kind = CODEC_SPAN,
	 CODEC_MEMBER(struct wire_message, hello.params),
	 .max = WIRE_MAX_PARAMS},
	TEXT(struct wire_message, hello.site.device),
	UINT(struct wire_message, hello.site.is_software, 0, 1),
	POWER(struct wire_message, hello.site.page_bytes, SITE_LEAST_PAGE, SITE_LARGEST_PAGE,
	      "its page size is not one that a host has"),
	UINT(struct wire_message, hello.site.uid, 0, UINT32_MAX),
	TEXT(struct wire_message, hello.site.boot),
	TEXT(struct wire_message, hello.site.folder_id),
	TEXT(struct wire_message, hello.site.folder),
	LATER(struct wire_message, hello.process),
};

static const struct codec_field reason_fields[] = {
	TEXT(struct wire_message, reason),
};

static const struct codec_field endpoints_fields[] = {
	{.fault = "the number or size of endpoints is out of range",
	 .kind = CODEC_LIST,
	 .min = 1,
	 .max = WIRE_MAX_ENDPOINTS,
	 .list = &endpoint_list},
};

static const struct codec_field barrier_fields[] = {
	UINT(struct wire_message, tag, 0, UINT32_MAX),
};

static const struct codec_field result_fields[] = {
	UINT(struct wire_message, result.size, 0, UINT64_MAX),
	UINT(struct wire_message, result.iterations, 0, UINT64_MAX),
	MEASURE(struct wire_message, result.bw_peak),
	MEASURE(struct wire_message, result.bw_average),
	MEASURE(struct wire_message, result.message_rate),
	UINT(struct wire_message, result.partial, 0, 1),
	LATER(struct wire_message, result.received),
	LATER(struct wire_message, result.begin_ns),
	LATER(struct wire_message, result.elapsed_ns),
	LATER(struct wire_message, result.arrived),
};

static const struct codec_field done_fields[] = {
	UINT(struct wire_message, done.messages, 0, UINT64_MAX),
	UINT(struct wire_message, done.stopped, 0, 1),
};

static const struct codec_field round_fields[] = {
	UINT(struct wire_message, round.messages, 0, INT32_MAX),
	UINT(struct wire_message, round.granule, 1, INT32_MAX),
};

static const struct codec_field verdict_fields[] = {
	UINT(struct wire_message, verdict.checked, 0, UINT64_MAX),
	UINT(struct wire_message, verdict.bytes, 0, UINT64_MAX),
	UINT(struct wire_message, verdict.lost, 0, UINT64_MAX),
	UINT(struct wire_message, verdict.wrong, 0, UINT64_MAX),
	UINT(struct wire_message, verdict.qp, 0, BITS(14)),
	UINT(struct wire_message, verdict.message, 0, UINT64_MAX),
	UINT(struct wire_message, verdict.offset, 0, UINT64_MAX),
};

static const struct codec_field interval_fields[] = {
	UINT(struct wire_message, interval.number, 0, UINT64_MAX),
	UINT(struct wire_message, interval.messages, 0, UINT64_MAX),
	MEASURE(struct wire_message, interval.seconds),
	MEASURE(struct wire_message, interval.peak),
};

static const struct codec_field vote_fields[] = {
	UINT(struct wire_message, vote, 0, COMM_NO_MORE),
};

static const struct codec_field ports_fields[] = {
	MEASURE(struct wire_message, result.ports[0].bw_average),
	MEASURE(struct wire_message, result.ports[0].message_rate),
	MEASURE(struct wire_message, result.ports[1].bw_average),
	MEASURE(struct wire_message, result.ports[1].message_rate),
};

static const struct codec_field wait_fields[] = {
	UINT(struct wire_message, missing, 0, UINT32_MAX),
};

static const struct codec_field bucket_fields[] = {
	UINT(struct comm_bucket, index, 0, COMM_MOST_BUCKETS - 1),
	UINT(struct comm_bucket, count, 1, BITS(40)),
};

static const struct codec bucket_codec = {CODEC_TABLE(bucket_fields)};

static const struct codec_list bucket_list = {
	.entry = &bucket_codec,
	.item_size = sizeof(struct comm_bucket),
	.items = offsetof(struct wire_message, samples.buckets),
	.count = offsetof(struct wire_message, samples.num_buckets),
	.capacity = CODEC_NO_CAPACITY,
};

static const struct codec_field samples_fields[] = {
	MEASURE(struct wire_message, samples.tick_seconds),
	UINT(struct wire_message, samples.min, 0, UINT64_MAX),
	UINT(struct wire_message, samples.max, 0, UINT64_MAX),
	UINT(struct wire_message, samples.sum[0], 0, UINT64_MAX),
	UINT(struct wire_message, samples.sum[1], 0, UINT64_MAX),
	UINT(struct wire_message, samples.sum_squares[0], 0, UINT64_MAX),
	UINT(struct wire_message, samples.sum_squares[1], 0, UINT64_MAX),
	UINT(struct wire_message, samples.backward, 0, UINT64_MAX),
	{.fault = "the number of buckets is out of range",
	 .kind = CODEC_LIST,
	 .max = COMM_MOST_BUCKETS,
	 .list = &bucket_list},
};

static const struct codec_field clock_fields[] = {
	UINT(struct wire_message, clock.at_ns, 0, BITS(62)),
	UINT(struct wire_message, clock.error_ns, 0, BITS(62)),
};

struct wire_row {
	const char *noun;
	struct codec codec;
	uint32_t limit; /* of the payload, with room for newer versions */
	uint16_t flags;
};

static const struct wire_row rows[] = {
	[WIRE_HELLO] = {"parameters", {CODEC_TABLE(hello_fields)}, 2 * WIRE_MAX_PARAMS, 0},
	[WIRE_AGREE] = {"agreement", {CODEC_TABLE(hello_fields)}, 2 * WIRE_MAX_PARAMS, 0},
	[WIRE_REFUSE] = {"refusal", {CODEC_TABLE(reason_fields)}, 4096, 0},
	[WIRE_ENDPOINTS] = {"endpoints", {CODEC_TABLE(endpoints_fields)}, 6 + WIRE_MAX_ENDPOINTS *ENDPOINT_MAX_SIZE, 0},
	[WIRE_BARRIER] = {"readiness", {CODEC_TABLE(barrier_fields)}, 4096, 0},
	[WIRE_RESULT] = {"result", {CODEC_TABLE(result_fields)}, 4096, 0},
	[WIRE_DONE] = {"end of sending", {CODEC_TABLE(done_fields)}, 4096, 0},
	[WIRE_HEARTBEAT] = {"heartbeat", {.num_fields = 0}, 4096, 0},
	[WIRE_ABORT] = {"abort", {CODEC_TABLE(reason_fields)}, 4096, 0},
	[WIRE_ROUND] = {"next round", {CODEC_TABLE(round_fields)}, 4096, 0},
	[WIRE_VERDICT] = {"verdict", {CODEC_TABLE(verdict_fields)}, 4096, 0},
	[WIRE_INTERVAL] = {"interval", {CODEC_TABLE(interval_fields)}, 4096, WIRE_FLAG_OPTIONAL},
	[WIRE_VOTE] = {"vote", {CODEC_TABLE(vote_fields)}, 4096, 0},
	[WIRE_PORTS] = {"result of each port", {CODEC_TABLE(ports_fields)}, 4096, 0},
	[WIRE_WAIT] = {"wait", {CODEC_TABLE(wait_fields)}, 4096, 0},
	[WIRE_SAMPLES] = {"samples", {CODEC_TABLE(samples_fields)}, 128 + COMM_MOST_BUCKETS * 12, 0},
	[WIRE_CLOCK] = {"readiness", {CODEC_TABLE(clock_fields)}, 4096, 0},
};

static const uint8_t magic[4] = {'P', 'F', 'T', 'N'};

/* NULL for a type that this version does not know. */
static const struct wire_row *wire_row_of(unsigned type)
{
	return type > 0 && type < COUNT(rows) ? &rows[type] : NULL;
}

const char *wire_native_noun(unsigned type)
{
	const struct wire_row *row = wire_row_of(type);

	return row ? row->noun : "message of unknown type";
}

uint32_t wire_native_limit(unsigned type)
{
	const struct wire_row *row = wire_row_of(type);

	return row ? row->limit : 4096;
}

static const struct codec_field header_fields[] = {
	UINT(struct wire_header, type, 0, UINT16_MAX),
	UINT(struct wire_header, flags, 0, UINT16_MAX),
	UINT(struct wire_header, length, 0, UINT32_MAX),
};

static const struct codec header_codec = {CODEC_TABLE(header_fields)};

size_t wire_native_encode(const struct wire_message *message, uint8_t *bytes, size_t size)
{
	const struct wire_row *row = &rows[message->type];
	const struct codec *codec = &row->codec;
	const size_t length = codec_encode(codec, message, NULL /* only counted */);
	const struct wire_header header = {
		.type = (uint16_t)message->type, .flags = row->flags, .length = (uint32_t)length};

	if (WIRE_HEADER_SIZE + length > size)
		return WIRE_HEADER_SIZE + length;
	memcpy(bytes, magic, sizeof(magic));
	codec_encode(&header_codec, &header, bytes + sizeof(magic));
	codec_encode(codec, message, bytes + WIRE_HEADER_SIZE);
	return WIRE_HEADER_SIZE + length;
}

int wire_native_decode_header(const uint8_t bytes[WIRE_HEADER_SIZE], struct wire_header *header, const char **fault)
{
	struct codec_reader reader = {.bytes = bytes + sizeof(magic), .left = WIRE_HEADER_SIZE - sizeof(magic)};
	struct wire_header decoded;

	codec_decode(&header_codec, &reader, &decoded);
	if (memcmp(bytes, magic, sizeof(magic)))
		*fault = "no message of this protocol starts like this";
	else if (!wire_row_of(decoded.type) && decoded.flags != WIRE_FLAG_OPTIONAL)
		*fault = "this version does not know the type of the message";
	else if (wire_row_of(decoded.type) && decoded.flags != wire_row_of(decoded.type)->flags)
		*fault = "unknown flags are set";
	else if (decoded.length > wire_native_limit(decoded.type))
		*fault = "the message is longer than any of its type";
	else {
		*header = decoded;
		return 0;
	}
	return -EBADMSG;
}

int wire_native_decode(const struct wire_header *header, const uint8_t *payload, struct wire_message *message,
		       const char **fault)
{
	const struct wire_row *row = wire_row_of(header->type);
	struct codec_reader check = {.bytes = payload, .left = header->length};
	struct codec_reader store = check;

	if (!row) {
		*fault = "this version does not know the type of the message";
		return -EBADMSG;
	}
	/* Checks first and then stores, so that nothing is written partly. */
	if (codec_decode(&row->codec, &check, NULL)) {
		*fault = check.fault;
		return -EBADMSG;
	}
	message->type = header->type;
	if (codec_decode(&row->codec, &store, message)) {
		*fault = store.fault; /* of values that contradict each other */
		return -EBADMSG;
	}
	return 0;
}
