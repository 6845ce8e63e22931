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
	return params->asked.duration_s && params->all_sizes;
}

static bool duration_with_events(const struct params *params)
{
	return params->asked.duration_s && params->events;
}

static bool duration_below_margins(const struct params *params)
{
	return params->duration_s && !params->run_infinitely && params->duration_s <= 2 * (uint64_t)params->margin_s;
}

static bool infinite_sweep(const struct params *params)
{
	return params->run_infinitely && params->all_sizes;
}

static bool infinite_with_events(const struct params *params)
{
	return params->run_infinitely && params->events;
}

static bool infinite_both_ways(const struct params *params)
{
	return params->run_infinitely && params->bidirectional && has_arrivals(params);
}

static bool infinite_with_rate(const struct params *params)
{
	return params->run_infinitely && params->rate_limit > 0;
}

static bool samples_by_time(const struct params *params)
{
	return params_by_time(params) && (params->report_histogram || params->report_unsorted);
}

static bool samples_by_interval(const struct params *params)
{
	return params->report_interval_s > 0 && (params->report_histogram || params->report_unsorted);
}

static bool samples_without_table(const struct params *params)
{
	return (params->output != OUTPUT_ALL || params->output_format == FORMAT_CSV) &&
	       (params->report_histogram || params->report_unsorted);
}

/* --- queues --- */

static bool post_list_above_depth(const struct params *params)
{
	return params->post_list > params->tx_depth;
}

static bool post_list_leaves_rest(const struct params *params)
{
	return !params_by_time(params) && params->iters % params->post_list;
}

static bool post_list_against_cq_mod(const struct params *params)
{
	return params->post_list > 1 && params->post_list % params->cq_mod;
}

static bool recv_post_list_above_depth(const struct params *params)
{
	return params->recv_post_list > params->rx_depth;
}

static bool recv_post_list_leaves_rest(const struct params *params)
{
	return !params_by_time(params) && params->iters % params->recv_post_list;
}

static bool recv_post_list_without_receives(const struct params *params)
{
	return params->recv_post_list > 1 && !params->with_imm;
}

static bool events_of_plain_write(const struct params *params)
{
	return params->events && !params->with_imm;
}

static bool vector_without_events(const struct params *params)
{
	return params_given(params, "vector") && !params->events;
}

static bool warm_up_of_arrivals(const struct params *params)
{
	return params->warm_up && params->with_imm;
}

/* --- validation --- */

static bool validation_without_end(const struct params *params)
{
	return params->data_validation && params->run_infinitely;
}

static bool validation_of_payload(const struct params *params)
{
	return params->data_validation && params->payload_file_path[0];
}

static bool validation_in_intervals(const struct params *params)
{
	return params->data_validation && params->report_interval_s > 0;
}

/* --- rate limit --- */

static bool rate_detail_without_rate(const struct params *params)
{
	return !(params->rate_limit > 0) &&
	       (params->burst_size || params_given(params, "rate_units") || params->asked.rate_limit_type);
}

static bool rate_by_hardware_in_packets(const struct params *params)
{
	return params->asked.rate_limit_type == RATE_LIMIT_HW && params->rate_units == RATE_UNITS_PACKETS;
}

static bool rate_by_packet_pacing(const struct params *params)
{
	return params->asked.rate_limit_type == RATE_LIMIT_PP;
}

static bool rate_of_both_ways(const struct params *params)
{
	return params->rate_limit > 0 && params->bidirectional && has_arrivals(params);
}

/* --- rdma_cm --- */

static bool rdma_cm_of_transport(const struct params *params)
{
	return params->rdma_cm && !transport_traits(params->transport)->rdma_cm;
}

static bool rdma_cm_with_hardware_rate(const struct params *params)
{
	return params->rdma_cm && params->asked.rate_limit_type == RATE_LIMIT_HW;
}

static bool tos_without_rdma_cm(const struct params *params)
{
	return params->tos != PARAMS_AUTO && !params->rdma_cm;
}

/* --- output --- */

static bool both_of_one_way(const struct params *params)
{
	return params->report_both && !params->bidirectional;
}

static bool figure_in_a_format(const struct params *params)
{
	return params->output != OUTPUT_ALL && params->output_format != FORMAT_TEXT;
}

/* --- one host --- */

static bool client_keeps_serving(const struct params *params)
{
	return params->keep_serving && params->host[0];
}

static bool client_lends_memory(const struct params *params)
{
	return params->max_memory && params->host[0];
}

static bool client_bounds_duration(const struct params *params)
{
	return params->max_duration_s && params->host[0];
}

static bool doctor_of_another_host(const struct params *params)
{
	return params->doctor && params->host[0];
}

static bool doctor_as_rows(const struct params *params)
{
	return params->doctor && (params->output != OUTPUT_ALL || params->output_format == FORMAT_CSV);
}

static bool ipv4_source_over_ipv6(const struct params *params)
{
	return params->ipv6_addr && params->bind_source_ip[0] && !ip_address_is_v6(params->bind_source_ip);
}

static bool pinned_twice(const struct params *params)
{
	return params->pin_cores[0] && params->numa_node != PARAMS_AUTO;
}

static bool numa_off_and_chosen(const struct params *params)
{
	return params->disable_numa && params->numa_node != PARAMS_AUTO;
}

const struct rule rules[] = {
	{ALL & ~ATOMIC,
	 duration_of_sweep,
	 "-D measures one message size for some time, so that it cannot be combined with -a",
	 {"duration"}},
	{ALL, duration_with_events, "-D cannot be combined with -e, which is for a number of messages", {"duration"}},
	{ALL,
	 duration_below_margins,
	 "the two margins (-f) leave nothing of the duration: -D must be more than twice -f",
	 {"duration", "margin"}},
	{ALL & ~ATOMIC,
	 infinite_sweep,
	 "--run_infinitely stays with one message size, so that it cannot be combined with -a",
	 {NULL}},
	{ALL,
	 infinite_with_events,
	 "--run_infinitely cannot be combined with -e, which is for a number of messages",
	 {NULL}},
	{BW & TWO_WAY,
	 infinite_both_ways,
	 "--run_infinitely cannot be combined with -b where messages consume receives; run a test for each direction",
	 {NULL}},
	{BW & ~ATOMIC,
	 infinite_with_rate,
	 "--run_infinitely cannot be combined with --rate_limit; use -D",
	 {"rate_limit"}},
	{LAT,
	 samples_by_time,
	 "-H and -U keep every sample and so need a known number of them: use -n, not -D or --run_infinitely",
	 {NULL}},
	{LAT,
	 samples_by_interval,
	 "-H and -U print the samples of a whole run, --report_interval figures of its parts: give one of them",
	 {NULL}},
	{LAT,
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
	{BW & WRITE,
	 recv_post_list_without_receives,
	 "--recv_post_list needs receives: a plain RDMA WRITE consumes none, --write_with_imm does",
	 {"recv_post_list"}},
	{BW & TWO_WAY,
	 recv_post_list_leaves_rest,
	 "--recv_post_list must divide -n, or the last list would not be full",
	 {"recv_post_list", "iters"}},
	{BW & TWO_WAY,
	 recv_post_list_above_depth,
	 "--recv_post_list must not be above -r, or a list could never be posted",
	 {"recv_post_list", "rx-depth"}},
	{WRITE,
	 events_of_plain_write,
	 "-e needs completions to wait for on both sides: a plain RDMA WRITE makes none at the server, "
	 "--write_with_imm does",
	 {NULL}},
	{ALL, vector_without_events, "-X chooses where events are delivered, so that it needs -e", {"vector"}},
	{BW & WRITE,
	 warm_up_of_arrivals,
	 "--perform_warm_up would be counted by the other side as the test itself where messages consume receives",
	 {NULL}},

	{ALL,
	 validation_without_end,
	 "--data_validation checks in rounds and so has no rows by time: use -D, not --run_infinitely",
	 {NULL}},
	{ALL,
	 validation_of_payload,
	 "--data_validation sends its own pattern, --payload_file_path the bytes of a file: give one of them",
	 {"payload_file_path"}},
	{ALL,
	 validation_in_intervals,
	 "--data_validation checks in rounds, so that the rows of --report_interval would mean nothing",
	 {"report_interval"}},

	{BW & ~ATOMIC,
	 rate_detail_without_rate,
	 "--rate_units, --rate_limit_type and --burst_size describe a rate limit: give --rate_limit",
	 {NULL}},
	{BW & ~ATOMIC,
	 rate_by_hardware_in_packets,
	 "a device limits bits, not packets: --rate_limit_type=HW cannot be combined with --rate_units=p",
	 {NULL}},
	{BW & ~ATOMIC,
	 rate_by_packet_pacing,
	 "--rate_limit_type=PP is for raw Ethernet: use SW or leave the option out",
	 {NULL}},
	{BW & TWO_WAY,
	 rate_of_both_ways,
	 "--rate_limit cannot be combined with -b where messages consume receives",
	 {"rate_limit"}},

	{TWO_WAY,
	 rdma_cm_of_transport,
	 "rdma_cm connects RC and UD queue pairs: -R cannot be combined with -c UC",
	 {NULL}},
	{BW & ~ATOMIC,
	 rdma_cm_with_hardware_rate,
	 "rdma_cm chooses the address handles, whose rate --rate_limit_type=HW sets: give SW with -R",
	 {NULL}},
	{ALL,
	 tos_without_rdma_cm,
	 "--tos is for queue pairs that rdma_cm connects: give -R as well, or --tclass for the others",
	 {"tos"}},

	{BW, both_of_one_way, "--report-both prints both directions, so that it needs -b", {NULL}},
	{ALL,
	 figure_in_a_format,
	 "--output prints a bare number, so that it cannot be combined with --output_format",
	 {"output", "output_format"}},

	{ALL, client_keeps_serving, "--keep_serving is for the server, and a HOST makes this side the client", {NULL}},
	{ALL, client_lends_memory, "--max_memory is for the server, and a HOST makes this side the client", {NULL}},
	{ALL,
	 client_bounds_duration,
	 "--max_duration is for the server, and a HOST makes this side the client",
	 {NULL}},
	{ALL,
	 doctor_of_another_host,
	 "--doctor looks at this host alone: leave HOST out, and run it there too",
	 {NULL}},
	{ALL,
	 doctor_as_rows,
	 "--doctor has a page and a JSON document, no figure and no CSV",
	 {"output", "output_format"}},
	{ALL, ipv4_source_over_ipv6, "--ipv6-addr needs an IPv6 address in --bind_source_ip", {"bind_source_ip"}},
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
	return params->all_sizes && params_given(params, "size");
}

static bool iters_by_time(const struct params *params)
{
	return params_by_time(params) && params_given(params, "iters");
}

static bool margin_by_count(const struct params *params)
{
	return (!params->duration_s || params->run_infinitely) && params_given(params, "margin");
}

static bool depth_without_receives(const struct params *params)
{
	return !params->with_imm && params_given(params, "rx-depth");
}

static bool gid_family_of_index(const struct params *params)
{
	return params->ipv6 && params->gid_index != PARAMS_AUTO;
}

static bool debug_of_nothing(const struct params *params)
{
	return params->data_validation_debug && !params->data_validation && params->host[0];
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

static bool reversed_both_ways(const struct params *params)
{
	return params->reversed && params->bidirectional;
}

static bool path_of_rdma_cm(const struct params *params)
{
	return params->rdma_cm && (params_given(params, "sl") || params_given(params, "tclass") ||
				   params_given(params, "dlid") || params_given(params, "pkey_index"));
}

static bool retries_without_rdma_cm(const struct params *params)
{
	return !params->rdma_cm && params_given(params, "retry_count");
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
	 "-S, --tclass, --dlid and --pkey_index have no effect with -R: rdma_cm finds the path; --tos sets its class",
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
	{BW, reversed_both_ways, "--reversed has no effect with -b, where both sides send", {NULL}},
};

const char *rules_idle(const struct params *params, size_t n)
{
	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
		if (idle[i].programs & program_bit(params->program) && idle[i].broken(params) && !n--)
			return idle[i].sentence;
	return NULL;
}
