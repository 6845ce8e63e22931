/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stands behind each block of data that is signed? See signature.c. */
#ifndef SOFT_SIGNATURE_H
#define SOFT_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#define SIGNATURE_MAX 8u /* bytes */

enum signature_kind {
	SIGNATURE_NONE,
	SIGNATURE_T10DIF,
	SIGNATURE_CRC32,
	SIGNATURE_CRC32C,
	SIGNATURE_CRC64,
	SIGNATURE_KINDS
};

enum signature_flags {
	SIGNATURE_CHECKSUM = 1 << 0,	   /* T10-DIF: the guard is the checksum of IP, and no CRC */
	SIGNATURE_ONES = 1 << 1,	   /* the guard is computed from all ones, otherwise from 0 */
	SIGNATURE_COUNTS = 1 << 2,	   /* T10-DIF: the reference tag grows by one a block */
	SIGNATURE_APP_ESCAPE = 1 << 3,	   /* T10-DIF: an application tag of 0xffff: nothing is checked */
	SIGNATURE_APP_REF_ESCAPE = 1 << 4, /* T10-DIF: the same with a reference tag of 0xffffffff */
};

/* Of one side of a transfer, memory or wire. */
struct signature {
	uint32_t kind;	/* enum signature_kind */
	uint32_t block; /* bytes of data in front of each signature */
	uint32_t flags; /* enum signature_flags */
	uint32_t ref_tag;
	uint32_t app_tag;
};

enum signature_verdict { SIGNATURE_RIGHT, SIGNATURE_BAD_GUARD, SIGNATURE_BAD_REF_TAG, SIGNATURE_BAD_APP_TAG };

/* Bytes; 0: there is none. */
uint32_t signature_size(const struct signature *signature);
/* Behind the block of that number. */
void signature_make(const struct signature *signature, const uint8_t *block, uint64_t number, uint8_t *out);
/*
 * mask: which bytes are looked at, the first by the highest bit. *actual: what the data comes to, *expected: what was
 * found instead, both of the part that is wrong.
 */
enum signature_verdict signature_check(const struct signature *signature, const uint8_t *block, uint64_t number,
				       const uint8_t *found, uint32_t mask, uint64_t *actual, uint64_t *expected);

#endif
