// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is the right clock selected, calibrated once, and within its stated error? */
#include "cmocka_all.h"
#include "stats/clock.h"

/* First of the tests: nothing has started the clock yet. */
TEST(works_without_a_start)
{
	assert_true(clock_cycles_to_seconds(1) > 0);
	assert_non_null(clock_calibrate()->source);
}

TEST(tsc_needs_the_bit_or_the_kernels_trust)
{
	/* bare metal, KVM */
	assert_true(clock_tsc_is_usable(true, "tsc\n", "tsc hpet acpi_pm \n"));
	assert_true(clock_tsc_is_usable(true, "kvm-clock\n", "kvm-clock tsc acpi_pm \n"));
	/* the kernel threw it out */
	assert_false(clock_tsc_is_usable(true, "hpet\n", "hpet acpi_pm \n"));
	/* CPUID masked */
	assert_true(clock_tsc_is_usable(false, "tsc\n", "tsc kvm-clock \n"));
	assert_false(clock_tsc_is_usable(false, "kvm-clock\n", "kvm-clock tsc acpi_pm \n"));
	/* whole words */
	assert_false(clock_tsc_is_usable(false, "tsc-early\n", "tsc-early hpet \n"));
	assert_false(clock_tsc_is_usable(true, "hpet\n", "tsc-early hpet \n"));
	/* no sysfs */
	assert_true(clock_tsc_is_usable(true, "", ""));
	assert_false(clock_tsc_is_usable(false, "", ""));
}

TEST(fallback_counts_nanoseconds)
{
	const struct clock_calibration *calibration;
	uint64_t before, now, after;

	clock_start(true /* clock_gettime() */);
	assert_true(clock_uses_gettime);
	calibration = clock_calibrate();
	assert_true(calibration->fallback);
	assert_string_equal(calibration->source, "clock_gettime");
	assert_true(calibration->cycles_per_second == 1e9);
	assert_true(calibration->relative_error == 0);
	assert_true(clock_cycles_to_ns(1234) == 1234);
	assert_true(clock_cycles_to_seconds(5e8) == 0.5);
	assert_int_equal(clock_ns_to_cycles(1234), 1234);
	assert_int_equal(clock_ns_to_cycles(1e300), UINT64_C(1) << 62);

	before = clock_gettime_ns();
	now = clock_cycles();
	after = clock_gettime_ns();
	assert_in_range(now, before, after);
}

TEST(environment_names_the_source)
{
	assert_int_equal(setenv("PERFTEST_CLOCK", "gettime", 1), 0);
	clock_start(false);
	assert_true(clock_uses_gettime);
	assert_true(clock_calibrate()->fallback);
	assert_int_equal(setenv("PERFTEST_CLOCK", "counter", 1), 0);
	clock_start(false);
	assert_false(clock_uses_gettime);
	assert_false(clock_calibrate()->fallback);
	clock_start(true);
	assert_true(clock_uses_gettime);
	assert_int_equal(unsetenv("PERFTEST_CLOCK"), 0);
}

TEST(calibrates_once)
{
	struct clock_calibration first;

	clock_start(false);
	first = *clock_calibrate();
	assert_true(first.cycles_per_second > 1e6);
	/* A second measurement would not give the same bits. */
	for (int i = 0; i < 3; i++) {
		const struct clock_calibration *again = clock_calibrate();

		assert_true(again->cycles_per_second == first.cycles_per_second);
		assert_true(again->relative_error == first.relative_error);
		assert_ptr_equal(again->source, first.source);
	}
}

/* Bounds that hold whenever the test is interrupted: the stamps of one clock enclose those of the other. */
TEST(stays_inside_its_error)
{
	const struct clock_calibration *calibration;
	uint64_t ns[4], begin_cycles, end_cycles;
	double elapsed_ns, error;

	clock_start(false);
	calibration = clock_calibrate();
	if (calibration->fallback)
		skip();
	assert_true(calibration->relative_error > 0);

	ns[0] = clock_gettime_ns();
	begin_cycles = clock_cycles();
	ns[1] = clock_gettime_ns();
	while (clock_gettime_ns() - ns[1] < 20000000)
		;
	ns[2] = clock_gettime_ns();
	end_cycles = clock_cycles();
	ns[3] = clock_gettime_ns();

	elapsed_ns = clock_cycles_to_ns((double)(end_cycles - begin_cycles));
	error = calibration->relative_error;
	assert_true(elapsed_ns <= (double)(ns[3] - ns[0] + 2) * (1 + error));
	assert_true(elapsed_ns >= (double)(ns[2] - ns[1] - 2) * (1 - error));
}

TEST(conversions_are_inverse)
{
	double per_second;

	clock_start(false);
	per_second = clock_calibrate()->cycles_per_second;
	assert_true(clock_cycles_to_seconds(per_second) == 1);
	for (uint64_t ns = 1; ns < 10000000000U; ns *= 7) {
		double back = clock_cycles_to_ns((double)clock_ns_to_cycles((double)ns));
		double half_cycle_ns = 0.5e9 / per_second;

		assert_true(back >= (double)ns * (1 - 1e-12) - half_cycle_ns);
		assert_true(back <= (double)ns * (1 + 1e-12) + half_cycle_ns);
	}
}

TEST_MAIN(NULL, NULL)
