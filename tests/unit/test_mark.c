// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The mark at the start of a payload: what is written is read back, nothing else is accepted, and no checksum depends
 * on it.
 */
#include "cmocka_all.h"

#include "frames/frame.h"

static const struct mark samples[] = {
	{.every = 1},
	{.every = 10, .number = 4294967295},
	{.answers = true, .every = MARK_EVERY_MAX, .number = (1ULL << MARK_NUMBER_BITS) - 1},
};

#define NUM_SAMPLES (sizeof(samples) / sizeof(samples[0]))

TEST(what_is_written_is_read)
{
	static const uint8_t bytes[MARK_BYTES] = {0x41, 0x00, 0x08, 0,	  0,	0,    0x01, 0x07,
						  0xbe, 0xff, 0xf7, 0xff, 0xff, 0xff, 0xfe, 0xf8};
	uint8_t at[MARK_BYTES];

	for (size_t i = 0; i < NUM_SAMPLES; i++) {
		struct mark mark;

		mark_write(at, samples[i]);
		assert_true(mark_read(at, &mark));
		assert_int_equal(mark.answers, samples[i].answers);
		assert_int_equal(mark.every, samples[i].every);
		assert_int_equal(mark.number, samples[i].number);
	}
	mark_write(at, (struct mark){.answers = true, .every = 8, .number = 263});
	assert_memory_equal(at, bytes, sizeof(bytes));
}

TEST(other_bytes_are_none)
{
	uint8_t at[MARK_BYTES] = {0};
	struct mark mark;

	assert_false(mark_read(at, &mark));
	mark_write(at, samples[1]);
	for (unsigned bit = 0; bit < 8 * MARK_BYTES; bit++) {
		at[bit / 8] ^= (uint8_t)(1U << bit % 8);
		assert_false(mark_read(at, &mark));
		at[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
	/* A word and its complement, but no mark's. */
	at[0] = 0x42;
	at[8] = 0xbd;
	assert_false(mark_read(at, &mark));
}

TEST(checksums_hold_for_every_mark)
{
	const struct frame_spec spec = {.network = FRAME_NETWORK_IPV6,
					.transport = FRAME_TRANSPORT_UDP,
					.from = {{1}},
					.to = {{2}},
					.source_port = 7};
	const uint32_t headers = frame_header_bytes(&spec);
	uint8_t first[100] = {0}, frame[100] = {0};

	mark_write(first + headers, samples[0]);
	assert_int_equal(frame_build(&spec, first, sizeof(first)), 0);
	for (size_t i = 0; i < NUM_SAMPLES; i++) {
		mark_write(frame + headers, samples[i]);
		assert_int_equal(frame_build(&spec, frame, sizeof(frame)), 0);
		assert_memory_equal(frame, first, headers);
	}
}

TEST_MAIN(NULL, NULL)
