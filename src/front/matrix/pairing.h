/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who meets whom in which round of `perftest matrix`: a row for each pattern, and which adapters of the hosts take
 * part. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PAIRING_IDLE (~0U)

enum pairing_ways {
	PAIRING_BOTH,	   /* disjoint pairs, first in one direction and then in the other */
	PAIRING_TO_PEER,   /* each is a client of its peer, all at the same time */
	PAIRING_FROM_PEER, /* each is its peer's server, all at the same time */
};

/* The players are hosts, or adapters. */
struct pairing {
	const char *name;
	const char *meaning; /* after "rounds of": "all pairs of hosts" */
	/* players is at least 2. */
	unsigned (*rounds)(unsigned players);
	/* Of a player in a round, both from 0; PAIRING_IDLE: it has none. */
	unsigned (*peer)(unsigned round, unsigned players, unsigned player);
	enum pairing_ways ways;
};

/* The first row is the default; the name of the last one is NULL. */
extern const struct pairing pairings[];

/* NULL: there is none of this name. */
const struct pairing *pairing_find(const char *name);

/* Which adapters of the hosts meet. */
enum pairing_field { PAIRING_HOSTS, PAIRING_RAILS, PAIRING_ALL_RAILS, PAIRING_LOCAL, PAIRING_FIELDS };

/* After "all pairs of hosts". */
extern const char *const pairing_field_meanings[];

struct pairing_pair {
	unsigned client, server; /* adapters: those of the first host, of the next one, ... */
};

unsigned pairing_rounds(const struct pairing *pairing, enum pairing_field field, unsigned hosts, unsigned adapters);
/* The pairs of a round, at most hosts * adapters. Returns their number. */
unsigned pairing_pairs(const struct pairing *pairing, enum pairing_field field, unsigned hosts, unsigned adapters,
		       unsigned round, struct pairing_pair *pairs);
