// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The engine of all message tables. See codec.h. */
#include "net/codec.h"
#include "stats/histogram.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MAX_COUNT (1ULL << 48) /* of all buckets: the sum of thousands of peers fits 64 bits */

static const char cut_short[] = "it is cut short";

/* Where the bytes of a number of this width are in a uint64_t that has its value. */
static size_t codec_place(size_t width)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(uint64_t) - width : 0;
}

uint64_t codec_load(const void *memory, size_t width)
{
	uint64_t value = 0;

	memcpy((char *)&value + codec_place(width), memory, width);
	return value;
}

void codec_store(void *memory, size_t width, uint64_t value)
{
	memcpy(memory, (const char *)&value + codec_place(width), width);
}

void codec_copy_text(char *text, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		text[i] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '?';
	text[length] = '\0';
}

/* --- writing --- */

void codec_put(struct codec_writer *writer, size_t width, uint64_t value)
{
	for (size_t i = 0; i < width && writer->bytes; i++)
		writer->bytes[writer->used + i] = (uint8_t)(value >> 8 * (writer->little_endian ? i : width - 1 - i));
	writer->used += width;
}

void codec_put_bytes(struct codec_writer *writer, const void *bytes, size_t length)
{
	if (writer->bytes && length)
		memcpy(writer->bytes + writer->used, bytes, length);
	writer->used += length;
}

static void write_fields(struct codec_writer *writer, const struct codec *codec, const char *from);

static void write_list(struct codec_writer *writer, const struct codec_list *list, const char *from)
{
	const uint32_t count = (uint32_t)codec_load(from + list->count, sizeof(uint32_t));
	const char *items = from + list->items;

	if (!list->is_array)
		memcpy(&items, from + list->items, sizeof(items));
	codec_put(writer, 4, count);
	if (list->entry_size)
		codec_put(writer, 2, list->entry_size);
	for (uint32_t i = 0; i < count; i++)
		write_fields(writer, list->entry, items + i * list->item_size);
}

static void write_text(struct codec_writer *writer, const struct codec_field *field, const char *text)
{
	const size_t length = strnlen(text, field->width - 1);

	if (field->kind != CODEC_FIXED_TEXT)
		codec_put(writer, 2, length);
	codec_put_bytes(writer, text, length);
	for (size_t i = length; field->kind == CODEC_FIXED_TEXT && i < field->width; i++)
		codec_put(writer, 1, 0);
}

static void write_field(struct codec_writer *writer, const struct codec_field *field, const char *from)
{
	const char *member = from + field->offset, *pointer;
	struct codec_span span;

	switch (field->kind) {
	case CODEC_UINT:
	case CODEC_POWER:
	case CODEC_MEASURE:
		codec_put(writer, field->bytes, codec_load(member, field->width));
		break;
	case CODEC_BYTES:
		codec_put_bytes(writer, member, field->width);
		break;
	case CODEC_TEXT:
	case CODEC_LINES:
	case CODEC_FIXED_TEXT:
		write_text(writer, field, member);
		break;
	case CODEC_SPAN:
		memcpy(&span, member, sizeof(span));
		codec_put(writer, 4, span.length);
		codec_put_bytes(writer, span.text, span.length);
		break;
	case CODEC_PAD:
		for (size_t i = 0; i < field->bytes; i++)
			codec_put(writer, 1, 0);
		break;
	case CODEC_LIST:
		write_list(writer, field->list, from);
		break;
	case CODEC_POINTER:
		memcpy(&pointer, member, sizeof(pointer));
		write_fields(writer, field->of, pointer);
		break;
	case CODEC_CHECK:
		break;
	case CODEC_OWN:
		field->ops->write(writer, field, member);
		break;
	}
}

static void write_fields(struct codec_writer *writer, const struct codec *codec, const char *from)
{
	for (size_t i = 0; i < codec->num_fields; i++)
		write_field(writer, &codec->fields[i], from);
}

size_t codec_encode(const struct codec *codec, const void *from, uint8_t *bytes)
{
	struct codec_writer writer = {.bytes = bytes, .little_endian = codec->little_endian};

	write_fields(&writer, codec, from);
	return writer.used;
}

/* --- reading --- */

const uint8_t *codec_get_bytes(struct codec_reader *reader, size_t length)
{
	const uint8_t *bytes = reader->bytes;

	if (!reader->fault && length > reader->left)
		reader->fault = cut_short;
	if (reader->fault)
		return NULL;
	reader->bytes += length;
	reader->left -= length;
	return bytes;
}

uint64_t codec_get(struct codec_reader *reader, size_t width)
{
	const uint8_t *bytes = codec_get_bytes(reader, width);
	uint64_t value = 0;

	for (size_t i = 0; i < width && bytes; i++)
		value = value << 8 | bytes[reader->little_endian ? width - 1 - i : i];
	return value;
}

static bool is_measure(uint64_t bits, uint64_t max)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return !signbit(value) && value <= (max ? (double)max : CODEC_LARGEST_MEASURE); /* false for NaN */
}

static void codec_read_number(struct codec_reader *reader, const struct codec_field *field, void *member)
{
	const uint64_t value = codec_get(reader, field->bytes);
	bool good = value >= field->min && value <= field->max;

	if (field->kind == CODEC_MEASURE)
		good = is_measure(value, field->max);
	else if (field->kind == CODEC_POWER)
		good = good && !(value & (value - 1));
	if (!reader->fault && !good)
		reader->fault = field->fault;
	if (!reader->fault && member)
		codec_store(member, field->width, value);
}

static void codec_read_text(struct codec_reader *reader, const struct codec_field *field, char *member)
{
	const size_t length = (size_t)codec_get(reader, 2);
	const uint8_t *bytes;

	if (!reader->fault && length >= field->width)
		reader->fault = field->fault;
	bytes = codec_get_bytes(reader, length);
	if (bytes && memchr(bytes, '\0', length))
		reader->fault = "a text contains a NUL";
	if (reader->fault || !member)
		return;
	if (field->kind == CODEC_LINES) {
		memcpy(member, bytes, length);
		member[length] = '\0';
	} else {
		codec_copy_text(member, bytes, length);
	}
}

static void read_fixed_text(struct codec_reader *reader, const struct codec_field *field, char *member)
{
	const uint8_t *bytes = codec_get_bytes(reader, field->width);

	if (bytes && member)
		codec_copy_text(member, bytes, strnlen((const char *)bytes, field->width - 1));
}

static void read_span(struct codec_reader *reader, const struct codec_field *field, void *member)
{
	const uint64_t length = codec_get(reader, 4);
	struct codec_span span = {.length = (uint32_t)length};
	const uint8_t *bytes;

	if (!reader->fault && length > field->max)
		reader->fault = field->fault;
	bytes = codec_get_bytes(reader, (size_t)length);
	if (bytes && memchr(bytes, '\0', (size_t)length))
		reader->fault = field->fault;
	span.text = (const char *)bytes;
	if (!reader->fault && member)
		memcpy(member, &span, sizeof(span));
}

static void read_fields(struct codec_reader *reader, const struct codec *codec, char *into);

/* Entries of a newer version are longer: unknown fields are skipped. */
static void read_sized_entry(struct codec_reader *reader, const struct codec_list *list, size_t size, char *into)
{
	struct codec_reader entry = *reader;

	if (!codec_get_bytes(reader, size))
		return;
	entry.left = size;
	read_fields(&entry, list->entry, into);
	reader->fault = entry.fault;
}

static void codec_read_list(struct codec_reader *reader, const struct codec_field *field, char *into)
{
	const struct codec_list *list = field->list;
	const uint64_t count = codec_get(reader, 4);
	const size_t size = list->entry_size ? (size_t)codec_get(reader, 2) : 0;
	uint64_t room = into ? count : 0;
	char *items = NULL;

	if (!reader->fault && (count < field->min || count > field->max || size < list->entry_size ||
			       (list->entry_size && size > list->most_entry)))
		reader->fault = field->fault;
	if (reader->fault)
		return;
	if (into && list->is_array)
		items = into + list->items;
	else if (into)
		memcpy(&items, into + list->items, sizeof(items));
	if (into && list->capacity != CODEC_NO_CAPACITY)
		room = codec_load(into + list->capacity, sizeof(uint32_t));
	else if (into && !items)
		reader->fault = "there is no room for it";
	for (uint64_t i = 0; i < count && !reader->fault; i++) {
		char *item = i < room ? items + i * list->item_size : NULL;

		if (list->entry_size)
			read_sized_entry(reader, list, size, item);
		else
			read_fields(reader, list->entry, item);
	}
	if (!reader->fault && into)
		codec_store(into + list->count, sizeof(uint32_t), count);
}

static void read_pointer(struct codec_reader *reader, const struct codec_field *field, const char *member)
{
	char *pointer = NULL;

	if (member)
		memcpy(&pointer, member, sizeof(pointer));
	if (member && !pointer)
		reader->fault = "there is no room for it";
	else
		read_fields(reader, field->of, pointer);
}

static void read_field(struct codec_reader *reader, const struct codec_field *field, char *into)
{
	char *member = into ? into + field->offset : NULL;
	const uint8_t *bytes;

	switch (field->kind) {
	case CODEC_UINT:
	case CODEC_POWER:
	case CODEC_MEASURE:
		codec_read_number(reader, field, member);
		break;
	case CODEC_BYTES:
		bytes = codec_get_bytes(reader, field->width);
		if (bytes && member)
			memcpy(member, bytes, field->width);
		break;
	case CODEC_TEXT:
	case CODEC_LINES:
		codec_read_text(reader, field, member);
		break;
	case CODEC_FIXED_TEXT:
		read_fixed_text(reader, field, member);
		break;
	case CODEC_SPAN:
		read_span(reader, field, member);
		break;
	case CODEC_PAD:
		codec_get_bytes(reader, field->bytes);
		break;
	case CODEC_LIST:
		codec_read_list(reader, field, into);
		break;
	case CODEC_POINTER:
		read_pointer(reader, field, member);
		break;
	case CODEC_CHECK:
		if (into)
			reader->fault = field->check(into);
		break;
	case CODEC_OWN:
		field->ops->read(reader, field, member);
		break;
	}
}

static void read_fields(struct codec_reader *reader, const struct codec *codec, char *into)
{
	for (size_t i = 0; i < codec->num_fields && !reader->fault; i++)
		read_field(reader, &codec->fields[i], into);
}

int codec_decode(const struct codec *codec, struct codec_reader *reader, void *into)
{
	reader->little_endian = codec->little_endian;
	read_fields(reader, codec, into);
	return reader->fault ? -EBADMSG : 0;
}

/* --- histograms --- */

static void write_buckets(struct codec_writer *writer, const struct codec_field *field, const void *member)
{
	const struct histogram *histogram = member;
	uint32_t buckets = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		buckets += histogram->bucket[i] != 0;
	codec_put(writer, 4, buckets);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!histogram->bucket[i])
			continue;
		codec_put(writer, field->bytes, i);
		codec_put(writer, 8, histogram->bucket[i]);
	}
}

static void read_buckets(struct codec_reader *reader, const struct codec_field *field, void *member)
{
	struct histogram *histogram = member;
	uint64_t left = codec_get(reader, 4), next = 0, sum = 0;

	if (!reader->fault && left > HISTOGRAM_BUCKETS)
		reader->fault = field->fault;
	for (; left && !reader->fault; left--) {
		const uint64_t index = codec_get(reader, field->bytes), count = codec_get(reader, 8);

		if (reader->fault)
			return;
		if (index < next || index >= HISTOGRAM_BUCKETS)
			reader->fault = "buckets are out of order";
		else if (!count)
			reader->fault = "a bucket is empty";
		else if (count > MAX_COUNT - sum)
			reader->fault = "the buckets hold too much";
		if (reader->fault)
			return;
		sum += count;
		next = index + 1;
		if (histogram)
			histogram->bucket[index] = count;
	}
	if (histogram)
		histogram->count = sum;
}

const struct codec_ops histogram_codec = {.write = write_buckets, .read = read_buckets};
