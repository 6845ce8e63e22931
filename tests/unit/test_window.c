// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does the peak match the definition in window.h, and never exceed what a device did? */
#include "cmocka_all.h"
#include "random_numbers.h"
#include "stats/window.h"

/*
 * A look at the completion queue: so many messages completed in all, at this time. The poll was done between before
 * and cycles; at most done messages had been done before it.
 */
struct look {
	uint64_t completed;
	uint64_t done;
	uint64_t before;
	uint64_t cycles;
};

static double peak_of(const struct look *looks, size_t num_looks, uint64_t width, uint64_t begin)
{
	struct window window;

	window_open(&window, width, begin);
	for (size_t i = 0; i < num_looks; i++) {
		if (window_is_full(&window, looks[i].completed))
			window_turn(&window, looks[i].completed, looks[i].cycles, looks[i].done, looks[i].before);
	}
	assert_true(window_take_interval(&window, 0, 0, 0) == window.peak);
	return window.peak;
}

static double rate(uint64_t count, uint64_t cycles)
{
	return cycles ? (double)count / (double)cycles : 0;
}

/* The definition, word by word: the next window is looked for from the look that ended the last one. */
static double peak_by_definition(const struct look *looks, size_t num_looks, uint64_t width, uint64_t begin)
{
	struct look from = {.before = begin};
	double best = 0;

	for (size_t i = 0; i < num_looks; i++) {
		double this = rate(looks[i].completed - from.done, looks[i].cycles - from.before);

		if (looks[i].completed < from.done + width || looks[i].cycles <= from.before)
			continue;
		if (this > best)
			best = this;
		from = looks[i];
	}
	return best;
}

TEST(hand_made_sequences_are_exact)
{
	static const struct look steady[] = {
		{10, 10, 100, 100}, {20, 20, 200, 200}, {30, 30, 300, 300}, {40, 40, 400, 400}};
	static const struct look fast_middle[] = {
		{10, 10, 100, 100}, {20, 20, 120, 120}, {30, 30, 220, 220}, {40, 40, 320, 320}};
	static const struct look late_looks[] = {{15, 15, 100, 100}, {22, 22, 150, 150}, {31, 31, 190, 190}};
	/* the poll at 100 leaves 10 behind that complete at once: no work of the window that begins there */
	static const struct look burst[] = {
		{10, 20, 100, 100}, {20, 20, 101, 101}, {30, 30, 200, 200}, {40, 40, 300, 300}};
	/* what is between before and behind a poll is in both windows */
	static const struct look slow_polls[] = {{10, 10, 90, 100}, {20, 20, 190, 200}};

	assert_true(peak_of(steady, 4, 10, 0) == 0.1);
	assert_true(peak_of(fast_middle, 4, 10, 0) == 0.5);
	/* 15 in 100, then 16 in 90: the look at 22 closes nothing */
	assert_true(peak_of(late_looks, 3, 10, 0) == 16.0 / 90);
	/* 10 in 100; 10 of those after 20 in 100; 10 in 100 */
	assert_true(peak_of(burst, 4, 10, 0) == 0.1);
	assert_true(peak_of(slow_polls, 2, 10, 0) == 10.0 / 100);
	/* exactly one window; fewer than one: none */
	assert_true(peak_of(steady, 1, 10, 0) == 0.1);
	assert_true(peak_of(steady, 4, 100, 0) == 0);
	assert_true(peak_of(steady, 4, UINT64_MAX, 0) == 0);
	/* the clock does not start at 0, nor does it matter */
	assert_true(peak_of(steady, 4, 10, 50) == 0.2);
	/* a width of 0 is one of 1 */
	assert_true(peak_of(fast_middle, 4, 0, 0) == 0.5);
}

TEST(nothing_gives_zero)
{
	static const struct look none[] = {{0, 5, 1000, 1000}};
	static const struct look no_time[] = {{5, 5, 0, 0}};
	static const struct look no_time_at_first[] = {{5, 5, 0, 0}, {9, 9, 0, 0}, {10, 10, 10, 10}};

	assert_true(peak_of(none, 1, 10, 0) == 0);
	assert_true(peak_of(no_time, 1, 1, 0) == 0);
	assert_true(peak_of(no_time_at_first, 3, 1, 0) == 1);
}

/* The last few messages of a run are no window of their own, however fast they come. */
TEST(a_short_end_raises_nothing)
{
	static const struct look looks[] = {{10, 10, 100, 100}, {20, 20, 200, 200}, {29, 29, 201, 201}};

	assert_true(peak_of(looks, 3, 10, 0) == 0.1);
}

TEST(random_sequences_follow_the_definition)
{
	enum { MAX_LOOKS = 500 };
	static struct look looks[MAX_LOOKS];

	for (int round = 0; round < 3000; round++) {
		size_t num_looks = 1 + random_u64() % MAX_LOOKS;
		uint64_t width = random_u64() % 300;
		uint64_t begin = random_u64() >> 8;
		uint64_t completed = 0, cycles = begin;

		for (size_t i = 0; i < num_looks; i++) {
			uint64_t before;

			/* clocks of coarse ticks stand still for some looks, bursts and stalls happen */
			completed += random_u64() % (random_u64() % 4 ? 16 : 200);
			before = cycles + random_u64() % 20;
			cycles = before + (random_u64() % 3 ? random_u64() % (random_u64() % 8 ? 50 : 5000) : 0);
			looks[i] = (struct look){completed, completed + random_u64() % 128, before, cycles};
		}
		assert_true(peak_of(looks, num_looks, width, begin) ==
			    peak_by_definition(looks, num_looks, width ? width : 1, begin));
	}
}

enum { DEPTH = 128, SPEED = 10 /* cycles that a message takes */ };

/* A device that works at one speed, as long as there is something posted. */
struct device {
	uint64_t posted;
	uint64_t done;
	uint64_t cycles; /* when it had done the last of them, or got the next */
};

static void device_work(struct device *device, uint64_t until)
{
	for (; device->done < device->posted && device->cycles + SPEED <= until; device->done++)
		device->cycles += SPEED;
	if (device->done == device->posted)
		device->cycles = until;
}

/* What passes until the program goes on: hardly anything, or now and then a hundred times what is in flight. */
static uint64_t stall(void)
{
	return random_u64() % (random_u64() % 50 ? 20 : 100 * DEPTH * SPEED);
}

/* The program may stall before a poll, behind it and before it posts, and find all in flight completed at once. */
TEST(a_stalled_program_has_no_peak_of_its_own)
{
	for (int round = 0; round < 300; round++) {
		const bool finds_all = round % 2;
		const uint64_t batch = finds_all ? DEPTH : DEPTH / 2;
		struct device device = {.posted = DEPTH};
		struct window window;
		uint64_t completed = 0, now = 0;

		window_open(&window, DEPTH, 0);
		for (int i = 0; i < 2000; i++) {
			const uint64_t before = now += stall();
			uint64_t found;

			now += stall();
			device_work(&device, now);
			found = device.done - completed < batch ? device.done - completed : batch;
			completed += found;
			now += stall();
			if (found && window_is_full(&window, completed))
				window_turn(&window, completed, now, found < batch ? completed : device.posted, before);
			device_work(&device, now += stall());
			device.posted = completed + DEPTH;
		}
		/* that which was half done when a window began completes in it */
		assert_true(window.peak <= (double)DEPTH / (DEPTH - 1) / SPEED);
		/* and it is no less where each poll finds all */
		if (finds_all)
			assert_true(window.peak > 0.9 / SPEED);
	}
}

TEST(memory_does_not_grow)
{
	struct window window;

	/* ten million windows live in the same few words */
	window_open(&window, 1, 0);
	for (uint64_t i = 1; i <= 10000000; i++) {
		const uint64_t now = i * 2 - (i == 5000000);

		assert_true(window_is_full(&window, i));
		window_turn(&window, i, now, i, now);
	}
	assert_true(window.peak == 1);
	assert_true(sizeof(window) <= 64);
}

/* A window is of the interval in which it ends, and of the run if all of it is inside of the limits. */
TEST(intervals_and_limits)
{
	struct window window;

	window_open(&window, 10, 1000);
	window_limit(&window, 1010, 1100);
	window_turn(&window, 10, 1005, 10, 1005); /* ends before */
	window_turn(&window, 20, 1015, 20, 1015); /* begins before */
	assert_true(window_take_interval(&window, 0, 0, 0) == 2.0);
	assert_true(window.peak == 0);
	window_turn(&window, 30, 1035, 30, 1035);
	assert_true(window_take_interval(&window, 0, 0, 0) == 0.5);
	assert_true(window.peak == 0.5);
	window_turn(&window, 40, 1095, 40, 1095);
	window_turn(&window, 50, 1101, 50, 1101); /* ends behind */
	assert_true(window_take_interval(&window, 0, 0, 0) == 10.0 / 6);
	assert_true(window_take_interval(&window, 0, 0, 0) == 0);
	assert_true(window.peak == 0.5);
}

/* A row shows its average where no window was faster: the run was then as fast, if that is of a window's messages. */
TEST(test_an_interval_is_a_window_too)
{
	struct window window;

	window_open(&window, 10, 1000);
	window_limit(&window, 1000, 1100);
	assert_true(window_take_interval(&window, 9, 1000, 1003) == 3.0);
	assert_true(window.peak == 0); /* too few */
	assert_true(window_take_interval(&window, 30, 1003, 1018) == 2.0);
	assert_true(window.peak == 2.0);
	assert_true(window_take_interval(&window, 500, 1018, 1101) == 500.0 / 83);
	assert_true(window.peak == 2.0); /* ends behind the run */
}

TEST_MAIN(NULL, NULL)
