// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Do pairs agree about each other, and does each pattern touch the pairs that it promises? */
#include "cmocka_all.h"
#include "front/matrix/pairing.h"

#define MOST_HOSTS 40

/* met[]: how often a pair met, as HOSTS * HOSTS counts. */
static void play(const struct pairing *pairing, unsigned hosts, unsigned *met)
{
	memset(met, 0, sizeof(*met) * MOST_HOSTS * MOST_HOSTS);
	for (unsigned round = 0; round < pairing->rounds(hosts); round++) {
		for (unsigned rank = 0; rank < hosts; rank++) {
			const unsigned peer = pairing->peer(round, hosts, rank);

			if (peer == PAIRING_IDLE)
				continue;
			assert_in_range(peer, 0, hosts - 1);
			assert_int_not_equal(peer, rank);
			assert_int_equal(pairing->peer(round, hosts, peer), rank);
			met[rank * hosts + peer]++;
		}
	}
}

TEST(all_meet_once)
{
	unsigned met[MOST_HOSTS * MOST_HOSTS];

	for (unsigned hosts = 2; hosts <= MOST_HOSTS; hosts++) {
		const struct pairing *all = pairing_find("all");

		assert_int_equal(all->rounds(hosts), hosts % 2 ? hosts : hosts - 1);
		play(all, hosts, met);
		for (unsigned a = 0; a < hosts; a++)
			for (unsigned b = 0; b < hosts; b++)
				assert_int_equal(met[a * hosts + b], a != b);
	}
}

TEST(ring_has_the_neighbours)
{
	unsigned met[MOST_HOSTS * MOST_HOSTS];

	for (unsigned hosts = 2; hosts <= MOST_HOSTS; hosts++) {
		play(pairing_find("ring"), hosts, met);
		for (unsigned a = 0; a < hosts; a++)
			for (unsigned b = 0; b < hosts; b++)
				assert_int_equal(met[a * hosts + b], (a + 1) % hosts == b || (b + 1) % hosts == a);
	}
}

TEST(quick_touches_every_host)
{
	unsigned met[MOST_HOSTS * MOST_HOSTS], touched;

	for (unsigned hosts = 2; hosts <= MOST_HOSTS; hosts++) {
		const struct pairing *quick = pairing_find("quick");

		assert_true(1U << quick->rounds(hosts) >= hosts);
		assert_true(1U << quick->rounds(hosts) < 2 * hosts);
		play(quick, hosts, met);
		for (unsigned a = 0; a < hosts; a++) {
			touched = 0;
			for (unsigned b = 0; b < hosts; b++)
				touched += met[a * hosts + b];
			assert_true(touched > 0);
		}
	}
}

/* Of each pattern: who is a client of whom, in all rounds. A pair is no one's own, and in a round it is once. */
static void play_pairs(const char *name, enum pairing_field field, unsigned hosts, unsigned adapters, unsigned *met)
{
	const struct pairing *pairing = pairing_find(name);
	const unsigned most = hosts * adapters;
	struct pairing_pair pairs[MOST_HOSTS];

	memset(met, 0, sizeof(*met) * MOST_HOSTS * MOST_HOSTS);
	for (unsigned round = 0; round < pairing_rounds(pairing, field, hosts, adapters); round++) {
		const unsigned count = pairing_pairs(pairing, field, hosts, adapters, round, pairs);

		assert_in_range(count, 1, most);
		for (unsigned i = 0; i < count; i++) {
			assert_in_range(pairs[i].client, 0, most - 1);
			assert_in_range(pairs[i].server, 0, most - 1);
			met[pairs[i].client * most + pairs[i].server]++;
		}
	}
}

/* An all-to-all, an incast and a fan-out have each ordered pair; a bisection half with half. */
TEST(all_at_once_meet_once)
{
	static const char *const names[] = {"shift", "incast", "fanout"};
	unsigned met[MOST_HOSTS * MOST_HOSTS];

	for (unsigned hosts = 2; hosts <= MOST_HOSTS; hosts++) {
		for (unsigned i = 0; i < 3; i++) {
			play_pairs(names[i], PAIRING_HOSTS, hosts, 1, met);
			for (unsigned a = 0; a < hosts; a++)
				for (unsigned b = 0; b < hosts; b++)
					assert_int_equal(met[a * hosts + b], a != b);
		}
		play_pairs("bisection", PAIRING_HOSTS, hosts, 1, met);
		for (unsigned a = 0; a < hosts; a++)
			for (unsigned b = 0; b < hosts; b++)
				assert_int_equal(met[a * hosts + b], a + hosts / 2 == b && a < hosts / 2);
	}
}

TEST(one_is_the_server_of_an_incast)
{
	struct pairing_pair pairs[MOST_HOSTS];

	assert_int_equal(pairing_pairs(pairing_find("incast"), PAIRING_HOSTS, 4, 1, 2, pairs), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(pairs[i].server, 2);
	assert_int_equal(pairing_pairs(pairing_find("fanout"), PAIRING_HOSTS, 4, 1, 2, pairs), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(pairs[i].client, 2);
}

/* Of 5 hosts with 4 adapters: an adapter is the number of its host times 4, and its own. */
TEST(adapters_meet_as_they_should)
{
	unsigned met[MOST_HOSTS * MOST_HOSTS];

	for (enum pairing_field field = PAIRING_RAILS; field <= PAIRING_LOCAL; field++) {
		play_pairs("all", field, 5, 4, met);
		for (unsigned a = 0; a < 20; a++) {
			for (unsigned b = 0; b < 20; b++) {
				const bool same_host = a / 4 == b / 4;
				const bool meets = field == PAIRING_LOCAL   ? same_host
						   : field == PAIRING_RAILS ? !same_host && a % 4 == b % 4
									    : !same_host;

				assert_int_equal(met[a * 20 + b] + met[b * 20 + a], meets && a != b);
			}
		}
	}
}

TEST(unknown_has_no_row)
{
	assert_null(pairing_find("al"));
	assert_string_equal(pairings[0].name, "all");
}

TEST_MAIN(NULL, NULL)
