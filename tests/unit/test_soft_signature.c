// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Signatures of the software device: do they conform to the standards, and is each wrong part found? */
#include "cmocka_all.h"

#include <string.h>

#include "host/signature.h"

#define ALL_BYTES 0xffu

static const char digits[] = "123456789";

/* The check values of the catalogues of CRCs: of these nine bytes. */
static void guards_are_those_of_the_standards(void **state)
{
	static const struct {
		struct signature signature;
		const char *bytes;
	} known[] = {
		{{.kind = SIGNATURE_T10DIF, .block = 9}, "\xd0\xdb\0\0\0\0\0\0"},
		{{.kind = SIGNATURE_CRC32, .block = 9, .flags = SIGNATURE_ONES}, "\xcb\xf4\x39\x26"},
		{{.kind = SIGNATURE_CRC32C, .block = 9, .flags = SIGNATURE_ONES}, "\xe3\x06\x92\x83"},
		{{.kind = SIGNATURE_CRC64, .block = 9, .flags = SIGNATURE_ONES}, "\xae\x8b\x14\x86\x0a\x79\x98\x88"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint8_t made[SIGNATURE_MAX] = {0};

		signature_make(&known[i].signature, (const uint8_t *)digits, 0, made);
		assert_memory_equal(made, known[i].bytes, signature_size(&known[i].signature));
	}
	assert_int_equal(signature_size(&(struct signature){.kind = SIGNATURE_NONE}), 0);
	assert_int_equal(signature_size(&(struct signature){.kind = 99}), 0);
}

/* RFC 1071 has these bytes and their sum. */
static void the_guard_may_be_a_checksum(void **state)
{
	static const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
	const struct signature signature = {
		.kind = SIGNATURE_T10DIF, .block = sizeof(bytes), .flags = SIGNATURE_CHECKSUM};
	uint8_t made[SIGNATURE_MAX];

	(void)state;
	signature_make(&signature, bytes, 0, made);
	assert_int_equal(made[0] << 8 | made[1], ~0xddf2 & 0xffff);
}

static void each_part_is_checked_in_its_order(void **state)
{
	struct signature signature = {.kind = SIGNATURE_T10DIF,
				      .block = 9,
				      .flags = SIGNATURE_ONES | SIGNATURE_COUNTS,
				      .app_tag = 0x5678,
				      .ref_tag = 0xffffffff};
	const uint8_t *block = (const uint8_t *)digits;
	uint64_t actual = 0, expected = 0;
	uint8_t made[SIGNATURE_MAX];

	(void)state;
	signature_make(&signature, block, 2, made);
	assert_memory_equal(made + 2, "\x56\x78\0\0\0\x01", 6); /* the reference tag counts round */
	assert_int_equal(signature_check(&signature, block, 2, made, ALL_BYTES, &actual, &expected), SIGNATURE_RIGHT);
	assert_int_equal(signature_check(&signature, block, 3, made, ALL_BYTES, &actual, &expected),
			 SIGNATURE_BAD_REF_TAG);
	assert_int_equal(actual, 2);
	assert_int_equal(expected, 1);
	made[3] ^= 1;
	assert_int_equal(signature_check(&signature, block, 3, made, ALL_BYTES, &actual, &expected),
			 SIGNATURE_BAD_APP_TAG);
	assert_int_equal(actual, 0x5678);
	assert_int_equal(expected, 0x5679);
	made[0] ^= 1;
	assert_int_equal(signature_check(&signature, block, 3, made, ALL_BYTES, &actual, &expected),
			 SIGNATURE_BAD_GUARD);
	assert_int_equal(signature_check(&signature, block, 3, made, 0, &actual, &expected), SIGNATURE_RIGHT);
	assert_int_equal(signature_check(&signature, block, 2, made, 0x0f, &actual, &expected), SIGNATURE_RIGHT);
	/* What says that it is not to be checked is not, where that is heeded. */
	memcpy(made + 2, "\xff\xff", 2);
	assert_int_equal(signature_check(&signature, block, 2, made, ALL_BYTES, &actual, &expected),
			 SIGNATURE_BAD_GUARD);
	signature.flags |= SIGNATURE_APP_REF_ESCAPE;
	assert_int_equal(signature_check(&signature, block, 2, made, ALL_BYTES, &actual, &expected),
			 SIGNATURE_BAD_GUARD);
	memcpy(made + 4, "\xff\xff\xff\xff", 4);
	assert_int_equal(signature_check(&signature, block, 2, made, ALL_BYTES, &actual, &expected), SIGNATURE_RIGHT);
	signature.flags = SIGNATURE_APP_ESCAPE;
	memset(made + 4, 0, 4);
	assert_int_equal(signature_check(&signature, block, 2, made, ALL_BYTES, &actual, &expected), SIGNATURE_RIGHT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guards_are_those_of_the_standards),
		cmocka_unit_test(the_guard_may_be_a_checksum),
		cmocka_unit_test(each_part_is_checked_in_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
