/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contents of messages with --data_validation. Every 8 bytes identify the message and their place in it, so that
 * errors can be classified: data of another message, nothing at all, or garbage. docs/validation.md explains how to
 * read a dump; session fills and checks.
 *
 *   number = sender << 63 | qp << 49 | (message mod 2^21) << 28 | offset / 8
 *   word   = scramble(number), little-endian
 *
 * sender is 1 for data of the server; qp and message count from 0. If the length of a message is not a multiple of 8,
 * it ends with the first bytes of its last word. A place that is still to be written contains the complement, so that
 * each of its bytes differs from the expected one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memory/memory.h"

#define PATTERN_WORD_BYTES 8
#define PATTERN_MESSAGES   (1U << 21) /* after which numbers repeat */

struct pattern_source {
	bool of_server;
	uint32_t qp;	  /* index, 0..16383 */
	uint64_t message; /* of the QP; modulo PATTERN_MESSAGES if it was decoded */
};

enum pattern_verdict {
	PATTERN_RIGHT,
	PATTERN_VACANT,	 /* nothing has arrived */
	PATTERN_PARTIAL, /* the part that has arrived is correct */
	PATTERN_OTHER,	 /* from `offset` on it is data of another message */
	PATTERN_WRONG,
};

struct pattern_finding {
	enum pattern_verdict verdict;
	uint64_t wrong_bytes;	     /* that differ from the expected ones, including vacant ones */
	uint64_t offset;	     /* of the first wrong byte; WRONG: of the first that is not vacant */
	uint8_t expected;	     /* at offset */
	uint8_t found;		     /* at offset */
	struct pattern_source other; /* OTHER */
};

/* The 8 bytes at offset 8 * index, as a number. */
uint64_t pattern_word(const struct pattern_source *source, uint64_t index);
/* The inverse, for any number; returns the index. */
uint64_t pattern_read(uint64_t word, struct pattern_source *source);

/* Writes a message at addr in the buffer, or with vacant what its place contains before it arrives. */
void pattern_fill(const struct buffer *buffer, void *addr, uint64_t bytes, const struct pattern_source *source,
		  bool vacant);
/* Reads and classifies a message. Data of QPs from num_qps on is garbage. */
void pattern_check(const struct buffer *buffer, const void *addr, uint64_t bytes, const struct pattern_source *source,
		   uint32_t num_qps, struct pattern_finding *finding);
/*
 * Whose data is it, if that is not known beforehand? Taken from the first word that decodes to a valid QP and place;
 * false if there is none (always below 8 bytes).
 */
bool pattern_recognise(const struct buffer *buffer, const void *addr, uint64_t bytes, uint32_t num_qps,
		       struct pattern_source *source);
