/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A report of a bandwidth or a latency test, to check what it prints. */
#pragma once

#include "report_fixture.h"

static struct report_config config;
static struct latency latency;

static inline int setup(void **state)
{
	config = fixture_config("ib_write_bw", VERB_WRITE, METRIC_BW);
	return fixture_clock(state);
}

static inline int setup_lat(void **state)
{
	setup(state);
	config = fixture_config("ib_write_lat", VERB_WRITE, METRIC_LAT);
	fixture_latency(&latency);
	return 0;
}

static inline int teardown(void **state)
{
	latency_close(&latency);
	return 0;
}

static inline struct report *open_report(void)
{
	struct report *report;

	assert_int_equal(report_open(&report, &config), 0);
	return report;
}

static inline void add(struct report *report, const struct report_row *row, enum report_part part)
{
	assert_int_equal(report_result(report, row, part), 0);
}
