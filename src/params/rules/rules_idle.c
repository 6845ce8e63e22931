// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options without effect in combination with others, accepted as in linux-rdma perftest. See rules.h. */
#include <string.h>

#include "params/load.h"
#include "params/masks.h"
#include "params/programs.h"
#include "params/rules/rules.h"

CONDITION(size_of_sweep, (params->verbs.all_sizes && params_given(params, "size")))
CONDITION(iters_by_time, params_by_time(params) && params_given(params, "iters"))
CONDITION(margin_by_count, (!params->test.duration_s || params->test.run_infinitely) && params_given(params, "margin"))
CONDITION(mtu_of_no_path, params->asked.mtu && !params->verbs.mtu)
CONDITION(depth_without_receives, !params_has_arrivals(params) && params_given(params, "rx-depth"))
CONDITION(gid_family_of_index, params->verbs.ipv6 && params->verbs.gid_index != PARAMS_AUTO)
CONDITION(debug_of_nothing, params->test.data_validation_debug && !params->verbs.data_validation && params->host[0])
/* -t 1 is the actual depth. */
CONDITION(depth_of_one_message,
	  params_given(params, "tx-depth") && params->asked.tx_depth > 1 && !params_is_open_loop(params))
CONDITION(batch_of_one_completion, params_given(params, "cqe_poll"))
CONDITION(seed_of_no_chance, !params->rate.poisson && params_given(params, "arrival_seed"))
CONDITION(label_of_no_ipv6, params->asked.flow_label[0] && !params->ethernet.ipv6)
CONDITION(ipv6_of_no_header, params->ethernet.ipv6 && !params_has_ip(params) && !params->verbs.frames.rss.is_used)
CONDITION(class_of_no_header,
	  !params_has_ip(params) && (params->verbs.tos != PARAMS_AUTO || params_given(params, "hop_limit")))
CONDITION(one_address, !params_local_ip(params)[0] != !params_remote_ip(params)[0])
CONDITION(list_without_receives, params->verbs.recv_post_list > 1 && !params_has_arrivals(params))
CONDITION(kind_of_no_rate,
	  !(params->rate.limit > 0) && !params_given(params, "rate_limit") &&
		  /* not MAX, either */ (params_given(params, "rate_units") || params->asked.rate_limit_type))
CONDITION(both_of_one_way, params->report.both && !params->spec.bidirectional && params->verbs.num_threads == 1 &&
				   !params_gathers(params))
CONDITION(reversed_both_ways, params->test.reversed && params->spec.bidirectional)
CONDITION(path_of_rdma_cm,
	  params->verbs.rdma_cm &&
		  (params_given(params, "sl") || params_given(params, "tclass") || params_given(params, "flow_label") ||
		   params_given(params, "dlid") || params_given(params, "pkey_index") || params->verbs.ipv6))
/* It chooses the client's source address (cm_source_ip()). */
CONDITION(gid_of_rdma_cm, params->verbs.rdma_cm && params->verbs.gid_index != PARAMS_AUTO &&
				  !(params_is_client(params) && params->verbs.device_name[0]))
CONDITION(lid_of_group, (params->verbs.group.is_used && params_given(params, "dlid")))
CONDITION(retries_without_rdma_cm, !params->verbs.rdma_cm && params_given(params, "retry_count"))

static const struct rule idle[] = {
	{ALL & ~ATOMIC, size_of_sweep, "-s has no effect with -a or --sizes, which set the sizes", {"size"}},
	{ALL, iters_by_time, "-n has no effect in a timed run", {"iters"}},
	{ALL, margin_by_count, "-f has an effect only with -D", {"margin"}},
	{IB,
	 mtu_of_no_path,
	 "-m is not a path MTU (256, 512, 1024, 2048 or 4096): the active MTU of the port is used",
	 {NULL}},
	{WRITE, depth_without_receives, "-r has no effect on a plain RDMA WRITE, which consumes no receives", {NULL}},
	{ALL, gid_family_of_index, "--ipv6 has no effect with -x, which selects the GID", {NULL}},
	{ALL, debug_of_nothing, "--data_validation_debug has an effect only with --data_validation", {NULL}},
	{ALL,
	 path_of_rdma_cm,
	 "-S, --tclass, --flow_label, --dlid, --pkey_index and --ipv6 have no effect with -R: rdma_cm resolves the "
	 "path; --tos sets its class",
	 {NULL}},
	{IB,
	 gid_of_rdma_cm,
	 "with -R, -x has an effect only on a client with -d, which then starts from that GID's address",
	 {NULL}},
	{SEND,
	 lid_of_group,
	 "--dlid has no effect with -g: messages go to the group's LID, which the subnet manager assigns",
	 {NULL}},
	{ALL, retries_without_rdma_cm, "--retry_count has an effect only with -R", {NULL}},
	{LAT & ~BURST,
	 depth_of_one_message,
	 "-t has no effect in a latency test without --rate: each side has one message in flight",
	 {NULL}},
	{LAT & ~BURST,
	 batch_of_one_completion,
	 "--cqe_poll has no effect in a latency test, which polls one completion at a time",
	 {NULL}},
	{LAT & ~RAW, seed_of_no_chance, "--arrival_seed has an effect only with --arrival=poisson", {NULL}},
	{RAW & ~FS,
	 label_of_no_ipv6,
	 "--flow_label is a field of the IPv6 header, and has no effect without --raw_ipv6",
	 {NULL}},
	{RAW,
	 ipv6_of_no_header,
	 "--raw_ipv6 has no effect without IP addresses (-J and -j), since frames then have no IP header",
	 {NULL}},
	{RAW & ~FS,
	 class_of_no_header,
	 "-T and -L set fields of IP headers, and have no effect without IP addresses (-J, -j)",
	 {NULL}},
	{RAW,
	 one_address,
	 "only one of the two IP addresses is given: the other is 0.0.0.0 or ::, and steering rules do not match it",
	 {NULL}},
	{BW & WRITE,
	 list_without_receives,
	 "--recv_post_list has no effect on a plain RDMA WRITE, which consumes no receives",
	 {NULL}},
	{BW | BURST,
	 kind_of_no_rate,
	 "--rate_units and --rate_limit_type have an effect only with --rate_limit",
	 {NULL}},
	{IB,
	 both_of_one_way,
	 "--report-both has an effect only with -b, --threads, --clients or several HOSTs",
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

bool rules_idle_option(const struct params *params, const char *long_name)
{
	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
		if (idle[i].options[0] && strcmp(idle[i].options[0], long_name) == 0 &&
		    idle[i].programs & program_bit(params->program) && idle[i].broken(params))
			return true;
	return false;
}
