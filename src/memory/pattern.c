// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Generates, compares and decodes the pattern of --data_validation. See pattern.h. */
#include "memory/pattern.h"

#include <endian.h>

#define BLOCK_WORDS   2048 /* 16 KiB of stack, so that the fixed cost of a copy between memory kinds matters little */
#define INDEX_BITS    28
#define MESSAGE_SHIFT INDEX_BITS
#define QP_SHIFT      49
#define QP_BITS	      14
#define SENDER_SHIFT  63
#define OFFSET_NUMBER 0x9e3779b97f4a7c15ULL /* so that the first word is not 0 */
#define LOOKS	      16		    /* words examined to recognize a message */

/*
 * The finalizer of splitmix64: a bijection in which each bit of the number changes half of the word's bits on average.
 */
static inline uint64_t scramble(uint64_t x)
{
	x += OFFSET_NUMBER;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* A xorshift by at least a third of the word is undone by two xorshifts; the factors are the inverses modulo 2^64. */
static inline uint64_t unscramble(uint64_t x)
{
	x = (x ^ (x >> 31) ^ (x >> 62)) * 0x319642b2d24d8ec3ULL;
	x = (x ^ (x >> 27) ^ (x >> 54)) * 0x96de1b173f119089ULL;
	x = x ^ (x >> 30) ^ (x >> 60);
	return x - OFFSET_NUMBER;
}

static inline uint64_t first_number(const struct pattern_source *source)
{
	return (uint64_t)source->of_server << SENDER_SHIFT | (uint64_t)source->qp << QP_SHIFT |
	       source->message % PATTERN_MESSAGES << MESSAGE_SHIFT;
}

uint64_t pattern_word(const struct pattern_source *source, uint64_t index)
{
	return scramble(first_number(source) + index);
}

uint64_t pattern_read(uint64_t word, struct pattern_source *source)
{
	const uint64_t number = unscramble(word);

	*source = (struct pattern_source){.of_server = number >> SENDER_SHIFT,
					  .qp = number >> QP_SHIFT & ((1U << QP_BITS) - 1),
					  .message = number >> MESSAGE_SHIFT & (PATTERN_MESSAGES - 1)};
	return number & ((1U << INDEX_BITS) - 1);
}

/* Words of the block at offset, at most BLOCK_WORDS. */
static uint64_t block_words(uint64_t bytes, uint64_t offset)
{
	const uint64_t words = (bytes - offset + PATTERN_WORD_BYTES - 1) / PATTERN_WORD_BYTES;

	return words < BLOCK_WORDS ? words : BLOCK_WORDS;
}

static uint64_t block_bytes(uint64_t bytes, uint64_t offset, uint64_t words)
{
	const uint64_t left = bytes - offset;

	return left < words * PATTERN_WORD_BYTES ? left : words * PATTERN_WORD_BYTES;
}

void pattern_fill(const struct buffer *buffer, void *addr, uint64_t bytes, const struct pattern_source *source,
		  bool vacant)
{
	const uint64_t first = first_number(source);
	const uint64_t turn = vacant ? UINT64_MAX : 0;
	uint64_t block[BLOCK_WORDS];

	for (uint64_t offset = 0; offset < bytes; offset += sizeof(block)) {
		const uint64_t words = block_words(bytes, offset);

		for (uint64_t i = 0; i < words; i++)
			block[i] = htole64(scramble(first + offset / PATTERN_WORD_BYTES + i) ^ turn);
		buffer_copy_in(buffer, (uint8_t *)addr + offset, block, block_bytes(bytes, offset, words));
	}
}

/* --- checking --- */

struct pattern_check {
	const struct pattern_source *source;
	uint32_t num_qps;
	uint64_t bytes;
	uint64_t vacant_bytes;
	bool after_vacant; /* the previous word was vacant, or there was none */
	bool found_wrong;  /* a byte that is neither correct nor vacant */
	struct pattern_finding *finding;
};

static void note_first(struct pattern_finding *finding, uint64_t offset, uint64_t got, uint64_t want, uint64_t bits)
{
	const unsigned byte = (unsigned)__builtin_ctzll(bits) / 8;

	finding->offset = offset + byte;
	finding->expected = (uint8_t)(want >> 8 * byte);
	finding->found = (uint8_t)(got >> 8 * byte);
}

/* Does the word belong to the same place of another message? The place has 28 bits, which rules out a coincidence. */
static bool is_of_other(const struct pattern_check *check, uint64_t got, uint64_t index, struct pattern_source *other)
{
	return pattern_read(got, other) == index && other->qp < check->num_qps;
}

static unsigned count_bytes(uint64_t bits)
{
	unsigned count = 0;

	for (; bits; bits >>= 8)
		count += (bits & 0xff) != 0;
	return count;
}

/* Classifies a wrong word; mask covers those of its bytes that are in the message. */
static void judge_word(struct pattern_check *check, uint64_t offset, uint64_t got, uint64_t want, uint64_t mask)
{
	struct pattern_finding *finding = check->finding;
	const uint64_t bits = (got ^ want) & mask;
	const bool whole = mask == UINT64_MAX;
	const bool vacant = bits == mask && (whole || check->after_vacant);

	if (!finding->wrong_bytes)
		note_first(finding, offset, got, want, bits);
	finding->wrong_bytes += count_bytes(bits);
	if (vacant) {
		check->vacant_bytes += count_bytes(bits);
	} else if (!check->found_wrong) {
		check->found_wrong = true;
		note_first(finding, offset, got, want, bits);
		finding->verdict = whole && is_of_other(check, got, offset / PATTERN_WORD_BYTES, &finding->other)
					   ? PATTERN_OTHER
					   : PATTERN_WRONG;
	}
	check->after_vacant = vacant;
}

static void check_block(struct pattern_check *check, const uint64_t *block, uint64_t offset)
{
	const uint64_t first = first_number(check->source) + offset / PATTERN_WORD_BYTES;
	const uint64_t words = block_words(check->bytes, offset);

	for (uint64_t i = 0; i < words; i++) {
		const uint64_t want = scramble(first + i);
		const uint64_t got = le64toh(block[i]);
		const uint64_t at = offset + i * PATTERN_WORD_BYTES;
		const uint64_t left = check->bytes - at;
		const uint64_t mask = left < PATTERN_WORD_BYTES ? (1ULL << 8 * left) - 1 : UINT64_MAX;

		if (__builtin_expect((got ^ want) & mask, 0))
			judge_word(check, at, got, want, mask);
		else
			check->after_vacant = false;
	}
}

void pattern_check(const struct buffer *buffer, const void *addr, uint64_t bytes, const struct pattern_source *source,
		   uint32_t num_qps, struct pattern_finding *finding)
{
	struct pattern_check check = {
		.source = source, .num_qps = num_qps, .bytes = bytes, .after_vacant = true, .finding = finding};
	uint64_t block[BLOCK_WORDS];

	*finding = (struct pattern_finding){.verdict = PATTERN_RIGHT};
	for (uint64_t offset = 0; offset < bytes; offset += sizeof(block)) {
		const uint64_t words = block_words(bytes, offset);

		block[words - 1] = 0;
		buffer_copy_out(buffer, block, (const uint8_t *)addr + offset, block_bytes(bytes, offset, words));
		check_block(&check, block, offset);
	}
	if (finding->wrong_bytes && !check.found_wrong)
		finding->verdict = check.vacant_bytes == bytes ? PATTERN_VACANT : PATTERN_PARTIAL;
}

bool pattern_recognise(const struct buffer *buffer, const void *addr, uint64_t bytes, uint32_t num_qps,
		       struct pattern_source *source)
{
	const uint64_t words = bytes / PATTERN_WORD_BYTES;
	const uint64_t looks = words < LOOKS ? words : LOOKS;

	for (uint64_t i = 0; i < looks; i++) {
		const uint64_t index = i * words / looks;
		uint64_t word;

		buffer_copy_out(buffer, &word, (const uint8_t *)addr + index * PATTERN_WORD_BYTES, sizeof(word));
		if (pattern_read(le64toh(word), source) == index && source->qp < num_qps)
			return true;
	}
	return false;
}
