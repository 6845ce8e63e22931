/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Identifies messages: a mark at the start of a payload relates an answer to its request. loops/burst.c writes and
 * reads it, verbs/work/ethernet.c reserves room for it. It is a word and its complement, so that their sum does not
 * depend on the word: the checksums of a frame fit all marks if they fit one. Other frames hardly ever start like that.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MARK_BYTES	 16u
#define MARK_NUMBER_BITS 40
#define MARK_EVERY_MAX	 UINT16_MAX

struct mark {
	bool answers;
	uint16_t every;	 /* the last of this many messages is answered */
	uint64_t number; /* of the message, from 0; modulo 2^MARK_NUMBER_BITS */
};

void mark_write(uint8_t *at, struct mark mark);
/* False: there is no mark in these MARK_BYTES. */
bool mark_read(const uint8_t *at, struct mark *mark);
