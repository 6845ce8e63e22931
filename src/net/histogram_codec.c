// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See histogram_codec.h. */
#include "net/histogram_codec.h"

#include "stats/histogram.h"

#define MAX_COUNT (1ULL << 48) /* of all buckets: the sum of thousands of peers fits 64 bits */

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
