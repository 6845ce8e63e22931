/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The signature after each block of signed data. See signature.c. */
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
	SIGNATURE_CHECKSUM = 1 << 0,	   /* T10-DIF: the guard is the IP checksum instead of a CRC */
	SIGNATURE_ONES = 1 << 1,	   /* the guard's initial value is all ones, otherwise 0 */
	SIGNATURE_COUNTS = 1 << 2,	   /* T10-DIF: the reference tag is incremented for each block */
	SIGNATURE_APP_ESCAPE = 1 << 3,	   /* T10-DIF: an application tag of 0xffff disables the checks */
	SIGNATURE_APP_REF_ESCAPE = 1 << 4, /* T10-DIF: the same together with a reference tag of 0xffffffff */
};

/* The signature on one side of a transfer, memory or wire. */
struct signature {
	uint32_t kind;	/* enum signature_kind */
	uint32_t block; /* bytes of data before each signature */
	uint32_t flags; /* enum signature_flags */
	uint32_t ref_tag;
	uint32_t app_tag;
};

enum signature_verdict { SIGNATURE_RIGHT, SIGNATURE_BAD_GUARD, SIGNATURE_BAD_REF_TAG, SIGNATURE_BAD_APP_TAG };

/* In bytes; 0: there is none. */
uint32_t signature_size(const struct signature *signature);
/* Writes the signature of block `number`. */
void signature_make(const struct signature *signature, const uint8_t *block, uint64_t number, uint8_t *out);
/*
 * mask: which bytes are checked; the highest bit is for the first. *actual: computed from the data, *expected: found in
 * the signature, both for the part that is wrong.
 */
enum signature_verdict signature_check(const struct signature *signature, const uint8_t *block, uint64_t number,
				       const uint8_t *found, uint32_t mask, uint64_t *actual, uint64_t *expected);

#endif
