// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rows of --report_interval. Lists complete at invented times; cycles are nanoseconds. */
#include "cmocka_all.h"

#include "cxi/intervals.h"
#include "stats/clock.h"

#define MS    1000000ULL
#define BEGIN (5000 * MS) /* any */
#define NEVER UINT64_MAX

struct row {
	uint64_t from_ms, to_ms, lists;
};

struct rows {
	struct row items[32];
	unsigned count;
};

static void rows_add(void *context, const struct cxi_mark *from, const struct cxi_mark *to)
{
	struct rows *rows = context;

	assert_true(to->cycles > from->cycles);
	assert_true(rows->count < 32);
	rows->items[rows->count++] =
		(struct row){(from->cycles - BEGIN) / MS, (to->cycles - BEGIN) / MS, to->lists - from->lists};
}

/*
 * A list each every_ms from first_ms to last_ms, looked for each millisecond, and the end at until_ms; by time to
 * end_ms, 0: by iterations.
 */
static struct rows run_lists(double interval_s, uint64_t every_ms, uint64_t first_ms, uint64_t last_ms,
			     uint64_t until_ms, uint64_t end_ms)
{
	struct rows rows = {.count = 0};
	struct cxi_intervals intervals = {.row = rows_add, .context = &rows};
	uint64_t lists = 0, sum = 0, at = 0;

	cxi_intervals_start(&intervals, interval_s, BEGIN, end_ms ? BEGIN + end_ms * MS : NEVER);
	for (uint64_t ms = 1; ms <= until_ms; ms++) {
		if (ms >= first_ms && ms <= last_ms && (ms - first_ms) % every_ms == 0)
			lists++;
		cxi_intervals_count(&intervals, lists, lists, BEGIN + ms * MS);
		if (ms < until_ms)
			cxi_intervals_look(&intervals, BEGIN + ms * MS);
	}
	cxi_intervals_end(&intervals, BEGIN + until_ms * MS);
	/* Whatever they are, they have all lists and all of the time. */
	for (unsigned i = 0; i < rows.count; i++) {
		assert_int_equal(rows.items[i].from_ms, at);
		at = rows.items[i].to_ms;
		sum += rows.items[i].lists;
	}
	assert_int_equal(sum, rows.count ? lists : 0);
	assert_int_equal(at, rows.count ? until_ms : 0);
	return rows;
}

#define EXPECT_ROWS(run, ...)                                                                                          \
	do {                                                                                                           \
		const struct row expected[] = {__VA_ARGS__};                                                           \
		const struct rows got = (run);                                                                         \
                                                                                                                       \
		assert_int_equal(got.count, sizeof(expected) / sizeof(expected[0]));                                   \
		assert_memory_equal(got.items, expected, sizeof(expected));                                            \
	} while (0)

TEST(a_row_ends_with_its_last_list)
{
	EXPECT_ROWS(run_lists(0.1, 7, 7, 350, 350, 0), {0, 98, 14}, {98, 196, 14}, {196, 294, 14}, {294, 350, 8});
	/* Lists that are longer than half of the interval are where they end. */
	EXPECT_ROWS(run_lists(0.1, 90, 90, 270, 270, 0), {0, 90, 1}, {90, 180, 1}, {180, 270, 1});
	EXPECT_ROWS(run_lists(0.1, 130, 130, 260, 260, 0), {0, 100, 0}, {100, 200, 1}, {200, 260, 1});
}

TEST(the_end_of_the_time_has_no_row_behind_it)
{
	EXPECT_ROWS(run_lists(0.25, 5, 5, 1003, 1003, 1000), {0, 250, 50}, {250, 500, 50}, {500, 750, 50},
		    {750, 1003, 50});
	EXPECT_ROWS(run_lists(0.25, 60, 60, 1020, 1020, 1000), {0, 240, 4}, {240, 480, 4}, {480, 720, 4},
		    {720, 1020, 5});
	/* The last iteration is not counted, and its time is. */
	EXPECT_ROWS(run_lists(0.3, 5, 5, 980, 1000, 1000), {0, 300, 60}, {300, 600, 60}, {600, 900, 60},
		    {900, 1000, 16});
}

TEST(what_is_left_for_a_moment_is_part_of_the_row_before)
{
	EXPECT_ROWS(run_lists(0.1, 1, 1, 209, 209, 0), {0, 100, 100}, {100, 209, 109});
	EXPECT_ROWS(run_lists(0.1, 1, 1, 210, 210, 0), {0, 100, 100}, {100, 200, 100}, {200, 210, 10});
	/* Of all of a short run there is a row. */
	EXPECT_ROWS(run_lists(0.1, 1, 1, 4, 4, 0), {0, 4, 4});
	/* The shortest intervals. */
	EXPECT_ROWS(run_lists(0.01, 1, 1, 35, 35, 0), {0, 10, 10}, {10, 20, 10}, {20, 35, 15});
}

/* While nothing comes there are rows of it, and they begin where the last list was. */
TEST(a_standstill_has_rows)
{
	EXPECT_ROWS(run_lists(0.1, 1, 1, 170, 320, 1000), {0, 100, 100}, {100, 170, 70}, {170, 300, 0}, {300, 320, 0});
	/* ... also behind the end of the time. */
	EXPECT_ROWS(run_lists(0.1, 1, 1, 110, 450, 200), {0, 100, 100}, {100, 300, 10}, {300, 400, 0}, {400, 450, 0});
}

TEST(none_is_asked_for)
{
	assert_int_equal(run_lists(0, 1, 1, 100, 100, 0).count, 0);
}

static int use_gettime(void **state)
{
	clock_start(true /* cycles are nanoseconds */);
	return 0;
}

TEST_MAIN(use_gettime, NULL)
