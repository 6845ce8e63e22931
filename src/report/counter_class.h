/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What it means when a port's counter moves: doctor and explain group them by class. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum counter_class { CONGESTION, RETRANSMISSION, RECEIVER, LINK_ERRORS };

struct known_counter {
	const char *name;
	enum counter_class class;
};

/* The last one has no name. */
extern const struct known_counter known_counters[];

/* Of the port, or of the device. root: the folder with "class/infiniband". False: neither has this counter. */
bool known_counter_read(const char *root, const char *device, unsigned port, const char *name, uint64_t *value);
/*
 * By how much it has moved. A 64-bit counter wraps correctly; a 32-bit one has wrapped if it goes from the upper half
 * of its range to the lower. Below 0: it was reset.
 */
int64_t counter_delta(uint64_t before, uint64_t now);

/*
 * Has the port retransmitted packets, or received retransmissions, since the test began? session checks when a request
 * failed or nothing moves: a path that loses or delays packets is then a likely cause. It is never an error by itself.
 */
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
 * Their increase, as the end of a sentence: "; retransmission counters of rxe0 during the run: duplicate_request +17
 * (...)"; "" if there is none. Returns text.
 */
const char *retransmits_text(const struct retransmits *retransmits, char *text, size_t size);
