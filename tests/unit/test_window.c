// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the peak that of the definition in window.h, and never below the average? */
#include <stdlib.h>

#include "cmocka_all.h"
#include "stats/window.h"

static uint64_t random_u64(void)
{
	static uint64_t x = 0xd1342543de82ef95;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	return x * 0x2545f4914f6cdd1d;
}

/* A look at the completion queue: so many messages completed and posted in all, at this time. */
struct look {
	uint64_t completed;
	uint64_t posted;
	uint64_t cycles;
};

static double peak_of(const struct look *looks, size_t num_looks, uint64_t width, uint64_t begin)
{
	struct window window;

	window_open(&window, width, begin);
	for (size_t i = 0; i < num_looks; i++)
		window_note(&window, looks[i].completed, looks[i].posted, looks[i].cycles);
	return window_close(&window, looks[num_looks - 1].completed, looks[num_looks - 1].cycles);
}

static double rate(uint64_t count, uint64_t cycles)
{
	return cycles ? (double)count / (double)cycles : 0;
}

/* The definition, word by word: the next window is looked for from the look that ended the last one. */
static double peak_by_definition(const struct look *looks, size_t num_looks, uint64_t width, uint64_t begin)
{
	const struct look *end = &looks[num_looks - 1];
	struct look from = {0, 0, begin};
	double best = rate(end->completed, end->cycles - begin);

	for (size_t i = 0; i < num_looks; i++) {
		if (looks[i].completed < from.posted + width || looks[i].cycles == from.cycles)
			continue;
		if (rate(looks[i].completed - from.posted, looks[i].cycles - from.cycles) > best)
			best = rate(looks[i].completed - from.posted, looks[i].cycles - from.cycles);
		from = looks[i];
	}
	return best;
}

static void hand_made_sequences_are_exact(void **state)
{
	static const struct look steady[] = {{10, 10, 100}, {20, 20, 200}, {30, 30, 300}, {40, 40, 400}};
	static const struct look fast_middle[] = {{10, 10, 100}, {20, 20, 120}, {30, 30, 220}, {40, 40, 320}};
	static const struct look late_looks[] = {{15, 15, 100}, {22, 22, 150}, {31, 31, 190}};
	/* 10 are in flight at the first look and complete in a burst: not the second window's work */
	static const struct look burst[] = {{10, 20, 100}, {20, 20, 101}, {30, 30, 200}, {40, 40, 300}};

	(void)state;
	assert_true(peak_of(steady, 4, 10, 0) == 0.1);
	assert_true(peak_of(fast_middle, 4, 10, 0) == 0.5);
	/* 15 in 100, then 16 in 90: the look at 22 closes nothing */
	assert_true(peak_of(late_looks, 3, 10, 0) == 16.0 / 90);
	/* windows: 10 in 100; 10 of those after 20 in 100; 10 in 100; the run: 40 in 300 */
	assert_true(peak_of(burst, 4, 10, 0) == 40.0 / 300);
	/* fewer than a window in all: the average */
	assert_true(peak_of(steady, 4, 100, 0) == 0.1);
	assert_true(peak_of(steady, 4, UINT64_MAX, 0) == 0.1);
	/* exactly one window */
	assert_true(peak_of(steady, 1, 10, 0) == 0.1);
	/* the clock does not start at 0, nor does it matter */
	assert_true(peak_of(steady, 4, 10, 50) == 0.2);
	/* a width of 0 is one of 1 */
	assert_true(peak_of(fast_middle, 4, 0, 0) == 0.5);
}

static void nothing_gives_zero(void **state)
{
	static const struct look none[] = {{0, 5, 1000}};
	static const struct look no_time[] = {{5, 5, 0}};
	static const struct look no_time_at_first[] = {{5, 5, 0}, {9, 9, 0}, {10, 10, 10}};

	(void)state;
	assert_true(peak_of(none, 1, 10, 0) == 0);
	assert_true(peak_of(no_time, 1, 1, 0) == 0);
	assert_true(peak_of(no_time_at_first, 3, 1, 0) == 1);
}

static void random_sequences_follow_the_definition(void **state)
{
	enum { MAX_LOOKS = 500 };
	static struct look looks[MAX_LOOKS];

	(void)state;
	for (int round = 0; round < 3000; round++) {
		size_t num_looks = 1 + random_u64() % MAX_LOOKS;
		uint64_t width = random_u64() % 300;
		uint64_t begin = random_u64() >> 8;
		uint64_t completed = 0, cycles = begin;
		double peak;

		for (size_t i = 0; i < num_looks; i++) {
			/* clocks of coarse ticks stand still for some looks, bursts and stalls happen */
			completed += random_u64() % (random_u64() % 4 ? 16 : 200);
			cycles += random_u64() % 3 ? random_u64() % (random_u64() % 8 ? 50 : 5000) : 0;
			looks[i] = (struct look){completed, completed + random_u64() % 128, cycles};
		}
		peak = peak_of(looks, num_looks, width, begin);
		assert_true(peak == peak_by_definition(looks, num_looks, width ? width : 1, begin));
		assert_true(peak >= rate(completed, cycles - begin));
	}
}

static void memory_does_not_grow(void **state)
{
	struct window window;

	(void)state;
	/* ten million windows live in the same few words */
	window_open(&window, 1, 0);
	for (uint64_t i = 1; i <= 10000000; i++)
		window_note(&window, i, i, i * 2 - (i == 5000000));
	assert_true(window_close(&window, 10000000, 20000000) == 1);
	assert_true(sizeof(window) <= 64);
}

/* Two intervals with one restart are the same as two runs that each begin at zero. */
static void restart_begins_anew(void **state)
{
	struct window window;

	(void)state;
	window_open(&window, 10, 1000);
	window_note(&window, 10, 10, 1010);
	window_note(&window, 20, 20, 1030);
	assert_true(window_restart(&window, 20, 25, 1030) == 1.0);
	window_note(&window, 35, 35, 1050);
	/* 10 posted after the restart in 20; the interval: 20 in 30 */
	assert_true(window_close(&window, 40, 1060) == 20.0 / 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hand_made_sequences_are_exact),
		cmocka_unit_test(nothing_gives_zero),
		cmocka_unit_test(random_sequences_follow_the_definition),
		cmocka_unit_test(memory_does_not_grow),
		cmocka_unit_test(restart_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
