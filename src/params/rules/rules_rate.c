// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of rates and loads that cannot be combined. See rules.h. */
#include "params/engine/checks.h"
#include "params/load.h"
#include "params/masks.h"
#include "params/rules/rules.h"

/* --- rate limit --- */

CONDITION(rate_detail_without_rate, !(params->rate.limit > 0) && params->rate.burst_size)
CONDITION(rate_by_hardware_in_packets,
	  (params->asked.rate_limit_type == RATE_LIMIT_HW || params->asked.rate_limit_type == RATE_LIMIT_PP) &&
		  params->rate.units == RATE_UNITS_PACKETS)
/* A static rate is an attribute of the path; nothing tells whether the device applies that of an address handle. */
CONDITION(rate_by_hardware_of_handles, params->rate.limit > 0 && params->asked.rate_limit_type == RATE_LIMIT_HW &&
					       transport_traits(params->verbs.transport)->by_handle)
CONDITION(typical_size_without_pacing,
	  params->rate.typical_size && (params->asked.rate_limit_type != RATE_LIMIT_PP || !(params->rate.limit > 0)))
CONDITION(rate_of_both_ways, params_message_limit(params, params->verbs.size) > 0 && params->spec.bidirectional &&
				     params_has_arrivals(params))

/* --- open loop --- */

CONDITION(arrival_of_closed_loop, !params_is_open_loop(params) && params->rate.poisson)
CONDITION(open_loop_of_sweep, params_is_open_loop(params) && params->verbs.all_sizes)
CONDITION(open_loop_with_gap, params_is_open_loop(params) && params->rate.latency_gap_us)
CONDITION(open_loop_with_events, params_is_open_loop(params) && params->verbs.events)
CONDITION(open_loop_validated, params_is_open_loop(params) && params->verbs.data_validation)
CONDITION(open_loop_of_lost_writes, params_is_open_loop(params) &&
					    !transport_counts(transport_traits(params->verbs.transport)) &&
					    params_traffic(params, SIDE_CLIENT).polls_memory)
CONDITION(open_loop_above_slots,
	  params_is_open_loop(params) && params_traffic(params, SIDE_CLIENT).polls_memory &&
		  (params->verbs.size > 1U << 30 || params->verbs.tx_depth > params_open_slots(params)))
CONDITION(open_loop_above_receives,
	  params_is_open_loop(params) && params_has_arrivals(params) && params->verbs.rx_depth < params->verbs.tx_depth)

static bool shares_without_end(const struct params *params)
{
	struct load load;

	return params->test.run_infinitely && params_is_open_loop(params) &&
	       !load_parse(params->rate.open_rate, &load) && load_is_shares(&load);
}

static const struct rule rows[] = {
	{BW, rate_detail_without_rate, "--burst_size belongs to a rate limit: give --rate_limit", {NULL}},
	{BW,
	 rate_by_hardware_in_packets,
	 "a device limits bits, not packets: --rate_limit_type=HW or PP cannot be combined with --rate_units=p",
	 {NULL}},
	{BW & ~RAW,
	 rate_by_hardware_of_handles,
	 "--rate_limit_type=HW limits connections, but with -g, -c UD, DC and SRD each message has its own "
	 "destination: use SW",
	 {NULL}},
	{BW & RECEIVES,
	 typical_size_without_pacing,
	 "--typical_pkt_size is for packet pacing: give --rate_limit and --rate_limit_type=PP",
	 {"typical_pkt_size"}},
	{BW & RECEIVES,
	 rate_of_both_ways,
	 "--rate_limit in software cannot be combined with -b if messages consume receives: let the "
	 "device limit the rate (--rate_limit_type), or omit -b",
	 {"rate_limit"}},
	{LAT & ~RAW, arrival_of_closed_loop, "--arrival is for the schedule of --rate: give --rate", {NULL}},
	{LAT & ~RAW & ~ATOMIC,
	 open_loop_of_sweep,
	 "--rate works with one message size, since a rate that is light for small messages is too high for large "
	 "ones: omit -a or --sizes",
	 {"rate"}},
	{LAT & ~RAW,
	 open_loop_with_gap,
	 "--rate has its own schedule, so it cannot be combined with --latency_gap",
	 {"rate", "latency_gap"}},
	{LAT & ~RAW,
	 open_loop_with_events,
	 "--rate cannot be combined with -e: a side that sleeps until a completion comes would miss the time of the "
	 "next message",
	 {"rate"}},
	{LAT & ~RAW,
	 open_loop_validated,
	 "--data_validation runs in rounds, which cannot keep a schedule: omit --rate",
	 {"rate"}},
	{LAT & WRITE,
	 open_loop_of_lost_writes,
	 "a plain RDMA WRITE that is lost or overtaken cannot be detected: give --write_with_imm with --rate and -c UC "
	 "or -c SRD",
	 {"rate"}},
	{LAT & WRITE,
	 open_loop_above_slots,
	 "with --rate each plain RDMA WRITE in flight needs its own slot, of which there are at most 256, with 16 MiB "
	 "in total: lower -t or -s",
	 {"tx-depth", "size"}},
	{LAT & TWO_WAY,
	 open_loop_above_receives,
	 "with --rate -r must be at least -t, or a message would find no receive posted",
	 {"rx-depth", "tx-depth"}},
	{LAT & ~RAW,
	 shares_without_end,
	 "--run_infinitely would never get beyond the first load: give --rate a single one",
	 {"rate"}},
};

const struct rule_set rules_rate = {rows, sizeof(rows) / sizeof(rows[0])};
