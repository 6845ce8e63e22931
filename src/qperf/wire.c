// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Bytes of the control connection: each message is a table of its fields. See wire.h. */
#include "qperf/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "qperf/values.h"

/* No text or port that 0.4.11 begins its answer with, and no address of a process. */
const uint8_t wire_hello[HELLO_SIZE] = {0xf1, 'q', 'p', 'f', '\r', '\n', 0x1a, 0xf7};

enum field_kind {
	FIELD_NUMBER,  /* unsigned, of width bytes in memory */
	FIELD_NS,      /* a double in seconds, as ns */
	FIELD_SECONDS, /* ns in memory, seconds in the message */
	FIELD_TEXT,    /* with its NUL, the rest zeroes */
	FIELD_RAW,
	FIELD_PAD, /* zeroes, not looked at */
};

struct field {
	enum field_kind kind;
	uint16_t offset; /* in the struct */
	uint16_t width;	 /* in memory */
	uint16_t bytes;	 /* in the message */
};

#define SIZE_OF(type, member) sizeof(((type *)NULL)->member)
#define NUMBER(type, member, in_wire)                                                                                  \
	{                                                                                                              \
		FIELD_NUMBER, offsetof(type, member), SIZE_OF(type, member), in_wire                                   \
	}
#define NS(type, member)                                                                                               \
	{                                                                                                              \
		FIELD_NS, offsetof(type, member), SIZE_OF(type, member), 8                                             \
	}
#define SECONDS(type, member)                                                                                          \
	{                                                                                                              \
		FIELD_SECONDS, offsetof(type, member), SIZE_OF(type, member), 4                                        \
	}
#define TEXT(type, member)                                                                                             \
	{                                                                                                              \
		FIELD_TEXT, offsetof(type, member), SIZE_OF(type, member), SIZE_OF(type, member)                       \
	}
#define RAW(type, member)                                                                                              \
	{                                                                                                              \
		FIELD_RAW, offsetof(type, member), SIZE_OF(type, member), SIZE_OF(type, member)                        \
	}
#define PAD(in_wire)                                                                                                   \
	{                                                                                                              \
		FIELD_PAD, 0, 0, in_wire                                                                               \
	}
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* --- the engine --- */

static void put(uint64_t value, uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t take(const uint8_t *bytes, size_t count)
{
	uint64_t value = 0;

	for (size_t i = 0; i < count; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

static uint64_t load(const void *from, size_t width)
{
	uint8_t byte;
	uint16_t half;
	uint32_t word;
	uint64_t value;

	switch (width) {
	case 1:
		memcpy(&byte, from, sizeof(byte));
		return byte;
	case 2:
		memcpy(&half, from, sizeof(half));
		return half;
	case 4:
		memcpy(&word, from, sizeof(word));
		return word;
	default:
		memcpy(&value, from, sizeof(value));
		return value;
	}
}

/* -EPROTO: it does not fit. */
static int store(void *to, size_t width, uint64_t value)
{
	const uint8_t byte = (uint8_t)value;
	const uint16_t half = (uint16_t)value;
	const uint32_t word = (uint32_t)value;

	if (width < sizeof(value) && value >> (8 * width))
		return -EPROTO;
	memcpy(to,
	       width == 1   ? (const void *)&byte
	       : width == 2 ? &half
	       : width == 4 ? (const void *)&word
			    : &value,
	       width);
	return 0;
}

static uint64_t ns_of(double seconds)
{
	const double ns = seconds * (double)NS_PER_S;

	return ns > 0 ? ns < 0x1p63 ? (uint64_t)(ns + 0.5) : INT64_MAX : 0;
}

static size_t encode(const struct field *fields, size_t count, const void *from, uint8_t *bytes)
{
	size_t at = 0;

	for (const struct field *field = fields; field < fields + count; field++) {
		const char *member = (const char *)from + field->offset;
		double seconds;

		memset(bytes + at, 0, field->bytes);
		switch (field->kind) {
		case FIELD_NUMBER:
			put(load(member, field->width), bytes + at, field->bytes);
			break;
		case FIELD_NS:
			memcpy(&seconds, member, sizeof(seconds));
			put(ns_of(seconds), bytes + at, field->bytes);
			break;
		case FIELD_SECONDS: /* up, so that a limit is none too short */
			put((load(member, field->width) + NS_PER_S - 1) / NS_PER_S, bytes + at, field->bytes);
			break;
		case FIELD_TEXT:
			memcpy(bytes + at, member, strnlen(member, field->bytes - 1U));
			break;
		case FIELD_RAW:
			memcpy(bytes + at, member, field->bytes);
			break;
		case FIELD_PAD:
			break;
		}
		at += field->bytes;
	}
	return at;
}

static int decode_field(const struct field *field, const uint8_t *bytes, char *member)
{
	double seconds;

	switch (field->kind) {
	case FIELD_NUMBER:
		return store(member, field->width, take(bytes, field->bytes));
	case FIELD_NS:
		seconds = (double)take(bytes, field->bytes) / (double)NS_PER_S;
		memcpy(member, &seconds, sizeof(seconds));
		return 0;
	case FIELD_SECONDS:
		return store(member, field->width, take(bytes, field->bytes) * NS_PER_S);
	case FIELD_TEXT:
		wire_read_text(bytes, field->bytes, member, field->width);
		return 0;
	case FIELD_RAW:
		memcpy(member, bytes, field->bytes);
		return 0;
	default:
		return 0;
	}
}

/* What is not there any more stays as it is in the struct, which is zeroed. */
static int decode(const struct field *fields, size_t count, const uint8_t *bytes, size_t length, void *to)
{
	size_t at = 0;

	for (const struct field *field = fields; field < fields + count && at + field->bytes <= length; field++) {
		if (decode_field(field, bytes + at, (char *)to + field->offset))
			return -EPROTO;
		at += field->bytes;
	}
	return 0;
}

void wire_read_text(const uint8_t *bytes, size_t length, char *text, size_t size)
{
	size_t i;

	for (i = 0; i < length && i + 1 < size && bytes[i]; i++)
		text[i] = bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '?';
	text[i] = '\0';
}

/* --- qperf 0.4.11 --- */

#define PARAMETER(which) NUMBER(struct request, side.number[PARAM_##which], 4)

static const struct field request_fields[] = {
	NUMBER(struct request, major, 2),
	NUMBER(struct request, minor, 2),
	NUMBER(struct request, increment, 2),
	NUMBER(struct request, test, 2),
	PARAMETER(ACCESS_RECV),
	PARAMETER(AFFINITY),
	PARAMETER(ALT_PORT),
	PARAMETER(FLIP),
	PARAMETER(MSG_SIZE),
	PARAMETER(MTU_SIZE),
	PARAMETER(NO_MSGS),
	PARAMETER(POLL_MODE),
	PARAMETER(PORT),
	PARAMETER(RD_ATOMIC),
	PARAMETER(SERVICE_LEVEL),
	PARAMETER(SOCK_BUF_SIZE),
	PARAMETER(SRC_PATH_BITS),
	SECONDS(struct request, side.number[PARAM_TIME]),
	SECONDS(struct request, side.number[PARAM_TIMEOUT]),
	PARAMETER(USE_CM),
	TEXT(struct request, side.id),
	TEXT(struct request, side.static_rate),
};

/* STAT, in ticks of a clock whose rate it tells. */
struct stat_record {
	uint32_t cpus;
	uint32_t ticks; /* a second */
	uint32_t max_cqes;
	uint64_t begin[9]; /* real, user, nice, system, idle, iowait, irq, softirq, steal */
	uint64_t end[9];
	struct tally sent;
	struct tally received;
	struct tally peer_sent;
	struct tally peer_received;
};

#define TRAFFIC(type, member)                                                                                          \
	NUMBER(type, member.bytes, 8), NUMBER(type, member.msgs, 8), NUMBER(type, member.errors, 8)
#define TICKS(member)                                                                                                  \
	NUMBER(struct stat_record, member[0], 8), NUMBER(struct stat_record, member[1], 8),                            \
		NUMBER(struct stat_record, member[2], 8), NUMBER(struct stat_record, member[3], 8),                    \
		NUMBER(struct stat_record, member[4], 8), NUMBER(struct stat_record, member[5], 8),                    \
		NUMBER(struct stat_record, member[6], 8), NUMBER(struct stat_record, member[7], 8),                    \
		NUMBER(struct stat_record, member[8], 8)

static const struct field stat_fields[] = {
	NUMBER(struct stat_record, cpus, 4),
	NUMBER(struct stat_record, ticks, 4),
	NUMBER(struct stat_record, max_cqes, 4),
	TICKS(begin),
	TICKS(end),
	TRAFFIC(struct stat_record, sent),
	TRAFFIC(struct stat_record, received),
	TRAFFIC(struct stat_record, peer_sent),
	TRAFFIC(struct stat_record, peer_received),
	PAD(4),
};

static const struct field node_fields[] = {
	NUMBER(struct classic_node, vaddr, 8),
	NUMBER(struct classic_node, lid, 4),
	NUMBER(struct classic_node, qpn, 4),
	NUMBER(struct classic_node, psn, 4),
	NUMBER(struct classic_node, srqn, 4),
	NUMBER(struct classic_node, rkey, 4),
	NUMBER(struct classic_node, alt_lid, 4),
	NUMBER(struct classic_node, rd_atomic, 4),
	PAD(4),
};

static const struct field conf_fields[] = {
	TEXT(struct conf, node),
	TEXT(struct conf, cpu),
	TEXT(struct conf, os),
	TEXT(struct conf, qperf),
};

const char *wire_not_classic(const struct qperf_side *side)
{
	for (enum parameter p = 0; p < NUM_CLASSIC_PARAMETERS; p++) {
		if (p == PARAM_TIME || p == PARAM_TIMEOUT || side_text((struct qperf_side *)side, p))
			continue;
		if (side->number[p] > UINT32_MAX)
			return "a number above 4294967295";
	}
	if (side->number[PARAM_TIME] % NS_PER_S)
		return "a time that is no whole number of seconds";
	if (side->number[PARAM_FLIP])
		return "to swap sender and receiver (-f)";
	if (side->number[PARAM_SPIN])
		return "to spin on sockets (--spin)";
	if (side->number[PARAM_SEND] || side->number[PARAM_RECEIVE])
		return "another way to send or receive (--send, --receive)";
	if (side->congestion[0])
		return "to choose the congestion control";
	return NULL;
}

void wire_request(const struct request *request, uint8_t bytes[REQUEST_SIZE])
{
	encode(request_fields, COUNT(request_fields), request, bytes);
}

int wire_read_request(const uint8_t bytes[REQUEST_SIZE], struct request *request)
{
	memset(request, 0, sizeof(*request));
	if (decode(request_fields, COUNT(request_fields), bytes, REQUEST_SIZE, request))
		return -EPROTO;
	return request->major == REQUEST_MAJOR && request->minor == REQUEST_MINOR ? 0 : -EPROTO;
}

#define STAT_TICKS 1000000 /* a second */

static uint64_t ticks_of(double seconds)
{
	return ns_of(seconds) / (NS_PER_S / STAT_TICKS);
}

void wire_stat(const struct account *account, uint8_t bytes[STAT_SIZE])
{
	const struct stat_record record = {
		.cpus = account->cpus,
		.ticks = STAT_TICKS,
		.max_cqes = account->max_cqes,
		.end = {ticks_of(account->elapsed_s), ticks_of(account->user_s), 0, ticks_of(account->kernel_s), 0,
			ticks_of(account->iowait_s), ticks_of(account->intr_s), 0, 0},
		.sent = account->sent,
		.received = account->received,
		.peer_sent = account->peer_sent,
		.peer_received = account->peer_received,
	};

	encode(stat_fields, COUNT(stat_fields), &record, bytes);
}

int wire_read_stat(const uint8_t bytes[STAT_SIZE], struct account *account)
{
	struct stat_record record;
	double seconds[9];

	memset(&record, 0, sizeof(record));
	if (decode(stat_fields, COUNT(stat_fields), bytes, STAT_SIZE, &record) || !record.ticks)
		return -EPROTO;
	for (unsigned i = 0; i < 9; i++) /* a machine's iowait may run backwards */
		seconds[i] = record.end[i] > record.begin[i]
				     ? (double)(record.end[i] - record.begin[i]) / (double)record.ticks
				     : 0;
	*account = (struct account){
		.elapsed_s = seconds[0],
		.cpus = record.cpus,
		.user_s = seconds[1] + seconds[2],
		.intr_s = seconds[6] + seconds[7],
		.kernel_s = seconds[3] + seconds[8],
		.iowait_s = seconds[5],
		.sent = record.sent,
		.received = record.received,
		.peer_sent = record.peer_sent,
		.peer_received = record.peer_received,
		.max_cqes = record.max_cqes,
	};
	return 0;
}

void wire_node(const struct classic_node *node, uint8_t bytes[NODE_SIZE])
{
	encode(node_fields, COUNT(node_fields), node, bytes);
}

void wire_read_node(const uint8_t bytes[NODE_SIZE], struct classic_node *node)
{
	memset(node, 0, sizeof(*node));
	decode(node_fields, COUNT(node_fields), bytes, NODE_SIZE, node);
}

void wire_conf(const struct conf *conf, uint8_t bytes[CONF_SIZE])
{
	encode(conf_fields, COUNT(conf_fields), conf, bytes);
}

void wire_read_conf(const uint8_t *bytes, size_t length, struct conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	decode(conf_fields, COUNT(conf_fields), bytes, length, conf);
}

void wire_port(uint32_t port, uint8_t bytes[PORT_SIZE])
{
	put(port, bytes, PORT_SIZE);
}

uint32_t wire_read_port(const uint8_t bytes[PORT_SIZE])
{
	return (uint32_t)take(bytes, PORT_SIZE);
}

/* --- between our own --- */

static const struct field header_fields[] = {
	NUMBER(struct frame_header, length, 4),
	NUMBER(struct frame_header, type, 2),
	PAD(2),
};

#define WISH(which) NUMBER(struct start, side.number[PARAM_##which], 8)

static const struct field start_fields[] = {
	NUMBER(struct start, test, 4),
	PAD(4),
	WISH(ACCESS_RECV),
	WISH(AFFINITY),
	WISH(ALT_PORT),
	WISH(FLIP),
	WISH(MSG_SIZE),
	WISH(MTU_SIZE),
	WISH(NO_MSGS),
	WISH(POLL_MODE),
	WISH(PORT),
	WISH(RD_ATOMIC),
	WISH(SERVICE_LEVEL),
	WISH(SOCK_BUF_SIZE),
	WISH(SRC_PATH_BITS),
	WISH(TIME),
	WISH(TIMEOUT),
	WISH(USE_CM),
	WISH(RECEIVE),
	WISH(SEND),
	WISH(SPIN),
	TEXT(struct start, side.id),
	TEXT(struct start, side.static_rate),
	TEXT(struct start, side.congestion),
};

static const struct field account_fields[] = {
	NS(struct account, elapsed_s),
	NUMBER(struct account, cpus, 4),
	NUMBER(struct account, max_cqes, 4),
	NS(struct account, user_s),
	NS(struct account, intr_s),
	NS(struct account, kernel_s),
	NS(struct account, iowait_s),
	TRAFFIC(struct account, sent),
	TRAFFIC(struct account, received),
	TRAFFIC(struct account, peer_sent),
	TRAFFIC(struct account, peer_received),
	NS(struct account, process_user_s),
	NS(struct account, process_kernel_s),
	NUMBER(struct account, switches, 8),
	NUMBER(struct account, lost, 8),
	NS(struct account, lost_s),
	NUMBER(struct account, spins, 1),
	PAD(7),
	NUMBER(struct account, retransmits, 8),
	NS(struct account, rtt_s),
	NUMBER(struct account, cwnd, 8),
	NUMBER(struct account, copied, 8),
	TEXT(struct account, congestion),
	TEXT(struct account, how),
};

static const struct field endpoint_fields[] = {
	NUMBER(struct endpoint, vaddr, 8),    NUMBER(struct endpoint, lid, 4),
	NUMBER(struct endpoint, qpn, 4),      NUMBER(struct endpoint, psn, 4),
	NUMBER(struct endpoint, rkey, 4),     NUMBER(struct endpoint, srqn, 4),
	NUMBER(struct endpoint, mtu, 4),      NUMBER(struct endpoint, out_reads, 4),
	NUMBER(struct endpoint, gid_kind, 4), NUMBER(struct endpoint, gid_index, 4),
	NUMBER(struct endpoint, cm_port, 4),  RAW(struct endpoint, gid),
};

void wire_header(const struct frame_header *header, uint8_t bytes[FRAME_HEADER_SIZE])
{
	encode(header_fields, COUNT(header_fields), header, bytes);
}

int wire_read_header(const uint8_t bytes[FRAME_HEADER_SIZE], struct frame_header *header)
{
	memset(header, 0, sizeof(*header));
	if (decode(header_fields, COUNT(header_fields), bytes, FRAME_HEADER_SIZE, header))
		return -EPROTO;
	return header->type && header->type < NUM_FRAMES && header->length <= FRAME_MAX_PAYLOAD ? 0 : -EPROTO;
}

size_t wire_start(const struct start *start, uint8_t *bytes)
{
	return encode(start_fields, COUNT(start_fields), start, bytes);
}

int wire_read_start(const uint8_t *bytes, size_t length, struct start *start)
{
	memset(start, 0, sizeof(*start));
	if (decode(start_fields, COUNT(start_fields), bytes, length, start))
		return -EPROTO;
	return start->side.number[PARAM_SEND] < NUM_SEND_MODES && start->side.number[PARAM_RECEIVE] < NUM_RECEIVE_MODES
		       ? 0
		       : -EPROTO;
}

size_t wire_account(const struct account *account, uint8_t *bytes)
{
	return encode(account_fields, COUNT(account_fields), account, bytes);
}

int wire_read_account(const uint8_t *bytes, size_t length, struct account *account)
{
	struct account read;

	memset(&read, 0, sizeof(read));
	if (decode(account_fields, COUNT(account_fields), bytes, length, &read))
		return -EPROTO;
	read.has_details = true;
	*account = read;
	return 0;
}

size_t wire_endpoint(const struct endpoint *endpoint, uint8_t *bytes)
{
	return encode(endpoint_fields, COUNT(endpoint_fields), endpoint, bytes);
}

int wire_read_endpoint(const uint8_t *bytes, size_t length, struct endpoint *endpoint)
{
	memset(endpoint, 0, sizeof(*endpoint));
	return decode(endpoint_fields, COUNT(endpoint_fields), bytes, length, endpoint);
}
