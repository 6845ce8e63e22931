// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of time, repetition, rates and loads that cannot be combined. See rules.h. */
#include "params/masks.h"
#include "params/perftest_parameters.h"
#include "params/rules/rules.h"

#define MEDIAN_PERCENT 0.4 /* half a histogram bucket, of a median that has 128 clock cycles or more */

void rules_time(struct rules *rules, const struct params *params)
{
	const struct params_test *test = &params->test;
	const struct report_config *report = &params->report;
	const struct series_plan *repeat = &params->repeat;
	const bool prints_samples = report->histogram || report->unsorted;

	rule_add(rules, MOVES & ~ATOMIC, params->asked.duration_s && params->verbs.all_sizes, "duration",
		 "-D measures a single message size, so it cannot be combined with -a or --sizes");
	rule_add(rules, MOVES,
		 test->duration_s && !test->run_infinitely && test->duration_s <= 2 * (uint64_t)test->margin_s,
		 "duration margin", "the two margins (-f) leave no time to measure: -D must be more than twice -f");
	rule_add(rules, MOVES & ~ATOMIC, test->run_infinitely && params->verbs.all_sizes, "",
		 "--run_infinitely measures a single message size, so it cannot be combined with -a or --sizes");
	rule_add(rules, BW & RECEIVES,
		 test->run_infinitely && params->spec.bidirectional && params_has_arrivals(params), "",
		 "--run_infinitely cannot be combined with -b where messages consume receives; run a test for each "
		 "direction");
	rule_add(rules, LAT | FS, params_by_time(params) && prints_samples, "",
		 "-H and -U keep every sample, so their number must be known: use -n, not -D or --run_infinitely");
	rule_add(rules, LAT, test->interval_s > 0 && prints_samples, "",
		 "-H and -U print the samples of the whole run, --report_interval prints figures of its parts: give "
		 "one of them");
	rule_add(rules, LAT | FS, (report->output != OUTPUT_ALL || report->format == FORMAT_CSV) && prints_samples, "",
		 "-H and -U print samples beside the table or in the JSON document: omit --output and CSV");
	/* A server's client may ask for the rows. */
	rule_add(rules, MOVES,
		 params->limits.intervals &&
			 (!params_has_limit(params) ||
			  (params_is_client(params) && !test->run_infinitely && !(test->interval_s > 0))),
		 "",
		 "--limit_intervals compares the rows of --report_interval or --run_infinitely with a limit (-w, -y, "
		 "--max_lat, --max_p99, --max_percentiles): give one of each");
	rule_add(rules, BW & ~RAW, params->limits.intervals && params->spec.bidirectional, "",
		 "with -b a row of an interval is of one direction, and a limit is of both: omit --limit_intervals, or "
		 "test each direction");
	rule_add(rules, MOVES, test->run_infinitely && params_repeats(params), "",
		 "--run_infinitely is a single endless measurement: omit --repeat and --until");
	rule_add(rules, MOVES, test->interval_s > 0 && params_repeats(params), "report_interval",
		 COMMON_REPEAT_OR_INTERVALS);
	rule_add(rules, LAT, params_repeats(params) && prints_samples, "",
		 "-H and -U print the samples of a single measurement: omit --repeat and --until");
	rule_add(rules, MOVES, repeat->count > 1 && repeat->until_percent > 0, "repeat until", COMMON_REPEAT_OR_UNTIL);
	rule_add(rules, LAT, repeat->until_percent > 0 && repeat->until_percent < MEDIAN_PERCENT, "until",
		 "the histogram of a latency test resolves medians to 0.4 % at best: --until must be at least 0.4");
	rule_add(rules, LAT & ~RAW, params_repeats(params) && params_is_open_loop(params), "rate",
		 "--repeat and --until are about the median, --rate is about the tail above it: give one of them");
	rule_add(rules, MOVES,
		 !(repeat->until_percent > 0) &&
			 (params_given(params, "max_repeats") || params_given(params, "max_time")),
		 "", COMMON_LIMITS_OF_UNTIL);
	rule_add(rules, MOVES, repeat->steady && !params_repeats(params), "", COMMON_STEADY_OF_ONE);
}

void rules_rate(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct params_rate *rate = &params->rate;
	const enum rate_limit_type type = params->asked.rate_limit_type;
	const struct traffic traffic = params_traffic(params, SIDE_CLIENT);
	const bool open_loop = params_is_open_loop(params);

	rule_add(rules, BW, !(rate->limit > 0) && rate->burst_size, "",
		 "--burst_size belongs to a rate limit: give --rate_limit");
	rule_add(
		rules, BW, (type == RATE_LIMIT_HW || type == RATE_LIMIT_PP) && rate->units == RATE_UNITS_PACKETS, "",
		"a device limits bits, not packets: --rate_limit_type=HW or PP cannot be combined with --rate_units=p");
	/* A static rate is an attribute of the path; whether the device applies that of an address handle is unknown.
	 */
	rule_add(rules, BW & ~RAW, rate->limit > 0 && type == RATE_LIMIT_HW && traffic.transport->by_handle, "",
		 "--rate_limit_type=HW limits connections, but with -g, -c UD, DC and SRD each message has its own "
		 "destination: use SW");
	rule_add(rules, BW & RECEIVES, rate->typical_size && (type != RATE_LIMIT_PP || !(rate->limit > 0)),
		 "typical_pkt_size",
		 "--typical_pkt_size is for packet pacing: give --rate_limit and --rate_limit_type=PP");
	rule_add(rules, BW & RECEIVES,
		 params_message_limit(params, verbs->size) > 0 && params->spec.bidirectional && traffic.arrivals,
		 "rate_limit",
		 "--rate_limit in software cannot be combined with -b if messages consume receives: let the device "
		 "limit the rate (--rate_limit_type), or omit -b");
	rule_add(rules, LAT & ~RAW, !open_loop && rate->poisson, "",
		 "--arrival is for the schedule of --rate: give --rate");
	rule_add(rules, LAT & ~RAW & ~ATOMIC, open_loop && verbs->all_sizes, "rate",
		 "--rate works with one message size, since a rate that is light for small messages is too high for "
		 "large ones: omit -a or --sizes");
	rule_add(rules, LAT & ~RAW, open_loop && rate->latency_gap_us, "rate latency_gap",
		 "--rate has its own schedule, so it cannot be combined with --latency_gap");
	rule_add(rules, LAT & ~RAW, open_loop && verbs->events, "rate",
		 "--rate cannot be combined with -e: a side that sleeps until a completion comes would miss the time "
		 "of the next message");
	rule_add(rules, LAT & ~RAW, open_loop && verbs->data_validation, "rate",
		 "--data_validation runs in rounds, which cannot keep a schedule: omit --rate");
	rule_add(rules, LAT & WRITE, open_loop && !transport_counts(traffic.transport) && traffic.polls_memory, "rate",
		 "a plain RDMA WRITE that is lost or overtaken cannot be detected: give --write_with_imm with --rate "
		 "and -c UC or -c SRD");
	rule_add(rules, LAT & WRITE,
		 open_loop && traffic.polls_memory &&
			 (verbs->size > 1U << 30 || verbs->tx_depth > params_open_slots(params)),
		 "tx-depth size",
		 "with --rate each plain RDMA WRITE in flight needs its own slot, of which there are at most 256, with "
		 "16 MiB in total: lower -t or -s");
	rule_add(rules, LAT & TWO_WAY, open_loop && traffic.arrivals && verbs->rx_depth < verbs->tx_depth,
		 "rx-depth tx-depth", "with --rate -r must be at least -t, or a message would find no receive posted");
	rule_add(rules, LAT & ~RAW, params->test.run_infinitely && params->report.load_steps, "rate",
		 "--run_infinitely would never get beyond the first load: give --rate a single one");
}
