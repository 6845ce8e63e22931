// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Computes and checks the signature of a block of data. T10-DIF (SBC-3, 4.22): guard, application tag, reference tag,
 * each big-endian. CRC32 of Ethernet, CRC32C of iSCSI (RFC 3720) and the CRC64 of XP10: lowest bit first, inverted at
 * the end, and also stored big-endian. Pure functions on bytes, called by signed_memory.c.
 */
#include "host/signature.h"

#include <stddef.h>

#define GUARD_SIZE    2u
#define APP_SIZE      2u
#define REF_SIZE      4u
#define APP_ESCAPE    0xffffu
#define REF_ESCAPE    0xffffffffu
#define T10DIF_POLY   0x8bb7u
#define CRC32_POLY    0xedb88320u
#define CRC32C_POLY   0x82f63b78u
#define CRC64_POLY    0x9a6c9329ac4bc9b5ull
#define TABLE_ENTRIES 256u

uint32_t signature_size(const struct signature *signature)
{
	static const uint8_t sizes[SIGNATURE_KINDS] = {[SIGNATURE_T10DIF] = GUARD_SIZE + APP_SIZE + REF_SIZE,
						       [SIGNATURE_CRC32] = 4,
						       [SIGNATURE_CRC32C] = 4,
						       [SIGNATURE_CRC64] = 8};

	return signature->kind < SIGNATURE_KINDS ? sizes[signature->kind] : 0;
}

static uint64_t t10dif_entry(uint32_t index)
{
	uint32_t value = index << 8;

	for (int bit = 0; bit < 8; bit++)
		value = value & 0x8000 ? value << 1 ^ T10DIF_POLY : value << 1;
	return value & 0xffff;
}

static uint64_t reflected_entry(uint32_t index, uint64_t polynomial)
{
	uint64_t value = index;

	for (int bit = 0; bit < 8; bit++)
		value = value & 1 ? value >> 1 ^ polynomial : value >> 1;
	return value;
}

/* Computed when a kind is first used: racing threads store the same values. */
static const uint64_t *crc_table(uint32_t kind)
{
	static const uint64_t polynomials[SIGNATURE_KINDS] = {
		[SIGNATURE_CRC32] = CRC32_POLY, [SIGNATURE_CRC32C] = CRC32C_POLY, [SIGNATURE_CRC64] = CRC64_POLY};
	static uint64_t tables[SIGNATURE_KINDS][TABLE_ENTRIES];
	static bool is_made[SIGNATURE_KINDS];
	uint64_t *table = tables[kind];

	if (__atomic_load_n(&is_made[kind], __ATOMIC_ACQUIRE))
		return table;
	for (uint32_t i = 0; i < TABLE_ENTRIES; i++) {
		const uint64_t entry =
			kind == SIGNATURE_T10DIF ? t10dif_entry(i) : reflected_entry(i, polynomials[kind]);

		__atomic_store_n(&table[i], entry, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&is_made[kind], true, __ATOMIC_RELEASE);
	return table;
}

static uint64_t t10dif_crc(const uint8_t *block, uint32_t length, uint64_t value)
{
	const uint64_t *table = crc_table(SIGNATURE_T10DIF);

	for (uint32_t i = 0; i < length; i++)
		value = (value << 8 ^ table[(value >> 8 ^ block[i]) & 0xff]) & 0xffff;
	return value;
}

/* RFC 1071. Blocks have an even number of bytes. */
static uint64_t ip_checksum(const uint8_t *block, uint32_t length, uint64_t sum)
{
	for (uint32_t i = 0; i + 1 < length; i += 2)
		sum += (uint64_t)block[i] << 8 | block[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

static uint64_t reflected_crc(uint32_t kind, const uint8_t *block, uint32_t length, bool from_ones)
{
	const uint64_t all = kind == SIGNATURE_CRC64 ? UINT64_MAX : UINT32_MAX;
	const uint64_t *table = crc_table(kind);
	uint64_t value = from_ones ? all : 0;

	for (uint32_t i = 0; i < length; i++)
		value = value >> 8 ^ table[(value ^ block[i]) & 0xff];
	return value ^ all;
}

static uint64_t guard_of(const struct signature *signature, const uint8_t *block)
{
	const bool from_ones = signature->flags & SIGNATURE_ONES;

	if (signature->kind != SIGNATURE_T10DIF)
		return reflected_crc(signature->kind, block, signature->block, from_ones);
	return signature->flags & SIGNATURE_CHECKSUM ? ip_checksum(block, signature->block, from_ones ? UINT16_MAX : 0)
						     : t10dif_crc(block, signature->block, from_ones ? UINT16_MAX : 0);
}

static uint64_t ref_tag_of(const struct signature *signature, uint64_t number)
{
	return (uint32_t)(signature->ref_tag + (signature->flags & SIGNATURE_COUNTS ? number : 0));
}

static void big_endian_put(uint8_t *to, uint64_t value, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * (size - 1 - i));
}

static uint64_t big_endian_get(const uint8_t *from, uint32_t size)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < size; i++)
		value = value << 8 | from[i];
	return value;
}

void signature_make(const struct signature *signature, const uint8_t *block, uint64_t number, uint8_t *out)
{
	if (signature->kind != SIGNATURE_T10DIF) {
		big_endian_put(out, guard_of(signature, block), signature_size(signature));
		return;
	}
	big_endian_put(out, guard_of(signature, block), GUARD_SIZE);
	big_endian_put(out + GUARD_SIZE, signature->app_tag, APP_SIZE);
	big_endian_put(out + GUARD_SIZE + APP_SIZE, ref_tag_of(signature, number), REF_SIZE);
}

/* Checks the part of a signature that starts at byte `at`. */
static bool part_is_right(const uint8_t *found, uint32_t at, uint32_t size, uint32_t mask, uint64_t right,
			  uint64_t *actual, uint64_t *expected)
{
	uint8_t bytes[SIGNATURE_MAX];

	big_endian_put(bytes, right, size);
	for (uint32_t i = 0; i < size; i++) {
		if (!(mask & 0x80u >> (at + i)) || bytes[i] == found[at + i])
			continue;
		*actual = right;
		*expected = big_endian_get(found + at, size);
		return false;
	}
	return true;
}

static bool is_escaped(const struct signature *signature, const uint8_t *found)
{
	if (signature->kind != SIGNATURE_T10DIF || big_endian_get(found + GUARD_SIZE, APP_SIZE) != APP_ESCAPE)
		return false;
	return signature->flags & SIGNATURE_APP_ESCAPE ||
	       (signature->flags & SIGNATURE_APP_REF_ESCAPE &&
		big_endian_get(found + GUARD_SIZE + APP_SIZE, REF_SIZE) == REF_ESCAPE);
}

enum signature_verdict signature_check(const struct signature *signature, const uint8_t *block, uint64_t number,
				       const uint8_t *found, uint32_t mask, uint64_t *actual, uint64_t *expected)
{
	const bool is_crc = signature->kind != SIGNATURE_T10DIF;

	if (is_escaped(signature, found))
		return SIGNATURE_RIGHT;
	if (!part_is_right(found, 0, is_crc ? signature_size(signature) : GUARD_SIZE, mask, guard_of(signature, block),
			   actual, expected))
		return SIGNATURE_BAD_GUARD;
	if (is_crc)
		return SIGNATURE_RIGHT;
	if (!part_is_right(found, GUARD_SIZE, APP_SIZE, mask, signature->app_tag, actual, expected))
		return SIGNATURE_BAD_APP_TAG;
	return part_is_right(found, GUARD_SIZE + APP_SIZE, REF_SIZE, mask, ref_tag_of(signature, number), actual,
			     expected)
		       ? SIGNATURE_RIGHT
		       : SIGNATURE_BAD_REF_TAG;
}
