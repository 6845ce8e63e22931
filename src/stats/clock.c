// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Selects the clock, and measures how long its cycles are. main starts it, session calibrates it once, report and
 * session use it for conversions.
 */
#include "stats/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define MAX_CYCLES	    0x1p62 /* of a duration: see clock_ns_to_cycles() */
#define PAIR_TRIES	    64	   /* an interrupt delays a few of them, not all */
#define CPUID_POWER	    0x80000007
#define CPUID_INVARIANT_TSC (1U << 8) /* in EDX */
#define NS_PER_S	    INT64_C(1000000000)
#define CLOCKSOURCE	    "/sys/devices/system/clocksource/clocksource0/"

/* The same moment on both clocks. */
struct pair {
	uint64_t cycles;
	uint64_t ns;	     /* middle of the bracket */
	uint64_t bracket_ns; /* between the readings of the raw clock before and after that of the counter */
};

bool clock_uses_gettime;

static struct pair started;
static struct clock_calibration calibration;
static bool is_started;
static bool is_calibrated;

static struct pair pair_read(void)
{
	struct pair best = {.bracket_ns = UINT64_MAX};

	for (int i = 0; i < PAIR_TRIES; i++) {
		uint64_t before = clock_gettime_ns();
		uint64_t cycles = clock_counter();
		uint64_t after = clock_gettime_ns();

		if (after - before < best.bracket_ns)
			best = (struct pair){cycles, before + (after - before) / 2, after - before};
	}
	return best;
}

/* Is it one of the words of a text, separated by blanks or a newline? */
static bool text_has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	while (*(text += strspn(text, " \n"))) {
		size_t n = strcspn(text, " \n");

		if (n == length && memcmp(text, word, n) == 0)
			return true;
		text += n;
	}
	return false;
}

bool clock_tsc_is_usable(bool invariant_bit, const char *current, const char *available)
{
	if (invariant_bit)
		return !*available || text_has_word(available, "tsc");
	return text_has_word(current, "tsc");
}

/* Does the environment name this source? */
static bool is_requested(const char *source)
{
	const char *name = getenv("PERFTEST_CLOCK");

	return name && strcmp(name, source) == 0;
}

#if defined(__x86_64__)
static void clock_text_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
}

static bool counter_is_usable(void)
{
	unsigned eax, ebx, ecx, edx = 0;
	char current[64], available[256];

	if (is_requested("counter"))
		return true;
	__get_cpuid(CPUID_POWER, &eax, &ebx, &ecx, &edx); /* does not change edx if there is no such leaf */
	clock_text_read(CLOCKSOURCE "current_clocksource", current, sizeof(current));
	clock_text_read(CLOCKSOURCE "available_clocksource", available, sizeof(available));
	return clock_tsc_is_usable(edx & CPUID_INVARIANT_TSC, current, available);
}
#else
static bool counter_is_usable(void)
{
#ifdef CLOCK_COUNTER_NAME
	return true;
#else
	return false;
#endif
}
#endif

void clock_start(bool force_gettime)
{
	is_started = true;
	is_calibrated = false;
	clock_uses_gettime = force_gettime || is_requested("gettime") || !counter_is_usable();
	if (!clock_uses_gettime)
		started = pair_read();
}

const struct clock_calibration *clock_calibrate(void)
{
	struct pair now;
	double span_ns, span_cycles;

	if (is_calibrated)
		return &calibration;
	if (!is_started)
		clock_start(false /* the counter, if it is reliable */);
	is_calibrated = true;

	if (clock_uses_gettime) {
		calibration = (struct clock_calibration){1e9, 0, "clock_gettime", true};
		return &calibration;
	}
#ifdef CLOCK_COUNTER_NAME
	calibration.source = CLOCK_COUNTER_NAME;
#endif
	calibration.fallback = false;
	/* If the clock went back since the start (a virtual machine was migrated), starts again from its new time. */
	for (now = pair_read(); now.ns < started.ns || now.ns - started.ns < CLOCK_MIN_SPAN_NS; now = pair_read()) {
		if (now.ns < started.ns)
			started = now;
	}
	span_ns = (double)(now.ns - started.ns);
	span_cycles = (double)(now.cycles - started.cycles);
	calibration.cycles_per_second = span_cycles / span_ns * 1e9;
	calibration.relative_error =
		(double)(started.bracket_ns + now.bracket_ns) / span_ns + 2 /* ticks */ / span_cycles;
	return &calibration;
}

double clock_cycles_to_seconds(double cycles)
{
	return cycles / clock_calibrate()->cycles_per_second;
}

double clock_cycles_to_ns(double cycles)
{
	return clock_cycles_to_seconds(cycles) * 1e9;
}

uint64_t clock_ns_to_cycles(double ns)
{
	const double cycles = ns * clock_calibrate()->cycles_per_second / 1e9 + 0.5;

	return cycles < MAX_CYCLES ? (uint64_t)cycles : (uint64_t)MAX_CYCLES;
}

struct timespec stamp_of_cycles(uint64_t cycles)
{
	struct timespec when;
	uint64_t now = clock_cycles();
	int64_t ns;

	clock_gettime(CLOCK_REALTIME, &when);
	if (!cycles || cycles > now)
		return when;
	ns = when.tv_sec * NS_PER_S + when.tv_nsec - (int64_t)clock_cycles_to_ns((double)(now - cycles));
	return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

const char *stamp_text(const struct timespec *when, char text[STAMP_SIZE])
{
	struct tm utc;
	char day[STAMP_SIZE];

	gmtime_r(&when->tv_sec, &utc);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, STAMP_SIZE, "%.32s.%03ldZ", day, when->tv_nsec / 1000000);
	return text;
}

const char *stamp_text_of_cycles(uint64_t cycles, char text[STAMP_SIZE])
{
	const struct timespec when = stamp_of_cycles(cycles);

	return stamp_text(&when, text);
}
