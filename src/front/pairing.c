// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See pairing.h. */
#include "front/pairing.h"

#include <string.h>

/* --- all pairs, as a round-robin tournament: the last player stays, the others move on by one in each round --- */

static unsigned all_circle(unsigned hosts)
{
	return (hosts + 1) / 2 * 2 - 1;
}

/* Of the circle's players those meet whose sum is the round's number; the one who would meet itself meets the last. */
static unsigned all_peer(unsigned round, unsigned hosts, unsigned rank)
{
	const unsigned circle = all_circle(hosts);
	unsigned peer;

	if (rank == circle)
		return round % 2 ? (round + circle) / 2 : round / 2;
	peer = (round + circle - rank) % circle;
	if (peer == rank)
		peer = circle;
	return peer < hosts ? peer : PAIRING_IDLE; /* of an odd number one has no peer */
}

/* --- the neighbours of a ring --- */

static unsigned ring_rounds(unsigned hosts)
{
	return hosts == 2 ? 1 : hosts % 2 ? 3 : 2;
}

/* Of the pair of a rank and its successor. In a ring of odd length the last pair touches two of even rounds. */
static unsigned ring_round(unsigned hosts, unsigned rank)
{
	return hosts % 2 && rank == hosts - 1 ? 2 : rank % 2;
}

static unsigned ring_peer(unsigned round, unsigned hosts, unsigned rank)
{
	const unsigned before = (rank + hosts - 1) % hosts;

	if (ring_round(hosts, rank) == round)
		return (rank + 1) % hosts;
	return ring_round(hosts, before) == round ? before : PAIRING_IDLE;
}

/* --- few rounds: those whose ranks differ in one bit. Clearing a bit of any rank but 0 gives one that exists. --- */

static unsigned quick_rounds(unsigned hosts)
{
	unsigned rounds = 0;

	while (rounds < 31 && 1U << rounds < hosts)
		rounds++;
	return rounds;
}

static unsigned quick_peer(unsigned round, unsigned hosts, unsigned rank)
{
	const unsigned peer = rank ^ 1U << round;

	return peer < hosts ? peer : PAIRING_IDLE;
}

const struct pairing pairings[] = {
	{"all", "all pairs of hosts", all_circle, all_peer},
	{"ring", "each host and the next", ring_rounds, ring_peer},
	{"quick", "a few for each host", quick_rounds, quick_peer},
	{0},
};

const struct pairing *pairing_find(const char *name)
{
	for (const struct pairing *row = pairings; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}
