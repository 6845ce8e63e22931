/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which message is this? A mark at the head of a payload, by which an answer finds its question: loops/burst.c writes
 * and reads it, verbs/ethernet.c makes room. A word and its complement, so that the sum of both is the same whatever
 * the word is: the checksums of a frame hold for each mark once they hold for one. Other frames hardly ever have such a
 * head.
 */
#ifndef FRAMES_MARK_H
#define FRAMES_MARK_H

#include <stdbool.h>
#include <stdint.h>

#define MARK_BYTES	 16u
#define MARK_NUMBER_BITS 40
#define MARK_EVERY_MAX	 UINT16_MAX

struct mark {
	bool answers;
	uint16_t every;	 /* of so many messages the last one is answered */
	uint64_t number; /* of the message, from 0; MARK_NUMBER_BITS of it */
};

void mark_write(uint8_t *at, struct mark mark);
/* False: there is no mark at these MARK_BYTES. */
bool mark_read(const uint8_t *at, struct mark *mark);

#endif
