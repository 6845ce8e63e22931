// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Do pairs agree about each other, and does each pattern touch the pairs that it promises? */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "front/pairing.h"

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

static void all_meet_once(void **state)
{
	unsigned met[MOST_HOSTS * MOST_HOSTS];

	(void)state;
	for (unsigned hosts = 2; hosts <= MOST_HOSTS; hosts++) {
		const struct pairing *all = pairing_find("all");

		assert_int_equal(all->rounds(hosts), hosts % 2 ? hosts : hosts - 1);
		play(all, hosts, met);
		for (unsigned a = 0; a < hosts; a++)
			for (unsigned b = 0; b < hosts; b++)
				assert_int_equal(met[a * hosts + b], a != b);
	}
}

static void ring_has_the_neighbours(void **state)
{
	unsigned met[MOST_HOSTS * MOST_HOSTS];

	(void)state;
	for (unsigned hosts = 2; hosts <= MOST_HOSTS; hosts++) {
		play(pairing_find("ring"), hosts, met);
		for (unsigned a = 0; a < hosts; a++)
			for (unsigned b = 0; b < hosts; b++)
				assert_int_equal(met[a * hosts + b], (a + 1) % hosts == b || (b + 1) % hosts == a);
	}
}

static void quick_touches_every_host(void **state)
{
	unsigned met[MOST_HOSTS * MOST_HOSTS], touched;

	(void)state;
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

static void unknown_has_no_row(void **state)
{
	(void)state;
	assert_null(pairing_find("al"));
	assert_string_equal(pairings[0].name, "all");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_meet_once),
		cmocka_unit_test(ring_has_the_neighbours),
		cmocka_unit_test(quick_touches_every_host),
		cmocka_unit_test(unknown_has_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
