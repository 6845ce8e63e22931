/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What do the bytes of a message say under --data_validation? Every 8 bytes name the message and their
 * place in it, so that what is wrong can be told apart: data of another message, nothing at all, or
 * rubbish. docs/validation.md reads a dump by hand; session fills and checks.
 *
 *   number = sender << 63 | qp << 49 | (message mod 2^21) << 28 | offset / 8
 *   word   = scramble(number), little-endian
 *
 * sender is 1 for data of the server, qp and message count from 0. A message that is no multiple of 8
 * bytes ends in the first bytes of its last word. A place that is yet to be filled holds the
 * complement, so that none of its bytes can be taken for the one that belongs there.
 */
#ifndef MEMORY_PATTERN_H
#define MEMORY_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/memory.h"

#define PATTERN_WORD_BYTES 8
#define PATTERN_MESSAGES   (1U << 21) /* numbers repeat after so many */

struct pattern_source {
	bool of_server;
	uint32_t qp;	  /* index, 0..16383 */
	uint64_t message; /* of the queue pair; what is read back is modulo PATTERN_MESSAGES */
};

enum pattern_verdict {
	PATTERN_RIGHT,
	PATTERN_VACANT,	 /* nothing has arrived in any of it */
	PATTERN_PARTIAL, /* the part that has arrived is right */
	PATTERN_OTHER,	 /* from `offset` on it is data of another message */
	PATTERN_WRONG,
};

struct pattern_finding {
	enum pattern_verdict verdict;
	uint64_t wrong_bytes;	     /* that differ from what belongs there, vacant ones too */
	uint64_t offset;	     /* of the first of them; WRONG: the first that is not vacant */
	uint8_t expected;	     /* there */
	uint8_t found;		     /* there */
	struct pattern_source other; /* OTHER */
};

/* The 8 bytes at offset 8 * index, as a number. */
uint64_t pattern_word(const struct pattern_source *source, uint64_t index);
/* What it says: the reverse, for any number; index is returned. */
uint64_t pattern_read(uint64_t word, struct pattern_source *source);

/* addr: where the message is in the buffer. Writes a message, or with vacant what its place holds before it comes. */
void pattern_fill(const struct buffer *buffer, void *addr, uint64_t bytes, const struct pattern_source *source,
		  bool vacant);
/* Reads a message and says what it finds. num_qps: those with a higher index are rubbish. */
void pattern_check(const struct buffer *buffer, const void *addr, uint64_t bytes, const struct pattern_source *source,
		   uint32_t num_qps, struct pattern_finding *finding);
/*
 * Whose data is it, where that is not known beforehand? By the first of its words that a queue pair and
 * place can be read from; false: by none (always below 8 bytes).
 */
bool pattern_recognise(const struct buffer *buffer, const void *addr, uint64_t bytes, uint32_t num_qps,
		       struct pattern_source *source);

#endif
