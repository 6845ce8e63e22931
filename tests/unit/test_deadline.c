// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Do time limits start, end and round as poll(2) requires? */
#include <limits.h>

#include "cmocka_all.h"
#include "util/deadline.h"

TEST(never_is_never)
{
	struct deadline never = deadline_in_ms(-1);

	assert_false(deadline_passed(never));
	assert_int_equal(deadline_poll_ms(never), -1);
	/* a time too far to be told is never, too */
	assert_int_equal(deadline_poll_ms(deadline_in_ms(INT64_MAX)), -1);
	assert_int_equal(deadline_poll_ms(deadline_in_ms(INT64_MAX / 1000000)), -1);
}

TEST(now_has_passed)
{
	assert_true(deadline_passed(deadline_in_ms(0)));
	assert_int_equal(deadline_poll_ms(deadline_in_ms(0)), 0);
	assert_true(deadline_passed((struct deadline){1}));
	assert_int_equal(deadline_poll_ms((struct deadline){1}), 0);
	assert_int_equal(deadline_poll_ms((struct deadline){INT64_MIN}), 0);
}

TEST(an_hour_is_left)
{
	struct deadline hour = deadline_in_ms(3600000);
	int left = deadline_poll_ms(hour);

	assert_false(deadline_passed(hour));
	assert_in_range(left, 1, 3600000);
	/* beyond what poll(2) can be told */
	assert_int_equal(deadline_poll_ms(deadline_in_ms(100LL * 24 * 3600 * 1000)), INT_MAX);
}

/* Rounded up: a caller that polls for what is left never finds the deadline still ahead by a fraction. */
TEST(rounds_up_until_it_has_passed)
{
	struct deadline deadline = deadline_in_ms(3);
	int last = 3;

	while (!deadline_passed(deadline)) {
		int left = deadline_poll_ms(deadline);

		assert_true(left <= last);
		assert_true(left > 0 || deadline_passed(deadline));
		last = left;
	}
	assert_int_equal(deadline_poll_ms(deadline), 0);
}

TEST_MAIN(NULL, NULL)
