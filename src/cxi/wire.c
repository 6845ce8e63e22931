// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Encodes and decodes messages. See wire.h. Payloads are tables of net/codec.h. */
#include "cxi/wire.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "net/codec.h"

static const uint8_t magic[4] = {'P', 'F', 'X', 'B'};
static const char too_long[] = "a text is too long", no_address[] = "an address has an impossible length";

/* --- payloads --- */

#define TEXT(member)                                                                                                   \
	{                                                                                                              \
		.fault = too_long, .kind = CODEC_TEXT, CODEC_MEMBER(struct cxi_frame, member)                          \
	}
#define NUMBER(member) CODEC_NUMBER(struct cxi_frame, member, 0, UINT64_MAX, "a number is out of range")
#define CHECK(function)                                                                                                \
	{                                                                                                              \
		.kind = CODEC_CHECK, .check = (function)                                                               \
	}

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

	for (const char *at = frame->options; *at; at++)
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

static const struct codec_field hello_fields[] = {TEXT(hello.program), TEXT(hello.version), TEXT(hello.transport)};
static const struct codec_field options_fields[] = {
	{.fault = too_long, .kind = CODEC_LINES, CODEC_MEMBER(struct cxi_frame, options)},
	CHECK(wire_check_options),
};
static const struct codec_field address_fields[] = {
	{.fault = no_address,
	 .kind = CODEC_OWN,
	 CODEC_MEMBER(struct cxi_frame, introduction.address),
	 .ops = &address_ops},
	TEXT(introduction.memory.tx),
	TEXT(introduction.memory.rx),
	TEXT(introduction.memory.gpu),
};
static const struct codec_field barrier_fields[] = {NUMBER(barrier)};
static const struct codec_field result_fields[] = {NUMBER(sent.started), NUMBER(sent.finished), NUMBER(sent.elapsed_ns),
						   CHECK(check_sent)};
static const struct codec_field checked_fields[] = {NUMBER(checked.messages), NUMBER(checked.wrong),
						    CHECK(check_checked)};
static const struct codec_field refusal_fields[] = {TEXT(refusal)};

static const struct {
	const char *name;
	struct codec payload;
} rows[CXI_FRAME_TYPES] = {
	[CXI_FRAME_HELLO] = {"hello", {CODEC_TABLE(hello_fields)}},
	[CXI_FRAME_OPTIONS] = {"options", {CODEC_TABLE(options_fields)}},
	[CXI_FRAME_ADDRESS] = {"address", {CODEC_TABLE(address_fields)}},
	[CXI_FRAME_BARRIER] = {"barrier", {CODEC_TABLE(barrier_fields)}},
	[CXI_FRAME_ALIVE] = {"sign of life", {0}},
	[CXI_FRAME_RESULT] = {"result", {CODEC_TABLE(result_fields)}},
	[CXI_FRAME_CHECKED] = {"check", {CODEC_TABLE(checked_fields)}},
	[CXI_FRAME_REFUSAL] = {"refusal", {CODEC_TABLE(refusal_fields)}},
};

void cxi_memory_name(char name[CXI_NAME_SIZE], int gpu)
{
	if (gpu == CXI_NO_GPU)
		snprintf(name, CXI_NAME_SIZE, CXI_SYSTEM_MEMORY);
	else
		snprintf(name, CXI_NAME_SIZE, "GPU %d", gpu);
}

/* --- frames --- */

const char *cxi_frame_name(uint16_t type)
{
	return type > 0 && type < CXI_FRAME_TYPES ? rows[type].name : "message";
}

size_t cxi_frame_encode(const struct cxi_frame *frame, uint8_t bytes[CXI_FRAME_MAX_SIZE])
{
	const size_t length = codec_encode(&rows[frame->type].payload, frame, bytes + CXI_FRAME_HEADER_SIZE);
	struct codec_writer writer = {.bytes = bytes};

	codec_put_bytes(&writer, magic, sizeof(magic));
	codec_put(&writer, 2, CXI_WIRE_VERSION);
	codec_put(&writer, 2, frame->type);
	codec_put(&writer, 4, length);
	return CXI_FRAME_HEADER_SIZE + length;
}

static int fault_is(const char **fault, const char *words)
{
	*fault = words;
	return -EPROTO;
}

int cxi_frame_decode_header(const uint8_t *bytes, size_t count, struct cxi_frame_header *header, const char **fault)
{
	struct codec_reader reader = {.bytes = bytes + sizeof(magic), .left = CXI_FRAME_HEADER_SIZE - sizeof(magic)};
	struct cxi_frame_header found;
	uint64_t version;

	if (memcmp(bytes, magic, count < sizeof(magic) ? count : sizeof(magic)) != 0)
		return fault_is(fault, "it is not a message of cxi_send_bw");
	if (count < CXI_FRAME_HEADER_SIZE)
		return -EAGAIN;
	version = codec_get(&reader, 2);
	found.type = (uint16_t)codec_get(&reader, 2);
	found.length = (uint32_t)codec_get(&reader, 4);
	if (version != CXI_WIRE_VERSION)
		return fault_is(
			fault,
			"it has another version of the format: install the same version of the suite on both sides");
	if (!found.type || found.type >= CXI_FRAME_TYPES)
		return fault_is(fault, "its type is unknown");
	if (found.length > CXI_FRAME_MAX_PAYLOAD)
		return fault_is(fault, "it is too long");
	*header = found;
	return 0;
}

int cxi_frame_decode(const struct cxi_frame_header *header, const uint8_t *payload, struct cxi_frame *frame,
		     const char **fault)
{
	struct codec_reader reader = {.bytes = payload, .left = header->length};

	memset(frame, 0, sizeof(*frame));
	frame->type = header->type;
	if (codec_decode(&rows[header->type].payload, &reader, frame))
		return fault_is(fault, reader.fault);
	return reader.left ? fault_is(fault, "it continues after its last field") : 0;
}

int cxi_frame_peek(const uint8_t *bytes, size_t count, struct cxi_frame *frame, size_t *size, const char **fault)
{
	struct cxi_frame_header header;
	int ret;

	frame->type = 0;
	if (!count)
		return 0;
	ret = cxi_frame_decode_header(bytes, count, &header, fault);
	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	if (count - CXI_FRAME_HEADER_SIZE < header.length)
		return 0;
	*size = CXI_FRAME_HEADER_SIZE + header.length;
	ret = cxi_frame_decode(&header, bytes + CXI_FRAME_HEADER_SIZE, frame, fault);
	return ret ? ret : 1;
}
