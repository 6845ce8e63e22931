// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Options that cannot be combined with several peers at once. See rules.h. A common row is made from what each peer
 * reports at the end of a measurement (session/group/group.c), so figures of a moment, or of one measurement among
 * several, are missing.
 */
#include "params/load.h"
#include "params/masks.h"
#include "params/rules/rules.h"

CONDITION(client_waits_for_clients, params->verbs.num_clients && params->host[0])
CONDITION(gathers_classic, params_gathers(params) && params->channel.dont_xchg_versions)
CONDITION(gathers_by_rdma_cm, (params->verbs.num_clients && params_meet_by_rdma_cm(params)))
CONDITION(gathers_multicast,
	  params->verbs.num_clients && (params->verbs.group.is_used || params->channel.connectionless))
CONDITION(gathers_ping_pongs, params_gathers(params) && params->verbs.group.is_used)
CONDITION(gathers_without_end, params_gathers(params) && (params->test.run_infinitely || params->test.interval_s > 0))
CONDITION(gathers_repeats, params_gathers(params) && params_repeats(params))
CONDITION(gathers_load, params_gathers(params) && params_is_open_loop(params))
CONDITION(gathers_rounds, params_gathers(params) && params->verbs.data_validation)
CONDITION(gathers_samples, params_gathers(params) && (params->report.histogram || params->report.unsorted))
CONDITION(gathers_facts, params_gathers(params) && params->general.explain)
CONDITION(gathers_counters, params_gathers(params) && params->report.counters[0])
CONDITION(gathers_reversed, params_gathers(params) && params->test.reversed)
/* All would begin with the same CPU. */
CONDITION(gathers_threads, params_gathers(params) && params->verbs.num_threads > 1)
CONDITION(gathers_ports, params_gathers(params) && params->verbs.per_port)
/* The next size's, while others still measure the last one. */
CONDITION(gathers_warm_ups, params_gathers(params) && params->verbs.all_sizes && params->rate.warm_up)
CONDITION(limits_of_no_peers, params->limits.peers && !(params_gathers(params) && params_has_limit(params)))

static const struct rule rows[] = {
	{IB, client_waits_for_clients, "--clients is for the server, and a HOST makes this side the client", {NULL}},
	{IB,
	 gathers_classic,
	 "--clients and several HOSTs need this suite on both sides: omit --dont_xchg_versions",
	 {NULL}},
	{IB, gathers_by_rdma_cm, "--clients accepts clients over TCP only: omit -R and -z on both sides", {NULL}},
	{SEND & BW,
	 gathers_multicast,
	 "-g has one sender, and --clients waits for several: start each receiver with -g alone, and name all of them "
	 "on the sender: ib_send_bw -g HOST1,HOST2,...",
	 {NULL}},
	{SEND & LAT,
	 gathers_ping_pongs,
	 "with -g a ping-pong has two sides: omit --clients and name one HOST, or measure several receivers with "
	 "ib_send_bw -g HOST1,HOST2,...",
	 {NULL}},
	{IB,
	 gathers_without_end,
	 "--clients and several HOSTs print one row for the whole run: omit --run_infinitely and --report_interval",
	 {NULL}},
	{IB,
	 limits_of_no_peers,
	 "--limit_peers compares each peer of --clients or of several HOSTs with a limit (-w, -y, --max_lat, "
	 "--max_p99, "
	 "--max_percentiles): give both",
	 {NULL}},
	{IB,
	 gathers_repeats,
	 "--clients and several HOSTs print the row of a single measurement: omit --repeat and --until",
	 {NULL}},
	{LAT & ~RAW,
	 gathers_load,
	 "--rate works with a single pair: omit it, or omit --clients and name one HOST",
	 {"rate"}},
	{IB,
	 gathers_rounds,
	 "--data_validation runs each pair in rounds of its own, not all pairs at once: omit --clients, or name one "
	 "HOST",
	 {NULL}},
	{LAT & ~RAW,
	 gathers_samples,
	 "--clients and several HOSTs merge histograms, which hold no single samples: give -H and -U to the other "
	 "sides",
	 {NULL}},
	{IB, gathers_facts, "--explain looks at one pair: omit --clients, or name one HOST", {NULL}},
	{IB,
	 gathers_counters,
	 "-W counts on one device, but each pair has its own: omit --clients, or name one HOST",
	 {NULL}},
	{IB,
	 gathers_reversed,
	 "--reversed swaps the roles of --clients and of several HOSTs: start the other side with them instead",
	 {NULL}},
	{IB, gathers_threads, "--clients and several HOSTs use one process for each pair: omit --threads", {"threads"}},
	{BW & IB,
	 gathers_warm_ups,
	 "with several sizes, the warm-up of one pair would disturb what other pairs measure: omit -a, --sizes or "
	 "--perform_warm_up",
	 {NULL}},
	{BW & IB,
	 gathers_ports,
	 "--report-per-port works with a single pair: omit it, or omit --clients and name one HOST",
	 {"report-per-port"}},
};

const struct rule_set rules_clients = {rows, sizeof(rows) / sizeof(rows[0])};
