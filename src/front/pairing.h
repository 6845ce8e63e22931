/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who meets whom in which round of `perftest matrix`: a row for each pattern. Pure functions. In each round a host has
 * at most one peer, so that its pairs do not disturb each other.
 */
#ifndef FRONT_PAIRING_H
#define FRONT_PAIRING_H

#include <stddef.h>

#define PAIRING_IDLE (~0U)

struct pairing {
	const char *name;
	const char *meaning; /* after "the pairs are": "all pairs of hosts" */
	/* hosts is at least 2. */
	unsigned (*rounds)(unsigned hosts);
	/* Of a rank in a round, both from 0; PAIRING_IDLE: it has none. */
	unsigned (*peer)(unsigned round, unsigned hosts, unsigned rank);
};

/* The first row is the default; the name of the last one is NULL. */
extern const struct pairing pairings[];

/* NULL: there is none of this name. */
const struct pairing *pairing_find(const char *name);

#endif
