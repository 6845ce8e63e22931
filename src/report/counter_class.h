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

#define MOST_COUNTERS 128

/* The last one has no name. */
extern const struct known_counter known_counters[];

/*
 * By how much it has moved. A 64-bit counter wraps correctly; a 32-bit one has wrapped if it goes from the upper half
 * of its range to the lower. Below 0: it was reset.
 */
int64_t counter_delta(uint64_t before, uint64_t now);

/* Those of a port and its device, as they were when the test began. Zeroed: it has none, as a software device. */
struct known_counts {
	char root[256], device[64];
	unsigned port;
	bool known[MOST_COUNTERS]; /* as in known_counters */
	uint64_t before[MOST_COUNTERS];
};

/* root: the folder with "class/infiniband", "/sys" except in tests. device "": none. */
void known_counts_begin(struct known_counts *counts, const char *root, const char *device, unsigned port);
/* By how much the counter of that index has moved since then. False: there is none. */
bool known_counts_moved(const struct known_counts *counts, unsigned i, int64_t *delta);
/*
 * Has the port retransmitted packets, or received retransmissions? session checks when a request failed or nothing
 * moves: a path that loses or delays packets is then a likely cause. It is never an error by itself. As the end of a
 * sentence: "; retransmission counters of rxe0 during the run: duplicate_request +17 (...)"; "" if none has moved.
 * Returns text.
 */
const char *retransmits_text(const struct known_counts *counts, char *text, size_t size);
