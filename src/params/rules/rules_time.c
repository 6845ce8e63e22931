// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of time and repetition that cannot be combined. See rules.h. */
#include "params/engine/checks.h"
#include "params/load.h"
#include "params/masks.h"
#include "params/rules/rules.h"

/* --- by time --- */

CONDITION(duration_of_sweep, params->asked.duration_s && params->verbs.all_sizes)
CONDITION(duration_below_margins, params->test.duration_s && !params->test.run_infinitely &&
					  params->test.duration_s <= 2 * (uint64_t)params->test.margin_s)
CONDITION(infinite_sweep, params->test.run_infinitely && params->verbs.all_sizes)
CONDITION(infinite_both_ways, params->test.run_infinitely && params->spec.bidirectional && params_has_arrivals(params))
CONDITION(samples_by_time, params_by_time(params) && (params->report.histogram || params->report.unsorted))
CONDITION(samples_by_interval, params->test.interval_s > 0 && (params->report.histogram || params->report.unsorted))
CONDITION(samples_without_table, (params->report.output != OUTPUT_ALL || params->report.format == FORMAT_CSV) &&
					 (params->report.histogram || params->report.unsorted))
/* A server's client may ask for the rows. */
CONDITION(limits_of_no_interval,
	  params->limits.intervals &&
		  (!params_has_limit(params) ||
		   (params_is_client(params) && !params->test.run_infinitely && !(params->test.interval_s > 0))))

/* --- repetition --- */

CONDITION(repeats_without_end, (params->test.run_infinitely && params_repeats(params)))
CONDITION(repeats_in_intervals, params->test.interval_s > 0 && params_repeats(params))
CONDITION(samples_of_repeats, params_repeats(params) && (params->report.histogram || params->report.unsorted))
CONDITION(repeats_and_until, params->repeat.count > 1 && params->repeat.until_percent > 0)

#define MEDIAN_PERCENT 0.4 /* larger than half a histogram bucket relative to its median */

CONDITION(until_finer_than_medians, params->repeat.until_percent > 0 && params->repeat.until_percent < MEDIAN_PERCENT)
CONDITION(limits_of_no_until, !(params->repeat.until_percent > 0) &&
				      (params_given(params, "max_repeats") || params_given(params, "max_time")))
CONDITION(repeats_of_load, params_repeats(params) && params_is_open_loop(params))
CONDITION(steady_without_repeats, params->repeat.steady && !params_repeats(params))

static const struct rule rows[] = {
	{IB & ~ATOMIC,
	 duration_of_sweep,
	 "-D measures a single message size, so it cannot be combined with -a or --sizes",
	 {"duration"}},
	{MOVES,
	 duration_below_margins,
	 "the two margins (-f) leave no time to measure: -D must be more than twice -f",
	 {"duration", "margin"}},
	{IB & ~ATOMIC,
	 infinite_sweep,
	 "--run_infinitely measures a single message size, so it cannot be combined with -a or --sizes",
	 {NULL}},
	{BW & RECEIVES,
	 infinite_both_ways,
	 "--run_infinitely cannot be combined with -b where messages consume receives; run a test for each direction",
	 {NULL}},
	{LAT | FS,
	 samples_by_time,
	 "-H and -U keep every sample, so their number must be known: use -n, not -D or --run_infinitely",
	 {NULL}},
	{LAT,
	 samples_by_interval,
	 "-H and -U print the samples of the whole run, --report_interval prints figures of its parts: give one of "
	 "them",
	 {NULL}},
	{LAT | FS,
	 samples_without_table,
	 "-H and -U print samples beside the table or in the JSON document: omit --output and CSV",
	 {NULL}},
	{MOVES,
	 limits_of_no_interval,
	 "--limit_intervals compares the rows of --report_interval or --run_infinitely with a limit (-w, -y, "
	 "--max_lat, --max_p99, --max_percentiles): give one of each",
	 {NULL}},
	{IB,
	 repeats_without_end,
	 "--run_infinitely is a single endless measurement: omit --repeat and --until",
	 {NULL}},
	{IB,
	 repeats_in_intervals,
	 "--repeat and --until combine several measurements in one row, --report_interval divides one into several "
	 "rows: give one of them",
	 {"report_interval"}},
	{LAT & ~RAW,
	 samples_of_repeats,
	 "-H and -U print the samples of a single measurement: omit --repeat and --until",
	 {NULL}},
	{IB,
	 repeats_and_until,
	 "--repeat sets the number of measurements, --until the precision: give one of them",
	 {"repeat", "until"}},
	{LAT & ~RAW,
	 until_finer_than_medians,
	 "the histogram of a latency test resolves medians to 0.4 %: --until must be at least 0.4",
	 {"until"}},
	{LAT & ~RAW,
	 repeats_of_load,
	 "--repeat and --until are about the median, --rate is about the tail above it: give one of them",
	 {"rate"}},
	{IB, limits_of_no_until, "--max_repeats and --max_time are limits of --until: give it as well", {NULL}},
	{IB,
	 steady_without_repeats,
	 "--steady selects among several measurements: give --repeat or --until as well",
	 {NULL}},
};

const struct rule_set rules_time = {rows, sizeof(rows) / sizeof(rows[0])};
