/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages as bytes, by tables: a message is an array of fields, and one engine computes its size, writes, checks and
 * reads it. No I/O and no allocation; every length is checked before a byte is accessed. message.h adds headers.
 *
 * A decoder's faults are constant strings that say what is wrong with the message: "it is cut short", "lid is out of
 * range".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- bytes --- */

struct codec_writer {
	uint8_t *bytes; /* NULL: they are only counted */
	size_t used;
	bool little_endian;
};

/* The first fault is kept, and everything after it reads as 0. */
struct codec_reader {
	const uint8_t *bytes;
	size_t left;
	const char *fault; /* NULL: none so far */
	bool little_endian;
};

/* Unsigned integers of up to 8 bytes. */
void codec_put(struct codec_writer *writer, size_t width, uint64_t value);
void codec_put_bytes(struct codec_writer *writer, const void *bytes, size_t length);
uint64_t codec_get(struct codec_reader *reader, size_t width);
/* NULL: the message ends before. */
const uint8_t *codec_get_bytes(struct codec_reader *reader, size_t length);

/* The same in memory, in host byte order; width 1, 2, 4 or 8. */
uint64_t codec_load(const void *memory, size_t width);
void codec_store(void *memory, size_t width, uint64_t value);

/* Text from a peer, for a terminal: anything but printable ASCII becomes '?'; it ends at length and with a NUL. */
void codec_copy_text(char *text, const uint8_t *bytes, size_t length);

/* --- tables --- */

/* Far above any real value, but the sums and squares of many such values are finite. */
#define CODEC_LARGEST_MEASURE 1e30

enum codec_kind {
	CODEC_UINT,	  /* min..max */
	CODEC_POWER,	  /* the same, a power of two */
	CODEC_MEASURE,	  /* a double, not negative, up to max; if that is 0, to CODEC_LARGEST_MEASURE */
	CODEC_BYTES,	  /* width bytes, unchanged */
	CODEC_TEXT,	  /* 16-bit length, text without a NUL; in memory an array of width, printable after decoding */
	CODEC_LINES,	  /* the same, unchanged */
	CODEC_FIXED_TEXT, /* width bytes, text and NULs; printable after decoding */
	CODEC_SPAN,	  /* 32-bit length up to max, text without a NUL; in memory a struct codec_span */
	CODEC_PAD,	  /* zeroes, ignored when reading */
	CODEC_LIST,	  /* 32-bit count, min..max, entries; in memory by struct codec_list */
	/* in memory a pointer to a struct with a table of its own; the caller sets it before reading */
	CODEC_POINTER,
	CODEC_CHECK, /* nothing on the wire: do the preceding fields fit together? */
	CODEC_OWN,   /* has functions of its own */
};

/* Text inside the received bytes; not terminated. */
struct codec_span {
	const char *text;
	uint32_t length;
};

struct codec_field {
	const char *fault; /* the error if it is out of bounds */
	enum codec_kind kind;
	size_t offset; /* in the struct that the table describes */
	size_t width;  /* in memory */
	size_t bytes;  /* of a number or of padding, on the wire */
	uint64_t min, max;
	union {
		const struct codec_list *list;
		const struct codec *of;			/* POINTER */
		const char *(*check)(const void *from); /* CHECK: the struct; the fault, or NULL */
		const struct codec_ops *ops;		/* OWN */
	};
};

struct codec {
	const struct codec_field *fields;
	size_t num_fields;
	bool little_endian;
};

struct codec_ops {
	void (*write)(struct codec_writer *writer, const struct codec_field *field, const void *member);
	/* member NULL: only checks. Faults go to reader->fault. */
	void (*read)(struct codec_reader *reader, const struct codec_field *field, void *member);
};

/* A list; offsets are in the struct that the table describes. */
struct codec_list {
	const struct codec *entry;
	size_t item_size;    /* in memory */
	size_t items;	     /* offset of the pointer to them, or of the array itself */
	size_t count;	     /* offset of a uint32_t */
	size_t capacity;     /* offset of a uint32_t: room when reading, the rest is checked and dropped; NO_CAPACITY */
	bool is_array;	     /* has room for max of them */
	uint16_t entry_size; /* > 0: a 16-bit size of the entries precedes them, this one when writing ... */
	uint16_t most_entry; /* ... and up to this one when reading: newer versions have more fields */
};

/*
 * Of a field that is a struct histogram, which is empty before reading: 32 bits with the number of buckets that have
 * samples, and for each of them, in ascending order, its index, in as many bytes as the field says, and 64 bits with
 * its number of samples.
 */
extern const struct codec_ops histogram_codec;

#define CODEC_NO_CAPACITY SIZE_MAX /* the pointer has room for max of them */

/* Returns the length; bytes has room for it, or is NULL. */
size_t codec_encode(const struct codec *codec, const void *from, uint8_t *bytes);
/*
 * The caller handles what is left in *reader after the known fields. 0, or -EBADMSG and reader->fault. into NULL: only
 * checks; otherwise it has the values that were read before a fault.
 */
int codec_decode(const struct codec *codec, struct codec_reader *reader, void *into);

/* --- table rows --- */

#define CODEC_MEMBER(type, member) .offset = offsetof(type, member), .width = sizeof(((type *)NULL)->member)
#define CODEC_FIELD(of_kind, type, member, in_wire, least, most, what)                                                 \
	{                                                                                                              \
		.fault = (what), .kind = (of_kind), CODEC_MEMBER(type, member), .bytes = (in_wire), .min = (least),    \
		.max = (most)                                                                                          \
	}
/* A number with as many bytes on the wire as in memory. */
#define CODEC_NUMBER(type, member, least, most, what)                                                                  \
	CODEC_FIELD(CODEC_UINT, type, member, sizeof(((type *)NULL)->member), least, most, what)
/* Bytes, or a text. */
#define CODEC_WORDS(of_kind, type, member, what) CODEC_FIELD(of_kind, type, member, 0, 0, 0, what)
#define CODEC_OWNED(its_ops, type, member, in_wire, what)                                                              \
	{                                                                                                              \
		.fault = (what), .kind = CODEC_OWN, CODEC_MEMBER(type, member), .bytes = (in_wire), .ops = &(its_ops)  \
	}
#define CODEC_UNUSED(in_wire)                                                                                          \
	{                                                                                                              \
		.kind = CODEC_PAD, .bytes = (in_wire)                                                                  \
	}
#define CODEC_CHECKED(function)                                                                                        \
	{                                                                                                              \
		.kind = CODEC_CHECK, .check = (function)                                                               \
	}
#define CODEC_TABLE(rows) .fields = (rows), .num_fields = sizeof(rows) / sizeof((rows)[0])
