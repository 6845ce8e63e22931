// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Options that cannot be combined with several peers at once. See rules.h. A common row is made from what each peer
 * reports at the end of a measurement (session/group/group.c), so figures of a moment, or of one measurement among
 * several, are missing.
 */
#include "params/load.h"
#include "params/masks.h"
#include "params/rules/rules.h"

void rules_clients(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct params_test *test = &params->test;
	const struct report_config *report = &params->report;
	const bool gathers = params_gathers(params);

	rule_add(rules, IB, verbs->num_clients && params->host[0], "",
		 "--clients is for the server, and a HOST makes this side the client");
	rule_add(rules, IB, gathers && params->channel.dont_xchg_versions, "",
		 "--clients and several HOSTs need this suite on both sides: omit --dont_xchg_versions");
	rule_add(rules, IB, verbs->num_clients && params_meet_by_rdma_cm(params), "",
		 "--clients accepts clients over TCP only: omit -R and -z on both sides");
	rule_add(rules, SEND & BW, verbs->num_clients && (verbs->group.is_used || params->channel.connectionless), "",
		 "-g has one sender, and --clients waits for several: start each receiver with -g alone, and name all "
		 "of them on the sender: ib_send_bw -g HOST1,HOST2,...");
	rule_add(rules, SEND & LAT, gathers && verbs->group.is_used, "",
		 "with -g a ping-pong has two sides: omit --clients and name one HOST, or measure several receivers "
		 "with ib_send_bw -g HOST1,HOST2,...");
	rule_add(rules, IB, gathers && (test->run_infinitely || test->interval_s > 0), "",
		 "--clients and several HOSTs print one row for the whole run: omit --run_infinitely and "
		 "--report_interval");
	rule_add(rules, IB, params->limits.peers && !(gathers && params_has_limit(params)), "",
		 "--limit_peers compares each peer of --clients or of several HOSTs with a limit (-w, -y, --max_lat, "
		 "--max_p99, --max_percentiles): give both");
	rule_add(rules, IB, gathers && params_repeats(params), "",
		 "--clients and several HOSTs print the row of a single measurement: omit --repeat and --until");
	rule_add(rules, LAT & ~RAW, gathers && params_is_open_loop(params), "rate",
		 "--rate works with a single pair: omit it, or omit --clients and name one HOST");
	rule_add(rules, IB, gathers && verbs->data_validation, "",
		 "--data_validation runs each pair in rounds of its own, not all pairs at once: omit --clients, or "
		 "name one HOST");
	rule_add(rules, LAT & ~RAW, gathers && (report->histogram || report->unsorted), "",
		 "--clients and several HOSTs merge histograms, which hold no single samples: give -H and -U to the "
		 "other sides");
	rule_add(rules, IB, gathers && params->general.explain, "",
		 "--explain looks at one pair: omit --clients, or name one HOST");
	rule_add(rules, IB, gathers && report->counters[0], "",
		 "-W counts on one device, but each pair has its own: omit --clients, or name one HOST");
	rule_add(
		rules, IB, gathers && test->reversed, "",
		"--reversed swaps the roles of --clients and of several HOSTs: start the other side with them instead");
	/* All would begin with the same CPU. */
	rule_add(rules, IB, gathers && verbs->num_threads > 1, "threads",
		 "--clients and several HOSTs use one process for each pair: omit --threads");
	/* The next size's, while others still measure the last one. */
	rule_add(rules, BW & IB, gathers && verbs->all_sizes && params->rate.warm_up, "",
		 "with several sizes, the warm-up of one pair would disturb what other pairs measure: omit -a, --sizes "
		 "or --perform_warm_up");
	rule_add(rules, BW & IB, gathers && verbs->per_port, "report-per-port",
		 "--report-per-port works with a single pair: omit it, or omit --clients and name one HOST");
}
