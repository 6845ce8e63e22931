// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which options do not go together? One row a rule: the test and its sentence. A rule about one
 * option alone (its range, its form, which programs have it) belongs to its row in options.c.
 *
 * Not rules here although the classic suite has them: --cpu_util works without -D, and -f without
 * -D has nothing to check.
 */
#include "params/rules.h"

#include <stdio.h>
#include <string.h>

#include "params/checks.h"
#include "params/masks.h"
#include "params/options.h"
#include "params/programs.h"

static bool has_arrivals(const struct params *params)
{
	return params_traffic(params, SIDE_CLIENT).arrivals;
}

/* --- by time --- */

static bool duration_of_sweep(const struct params *params)
{
	return params->asked.duration_s && params->test.all_sizes;
}

static bool duration_with_events(const struct params *params)
{
	return params->asked.duration_s && params->queues.events;
}

static bool duration_below_margins(const struct params *params)
{
	return params->test.duration_s && !params->test.run_infinitely &&
	       params->test.duration_s <= 2 * (uint64_t)params->test.margin_s;
}

static bool infinite_sweep(const struct params *params)
{
	return params->test.run_infinitely && params->test.all_sizes;
}

static bool infinite_with_events(const struct params *params)
{
	return params->test.run_infinitely && params->queues.events;
}

static bool infinite_both_ways(const struct params *params)
{
	return params->test.run_infinitely && params->test.bidirectional && has_arrivals(params);
}

static bool infinite_with_rate(const struct params *params)
{
	return params->test.run_infinitely && params->rate.limit > 0;
}

static bool samples_by_time(const struct params *params)
{
	return params_by_time(params) && (params->report.histogram || params->report.unsorted);
}

static bool samples_by_interval(const struct params *params)
{
	return params->report.interval_s > 0 && (params->report.histogram || params->report.unsorted);
}

static bool samples_without_table(const struct params *params)
{
	return (params->report.output != OUTPUT_ALL || params->report.output_format == FORMAT_CSV) &&
	       (params->report.histogram || params->report.unsorted);
}

/* --- queues --- */

static bool post_list_above_depth(const struct params *params)
{
	return params->queues.post_list > params->queues.tx_depth;
}

static bool post_list_leaves_rest(const struct params *params)
{
	return !params_by_time(params) && params->test.iters % params->queues.post_list;
}

static bool post_list_against_cq_mod(const struct params *params)
{
	return params->queues.post_list > 1 && params->queues.post_list % params->queues.cq_mod;
}

static bool recv_post_list_above_depth(const struct params *params)
{
	return has_arrivals(params) && params->queues.recv_post_list > params->queues.rx_depth;
}

static bool recv_post_list_leaves_rest(const struct params *params)
{
	return has_arrivals(params) && !params_by_time(params) && params->test.iters % params->queues.recv_post_list;
}

static bool srq_without_receives(const struct params *params)
{
	return params->queues.use_srq && !params_traffic(params, SIDE_CLIENT).arrivals;
}

/* Every queue pair has a message on its way; with fewer receives some would always be refused. */
static bool srq_below_queue_pairs(const struct params *params)
{
	return params_shares_receives(params) && params_traffic(params, SIDE_CLIENT).arrivals &&
	       params->queues.rx_depth < params->queues.num_qps;
}

static bool srq_of_many_regions(const struct params *params)
{
	return params_shares_receives(params) && params_traffic(params, SIDE_CLIENT).arrivals &&
	       params->memory.mr_per_qp && params->test.data_validation;
}

static bool events_of_plain_write(const struct params *params)
{
	return params->queues.events && !params->test.with_imm;
}

static bool vector_without_events(const struct params *params)
{
	return params_given(params, "vector") && !params->queues.events;
}

static bool warm_up_of_arrivals(const struct params *params)
{
	return params->rate.warm_up && params->test.with_imm;
}

/* --- validation --- */

static bool validation_without_end(const struct params *params)
{
	return params->test.data_validation && params->test.run_infinitely;
}

static bool validation_of_payload(const struct params *params)
{
	return params->test.data_validation && params->memory.payload_file_path[0];
}

static bool validation_in_intervals(const struct params *params)
{
	return params->test.data_validation && params->report.interval_s > 0;
}

/* --- rate limit --- */

static bool rate_detail_without_rate(const struct params *params)
{
	return !(params->rate.limit > 0) && params->rate.burst_size;
}

static bool rate_by_hardware_in_packets(const struct params *params)
{
	return params->asked.rate_limit_type == RATE_LIMIT_HW && params->rate.units == RATE_UNITS_PACKETS;
}

static bool rate_of_both_ways(const struct params *params)
{
	return params->rate.limit > 0 && params->test.bidirectional && has_arrivals(params);
}

/* --- rdma_cm --- */

static bool rdma_cm_of_transport(const struct params *params)
{
	return params->device.rdma_cm && !transport_traits(params->device.transport)->rdma_cm;
}

static bool rdma_cm_with_hardware_rate(const struct params *params)
{
	return params->device.rdma_cm && params->asked.rate_limit_type == RATE_LIMIT_HW;
}

static bool tos_without_rdma_cm(const struct params *params)
{
	return params->device.tos != PARAMS_AUTO && !params->device.rdma_cm;
}

/* --- output --- */

static bool figure_in_a_format(const struct params *params)
{
	return params->report.output != OUTPUT_ALL && params->report.output_format != FORMAT_TEXT;
}

/* --- one host --- */

static bool client_keeps_serving(const struct params *params)
{
	return params->channel.keep_serving && params->host[0];
}

static bool client_lends_memory(const struct params *params)
{
	return params->channel.max_memory && params->host[0];
}

static bool client_bounds_duration(const struct params *params)
{
	return params->channel.max_duration_s && params->host[0];
}

static bool doctor_of_another_host(const struct params *params)
{
	return params->general.doctor && params->host[0];
}

static bool doctor_as_rows(const struct params *params)
{
	return params->general.doctor &&
	       (params->report.output != OUTPUT_ALL || params->report.output_format == FORMAT_CSV);
}

static bool ipv4_source_over_ipv6(const struct params *params)
{
	return params->channel.ipv6_addr && params->channel.bind_source_ip[0] &&
	       !ip_address_is_v6(params->channel.bind_source_ip);
}

static bool pinned_twice(const struct params *params)
{
	return params->memory.pin_cores[0] && params->memory.numa_node != PARAMS_AUTO;
}

static bool numa_off_and_chosen(const struct params *params)
{
	return params->memory.disable_numa && params->memory.numa_node != PARAMS_AUTO;
}

/* --- raw Ethernet --- */

static bool frames_to_host(const struct params *params)
{
	return params->host[0];
}

static bool no_role(const struct params *params)
{
	return params->ethernet.client == params->ethernet.server && !params->general.doctor;
}

/* There is one side; scripts that name it go on working. */
static bool two_roles(const struct params *params)
{
	return params->ethernet.client && params->ethernet.server;
}

static bool no_own_mac(const struct params *params)
{
	return !params->ethernet.source_mac[0] && !params->general.doctor;
}

/* Who sends must know to whom; a group has an address of its own. */
static bool no_peer_mac(const struct params *params)
{
	return params_traffic(params, params_is_client(params) ? SIDE_CLIENT : SIDE_SERVER).posts &&
	       !params->ethernet.dest_mac[0] && !params->ethernet.mcast && !params->general.doctor;
}

static bool names_mixed(const struct params *params)
{
	const struct params_ethernet *ethernet = &params->ethernet;
	const bool by_role =
		ethernet->dest_ip[0] || ethernet->source_ip[0] || ethernet->dest_port || ethernet->source_port;
	const bool by_side =
		ethernet->local_ip[0] || ethernet->remote_ip[0] || ethernet->local_port || ethernet->remote_port;

	return by_role && by_side;
}

static bool address_of_other_family(const struct params *params)
{
	const char *const texts[] = {params_local_ip(params), params_remote_ip(params)};

	for (unsigned i = 0; i < 2; i++)
		if (texts[i][0] && (ip_address_is_v6(texts[i]) != params->ethernet.ipv6 || strchr(texts[i], '%')))
			return true;
	return false;
}

static bool one_port(const struct params *params)
{
	return !params_local_port(params) != !params_remote_port(params);
}

static bool ports_without_addresses(const struct params *params)
{
	return params_local_port(params) && !params_has_ip(params);
}

static bool tcp_without_ports(const struct params *params)
{
	return params->ethernet.tcp && !params_local_port(params);
}

static bool ipv6_without_addresses(const struct params *params)
{
	return params->ethernet.ipv6 && !params_has_ip(params);
}

static bool flows_without_ports(const struct params *params)
{
	return params->ethernet.flows > 1 && !params_local_port(params);
}

static bool flows_above_ports(const struct params *params)
{
	const uint64_t ports = (uint64_t)params->ethernet.flows * params->queues.num_qps;
	const uint32_t highest = params_local_port(params) > params_remote_port(params) ? params_local_port(params)
											: params_remote_port(params);

	return highest && highest + ports - 1 > UINT16_MAX;
}

static bool flows_both_ways(const struct params *params)
{
	return params->ethernet.flows > 1 && params->test.bidirectional;
}

static bool burst_of_one_flow(const struct params *params)
{
	return params->ethernet.flows_burst > 1 && params->ethernet.flows == 1;
}

static bool flows_above_iterations(const struct params *params)
{
	return !params_by_time(params) && params->ethernet.flows > 1 &&
	       (uint64_t)params->ethernet.flows * params->ethernet.flows_burst > params->test.iters;
}

/* Each frame of a turn has a slot: in steps of 64 KiB, the longest frame there is, these are 2 GiB for a queue pair. */
static bool flows_above_slots(const struct params *params)
{
	return (uint64_t)params->ethernet.flows * params->ethernet.flows_burst > 32768;
}

/* The requests of a list keep their frames. */
static bool list_cuts_flows(const struct params *params)
{
	const uint64_t turn = (uint64_t)params->ethernet.flows * params->ethernet.flows_burst;

	return params->ethernet.flows > 1 && params->queues.post_list > 1 && params->queues.post_list % turn;
}

static bool group_both_ways(const struct params *params)
{
	return params->ethernet.mcast && params->test.bidirectional;
}

/* The group is an address of the server's, so that all that are given say the same. */
static bool no_group(const struct params *params)
{
	const char *text = params_is_client(params) ? params_remote_ip(params) : params_local_ip(params);

	return params->ethernet.mcast && (params->ethernet.ipv6 || !ip_address_is_group(text));
}

const struct rule rules[] = {
	{RAW & ~FS,
	 frames_to_host,
	 "frames go to MAC addresses, not to a HOST: give --client or --server, and -B and -E",
	 {NULL}},
	{FS, frames_to_host, "steering rules are made without another side: leave HOST out", {NULL}},
	{RAW & ~FS, no_role, "give --client (-P) on the one side and --server (-Z) on the other", {NULL}},
	{FS, two_roles, "give --client (-P) or --server (-Z), not both: there is one side", {NULL}},
	{RAW, no_own_mac, "give the MAC address of this side's port with -B (--source_mac)", {NULL}},
	{RAW & ~FS, no_peer_mac, "give the MAC address that frames go to with -E (--dest_mac)", {NULL}},
	{RAW,
	 names_mixed,
	 "addresses and ports are those of client and server (-J, -j, -K, -k) or of this side and the other "
	 "(--local_ip, "
	 "--remote_ip, --local_port, --remote_port), not some of both",
	 {NULL}},
	{RAW,
	 address_of_other_family,
	 "IP addresses are of IPv4, or with --raw_ipv6 of IPv6, and have no scope",
	 {NULL}},
	{RAW, one_port, "there are two ports: give -K and -k, or neither", {NULL}},
	{RAW, ports_without_addresses, "ports stand behind an IP header: give -J and -j as well", {NULL}},
	{RAW, tcp_without_ports, "--tcp needs ports: give -K and -k as well", {NULL}},
	{RAW, ipv6_without_addresses, "--raw_ipv6 needs addresses: give -J and -j as well", {NULL}},
	{RAW & BW, flows_without_ports, "--flows differ in their ports: give -K and -k as well", {"flows"}},
	{RAW & BW,
	 flows_above_ports,
	 "there are ports up to 65535, and each flow of each queue pair has the next ones: lower --flows, -q or the "
	 "ports",
	 {"flows", "qp"}},
	{RAW & BW, flows_both_ways, "--flows go one way: leave -b out", {"flows"}},
	{RAW & BW, burst_of_one_flow, "--flows_burst is for several --flows", {"flows_burst"}},
	{RAW & BW,
	 flows_above_slots,
	 "--flows times --flows_burst is 32768 at most: each of these frames has a slot of its own",
	 {"flows", "flows_burst"}},
	{RAW & BW,
	 flows_above_iterations,
	 "-n must be at least --flows times --flows_burst, or some flows would have no frame",
	 {"flows", "flows_burst", "iters"}},
	{RAW & BW,
	 list_cuts_flows,
	 "a list (-l) has the same frames each time: make it a multiple of --flows times --flows_burst",
	 {"post_list", "flows", "flows_burst"}},
	{RAW & BW, group_both_ways, "--raw_mcast goes one way: leave -b out", {NULL}},
	{RAW & BW,
	 no_group,
	 "--raw_mcast needs an IPv4 group, 224.0.0.0 to 239.255.255.255, as the server's address (-J)",
	 {NULL}},

	{IB & ~ATOMIC,
	 duration_of_sweep,
	 "-D measures one message size for some time, so that it cannot be combined with -a",
	 {"duration"}},
	{MOVES, duration_with_events, "-D cannot be combined with -e, which is for a number of messages", {"duration"}},
	{MOVES,
	 duration_below_margins,
	 "the two margins (-f) leave nothing of the duration: -D must be more than twice -f",
	 {"duration", "margin"}},
	{IB & ~ATOMIC,
	 infinite_sweep,
	 "--run_infinitely stays with one message size, so that it cannot be combined with -a",
	 {NULL}},
	{MOVES,
	 infinite_with_events,
	 "--run_infinitely cannot be combined with -e, which is for a number of messages",
	 {NULL}},
	{BW & RECEIVES,
	 infinite_both_ways,
	 "--run_infinitely cannot be combined with -b where messages consume receives; run a test for each direction",
	 {NULL}},
	{BW & ~ATOMIC,
	 infinite_with_rate,
	 "--run_infinitely cannot be combined with --rate_limit; use -D",
	 {"rate_limit"}},
	{LAT | FS,
	 samples_by_time,
	 "-H and -U keep every sample and so need a known number of them: use -n, not -D or --run_infinitely",
	 {NULL}},
	{LAT,
	 samples_by_interval,
	 "-H and -U print the samples of a whole run, --report_interval figures of its parts: give one of them",
	 {NULL}},
	{LAT | FS,
	 samples_without_table,
	 "-H and -U print samples beside the table, or in the JSON document: give no --output, and no CSV",
	 {NULL}},

	{BW, post_list_leaves_rest, "-l must divide -n, or the last list would not be full", {"post_list", "iters"}},
	{BW,
	 post_list_above_depth,
	 "-l must not be above -t, or a list could never be posted",
	 {"post_list", "tx-depth"}},
	{BW,
	 post_list_against_cq_mod,
	 "-l must be a multiple of -Q, so that each list ends with a completion",
	 {"post_list", "cq-mod"}},
	{BW & RECEIVES,
	 recv_post_list_leaves_rest,
	 "--recv_post_list must divide -n, or the last list would not be full",
	 {"recv_post_list", "iters"}},
	{BW & RECEIVES,
	 recv_post_list_above_depth,
	 "--recv_post_list must not be above -r, or a list could never be posted",
	 {"recv_post_list", "rx-depth"}},
	{TWO_WAY,
	 srq_without_receives,
	 "--use-srq needs receives: a plain RDMA WRITE consumes none, --write_with_imm does",
	 {"use-srq"}},
	{TWO_WAY,
	 srq_below_queue_pairs,
	 "-r must not be below -q with --use-srq and -c XRC: all queue pairs share these receives",
	 {"rx-depth", "qp", "use-srq"}},
	{TWO_WAY,
	 srq_of_many_regions,
	 "--data_validation looks through the receives of --use-srq and -c XRC in one memory region: leave --mr_per_qp "
	 "out",
	 {"mr_per_qp"}},
	{WRITE,
	 events_of_plain_write,
	 "-e needs completions to wait for on both sides: a plain RDMA WRITE makes none at the server, "
	 "--write_with_imm does",
	 {NULL}},
	{MOVES, vector_without_events, "-X chooses where events are delivered, so that it needs -e", {"vector"}},
	{BW & WRITE,
	 warm_up_of_arrivals,
	 "--perform_warm_up would be counted by the other side as the test itself where messages consume receives",
	 {NULL}},

	{IB,
	 validation_without_end,
	 "--data_validation checks in rounds and so has no rows by time: use -D, not --run_infinitely",
	 {NULL}},
	{IB,
	 validation_of_payload,
	 "--data_validation sends its own pattern, --payload_file_path the bytes of a file: give one of them",
	 {"payload_file_path"}},
	{IB,
	 validation_in_intervals,
	 "--data_validation checks in rounds, so that the rows of --report_interval would mean nothing",
	 {"report_interval"}},

	{BW & ~ATOMIC, rate_detail_without_rate, "--burst_size is of a rate limit: give --rate_limit", {NULL}},
	{BW & ~ATOMIC & ~RAW,
	 rate_by_hardware_in_packets,
	 "a device limits bits, not packets: --rate_limit_type=HW cannot be combined with --rate_units=p",
	 {NULL}},
	{BW & RECEIVES,
	 rate_of_both_ways,
	 "--rate_limit cannot be combined with -b where messages consume receives",
	 {"rate_limit"}},

	{IB,
	 rdma_cm_of_transport,
	 "rdma_cm connects RC and UD queue pairs: -R cannot be combined with another -c",
	 {NULL}},
	{BW & ~ATOMIC & ~RAW,
	 rdma_cm_with_hardware_rate,
	 "rdma_cm chooses the address handles, whose rate --rate_limit_type=HW sets: give SW with -R",
	 {NULL}},
	{IB,
	 tos_without_rdma_cm,
	 "--tos is for queue pairs that rdma_cm connects: give -R as well, or --tclass for the others",
	 {"tos"}},

	{ALL,
	 figure_in_a_format,
	 "--output prints a bare number, so that it cannot be combined with --output_format",
	 {"output", "output_format"}},

	{IB, client_keeps_serving, "--keep_serving is for the server, and a HOST makes this side the client", {NULL}},
	{IB, client_lends_memory, "--max_memory is for the server, and a HOST makes this side the client", {NULL}},
	{IB, client_bounds_duration, "--max_duration is for the server, and a HOST makes this side the client", {NULL}},
	{IB, doctor_of_another_host, "--doctor looks at this host alone: leave HOST out, and run it there too", {NULL}},
	{ALL,
	 doctor_as_rows,
	 "--doctor has a page and a JSON document, no figure and no CSV",
	 {"output", "output_format"}},
	{IB, ipv4_source_over_ipv6, "--ipv6-addr needs an IPv6 address in --bind_source_ip", {"bind_source_ip"}},
	{ALL,
	 pinned_twice,
	 "--pin_cores and --numa_node both choose the CPUs: give one of them",
	 {"pin_cores", "numa_node"}},
	{ALL,
	 numa_off_and_chosen,
	 "--disable_numa leaves CPUs and memory to the kernel, --numa_node does not",
	 {"numa_node"}},
};

const size_t num_rules = sizeof(rules) / sizeof(rules[0]);

const struct rule *rules_check(const struct params *params)
{
	for (size_t i = 0; i < num_rules; i++)
		if (rules[i].programs & program_bit(params->program) && rules[i].broken(params))
			return &rules[i];
	return NULL;
}

const char *rule_text(const struct rule *rule, const struct params *params, char *buffer, size_t size)
{
	size_t used = (size_t)snprintf(buffer, size, "%s", rule->sentence);

	for (unsigned i = 0; i < RULE_MAX_OPTIONS && rule->options[i] && used < size; i++) {
		const struct opt_row *row = opt_find(&params_options, rule->options[i]);
		char value[OPT_TEXT_SIZE];

		opt_value_write(row, params, false /* as used */, value, sizeof(value));
		used += (size_t)snprintf(buffer + used, size - used, "%s--%s %s", i ? ", " : " (", row->long_name,
					 value);
	}
	if (rule->options[0] && used < size)
		snprintf(buffer + used, size - used, ")");
	return buffer;
}

/* --- accepted without effect --- */

static bool size_of_sweep(const struct params *params)
{
	return params->test.all_sizes && params_given(params, "size");
}

static bool iters_by_time(const struct params *params)
{
	return params_by_time(params) && params_given(params, "iters");
}

static bool margin_by_count(const struct params *params)
{
	return (!params->test.duration_s || params->test.run_infinitely) && params_given(params, "margin");
}

static bool depth_without_receives(const struct params *params)
{
	return !params->test.with_imm && params_given(params, "rx-depth");
}

static bool gid_family_of_index(const struct params *params)
{
	return params->device.ipv6 && params->device.gid_index != PARAMS_AUTO;
}

static bool debug_of_nothing(const struct params *params)
{
	return params->test.data_validation_debug && !params->test.data_validation && params->host[0];
}

/* -t 1 is what it is. */
static bool depth_of_one_message(const struct params *params)
{
	return params_given(params, "tx-depth") && params->asked.tx_depth > 1;
}

static bool batch_of_one_completion(const struct params *params)
{
	return params_given(params, "cqe_poll");
}

static bool label_of_no_ipv6(const struct params *params)
{
	return params->device.flow_label[0] && !params->ethernet.ipv6;
}

static bool one_address(const struct params *params)
{
	return !params_local_ip(params)[0] != !params_remote_ip(params)[0];
}

static bool list_without_receives(const struct params *params)
{
	return params->queues.recv_post_list > 1 && !has_arrivals(params);
}

static bool kind_of_no_rate(const struct params *params)
{
	return !(params->rate.limit > 0) && (params_given(params, "rate_units") || params->asked.rate_limit_type);
}

static bool both_of_one_way(const struct params *params)
{
	return params->report.both && !params->test.bidirectional;
}

static bool reversed_both_ways(const struct params *params)
{
	return params->test.reversed && params->test.bidirectional;
}

static bool path_of_rdma_cm(const struct params *params)
{
	return params->device.rdma_cm &&
	       (params_given(params, "sl") || params_given(params, "tclass") || params_given(params, "flow_label") ||
		params_given(params, "dlid") || params_given(params, "pkey_index"));
}

static bool retries_without_rdma_cm(const struct params *params)
{
	return !params->device.rdma_cm && params_given(params, "retry_count");
}

static const struct rule idle[] = {
	{ALL & ~ATOMIC, size_of_sweep, "-s has no effect with -a, which measures all sizes", {NULL}},
	{ALL, iters_by_time, "-n has no effect in a run by time", {NULL}},
	{ALL, margin_by_count, "-f has an effect only with -D", {NULL}},
	{WRITE, depth_without_receives, "-r has no effect on a plain RDMA WRITE, which consumes no receives", {NULL}},
	{ALL, gid_family_of_index, "--ipv6 has no effect with -x, which chooses the GID itself", {NULL}},
	{ALL, debug_of_nothing, "--data_validation_debug has an effect only with --data_validation", {NULL}},
	{ALL,
	 path_of_rdma_cm,
	 "-S, --tclass, --flow_label, --dlid and --pkey_index have no effect with -R: rdma_cm finds the path; --tos "
	 "sets its class",
	 {NULL}},
	{ALL, retries_without_rdma_cm, "--retry_count has an effect only with -R", {NULL}},
	{LAT,
	 depth_of_one_message,
	 "-t has no effect in a latency test: a side has one message in flight, whatever it is",
	 {NULL}},
	{LAT,
	 batch_of_one_completion,
	 "--cqe_poll has no effect in a latency test, which asks for one completion at a time",
	 {NULL}},
	{RAW & ~FS,
	 label_of_no_ipv6,
	 "--flow_label is in headers of IPv6, and has no effect without --raw_ipv6",
	 {NULL}},
	{RAW,
	 one_address,
	 "of two IP addresses one is given: the other one is 0.0.0.0, or ::, and rules don't look at it",
	 {NULL}},
	{BW & WRITE,
	 list_without_receives,
	 "--recv_post_list has no effect on a plain RDMA WRITE, which consumes no receives",
	 {NULL}},
	{BW, kind_of_no_rate, "--rate_units and --rate_limit_type have an effect only with --rate_limit", {NULL}},
	{BW, both_of_one_way, "--report-both has an effect only with -b", {NULL}},
	{BW, reversed_both_ways, "--reversed has no effect with -b, where both sides send", {NULL}},
};

const char *rules_idle(const struct params *params, size_t n)
{
	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
		if (idle[i].programs & program_bit(params->program) && idle[i].broken(params) && !n--)
			return idle[i].sentence;
	return NULL;
}
