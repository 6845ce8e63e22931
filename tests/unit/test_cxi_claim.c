// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a peer of cxi_send_bw reports about a size: what is possible, and what is not. */
#include "cmocka_all.h"
#include "cxi/control/wire.h"

#define MS 1000000ULL

/* 1000 lists by number, which arrived here within 100 ms; the barrier was 150 ms ago. */
static const struct cxi_witness by_number = {
	.peer_sends = true, .iters = 1000, .responded = 1000, .since_s = 0.15, .least_ns = 100 * MS};
/* A duration of 100 ms. */
static const struct cxi_witness by_time = {
	.peer_sends = true, .window_ns = 100 * MS, .responded = 1000, .since_s = 0.15, .least_ns = 90 * MS};

static void expect_true(const struct cxi_witness *witness, struct cxi_sent sent)
{
	assert_null(cxi_claim_sent(witness, &sent));
}

static void expect_false(const struct cxi_witness *witness, struct cxi_sent sent, const char *fault)
{
	const char *found = cxi_claim_sent(witness, &sent);

	assert_non_null(found);
	assert_string_equal(found, fault);
}

TEST(a_number_of_lists)
{
	expect_true(&by_number, (struct cxi_sent){1000, 1000, 120 * MS});
	expect_false(&by_number, (struct cxi_sent){999, 999, 120 * MS},
		     "it finished another number of lists than it was asked to");
	expect_false(&by_number, (struct cxi_sent){2000, 2000, 120 * MS},
		     "it finished another number of lists than it was asked to");
	expect_false(&by_number, (struct cxi_sent){1002, 1000, 120 * MS}, "it left more than one list unfinished");
}

TEST(the_lists_of_a_duration)
{
	expect_true(&by_time, (struct cxi_sent){1001, 1000, 100 * MS});
	expect_true(&by_time, (struct cxi_sent){3, 3, 100 * MS});
	expect_true(&by_time, (struct cxi_sent){1, 0, 100 * MS});
	expect_false(&by_time, (struct cxi_sent){1001, 1001, 100 * MS}, "it finished more lists than were answered");
	expect_false(&by_time, (struct cxi_sent){UINT64_MAX, 0, 100 * MS}, "it left more than one list unfinished");
}

/* The clocks may differ by 1 %, and the longest time by 20 ms more. */
TEST(a_time_between_what_this_side_saw)
{
	expect_true(&by_number, (struct cxi_sent){1000, 1000, 99 * MS});
	expect_false(&by_number, (struct cxi_sent){1000, 1000, 99 * MS - 1},
		     "its time is shorter than that in which its lists arrived");
	expect_false(&by_number, (struct cxi_sent){1000, 1000, 1},
		     "its time is shorter than that in which its lists arrived");
	expect_true(&by_number, (struct cxi_sent){1000, 1000, 171 * MS + MS / 2 - 1});
	expect_false(&by_number, (struct cxi_sent){1000, 1000, 171 * MS + MS / 2 + 1000},
		     "its time is longer than the test has lasted");
	expect_false(&by_number, (struct cxi_sent){1000, 1000, UINT64_MAX},
		     "its time is longer than the test has lasted");
	expect_false(&by_time, (struct cxi_sent){1000, 1000, 100 * MS - 1}, "its time is shorter than the duration");
	expect_false(&by_time, (struct cxi_sent){1000, 1000, UINT64_MAX},
		     "its time is longer than the test has lasted");
}

TEST(a_side_that_only_receives)
{
	const struct cxi_witness silent = {.iters = 1000, .since_s = 0.15};

	expect_true(&silent, (struct cxi_sent){0, 0, 0});
	expect_false(&silent, (struct cxi_sent){1, 1, 120 * MS}, "it was not to send anything");
}

static void expect_checks(bool verifies, uint64_t lists, struct cxi_checked checked, const char *fault)
{
	const char *found = cxi_claim_checked(verifies, lists, 256, &checked);

	if (!fault) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, fault);
}

TEST(what_was_checked)
{
	expect_checks(true, 10, (struct cxi_checked){10, 0}, NULL);
	expect_checks(true, 10, (struct cxi_checked){2560, 2560}, NULL);
	expect_checks(true, 10, (struct cxi_checked){9, 0}, "it has not checked every list");
	expect_checks(true, 10, (struct cxi_checked){2561, 0}, "it has checked more than was sent");
	expect_checks(true, 10, (struct cxi_checked){UINT64_MAX, UINT64_MAX}, "it has checked more than was sent");
	expect_checks(true, 0, (struct cxi_checked){0, 0}, NULL);
	expect_checks(true, 0, (struct cxi_checked){1, 0}, "it had nothing to check");
	expect_checks(false, 10, (struct cxi_checked){1, 1}, "it had nothing to check");
}

TEST_MAIN(NULL, NULL)
