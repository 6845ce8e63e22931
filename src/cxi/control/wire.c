// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tables of the messages. See wire.h. */
#include "cxi/control/wire.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "net/message.h"
#include "util/claim.h"

static const char too_long[] = "a text is too long", no_address[] = "an address has an impossible length";

/* --- payloads --- */

#define TEXT(member)   CODEC_WORDS(CODEC_TEXT, struct cxi_frame, member, too_long)
#define NUMBER(member) CODEC_NUMBER(struct cxi_frame, member, 0, UINT64_MAX, "a number is out of range")

static void cxi_write_address(struct codec_writer *writer, const struct codec_field *field, const void *member)
{
	const struct cxi_address *address = member;

	(void)field;
	codec_put(writer, 2, address->length);
	codec_put_bytes(writer, address->bytes, address->length);
}

static void cxi_read_address(struct codec_reader *reader, const struct codec_field *field, void *member)
{
	const size_t length = codec_get(reader, 2);
	const uint8_t *bytes = codec_get_bytes(reader, length);
	struct cxi_address *address = member;

	if (!reader->fault && (!length || length > CXI_ADDRESS_SIZE))
		reader->fault = field->fault;
	if (reader->fault || !address)
		return;
	address->length = (uint16_t)length;
	memcpy(address->bytes, bytes, length);
}

static const struct codec_ops address_ops = {cxi_write_address, cxi_read_address};

static const char *wire_check_options(const void *from)
{
	const struct cxi_frame *frame = from;

	for (const char *at = frame->hello.options; *at; at++)
		if ((*at < ' ' || *at > '~') && *at != '\n')
			return "an option is not printable";
	return NULL;
}

static const char *check_sent(const void *from)
{
	const struct cxi_sent *sent = &((const struct cxi_frame *)from)->sent;

	if (sent->finished > sent->started)
		return "more lists were finished than started";
	return sent->finished && !sent->elapsed_ns ? "lists took no time" : NULL;
}

static const char *check_checked(const void *from)
{
	const struct cxi_checked *checked = &((const struct cxi_frame *)from)->checked;

	return checked->wrong > checked->messages ? "more sends are wrong than were checked" : NULL;
}

static const struct codec_field hello_fields[] = {
	TEXT(hello.transport),
	{.kind = CODEC_BYTES, CODEC_MEMBER(struct cxi_frame, hello.run_id)},
	CODEC_NUMBER(struct cxi_frame, hello.gathers, 0, 1, "a flag is neither 0 nor 1"),
	{.fault = too_long, .kind = CODEC_LINES, CODEC_MEMBER(struct cxi_frame, hello.options)},
	CODEC_CHECKED(wire_check_options),
};
static const struct codec_field address_fields[] = {
	CODEC_OWNED(address_ops, struct cxi_frame, introduction.address, 0, no_address),
	TEXT(introduction.memory.tx),
	TEXT(introduction.memory.rx),
	TEXT(introduction.memory.gpu),
	TEXT(introduction.version),
	{.fault = "its provenance is too long",
	 .kind = CODEC_LINES,
	 CODEC_MEMBER(struct cxi_frame, introduction.provenance)},
};
static const struct codec_field result_fields[] = {NUMBER(sent.started), NUMBER(sent.finished), NUMBER(sent.elapsed_ns),
						   CODEC_CHECKED(check_sent)};
static const struct codec_field checked_fields[] = {NUMBER(checked.messages), NUMBER(checked.wrong),
						    CODEC_CHECKED(check_checked)};
static const struct codec_field wait_fields[] = {NUMBER(missing)};

static const struct message_row rows[CXI_FRAME_TYPES] = {
	[MESSAGE_HELLO] = {"options", CXI_FRAME_MAX_PAYLOAD, {CODEC_TABLE(hello_fields)}, 0},
	[MESSAGE_AGREE] = {"agreement", CXI_FRAME_MAX_PAYLOAD, {CODEC_TABLE(hello_fields)}, 0},
	[MESSAGE_ENDPOINTS] = {"address", CXI_FRAME_MAX_PAYLOAD, {CODEC_TABLE(address_fields)}, 0},
	[MESSAGE_RESULT] = {"result", CXI_FRAME_MAX_PAYLOAD, {CODEC_TABLE(result_fields)}, 0},
	[CXI_FRAME_CHECKED] = {"check", CXI_FRAME_MAX_PAYLOAD, {CODEC_TABLE(checked_fields)}, 0},
	[CXI_FRAME_WAIT] = {"wait", CXI_FRAME_MAX_PAYLOAD, {CODEC_TABLE(wait_fields)}, MESSAGE_BIT(MESSAGE_BARRIER)},
};

const struct message_protocol cxi_messages = {
	.foreign = "it is not a message of cxi_send_bw",
	.magic = {'P', 'F', 'X', 'B'},
	.version = 6,
	.common = MESSAGE_BIT(MESSAGE_REFUSE) | MESSAGE_BIT(MESSAGE_ABORT) | MESSAGE_BIT(MESSAGE_ALIVE) |
		  MESSAGE_BIT(MESSAGE_BARRIER) | MESSAGE_BIT(MESSAGE_VOTE) | MESSAGE_BIT(MESSAGE_FACTS),
	.num_types = CXI_FRAME_TYPES,
	.rows = rows,
};

void cxi_memory_name(char name[CXI_NAME_SIZE], int gpu)
{
	if (gpu == CXI_NO_GPU)
		snprintf(name, CXI_NAME_SIZE, CXI_SYSTEM_MEMORY);
	else
		snprintf(name, CXI_NAME_SIZE, "GPU %d", gpu);
}

/* --- claims --- */

#define CLOCK_PARTS 100 /* the part by which two clocks may differ */

/* Finishing a list takes this side's response, and only one list is in flight. */
const char *cxi_claim_sent(const struct cxi_witness *witness, const struct cxi_sent *sent)
{
	const double started = (double)sent->started, finished = (double)sent->finished;
	/* A list that is still unfinished when the duration ends counts with its time: it can only be longer. */
	const struct claim claims[] = {
		CLAIM_EQUAL(finished, witness->iters ? witness->iters : sent->finished,
			    "it finished another number of lists than it was asked to"),
		{finished, (double)witness->responded, "it finished more lists than were answered"},
		{started, finished + 1, "it left more than one list unfinished"},
		CLAIM_TIME(witness->since_s, (double)sent->elapsed_ns / 1e9),
		{(double)witness->window_ns, (double)sent->elapsed_ns, "its time is shorter than the duration"},
		{witness->window_ns ? 0 : (double)(witness->least_ns - witness->least_ns / CLOCK_PARTS),
		 (double)sent->elapsed_ns, "its time is shorter than that in which its lists arrived"},
	};

	if (!witness->peer_sends)
		return sent->started ? "it was not to send anything" : NULL;
	return CLAIM_JUDGE(claims);
}

/* The slots of its buffer: at least one, at most one for each send. */
const char *cxi_claim_checked(bool verifies, uint64_t lists, uint32_t list, const struct cxi_checked *checked)
{
	const struct claim claims[] = {
		{(double)lists, (double)checked->messages, "it has not checked every list"},
		{(double)checked->messages, (double)lists * list, "it has checked more than was sent"},
	};

	if (!verifies || !lists)
		return checked->messages ? "it had nothing to check" : NULL;
	return CLAIM_JUDGE(claims);
}
