// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The engine of the message tables: one message with a field of each kind, in both byte orders, truncated at every
 * length, and each of its bounds. The programs' own messages are compared with their documents in test_wire, test_frame
 * and test_qperf_wire.
 */
#include "cmocka_all.h"

#include "net/codec.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct item {
	uint16_t key;
	uint8_t mark;
};

struct part {
	uint32_t low, high;
};

struct message {
	uint8_t small;
	uint64_t wide; /* three bytes in a message */
	uint32_t power;
	double measure;
	uint8_t raw[3];
	char text[6];
	char lines[8];
	char fixed[4];
	struct codec_span span;
	struct item *items;
	uint32_t num_items, room;
	uint16_t array[2];
	uint32_t num_array;
	struct part *part;
};

static const struct codec_field item_fields[] = {
	CODEC_NUMBER(struct item, key, 0, UINT16_MAX, "key"),
	CODEC_NUMBER(struct item, mark, 0, 1, "mark"),
};

static const struct codec item_codec = {CODEC_TABLE(item_fields)};

static const struct codec_list items = {
	.entry = &item_codec,
	.item_size = sizeof(struct item),
	.items = offsetof(struct message, items),
	.count = offsetof(struct message, num_items),
	.capacity = offsetof(struct message, room),
	.entry_size = 3,
	.most_entry = 5,
};

static const struct codec_field array_field[] = {
	{.fault = "array item", .kind = CODEC_UINT, .width = 2, .bytes = 2, .max = 0x1fff},
};

static const struct codec array_codec = {CODEC_TABLE(array_field)};

static const struct codec_list array = {
	.entry = &array_codec,
	.item_size = sizeof(uint16_t),
	.items = offsetof(struct message, array),
	.count = offsetof(struct message, num_array),
	.capacity = CODEC_NO_CAPACITY,
	.is_array = true,
};

static const char *check_part(const void *from)
{
	const struct part *part = from;

	return part->low > part->high ? "upside down" : NULL;
}

static const struct codec_field part_fields[] = {
	CODEC_NUMBER(struct part, low, 0, UINT32_MAX, "low"),
	CODEC_NUMBER(struct part, high, 0, UINT32_MAX, "high"),
	{.kind = CODEC_CHECK, .check = check_part},
};

static const struct codec part_codec = {CODEC_TABLE(part_fields)};

static const struct codec_field fields[] = {
	CODEC_NUMBER(struct message, small, 1, 9, "small"),
	{.fault = "wide", .kind = CODEC_UINT, CODEC_MEMBER(struct message, wide), .bytes = 3, .max = 0xffffff},
	{.fault = "power", .kind = CODEC_POWER, CODEC_MEMBER(struct message, power), .bytes = 4, .min = 2, .max = 64},
	{.fault = "measure", .kind = CODEC_MEASURE, CODEC_MEMBER(struct message, measure), .bytes = 8},
	{.kind = CODEC_BYTES, CODEC_MEMBER(struct message, raw)},
	{.fault = "text", .kind = CODEC_TEXT, CODEC_MEMBER(struct message, text)},
	{.fault = "lines", .kind = CODEC_LINES, CODEC_MEMBER(struct message, lines)},
	{.kind = CODEC_FIXED_TEXT, CODEC_MEMBER(struct message, fixed)},
	{.fault = "span", .kind = CODEC_SPAN, CODEC_MEMBER(struct message, span), .max = 4},
	{.kind = CODEC_PAD, .bytes = 2},
	{.fault = "items", .kind = CODEC_LIST, .min = 1, .max = 3, .list = &items},
	{.fault = "array", .kind = CODEC_LIST, .max = 2, .list = &array},
	{.kind = CODEC_POINTER, CODEC_MEMBER(struct message, part), .of = &part_codec},
};

static const struct codec big = {CODEC_TABLE(fields)};

static struct item two_items[] = {{0x0102, 1}, {0x0304, 0}};
static struct part a_part = {5, 0x0a0b0c0d};
static const struct message sample = {
	.small = 9,
	.wide = 0x010203,
	.power = 16,
	.measure = 2.5,
	.raw = {1, 2, 3},
	.text = "abc",
	.lines = "a=b\n",
	.fixed = "xy",
	.span = {"span", 4},
	.items = two_items,
	.num_items = 2,
	.array = {0x1122},
	.num_array = 1,
	.part = &a_part,
};

static const uint8_t sample_bytes[] = {
	9,							 /* small */
	1,    2,   3,						 /* wide */
	0,    0,   0,	16,					 /* power */
	0x40, 4,   0,	0,   0,	   0,	 0,    0,		 /* measure: 2.5 */
	1,    2,   3,						 /* raw */
	0,    3,   'a', 'b', 'c',				 /* text */
	0,    4,   'a', '=', 'b',  '\n',			 /* lines */
	'x',  'y', 0,	0,					 /* fixed */
	0,    0,   0,	4,   's',  'p',	 'a',  'n',		 /* span */
	0,    0,						 /* padding */
	0,    0,   0,	2,   0,	   3,	 1,    2,    1, 3, 4, 0, /* items */
	0,    0,   0,	1,   0x11, 0x22,			 /* array */
	0,    0,   0,	5,   0x0a, 0x0b, 0x0c, 0x0d,		 /* part */
};

/* Where things lie, for what is changed in it. */
enum {
	AT_SMALL = 0,
	AT_POWER = 4,
	AT_MEASURE = 8,
	AT_TEXT = 19,
	AT_LINES = 24,
	AT_SPAN = 34,
	AT_COUNT = 44,
	AT_SIZE = 48,
	AT_MARK = 52,
	AT_ARRAY = 56,
	AT_ITEM = 60,
	AT_PART = 62
};

/* Into memory of its own, which is a byte longer than what may be written. */
struct decoded {
	struct message message;
	struct item items[2];
	uint8_t behind;
	struct part part;
};

static int decode(const struct codec *codec, const uint8_t *bytes, size_t length, struct decoded *into,
		  const char **fault, size_t *left)
{
	uint8_t *exact = malloc(length ? length : 1); /* so that a sanitizer sees a read too far */
	struct codec_reader reader = {.bytes = exact, .left = length}, check = reader;
	int ret;

	memcpy(exact, bytes, length);
	*into = (struct decoded){.message = {.room = 2}, .behind = 0x5a};
	into->message.items = into->items;
	into->message.part = &into->part;
	ret = codec_decode(codec, &reader, into);
	*fault = reader.fault;
	*left = reader.left;
	/* Without memory it says the same, but of what has to be there to be compared. */
	if (!ret || strcmp(reader.fault, "upside down") != 0)
		assert_int_equal(codec_decode(codec, &check, NULL), ret);
	assert_int_equal(into->behind, 0x5a);
	into->message.span.length = into->message.span.text ? into->message.span.length : 0;
	free(exact);
	return ret;
}

TEST(every_kind_has_its_bytes)
{
	uint8_t bytes[sizeof(sample_bytes)];
	struct decoded decoded;
	const char *fault;
	size_t left;

	assert_int_equal(codec_encode(&big, &sample, NULL), sizeof(sample_bytes));
	assert_int_equal(codec_encode(&big, &sample, bytes), sizeof(sample_bytes));
	assert_memory_equal(bytes, sample_bytes, sizeof(bytes));
	assert_int_equal(decode(&big, bytes, sizeof(bytes), &decoded, &fault, &left), 0);
	assert_int_equal(left, 0);
	assert_int_equal(decoded.message.small, 9);
	assert_int_equal(decoded.message.wide, 0x010203);
	assert_int_equal(decoded.message.power, 16);
	assert_true(decoded.message.measure == 2.5);
	assert_memory_equal(decoded.message.raw, sample.raw, sizeof(sample.raw));
	assert_string_equal(decoded.message.text, "abc");
	assert_string_equal(decoded.message.lines, "a=b\n");
	assert_string_equal(decoded.message.fixed, "xy");
	assert_int_equal(decoded.message.span.length, 4);
	assert_int_equal(decoded.message.num_items, 2);
	assert_memory_equal(decoded.items, two_items, sizeof(two_items));
	assert_int_equal(decoded.message.num_array, 1);
	assert_int_equal(decoded.message.array[0], 0x1122);
	assert_memory_equal(&decoded.part, &a_part, sizeof(a_part));
}

TEST(little_endian_is_the_other_way_round)
{
	static const struct codec_field rows[] = {
		CODEC_NUMBER(struct part, low, 0, UINT32_MAX, "low"),
		CODEC_NUMBER(struct part, high, 0, UINT32_MAX, "high"),
	};
	const struct codec little = {CODEC_TABLE(rows), .little_endian = true};
	struct codec_reader reader;
	struct part read = {7, 7};
	uint8_t bytes[8];

	assert_int_equal(codec_encode(&little, &a_part, bytes), 8);
	assert_memory_equal(bytes, "\5\0\0\0\x0d\x0c\x0b\x0a", 8);
	reader = (struct codec_reader){.bytes = bytes, .left = 8};
	assert_int_equal(codec_decode(&little, &reader, &read), 0);
	assert_memory_equal(&read, &a_part, sizeof(read));
}

TEST(cut_short_is_refused)
{
	struct decoded decoded;
	const char *fault;
	size_t left;

	for (size_t length = 0; length < sizeof(sample_bytes); length++) {
		assert_int_equal(decode(&big, sample_bytes, length, &decoded, &fault, &left), -EBADMSG);
		assert_string_equal(fault, "it is cut short");
	}
}

TEST(bounds_are_checked)
{
	static const struct {
		size_t at;
		uint8_t byte;
		const char *fault;
	} changes[] = {
		{AT_SMALL, 0, "small"},	       {AT_SMALL, 10, "small"},
		{AT_POWER + 3, 1, "power"},    {AT_POWER + 3, 128, "power"},
		{AT_POWER + 3, 24, "power"},   {AT_MEASURE, 0xc0, "measure"}, /* below zero */
		{AT_MEASURE, 0x47, "measure"},				      /* above what is one */
		{AT_TEXT + 1, 6, "text"},      {AT_TEXT + 3, 0, "a text contains a NUL"},
		{AT_LINES + 1, 8, "lines"},    {AT_LINES + 3, 0, "a text contains a NUL"},
		{AT_SPAN + 3, 5, "span"},      {AT_SPAN, 0xff, "span"}, /* 4 GiB */
		{AT_SPAN + 5, 0, "span"},      {AT_COUNT + 3, 0, "items"},
		{AT_COUNT + 3, 4, "items"},    {AT_COUNT, 0xff, "items"},
		{AT_SIZE + 1, 2, "items"},     {AT_SIZE + 1, 6, "items"},
		{AT_MARK, 2, "mark"},	       {AT_ARRAY + 3, 3, "array"},
		{AT_ITEM, 0x20, "array item"}, {AT_PART, 0xff, "upside down"},
	};
	uint8_t bytes[sizeof(sample_bytes)];
	struct decoded decoded;
	const char *fault;
	size_t left;

	for (size_t i = 0; i < COUNT(changes); i++) {
		memcpy(bytes, sample_bytes, sizeof(bytes));
		bytes[changes[i].at] = changes[i].byte;
		assert_int_equal(decode(&big, bytes, sizeof(bytes), &decoded, &fault, &left), -EBADMSG);
		assert_string_equal(fault, changes[i].fault);
	}
}

TEST(texts_can_be_printed)
{
	uint8_t bytes[sizeof(sample_bytes)];
	struct decoded decoded;
	const char *fault;
	size_t left;

	memcpy(bytes, sample_bytes, sizeof(bytes));
	memcpy(bytes + AT_TEXT + 2, "\x1b\x9b\n", 3);
	memcpy(bytes + AT_LINES + 2, "\x1b=b", 3);
	assert_int_equal(decode(&big, bytes, sizeof(bytes), &decoded, &fault, &left), 0);
	assert_string_equal(decoded.message.text, "???");
	assert_string_equal(decoded.message.lines, "\x1b=b\n"); /* as it came: it is no name */
}

/* Of more items than there is room for the rest is checked too; longer ones of a newer version are cut. */
TEST(lists_stay_in_their_room)
{
	static const struct codec_field rows[] = {
		{.fault = "items", .kind = CODEC_LIST, .min = 1, .max = 3, .list = &items},
	};
	static const struct codec list = {CODEC_TABLE(rows)};
	uint8_t bytes[] = {0, 0, 0, 3, 0, 4, 1, 2, 1, 0xee, 3, 4, 0, 0xee, 5, 6, 1, 0xee};
	struct decoded decoded;
	const char *fault;
	size_t left;

	assert_int_equal(decode(&list, bytes, sizeof(bytes), &decoded, &fault, &left), 0);
	assert_int_equal(decoded.message.num_items, 3);
	assert_memory_equal(decoded.items, two_items, sizeof(two_items));
	bytes[16] = 2;
	assert_int_equal(decode(&list, bytes, sizeof(bytes), &decoded, &fault, &left), -EBADMSG);
	assert_string_equal(fault, "mark");
}

TEST(what_nobody_expects_is_refused)
{
	struct codec_reader reader = {.bytes = sample_bytes, .left = sizeof(sample_bytes)};
	struct message message = {.part = NULL};

	assert_int_equal(codec_decode(&big, &reader, &message), -EBADMSG);
	assert_string_equal(reader.fault, "there is no room for it");
}

TEST_MAIN(NULL, NULL)
