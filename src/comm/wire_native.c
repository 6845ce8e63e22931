// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The native messages: a table row for each, and for each field. docs/wire.md has the same tables for people. */
#include "comm/wire.h"

#include <stddef.h>

#include "net/codec.h"
#include "stats/latency.h"

#define UINT(type, member, min, max) CODEC_NUMBER(type, member, min, max, "a number is out of range")
#define POWER(type, member, least, most, what)                                                                         \
	CODEC_FIELD(CODEC_POWER, type, member, sizeof(((type *)NULL)->member), least, most, what)
#define MEASURE(type, member)                                                                                          \
	CODEC_FIELD(CODEC_MEASURE, type, member, sizeof(double), 0, 0, "a number cannot have been measured")
#define TEXT(type, member) CODEC_WORDS(CODEC_TEXT, type, member, "a text is too long")
#define BITS(n)		   ((UINT64_C(1) << (n)) - 1)
#define COUNT(array)	   (sizeof(array) / sizeof((array)[0]))

static const struct codec_field endpoint_fields[] = {
	UINT(struct endpoint, lid, 0, UINT16_MAX),
	UINT(struct endpoint, qpn, 0, BITS(24)),
	UINT(struct endpoint, psn, 0, BITS(24)),
	UINT(struct endpoint, rkey, 0, UINT32_MAX),
	UINT(struct endpoint, vaddr, 0, UINT64_MAX),
	UINT(struct endpoint, srqn, 0, BITS(24)),
	UINT(struct endpoint, out_reads, 0, UINT16_MAX),
	POWER(struct endpoint, mtu, 256, 4096, "the MTU is not 256 to 4096"),
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
	.items = offsetof(struct wire_endpoints, items),
	.count = offsetof(struct wire_endpoints, count),
	.capacity = offsetof(struct wire_endpoints, capacity),
	.entry_size = ENDPOINT_SIZE,
	.most_entry = ENDPOINT_MAX_SIZE,
};

static const struct codec_field hello_fields[] = {
	TEXT(struct wire_hello, of.program),
	TEXT(struct wire_hello, of.version),
	TEXT(struct wire_hello, of.host),
	{.fault = "the options are too long or have a NUL",
	 .kind = CODEC_SPAN,
	 CODEC_MEMBER(struct wire_hello, params),
	 .max = WIRE_MAX_PARAMS},
	TEXT(struct wire_hello, of.site.device),
	UINT(struct wire_hello, of.site.is_software, 0, 1),
	POWER(struct wire_hello, of.site.page_bytes, SITE_LEAST_PAGE, SITE_LARGEST_PAGE,
	      "its page size is not one that a host has"),
	UINT(struct wire_hello, of.site.uid, 0, UINT32_MAX),
	TEXT(struct wire_hello, of.site.boot),
	TEXT(struct wire_hello, of.site.folder_id),
	TEXT(struct wire_hello, of.site.folder),
	UINT(struct wire_hello, of.process, 0, UINT64_MAX),
	{.kind = CODEC_BYTES, CODEC_MEMBER(struct wire_hello, of.run_id)},
	{.fault = "its provenance is too long", .kind = CODEC_LINES, CODEC_MEMBER(struct wire_hello, of.provenance)},
};

static const struct codec_field endpoints_fields[] = {
	{.fault = "the number or size of endpoints is out of range",
	 .kind = CODEC_LIST,
	 .min = 1,
	 .max = WIRE_MAX_ENDPOINTS,
	 .list = &endpoint_list},
};

static const struct codec_field wait_fields[] = {
	{.kind = CODEC_UINT, .width = sizeof(uint32_t), .bytes = sizeof(uint32_t), .max = UINT32_MAX},
};

static const struct codec_field result_fields[] = {
	UINT(struct comm_result, size, 0, UINT64_MAX),
	UINT(struct comm_result, iterations, 0, UINT64_MAX),
	MEASURE(struct comm_result, bw_peak),
	MEASURE(struct comm_result, bw_average),
	MEASURE(struct comm_result, message_rate),
	UINT(struct comm_result, partial, 0, 1),
	UINT(struct comm_result, received, 0, UINT64_MAX),
	UINT(struct comm_result, begin_ns, 0, UINT64_MAX),
	UINT(struct comm_result, elapsed_ns, 0, UINT64_MAX),
	UINT(struct comm_result, arrived, 0, UINT64_MAX),
};

static const struct codec_field done_fields[] = {
	UINT(struct comm_done, messages, 0, UINT64_MAX),
	UINT(struct comm_done, stopped, 0, 1),
};

static const struct codec_field round_fields[] = {
	UINT(struct comm_round, messages, 0, INT32_MAX),
	UINT(struct comm_round, granule, 1, INT32_MAX),
};

static const struct codec_field verdict_fields[] = {
	UINT(struct comm_verdict, checked, 0, UINT64_MAX), UINT(struct comm_verdict, bytes, 0, UINT64_MAX),
	UINT(struct comm_verdict, lost, 0, UINT64_MAX),	   UINT(struct comm_verdict, wrong, 0, UINT64_MAX),
	UINT(struct comm_verdict, qp, 0, BITS(14)),	   UINT(struct comm_verdict, message, 0, UINT64_MAX),
	UINT(struct comm_verdict, offset, 0, UINT64_MAX),
};

static const struct codec_field ports_fields[] = {
	MEASURE(struct comm_result, ports[0].bw_average),
	MEASURE(struct comm_result, ports[0].message_rate),
	MEASURE(struct comm_result, ports[1].bw_average),
	MEASURE(struct comm_result, ports[1].message_rate),
};

#define SAMPLE(member) UINT(struct latency, member, 0, UINT64_MAX)

static const struct codec_field latency_fields[] = {
	SAMPLE(min),
	SAMPLE(max),
	SAMPLE(sum.high),
	SAMPLE(sum.low),
	SAMPLE(sum_squares.high),
	SAMPLE(sum_squares.low),
	SAMPLE(backward),
	CODEC_OWNED(histogram_codec, struct latency, histogram, 4 /* bytes of an index */,
		    "the number of buckets is out of range"),
};

static const struct codec latency_codec = {CODEC_TABLE(latency_fields)};

static const struct codec_field samples_fields[] = {
	MEASURE(struct comm_samples, tick_seconds),
	{.kind = CODEC_POINTER, CODEC_MEMBER(struct comm_samples, latency), .of = &latency_codec},
};

static const struct codec_field clock_fields[] = {
	UINT(struct wire_clock, question, 0, WIRE_CLOCK_QUESTIONS - 1),
	UINT(struct wire_clock, error_ns, 0, BITS(62)),
};

#define AFTER_AGREEMENT (~(MESSAGE_BIT(MESSAGE_HELLO) | MESSAGE_BIT(MESSAGE_AGREE)))

static const struct message_row rows[] = {
	[MESSAGE_HELLO] = {"parameters", 2 * WIRE_MAX_PARAMS, {CODEC_TABLE(hello_fields)}, 0},
	[MESSAGE_AGREE] = {"agreement", 2 * WIRE_MAX_PARAMS, {CODEC_TABLE(hello_fields)}, 0},
	[MESSAGE_ENDPOINTS] = {"endpoints",
			       6 + WIRE_MAX_ENDPOINTS *ENDPOINT_MAX_SIZE,
			       {CODEC_TABLE(endpoints_fields)},
			       0},
	[MESSAGE_RESULT] = {"result", 4096, {CODEC_TABLE(result_fields)}, 0},
	[MESSAGE_DONE] = {"end of sending", 4096, {CODEC_TABLE(done_fields)}, AFTER_AGREEMENT},
	[WIRE_ROUND] = {"next round", 4096, {CODEC_TABLE(round_fields)}, 0},
	[WIRE_VERDICT] = {"verdict", 4096, {CODEC_TABLE(verdict_fields)}, 0},
	[WIRE_PORTS] = {"result of each port", 4096, {CODEC_TABLE(ports_fields)}, 0},
	[WIRE_WAIT] = {"wait", 4096, {CODEC_TABLE(wait_fields)}, MESSAGE_BIT(MESSAGE_BARRIER)},
	[WIRE_SAMPLES] = {"samples", 128 + 8192 * 12, {CODEC_TABLE(samples_fields)}, 0},
	[WIRE_CLOCK] = {"readiness and clock", 4096, {CODEC_TABLE(clock_fields)}, 0},
};

const struct message_protocol wire_native = {
	.foreign = "no message of this protocol starts like this",
	.magic = {'P', 'F', 'T', 'N'},
	.version = WIRE_NATIVE_VERSION,
	.common = MESSAGE_BIT(MESSAGE_REFUSE) | MESSAGE_BIT(MESSAGE_ABORT) | MESSAGE_BIT(MESSAGE_ALIVE) |
		  MESSAGE_BIT(MESSAGE_BARRIER) | MESSAGE_BIT(MESSAGE_VOTE) | MESSAGE_BIT(MESSAGE_FACTS),
	.num_types = COUNT(rows),
	.rows = rows,
};
