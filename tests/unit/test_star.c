// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What does a star know of the time in which its process was stopped? */
#include "cmocka_all.h"
#include "net/star.h"

#define STOPPED_NS (15 * INT64_C(1000000000))

static const struct star_ops ops;

/* What was lost long after a stop was not lost by it. */
TEST(a_stop_is_known_until_all_have_been_heard_again)
{
	struct star star = {.ops = &ops, .timeout_ms = 15000};

	assert_int_equal(star_open(&star), 0);
	star_turn(&star, 0);
	assert_true(star.stopped_ns < STOPPED_NS);
	star.due.at_ns -= STOPPED_NS + 2 * INT64_C(1000000000);
	star_turn(&star, 0);
	assert_true(star.stopped_ns >= STOPPED_NS);
	star_turn(&star, 0);
	assert_true(star.stopped_ns >= STOPPED_NS);
	star.resumed = deadline_in_ms(0);
	star_turn(&star, 0);
	assert_true(star.stopped_ns < STOPPED_NS);
	star_close(&star);
}

TEST_MAIN(NULL, NULL)
