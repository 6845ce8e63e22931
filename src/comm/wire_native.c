// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The native format: one table row per message, one table row per field, one engine that
 * sizes, writes, checks and reads them. docs/wire.md is the same tables for people.
 *
 * How it grows: a newer version puts new fields behind the old ones, in a message and in an
 * endpoint; a reader takes the fields that it knows and skips the rest. A new message that
 * may be ignored carries WIRE_FLAG_OPTIONAL.
 */
#include "comm/wire.h"

#include <errno.h>
#include <string.h>

enum field_kind {
	FIELD_UINT,	 /* width bytes, min..max */
	FIELD_POWER,	 /* the same, a power of two */
	FIELD_MEASURE,	 /* double: finite, not negative */
	FIELD_BYTES,	 /* width bytes as they are */
	FIELD_TEXT,	 /* 16-bit length, text; in memory a char array of width */
	FIELD_SPAN,	 /* 32-bit length up to max, text; in memory a struct wire_span */
	FIELD_ENDPOINTS, /* 32-bit count, 16-bit size of an entry, entries */
};

struct field {
	const char *fault; /* what to call it when it is wrong */
	enum field_kind kind;
	size_t offset; /* in struct wire_message or struct endpoint */
	size_t width;  /* in bytes: of the member, and of a number on the wire */
	uint64_t min;
	uint64_t max;
};

#define MEMBER(type, member) offsetof(type, member), sizeof(((type *)NULL)->member)
#define UINT(type, member, min, max)                                                                                   \
	{                                                                                                              \
#member " is out of range", FIELD_UINT, MEMBER(type, member), min, max                                 \
	}
#define MEASURE(type, member)                                                                                          \
	{                                                                                                              \
#member " is not a measurement", FIELD_MEASURE, MEMBER(type, member), 0, 0                             \
	}
#define TEXT(type, member)                                                                                             \
	{                                                                                                              \
#member " is too long", FIELD_TEXT, MEMBER(type, member), 0, 0                                         \
	}
#define BITS(n)	     ((UINT64_C(1) << (n)) - 1)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct field endpoint_fields[] = {
	UINT(struct endpoint, lid, 0, UINT16_MAX),
	UINT(struct endpoint, qpn, 0, BITS(24)),
	UINT(struct endpoint, psn, 0, BITS(24)),
	UINT(struct endpoint, rkey, 0, UINT32_MAX),
	UINT(struct endpoint, vaddr, 0, UINT64_MAX),
	UINT(struct endpoint, srqn, 0, BITS(24)),
	UINT(struct endpoint, out_reads, 0, UINT16_MAX),
	{"mtu is not 256 to 4096", FIELD_POWER, MEMBER(struct endpoint, mtu), 256, 4096},
	{"gid", FIELD_BYTES, MEMBER(struct endpoint, gid), 0, 0},
	UINT(struct endpoint, gid_kind, 0, GID_ROCE_V2),
	UINT(struct endpoint, gid_index, 0, UINT16_MAX),
	UINT(struct endpoint, cm_port, 0, UINT16_MAX),
};

#define ENDPOINT_SIZE	  55  /* of the fields above */
#define ENDPOINT_MAX_SIZE 256 /* room for newer versions */

static const struct field hello_fields[] = {
	TEXT(struct wire_message, hello.program),
	TEXT(struct wire_message, hello.version),
	TEXT(struct wire_message, hello.host),
	{"hello.params is too long or has a NUL", FIELD_SPAN, MEMBER(struct wire_message, hello.params), 0,
	 WIRE_MAX_PARAMS},
	TEXT(struct wire_message, hello.site.device),
	UINT(struct wire_message, hello.site.is_software, 0, 1),
	{"its page is none that a host has", FIELD_POWER, MEMBER(struct wire_message, hello.site.page_bytes),
	 COMM_LEAST_PAGE, COMM_LARGEST_PAGE},
	UINT(struct wire_message, hello.site.uid, 0, UINT32_MAX),
	TEXT(struct wire_message, hello.site.boot),
	TEXT(struct wire_message, hello.site.folder_id),
	TEXT(struct wire_message, hello.site.folder),
};

static const struct field reason_fields[] = {
	TEXT(struct wire_message, reason),
};

static const struct field endpoints_fields[] = {
	{"the number or size of endpoints is out of range", FIELD_ENDPOINTS, MEMBER(struct wire_message, endpoints), 1,
	 WIRE_MAX_ENDPOINTS},
};

static const struct field barrier_fields[] = {
	UINT(struct wire_message, tag, 0, UINT32_MAX),
};

static const struct field result_fields[] = {
	UINT(struct wire_message, result.size, 0, UINT64_MAX),
	UINT(struct wire_message, result.iterations, 0, UINT64_MAX),
	MEASURE(struct wire_message, result.bw_peak),
	MEASURE(struct wire_message, result.bw_average),
	MEASURE(struct wire_message, result.message_rate),
	UINT(struct wire_message, result.partial, 0, 1),
};

static const struct field done_fields[] = {
	UINT(struct wire_message, done.messages, 0, UINT64_MAX),
	UINT(struct wire_message, done.stopped, 0, 1),
};

static const struct field round_fields[] = {
	UINT(struct wire_message, round.messages, 0, INT32_MAX),
	UINT(struct wire_message, round.granule, 1, INT32_MAX),
};

static const struct field verdict_fields[] = {
	UINT(struct wire_message, verdict.checked, 0, UINT64_MAX),
	UINT(struct wire_message, verdict.bytes, 0, UINT64_MAX),
	UINT(struct wire_message, verdict.lost, 0, UINT64_MAX),
	UINT(struct wire_message, verdict.wrong, 0, UINT64_MAX),
	UINT(struct wire_message, verdict.qp, 0, BITS(14)),
	UINT(struct wire_message, verdict.message, 0, UINT64_MAX),
	UINT(struct wire_message, verdict.offset, 0, UINT64_MAX),
};

struct row {
	const char *noun;
	const struct field *fields;
	size_t num_fields;
	uint32_t limit; /* of the payload, with room for newer versions */
};

static const struct row rows[] = {
	[WIRE_HELLO] = {"parameters", hello_fields, COUNT(hello_fields), 2 * WIRE_MAX_PARAMS},
	[WIRE_AGREE] = {"agreement", hello_fields, COUNT(hello_fields), 2 * WIRE_MAX_PARAMS},
	[WIRE_REFUSE] = {"refusal", reason_fields, COUNT(reason_fields), 4096},
	[WIRE_ENDPOINTS] = {"endpoints", endpoints_fields, COUNT(endpoints_fields),
			    6 + WIRE_MAX_ENDPOINTS *ENDPOINT_MAX_SIZE},
	[WIRE_BARRIER] = {"readiness", barrier_fields, COUNT(barrier_fields), 4096},
	[WIRE_RESULT] = {"result", result_fields, COUNT(result_fields), 4096},
	[WIRE_DONE] = {"end of sending", done_fields, COUNT(done_fields), 4096},
	[WIRE_HEARTBEAT] = {"heartbeat", NULL, 0, 4096},
	[WIRE_ABORT] = {"abort", reason_fields, COUNT(reason_fields), 4096},
	[WIRE_ROUND] = {"next round", round_fields, COUNT(round_fields), 4096},
	[WIRE_VERDICT] = {"verdict", verdict_fields, COUNT(verdict_fields), 4096},
};

static const uint8_t magic[4] = {'P', 'F', 'T', 'N'};

/* NULL for a type that this version does not know. */
static const struct row *row_of(unsigned type)
{
	return type > 0 && type < COUNT(rows) ? &rows[type] : NULL;
}

const char *wire_native_noun(unsigned type)
{
	const struct row *row = row_of(type);

	return row ? row->noun : "message of unknown type";
}

uint32_t wire_native_limit(unsigned type)
{
	const struct row *row = row_of(type);

	return row ? row->limit : 4096;
}

/* --- writing --- */

struct writer {
	uint8_t *bytes; /* NULL: only count */
	size_t used;
};

static void write_uint(struct writer *writer, size_t width, uint64_t value)
{
	if (writer->bytes)
		wire_put(writer->bytes + writer->used, width, value);
	writer->used += width;
}

static void write_bytes(struct writer *writer, const void *bytes, size_t length)
{
	if (writer->bytes && length)
		memcpy(writer->bytes + writer->used, bytes, length);
	writer->used += length;
}

static void write_fields(struct writer *writer, const struct field *fields, size_t num_fields, const void *from);

static void write_endpoints(struct writer *writer, const struct wire_endpoints *endpoints)
{
	write_uint(writer, 4, endpoints->count);
	write_uint(writer, 2, ENDPOINT_SIZE);
	for (uint32_t i = 0; i < endpoints->count; i++)
		write_fields(writer, endpoint_fields, COUNT(endpoint_fields), &endpoints->items[i]);
}

static void write_field(struct writer *writer, const struct field *field, const void *member)
{
	switch (field->kind) {
	case FIELD_UINT:
	case FIELD_POWER:
	case FIELD_MEASURE:
		write_uint(writer, field->width, wire_load(member, field->width));
		break;
	case FIELD_BYTES:
		write_bytes(writer, member, field->width);
		break;
	case FIELD_TEXT: {
		size_t length = strnlen(member, field->width - 1);

		write_uint(writer, 2, length);
		write_bytes(writer, member, length);
		break;
	}
	case FIELD_SPAN: {
		const struct wire_span *span = member;

		write_uint(writer, 4, span->length);
		write_bytes(writer, span->text, span->length);
		break;
	}
	case FIELD_ENDPOINTS:
		write_endpoints(writer, member);
		break;
	}
}

static void write_fields(struct writer *writer, const struct field *fields, size_t num_fields, const void *from)
{
	for (size_t i = 0; i < num_fields; i++)
		write_field(writer, &fields[i], (const char *)from + fields[i].offset);
}

size_t wire_native_encode(const struct wire_message *message, uint8_t *bytes, size_t size)
{
	const struct row *row = &rows[message->type];
	struct writer writer = {.bytes = NULL};

	write_fields(&writer, row->fields, row->num_fields, message);

	size_t length = writer.used;

	if (WIRE_HEADER_SIZE + length > size)
		return WIRE_HEADER_SIZE + length;
	writer = (struct writer){.bytes = bytes};
	write_bytes(&writer, magic, sizeof(magic));
	write_uint(&writer, 2, message->type);
	write_uint(&writer, 2, 0 /* flags */);
	write_uint(&writer, 4, length);
	write_fields(&writer, row->fields, row->num_fields, message);
	return writer.used;
}

/* --- reading: once to check, a second time to store, so that nothing is half written --- */

struct reader {
	const uint8_t *bytes;
	size_t left;
	const char *fault;
};

/* The next bytes, or NULL when the payload ends before. */
static const uint8_t *read_bytes(struct reader *reader, size_t length)
{
	const uint8_t *bytes = reader->bytes;

	if (length > reader->left) {
		reader->fault = "cut short";
		return NULL;
	}
	reader->bytes += length;
	reader->left -= length;
	return bytes;
}

static int read_uint(struct reader *reader, size_t width, uint64_t *value)
{
	const uint8_t *bytes = read_bytes(reader, width);

	if (!bytes)
		return -EBADMSG;
	*value = wire_get(bytes, width);
	return 0;
}

static int refuse(struct reader *reader, const struct field *field)
{
	reader->fault = field->fault;
	return -EBADMSG;
}

static int read_number(struct reader *reader, const struct field *field, void *member)
{
	uint64_t value;

	if (read_uint(reader, field->width, &value))
		return -EBADMSG;
	if (field->kind == FIELD_MEASURE) {
		if (!wire_float_is_measure(value))
			return refuse(reader, field);
	} else if (value < field->min || value > field->max) {
		return refuse(reader, field);
	}
	if (field->kind == FIELD_POWER && (value & (value - 1)))
		return refuse(reader, field);
	if (member)
		wire_store(member, field->width, value);
	return 0;
}

static int read_text(struct reader *reader, const struct field *field, char *member)
{
	const uint8_t *bytes;
	uint64_t length;

	if (read_uint(reader, 2, &length))
		return -EBADMSG;
	if (length >= field->width)
		return refuse(reader, field);
	bytes = read_bytes(reader, length);
	if (!bytes)
		return -EBADMSG;
	if (!member)
		return 0;
	for (size_t i = 0; i < length; i++)
		member[i] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '?';
	member[length] = '\0';
	return 0;
}

static int read_span(struct reader *reader, const struct field *field, struct wire_span *member)
{
	const uint8_t *bytes;
	uint64_t length;

	if (read_uint(reader, 4, &length))
		return -EBADMSG;
	if (length > field->max)
		return refuse(reader, field);
	bytes = read_bytes(reader, length);
	if (!bytes)
		return -EBADMSG;
	if (memchr(bytes, '\0', length))
		return refuse(reader, field);
	if (member)
		*member = (struct wire_span){.text = (const char *)bytes, .length = (uint32_t)length};
	return 0;
}

static int read_fields(struct reader *reader, const struct field *fields, size_t num_fields, void *into);

static int read_endpoints(struct reader *reader, const struct field *field, struct wire_endpoints *member)
{
	uint64_t count, entry_size;

	if (read_uint(reader, 4, &count) || read_uint(reader, 2, &entry_size))
		return -EBADMSG;
	if (count < field->min || count > field->max || entry_size < ENDPOINT_SIZE || entry_size > ENDPOINT_MAX_SIZE)
		return refuse(reader, field);
	for (uint32_t i = 0; i < count; i++) {
		struct reader entry = {.bytes = read_bytes(reader, entry_size), .left = entry_size};

		if (!entry.bytes)
			return -EBADMSG;
		if (read_fields(&entry, endpoint_fields, COUNT(endpoint_fields),
				member && i < member->capacity ? &member->items[i] : NULL)) {
			reader->fault = entry.fault;
			return -EBADMSG;
		}
	}
	if (member)
		member->count = (uint32_t)count;
	return 0;
}

/* into NULL: only check. */
static int read_fields(struct reader *reader, const struct field *fields, size_t num_fields, void *into)
{
	for (size_t i = 0; i < num_fields; i++) {
		const struct field *field = &fields[i];
		void *member = into ? (char *)into + field->offset : NULL;
		const uint8_t *bytes;
		int rc = 0;

		switch (field->kind) {
		case FIELD_UINT:
		case FIELD_POWER:
		case FIELD_MEASURE:
			rc = read_number(reader, field, member);
			break;
		case FIELD_BYTES:
			bytes = read_bytes(reader, field->width);
			rc = bytes ? 0 : -EBADMSG;
			if (bytes && member)
				memcpy(member, bytes, field->width);
			break;
		case FIELD_TEXT:
			rc = read_text(reader, field, member);
			break;
		case FIELD_SPAN:
			rc = read_span(reader, field, member);
			break;
		case FIELD_ENDPOINTS:
			rc = read_endpoints(reader, field, member);
			break;
		}
		if (rc)
			return rc;
	}
	return 0;
}

int wire_native_decode_header(const uint8_t bytes[WIRE_HEADER_SIZE], struct wire_header *header, const char **fault)
{
	struct wire_header decoded = {
		.type = (uint16_t)wire_get(bytes + 4, 2),
		.flags = (uint16_t)wire_get(bytes + 6, 2),
		.length = (uint32_t)wire_get(bytes + 8, 4),
	};

	if (memcmp(bytes, magic, sizeof(magic)))
		*fault = "no message of this protocol starts so";
	else if (!row_of(decoded.type) && decoded.flags != WIRE_FLAG_OPTIONAL)
		*fault = "this version does not know the type of the message";
	else if (row_of(decoded.type) && decoded.flags)
		*fault = "flags are set that this version does not know";
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
	const struct row *row = row_of(header->type);
	struct reader check = {.bytes = payload, .left = header->length};
	struct reader store = check;

	if (!row) {
		*fault = "this version does not know the type of the message";
		return -EBADMSG;
	}
	if (read_fields(&check, row->fields, row->num_fields, NULL)) {
		*fault = check.fault;
		return -EBADMSG;
	}
	message->type = header->type;
	return read_fields(&store, row->fields, row->num_fields, message);
}
