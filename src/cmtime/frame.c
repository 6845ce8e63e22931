// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The protocol between instances: a table row for each field. See frame.h.
 */
#include "cmtime/frame.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

#include "net/address.h"
#include "net/codec.h"

#define MAX_WIDTH_NS ((uint64_t)RATE_WIDTH_NS << 20) /* so that the duration of 4096 intervals fits, too */

#define MAX_QPN 0xffffffU /* 24 bits */

#define NUMBER(member, least, most, what) CODEC_NUMBER(struct frame, member, least, most, what)
#define ANY_NUMBER(member)		  NUMBER(member, 0, UINT64_MAX, NULL)
#define VOTE				  NUMBER(arrived.vote, 0, SERIES_NO_MORE, "a vote is out of range")
#define TIME(type, member)		  CODEC_NUMBER(type, member, 0, INT64_MAX / 2, "a time is out of range")
#define TEXT(type, member)		  CODEC_WORDS(CODEC_TEXT, type, member, too_long)
#define LINES(member)			  CODEC_WORDS(CODEC_LINES, struct frame, member, too_long)
#define ADDRESS(type, member)		  CODEC_OWNED(address_ops, type, member, 0, "an address is neither IPv4 nor IPv6")
#define SELF(type, member)                                                                                             \
	ADDRESS(type, member.address), TEXT(type, member.version),                                                     \
		CODEC_WORDS(CODEC_LINES, type, member.provenance, too_long)

static const char too_long[] = "a text is too long", no_role[] = "a role is out of range",
		  no_rank[] = "a rank is out of range", no_qpn[] = "a QP number is out of range",
		  no_step[] = "a step is out of range";

/* --- addresses: 4, 6 or 0 for none; the port; and 4, 16 or 0 bytes --- */

static void frame_write_address(struct codec_writer *writer, const struct codec_field *field, const void *member)
{
	const struct sockaddr *address = member;

	(void)field;
	codec_put(writer, 1, address->sa_family == AF_INET6 ? 6 : address->sa_family == AF_INET ? 4 : 0);
	codec_put(writer, 2, address_port(address));
	if (address->sa_family == AF_INET6)
		codec_put_bytes(writer, &((const struct sockaddr_in6 *)member)->sin6_addr, 16);
	else if (address->sa_family == AF_INET)
		codec_put_bytes(writer, &((const struct sockaddr_in *)member)->sin_addr, 4);
}

static void frame_read_address(struct codec_reader *reader, const struct codec_field *field, void *member)
{
	const uint64_t family = codec_get(reader, 1), port = codec_get(reader, 2);
	struct sockaddr_storage address = {.ss_family = family == 6 ? AF_INET6 : family == 4 ? AF_INET : AF_UNSPEC};
	const uint8_t *bytes;

	if (!reader->fault && address.ss_family == AF_UNSPEC && (family || port))
		reader->fault = field->fault;
	bytes = codec_get_bytes(reader, family == 6 ? 16 : family == 4 ? 4 : 0);
	if (!bytes || !member)
		return;
	address_set_port((struct sockaddr *)&address, (uint16_t)port);
	if (family == 6)
		memcpy(&((struct sockaddr_in6 *)&address)->sin6_addr, bytes, 16);
	else if (family == 4)
		memcpy(&((struct sockaddr_in *)&address)->sin_addr, bytes, 4);
	memcpy(member, &address, sizeof(address));
}

static const struct codec_ops address_ops = {.write = frame_write_address, .read = frame_read_address};

/* --- distributions --- */

static const char *check_moments(const void *from)
{
	return latency_fault(from);
}

#define MOMENT(member) CODEC_NUMBER(struct latency, member, 0, UINT64_MAX, NULL)

static const struct codec_field latency_fields[] = {
	MOMENT(min),
	MOMENT(max),
	MOMENT(sum.high),
	MOMENT(sum.low),
	MOMENT(sum_squares.high),
	MOMENT(sum_squares.low),
	CODEC_OWNED(histogram_codec, struct latency, histogram, 2 /* bytes of an index */, "too many buckets"),
	{.kind = CODEC_CHECK, .check = check_moments},
};

static const struct codec latency_codec = {CODEC_TABLE(latency_fields)};

/* --- what is counted of a test --- */

static const char *check_width(const void *from)
{
	const uint64_t width_ns = ((const struct conn_totals *)from)->rate.width_ns, ratio = width_ns / RATE_WIDTH_NS;

	return width_ns % RATE_WIDTH_NS || width_ns > MAX_WIDTH_NS || !ratio || ratio & (ratio - 1)
		       ? "an interval has an invalid width"
		       : NULL;
}

static const struct codec_field count_field[] = {
	{.kind = CODEC_UINT, .width = sizeof(uint64_t), .bytes = 8, .max = UINT64_MAX},
};

static const struct codec count_codec = {CODEC_TABLE(count_field)};

static const struct codec_list counts = {
	.entry = &count_codec,
	.item_size = sizeof(uint64_t),
	.items = offsetof(struct conn_totals, rate.counts),
	.count = offsetof(struct conn_totals, rate.used),
	.capacity = CODEC_NO_CAPACITY,
	.is_array = true,
};

static const struct codec_field totals_fields[] = {
	CODEC_NUMBER(struct conn_totals, connections, 0, UINT64_MAX, NULL),
	CODEC_NUMBER(struct conn_totals, retries, 0, UINT64_MAX, NULL),
	TIME(struct conn_totals, began_ns),
	TIME(struct conn_totals, ended_ns),
	CODEC_NUMBER(struct conn_totals, rate.width_ns, 0, UINT64_MAX, NULL),
	{.kind = CODEC_CHECK, .check = check_width},
	{.fault = "too many intervals", .kind = CODEC_LIST, .max = FRAME_MAX_RATES, .list = &counts},
};

static const struct codec totals_codec = {CODEC_TABLE(totals_fields)};

static const char *check_span(const void *from)
{
	const struct frame *frame = from;
	const struct conn_totals *totals = frame->rates.totals;

	return totals->began_ns > totals->ended_ns || totals->ended_ns > frame->rates.sent_ns
		       ? "its times are out of order"
		       : NULL;
}

/* --- the messages --- */

static const struct codec_field hello_fields[] = {
	NUMBER(join.listens, 0, 1, no_role),
	NUMBER(join.base_qpn, 1, MAX_QPN, no_qpn),
	TEXT(struct frame, join.host),
	LINES(join.config),
};

static const char *check_agreement(const void *from)
{
	const struct frame *frame = from;

	if (frame->welcome.place.rank >= frame->welcome.place.count)
		return no_rank;
	return frame->welcome.place.qpn_count > MAX_QPN + 1 - frame->welcome.place.qpn_first ? no_qpn : NULL;
}

static const struct codec_field agree_fields[] = {
	NUMBER(welcome.place.rank, 1, FRAME_MAX_PEERS - 1, no_rank),
	NUMBER(welcome.place.count, 2, FRAME_MAX_PEERS, no_rank),
	NUMBER(welcome.place.qpn_first, 1, MAX_QPN, no_qpn),
	NUMBER(welcome.place.qpn_count, 1, MAX_QPN, no_qpn),
	{.kind = CODEC_CHECK, .check = check_agreement},
	ANY_NUMBER(welcome.place.token),
	LINES(welcome.config),
	{.kind = CODEC_BYTES, CODEC_MEMBER(struct frame, welcome.place.run_id)},
};

static const struct codec_field ready_fields[] = {SELF(struct frame, ready)};

static const struct codec_field peer_fields[] = {
	CODEC_NUMBER(struct frame_peer, listens, 0, 1, no_role),
	TEXT(struct frame_peer, host),
	SELF(struct frame_peer, self),
};

static const struct codec peer_codec = {CODEC_TABLE(peer_fields)};

static const struct codec_list peers = {
	.entry = &peer_codec,
	.item_size = sizeof(struct frame_peer),
	.items = offsetof(struct frame, peers.items),
	.count = offsetof(struct frame, peers.count),
	.capacity = CODEC_NO_CAPACITY,
};

static const struct codec_field peers_fields[] = {
	{.fault = "too many instances", .kind = CODEC_LIST, .min = 2, .max = FRAME_MAX_PEERS, .list = &peers},
};

static const struct codec_field barrier_fields[] = {
	ANY_NUMBER(arrived.point),
	TIME(struct frame, arrived.sent_ns),
	VOTE,
};

static const struct codec_field release_fields[] = {ANY_NUMBER(point), VOTE};

static const struct codec_field alive_fields[] = {NUMBER(step, 0, STEP_COUNT, no_step)};

static const struct codec_field figures_fields[] = {
	ANY_NUMBER(stats.test),
	NUMBER(stats.step, 0, STEP_COUNT - 1, no_step),
	NUMBER(stats.measure, 0, MEASURE_COUNT - 1, "a measure is out of range"),
	ANY_NUMBER(stats.total_ns),
	{.kind = CODEC_POINTER, CODEC_MEMBER(struct frame, stats.latency), .of = &latency_codec},
};

static const struct codec_field rates_fields[] = {
	ANY_NUMBER(rates.test),
	TIME(struct frame, rates.sent_ns),
	{.kind = CODEC_POINTER, CODEC_MEMBER(struct frame, rates.totals), .of = &totals_codec},
	{.kind = CODEC_CHECK, .check = check_span},
};

static const struct codec_field abort_fields[] = {
	TEXT(struct frame, abort.reason),
	NUMBER(abort.rank, 0, FRAME_MAX_PEERS - 1, no_rank),
};

static const struct message_row rows[FRAME_TYPES] = {
	[MESSAGE_HELLO] = {"HELLO", 8192, {CODEC_TABLE(hello_fields)}, 0},
	[MESSAGE_AGREE] = {"AGREE", 8192, {CODEC_TABLE(agree_fields)}, 0},
	[FRAME_READY] = {"READY", 4096, {CODEC_TABLE(ready_fields)}, 0},
	[FRAME_PEERS] = {"PEERS", FRAME_MAX_PAYLOAD, {CODEC_TABLE(peers_fields)}, 0},
	[MESSAGE_BARRIER] = {"BARRIER", 64, {CODEC_TABLE(barrier_fields)}, 0},
	[FRAME_RELEASE] = {"RELEASE", 64, {CODEC_TABLE(release_fields)}, 0},
	[MESSAGE_ALIVE] = {"ALIVE", 64, {CODEC_TABLE(alive_fields)}, 0},
	[FRAME_FIGURES] = {"FIGURES", FRAME_MAX_PAYLOAD, {CODEC_TABLE(figures_fields)}, 0},
	[FRAME_RATES] = {"RATES", FRAME_MAX_PAYLOAD, {CODEC_TABLE(rates_fields)}, 0},
	[MESSAGE_ABORT] = {"ABORT", 1024, {CODEC_TABLE(abort_fields)}, 0},
};

const struct message_protocol cmtime_messages = {
	.foreign = "it does not begin like a cmtime message",
	.magic = {'P', 'F', 'T', 'C'},
	.version = FRAME_VERSION,
	.common = MESSAGE_BIT(MESSAGE_REFUSE) | MESSAGE_BIT(MESSAGE_FACTS),
	.num_types = FRAME_TYPES,
	.rows = rows,
};

void frame_token(uint64_t token, uint8_t bytes[FRAME_TOKEN_SIZE])
{
	struct codec_writer writer = {.bytes = bytes};

	codec_put_bytes(&writer, cmtime_messages.magic, sizeof(cmtime_messages.magic));
	codec_put(&writer, 8, token);
}
