/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Has the port retransmitted packets, or received retransmissions, since the test began? session checks when a request
 * failed or nothing moves: a path that loses or delays packets is then a likely cause. It is never an error by itself.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RETRANSMITS_COUNTERS 24 /* more than any device has */

struct retransmits {
	char root[256], device[64];
	unsigned port;
	struct {
		const char *name;
		uint64_t before;
	} list[RETRANSMITS_COUNTERS];
	unsigned count;
};

/* Records the port's retransmission counters. root: the folder with "class/infiniband", "/sys" except in tests. */
void retransmits_begin(struct retransmits *retransmits, const char *root, const char *device, unsigned port);
/*
 * Their increase, as the end of a sentence: "; rxe0 counted meanwhile: duplicate_request 17 (...)". "" if there is
 * none. Returns text.
 */
const char *retransmits_text(const struct retransmits *retransmits, char *text, size_t size);
