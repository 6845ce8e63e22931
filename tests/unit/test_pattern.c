// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The pattern of --data_validation: can it be read back, and is each kind of damage named? */
#include "cmocka_all.h"
#include "memory/pattern.h"

#define QPS 4

static const struct pattern_source mine = {.of_server = true, .qp = 3, .message = 37};
static const struct pattern_source older = {.of_server = true, .qp = 3, .message = 5};

static const struct buffer here = {.ops = &memory_host};

static uint8_t *filled(uint64_t bytes, const struct pattern_source *source, bool vacant)
{
	uint8_t *buffer = malloc(bytes + 1);

	assert_non_null(buffer);
	buffer[bytes] = 0x77;
	pattern_fill(&here, buffer, bytes, source, vacant);
	assert_int_equal(buffer[bytes], 0x77);
	return buffer;
}

static struct pattern_finding check(const uint8_t *buffer, uint64_t bytes)
{
	struct pattern_finding finding;

	pattern_check(&here, buffer, bytes, &mine, QPS, &finding);
	return finding;
}

/* The worked example of docs/validation.md. */
TEST(the_example_of_the_manual)
{
	const struct pattern_source example = {.qp = 1, .message = 37};

	assert_true(pattern_word(&example, 512) == 0x7277a7f87e75d3dcULL);
	assert_true(pattern_word(&(struct pattern_source){0}, 0) == 0xe220a8397b1dcdafULL);
}

TEST(every_word_can_be_read_back)
{
	static const struct pattern_source sources[] = {
		{.of_server = false, .qp = 0, .message = 0},
		{.of_server = true, .qp = 16383, .message = PATTERN_MESSAGES - 1},
		{.of_server = false, .qp = 4711, .message = 123456},
	};
	static const uint64_t indexes[] = {0, 1, 511, (1U << 28) - 1};

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		for (size_t j = 0; j < sizeof(indexes) / sizeof(indexes[0]); j++) {
			struct pattern_source back;

			assert_true(pattern_read(pattern_word(&sources[i], indexes[j]), &back) == indexes[j]);
			assert_int_equal(back.of_server, sources[i].of_server);
			assert_int_equal(back.qp, sources[i].qp);
			assert_int_equal(back.message, sources[i].message);
		}
	}
}

/* Lengths around a word and around the block that is copied at once. */
static const uint64_t lengths[] = {1, 2, 7, 8, 9, 64, 16383, 16384, 16385, 100000};
#define NUM_LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

TEST(what_was_filled_is_right)
{
	for (size_t i = 0; i < NUM_LENGTHS; i++) {
		uint8_t *buffer = filled(lengths[i], &mine, false);

		assert_int_equal(check(buffer, lengths[i]).verdict, PATTERN_RIGHT);
		assert_int_equal(check(buffer, lengths[i]).wrong_bytes, 0);
		free(buffer);
	}
}

TEST(a_flipped_bit_is_found_wherever_it_is)
{
	for (size_t i = 0; i < NUM_LENGTHS; i++) {
		const uint64_t places[] = {0, lengths[i] / 2, lengths[i] - 1};
		uint8_t *buffer = filled(lengths[i], &mine, false);

		for (size_t j = 0; j < 3; j++) {
			struct pattern_finding finding;

			buffer[places[j]] ^= 0x10;
			finding = check(buffer, lengths[i]);
			assert_int_equal(finding.verdict, PATTERN_WRONG);
			assert_true(finding.offset == places[j]);
			assert_true(finding.wrong_bytes == 1);
			assert_int_equal(finding.found, buffer[places[j]]);
			assert_int_equal(finding.expected, buffer[places[j]] ^ 0x10);
			buffer[places[j]] ^= 0x10;
		}
		free(buffer);
	}
}

/* A byte that became its complement is no byte that is still missing. */
TEST(an_inverted_byte_is_wrong_not_missing)
{
	uint8_t *buffer = filled(4096, &mine, false);

	buffer[100] = (uint8_t)~buffer[100];
	assert_int_equal(check(buffer, 4096).verdict, PATTERN_WRONG);
	free(buffer);
	buffer = filled(4097, &mine, false);
	buffer[4096] = (uint8_t)~buffer[4096];
	assert_int_equal(check(buffer, 4097).verdict, PATTERN_WRONG);
	free(buffer);
}

TEST(a_vacant_place_is_distinguished_from_a_wrong_one)
{
	for (size_t i = 0; i < NUM_LENGTHS; i++) {
		uint8_t *buffer = filled(lengths[i], &mine, true);
		struct pattern_finding finding = check(buffer, lengths[i]);

		assert_int_equal(finding.verdict, PATTERN_VACANT);
		assert_true(finding.wrong_bytes == lengths[i]);
		assert_true(finding.offset == 0);
		free(buffer);
	}
}

TEST(a_message_of_which_a_part_came)
{
	uint8_t *buffer = filled(10001, &mine, true);
	uint8_t *whole = filled(10001, &mine, false);
	struct pattern_finding finding;

	memcpy(buffer, whole, 4096);
	finding = check(buffer, 10001);
	assert_int_equal(finding.verdict, PATTERN_PARTIAL);
	assert_true(finding.offset == 4096);
	assert_true(finding.wrong_bytes == 10001 - 4096);
	/* Rubbish behind what is missing is still rubbish, and is what is named. */
	buffer[9000] ^= 1;
	finding = check(buffer, 10001);
	assert_int_equal(finding.verdict, PATTERN_WRONG);
	assert_true(finding.offset == 9000);
	free(whole);
	free(buffer);
}

TEST(data_of_another_message_is_named)
{
	uint8_t *buffer = filled(4096, &mine, false);
	uint8_t *stale = filled(4096, &older, false);
	struct pattern_finding finding;

	memcpy(buffer + 1024, stale + 1024, 512);
	finding = check(buffer, 4096);
	assert_int_equal(finding.verdict, PATTERN_OTHER);
	assert_true(finding.offset == 1024);
	assert_true(finding.other.of_server);
	assert_int_equal(finding.other.qp, 3);
	assert_int_equal(finding.other.message, 5);
	/* Of a queue pair that there is not: rubbish. */
	pattern_check(&here, stale, 4096, &mine, 3, &finding);
	assert_int_equal(finding.verdict, PATTERN_WRONG);
	/* In another place of the message: rubbish. */
	memcpy(buffer + 1024, stale, 512);
	assert_int_equal(check(buffer, 4096).verdict, PATTERN_WRONG);
	free(stale);
	free(buffer);
}

TEST(a_message_is_recognised_by_what_is_left_of_it)
{
	struct pattern_source source;
	uint8_t *buffer = filled(4096, &mine, false);

	assert_true(pattern_recognise(&here, buffer, 4096, QPS, &source));
	assert_int_equal(source.message, 37);
	memset(buffer, 0, 3000);
	source.message = 0;
	assert_true(pattern_recognise(&here, buffer, 4096, QPS, &source));
	assert_int_equal(source.message, 37);
	assert_int_equal(source.qp, 3);
	memset(buffer, 0, 4096);
	assert_false(pattern_recognise(&here, buffer, 4096, QPS, &source));
	assert_false(pattern_recognise(&here, buffer, 7, QPS, &source));
	free(buffer);
}

/* Memory that the CPU can't address: everything goes through the copies of its kind. */
static uint8_t far_memory[20000];
static size_t copied_in, copied_out;

static void far_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes, enum copy_direction which)
{
	if (which == COPY_IN) {
		copied_in += bytes;
		memcpy(far_memory + (uintptr_t)to, from, bytes);
	} else {
		copied_out += bytes;
		memcpy(to, far_memory + (uintptr_t)from, bytes);
	}
}

TEST(memory_of_a_device_is_only_copied)
{
	const struct memory_ops far_ops = {.name = "far", .copy = far_copy};
	const struct buffer far = {.ops = &far_ops};
	void *address = (void *)(uintptr_t)1000; /* not one of this process */
	struct pattern_finding finding;

	pattern_fill(&far, address, 17001, &mine, false);
	assert_int_equal(copied_in, 17001);
	far_memory[1000 + 16999] ^= 0x80;
	pattern_check(&far, address, 17001, &mine, QPS, &finding);
	assert_int_equal(copied_out, 17001);
	assert_int_equal(finding.verdict, PATTERN_WRONG);
	assert_true(finding.offset == 16999);
}

TEST_MAIN(NULL, NULL)
