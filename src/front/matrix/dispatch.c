// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See dispatch.h. */
#include "front/matrix/dispatch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "front/matrix/place.h"

#define MOST_SMALL 1024
#define MOST_LARGE (DISPATCH_MOST_TEXT + MOST_SMALL)

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

static const struct codec_field hello_fields[] = {
	CODEC_NUMBER(struct dispatch, join.rank, 0, UINT32_MAX, no_rank),
	{.kind = CODEC_CHECK, .check = check_rank},
	CODEC_NUMBER(struct dispatch, join.run, 0, UINT64_MAX, NULL),
	DISPATCH_TEXT(join.host),
	DISPATCH_TEXT(join.address),
	{.kind = CODEC_CHECK, .check = check_join_address},
};

#define DISPATCH_JOB	 CODEC_NUMBER(struct dispatch, job, 0, UINT32_MAX, NULL)
#define DISPATCH_ADAPTER CODEC_NUMBER(struct dispatch, adapter, 0, UINT16_MAX, NULL)

static const struct codec_field job_fields[] = {DISPATCH_JOB};

static const struct codec_field serve_fields[] = {
	DISPATCH_JOB,
	DISPATCH_ADAPTER,
	DISPATCH_TEXT(address),
	{.kind = CODEC_CHECK, .check = check_call_address},
};

static const struct codec_field listens_fields[] = {DISPATCH_JOB,
						    CODEC_NUMBER(struct dispatch, port, 1, UINT16_MAX, no_port)};

static const struct codec_field call_fields[] = {
	DISPATCH_JOB,
	DISPATCH_ADAPTER,
	CODEC_NUMBER(struct dispatch, port, 1, UINT16_MAX, no_port),
	DISPATCH_TEXT(address),
	{.kind = CODEC_CHECK, .check = check_call_address},
};

static const struct codec_field result_fields[] = {
	DISPATCH_JOB,
	DISPATCH_TEXT(reason),
	CODEC_NUMBER(struct dispatch, unreached, 0, 1, "it is neither reached nor unreached"),
	CODEC_NUMBER(struct dispatch, kind, 0, UINT8_MAX, NULL),
	{.kind = CODEC_CHECK, .check = check_kind},
	{.fault = "its figure is none", .kind = CODEC_MEASURE, CODEC_MEMBER(struct dispatch, value), .bytes = 8},
	{.fault = "its figure is none", .kind = CODEC_MEASURE, CODEC_MEMBER(struct dispatch, tails[0]), .bytes = 8},
	{.fault = "its figure is none", .kind = CODEC_MEASURE, CODEC_MEMBER(struct dispatch, tails[1]), .bytes = 8},
	{.fault = "its figure is none", .kind = CODEC_MEASURE, CODEC_MEMBER(struct dispatch, sendings), .bytes = 8},
	{.fault = too_long, .kind = CODEC_SPAN, CODEC_MEMBER(struct dispatch, document), .max = DISPATCH_MOST_TEXT},
};

static const struct message_row rows[DISPATCH_TYPES] = {
	[MESSAGE_HELLO] = {"request to join", MOST_SMALL, {CODEC_TABLE(hello_fields)}, 0},
	[MESSAGE_AGREE] = {"welcome", MOST_SMALL, {0}, 0},
	[DISPATCH_SERVE] = {"order to serve", MOST_SMALL, {CODEC_TABLE(serve_fields)}, 0},
	[DISPATCH_LISTENS] = {"port", MOST_SMALL, {CODEC_TABLE(listens_fields)}, 0},
	[DISPATCH_CALL] = {"order to call", MOST_SMALL, {CODEC_TABLE(call_fields)}, 0},
	[DISPATCH_STOP] = {"order to stop", MOST_SMALL, {CODEC_TABLE(job_fields)}, 0},
	[MESSAGE_RESULT] = {"result", MOST_LARGE, {CODEC_TABLE(result_fields)}, 0},
	[DISPATCH_END] = {"end", MOST_SMALL, {0}, 0},
	[DISPATCH_LEAVE] = {"leave", MOST_SMALL, {0}, 0},
	[DISPATCH_READY] = {"readiness", MOST_SMALL, {CODEC_TABLE(job_fields)}, 0},
	[DISPATCH_START] = {"order to start", MOST_SMALL, {CODEC_TABLE(job_fields)}, 0},
	[DISPATCH_BEGAN] = {"start", MOST_SMALL, {CODEC_TABLE(job_fields)}, 0},
};

const struct message_protocol dispatch_messages = {
	.foreign = "it is not a message of perftest matrix",
	.magic = {'P', 'F', 'T', 'M'},
	.version = 6,
	.common = MESSAGE_BIT(MESSAGE_REFUSE) | MESSAGE_BIT(MESSAGE_ALIVE),
	.num_types = DISPATCH_TYPES,
	.rows = rows,
};

const struct dispatch dispatch_alive = {.type = MESSAGE_ALIVE};

int dispatch_send(struct conn *conn, const struct dispatch *dispatch)
{
	return message_send(conn, &dispatch_messages, dispatch->type, dispatch);
}

int dispatch_send_type(struct conn *conn, unsigned type)
{
	return dispatch_send(conn, &(struct dispatch){.type = type});
}

void dispatch_refuse(struct conn *conn, const char *reason)
{
	message_post_end(conn, &dispatch_messages, MESSAGE_REFUSE, reason);
}

int dispatch_fill(struct conn *conn)
{
	return conn_fill_some(conn, DISPATCH_MOST);
}

int dispatch_read(const struct conn *conn, struct dispatch *dispatch, size_t *length, const char **fault)
{
	struct message_header header;
	const int ret = message_front(conn, &dispatch_messages, &header, fault);

	if (ret <= 0)
		return ret;
	*dispatch = (struct dispatch){.type = header.type};
	*length = MESSAGE_HEADER_SIZE + header.length;
	return message_decode(&dispatch_messages, &header, message_payload(conn), dispatch, fault) ? -EPROTO : 1;
}

const char *dispatch_take(const struct star_conn *peer, const struct message_header *header, struct dispatch *dispatch)
{
	const char *fault;

	*dispatch = (struct dispatch){.type = header->type};
	return message_decode(&dispatch_messages, header, message_payload(&peer->conn), dispatch, &fault) ? fault
													  : NULL;
}
