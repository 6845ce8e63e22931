/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Has the port sent packets again, or been sent them again, since the test began? session asks when a request failed or
 * nothing moves: a path that loses or delays packets is a likely cause then. Nothing of it is an error of its own.
 */
#ifndef REPORT_RETRANSMITS_H
#define REPORT_RETRANSMITS_H

#include <stddef.h>
#include <stdint.h>

#define RETRANSMITS_COUNTERS 24 /* more than any device has of them */

struct retransmits {
	char device[64];
	char folder[256]; /* of the port's hw_counters */
	struct {
		const char *name;
		uint64_t before;
	} list[RETRANSMITS_COUNTERS];
	unsigned count;
};

/* Notes where the port's counters of retransmission stand. root: the folder that holds "class/infiniband", "/sys" but
 * in tests. */
void retransmits_begin(struct retransmits *retransmits, const char *root, const char *device, unsigned port);
/* What they have moved by, as the end of a sentence: "; rxe0 counted meanwhile: duplicate_request 17 (...)". "" where
 * none has. Returns text. */
const char *retransmits_text(const struct retransmits *retransmits, char *text, size_t size);

#endif
