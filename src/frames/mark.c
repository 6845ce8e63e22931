// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Encodes and decodes the mark; see mark.h. Word and complement are in network byte order; the lead is the first byte
 * of the word.
 */
#include "frames/mark.h"

#include <endian.h>
#include <string.h>

#define LEAD_QUESTION 0x51u /* Q */
#define LEAD_ANSWER   0x41u /* A */
#define LEAD_SHIFT    56
#define EVERY_SHIFT   MARK_NUMBER_BITS
#define NUMBER_MASK   ((1ULL << MARK_NUMBER_BITS) - 1)

void mark_write(uint8_t *at, struct mark mark)
{
	const uint64_t word = (uint64_t)(mark.answers ? LEAD_ANSWER : LEAD_QUESTION) << LEAD_SHIFT |
			      (uint64_t)mark.every << EVERY_SHIFT | (mark.number & NUMBER_MASK);
	const uint64_t both[2] = {htobe64(word), htobe64(~word)};

	memcpy(at, both, sizeof(both));
}

bool mark_read(const uint8_t *at, struct mark *mark)
{
	uint64_t both[2], word, lead;

	memcpy(both, at, sizeof(both));
	word = be64toh(both[0]);
	lead = word >> LEAD_SHIFT;
	if (both[0] != ~both[1] || (lead != LEAD_QUESTION && lead != LEAD_ANSWER))
		return false;
	*mark = (struct mark){
		.answers = lead == LEAD_ANSWER,
		.every = (uint16_t)(word >> EVERY_SHIFT),
		.number = word & NUMBER_MASK,
	};
	return true;
}
