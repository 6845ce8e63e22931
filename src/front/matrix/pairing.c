// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See pairing.h. */
#include "front/matrix/pairing.h"

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

/* --- one round: the first half with the second one --- */

static unsigned one_round(unsigned hosts)
{
	(void)hosts;
	return 1;
}

static unsigned half_peer(unsigned round, unsigned hosts, unsigned rank)
{
	const unsigned half = hosts / 2;

	(void)round;
	return rank < half ? rank + half : rank < 2 * half ? rank - half : PAIRING_IDLE;
}

/* --- all with one, which is each of them in turn --- */

static unsigned round_each(unsigned hosts)
{
	return hosts;
}

static unsigned one_peer(unsigned round, unsigned hosts, unsigned rank)
{
	(void)hosts;
	return rank == round ? PAIRING_IDLE : round;
}

/* --- all at once, each with the one that is so many further as the round says: what an all-to-all consists of --- */

static unsigned shift_rounds(unsigned hosts)
{
	return hosts - 1;
}

static unsigned shift_peer(unsigned round, unsigned hosts, unsigned rank)
{
	return (rank + 1 + round) % hosts;
}

const struct pairing pairings[] = {
	{"all", "all pairs", all_circle, all_peer, PAIRING_BOTH},
	{"ring", "each and the next", ring_rounds, ring_peer, PAIRING_BOTH},
	{"quick", "a few pairs of each", quick_rounds, quick_peer, PAIRING_BOTH},
	{"bisection", "one half with the other", one_round, half_peer, PAIRING_BOTH},
	{"shift", "each with one further on, all at once", shift_rounds, shift_peer, PAIRING_TO_PEER},
	{"incast", "all with one as their server", round_each, one_peer, PAIRING_TO_PEER},
	{"fanout", "one with all as its servers", round_each, one_peer, PAIRING_FROM_PEER},
	{0},
};

const struct pairing *pairing_find(const char *name)
{
	for (const struct pairing *row = pairings; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

const char *const pairing_field_meanings[] = {
	[PAIRING_HOSTS] = "",
	[PAIRING_RAILS] = ", adapters of the same name",
	[PAIRING_ALL_RAILS] = ", any adapters",
	[PAIRING_LOCAL] = ", adapters of each host",
};

/* Of the rounds, and how many pairs of adapters one of theirs stands for. */
static unsigned field_players(enum pairing_field field, unsigned hosts, unsigned adapters, unsigned *copies)
{
	*copies = field == PAIRING_LOCAL ? hosts : field == PAIRING_ALL_RAILS ? 1 : adapters;
	return hosts * adapters / *copies;
}

unsigned pairing_rounds(const struct pairing *pairing, enum pairing_field field, unsigned hosts, unsigned adapters)
{
	unsigned copies;

	return pairing->rounds(field_players(field, hosts, adapters, &copies));
}

unsigned pairing_pairs(const struct pairing *pairing, enum pairing_field field, unsigned hosts, unsigned adapters,
		       unsigned round, struct pairing_pair *pairs)
{
	unsigned copies, count = 0;
	const unsigned players = field_players(field, hosts, adapters, &copies);
	/* from a player, and from a copy, to the next one */
	const unsigned stride = field == PAIRING_LOCAL || field == PAIRING_ALL_RAILS ? 1 : adapters;
	const unsigned step = field == PAIRING_LOCAL ? adapters : 1;

	for (unsigned player = 0; player < players; player++) {
		const unsigned peer = pairing->peer(round, players, player);

		if (peer == PAIRING_IDLE || (pairing->ways == PAIRING_BOTH && player > peer) ||
		    (field == PAIRING_ALL_RAILS && player / adapters == peer / adapters))
			continue;
		for (unsigned copy = 0; copy < copies; copy++) {
			const unsigned a = player * stride + copy * step, b = peer * stride + copy * step;

			pairs[count++] = pairing->ways == PAIRING_FROM_PEER ? (struct pairing_pair){b, a}
									    : (struct pairing_pair){a, b};
		}
	}
	return count;
}
