// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options without effect in combination with others, accepted as in linux-rdma perftest. See rules.h. */
#include "params/masks.h"
#include "params/perftest_parameters.h"
#include "params/rules/rules.h"

void rules_idle(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct params_test *test = &params->test;
	const struct params_asked *asked = &params->asked;

	rule_add(rules, ALL & ~ATOMIC, verbs->all_sizes && params_given(params, "size"), "size",
		 "-s has no effect with -a or --sizes, which set the sizes");
	rule_add(rules, ALL, params_by_time(params) && params_given(params, "iters"), "iters",
		 "-n has no effect in a timed run");
	rule_add(rules, ALL, (!test->duration_s || test->run_infinitely) && params_given(params, "margin"), "margin",
		 "-f has an effect only with -D");
	rule_add(rules, IB, asked->mtu && !verbs->mtu, "",
		 "-m is not a path MTU (256, 512, 1024, 2048 or 4096): the active MTU of the port is used");
	rule_add(rules, WRITE, !params_has_arrivals(params) && params_given(params, "rx-depth"), "",
		 "-r has no effect on a plain RDMA WRITE, which consumes no receives");
	rule_add(rules, ALL, verbs->ipv6 && verbs->gid_index != CONFIG_AUTO, "",
		 "--ipv6 has no effect with -x, which selects the GID");
	rule_add(rules, ALL, test->data_validation_debug && !verbs->data_validation && params->host[0], "",
		 "--data_validation_debug has an effect only with --data_validation");
	rule_add(rules, ALL,
		 verbs->rdma_cm && (params_given(params, "sl") || params_given(params, "tclass") ||
				    params_given(params, "flow_label") || params_given(params, "dlid") ||
				    params_given(params, "pkey_index") || verbs->ipv6),
		 "",
		 "-S, --tclass, --flow_label, --dlid, --pkey_index and --ipv6 have no effect with -R: rdma_cm resolves "
		 "the path; --tos sets its class");
	/* It chooses the client's source address (cm_source_ip()). */
	rule_add(rules, IB,
		 verbs->rdma_cm && verbs->gid_index != CONFIG_AUTO &&
			 !(params_is_client(params) && verbs->device_name[0]),
		 "", "with -R, -x has an effect only on a client with -d, which then starts from that GID's address");
	rule_add(rules, SEND, verbs->group.is_used && params_given(params, "dlid"), "",
		 "--dlid has no effect with -g: messages go to the group's LID, which the subnet manager assigns");
	rule_add(rules, ALL, !verbs->rdma_cm && params_given(params, "retry_count"), "",
		 "--retry_count has an effect only with -R");
	/* -t 1 is the actual depth. */
	rule_add(rules, LAT & ~BURST,
		 params_given(params, "tx-depth") && asked->tx_depth > 1 && !params_is_open_loop(params), "",
		 "-t has no effect in a latency test without --rate: each side has one message in flight");
	rule_add(rules, LAT & ~BURST, params_given(params, "cqe_poll"), "",
		 "--cqe_poll has no effect in a latency test, which polls one completion at a time");
	rule_add(rules, LAT & ~RAW, !params->rate.poisson && params_given(params, "arrival_seed"), "",
		 "--arrival_seed has an effect only with --arrival=poisson");
	rule_add(rules, RAW & ~FS, params_is_silent(params) && params_given(params, "port"), "port",
		 "-p is the port of the side channel: it has no effect without --side_channel");
	rule_add(rules, RAW & ~FS, asked->flow_label[0] && !params->ethernet.ipv6, "",
		 "--flow_label is a field of the IPv6 header, and has no effect without --raw_ipv6");
	rule_add(rules, RAW, params->ethernet.ipv6 && !params_has_ip(params) && !verbs->frames.rss.is_used, "",
		 "--raw_ipv6 has no effect without IP addresses (-J and -j), since frames then have no IP header");
	rule_add(rules, RAW & ~FS,
		 !params_has_ip(params) && (verbs->tos != CONFIG_AUTO || params_given(params, "hop_limit")), "",
		 "-T and -L set fields of IP headers, and have no effect without IP addresses (-J, -j)");
	rule_add(rules, RAW, !params_local_ip(params)[0] != !params_remote_ip(params)[0], "",
		 "only one of the two IP addresses is given: the other is 0.0.0.0 or ::, and steering rules do not "
		 "match it");
	rule_add(rules, BW & WRITE, verbs->recv_post_list > 1 && !params_has_arrivals(params), "",
		 "--recv_post_list has no effect on a plain RDMA WRITE, which consumes no receives");
	rule_add(rules, BW | BURST,
		 !(params->rate.limit > 0) && !params_given(params, "rate_limit") &&
			 /* not MAX, either */ (params_given(params, "rate_units") || asked->rate_limit_type),
		 "", "--rate_units and --rate_limit_type have an effect only with --rate_limit");
	rule_add(rules, IB,
		 params->report.both && !params->spec.bidirectional && verbs->num_threads == 1 &&
			 !params_gathers(params),
		 "", "--report-both has an effect only with -b, --threads, --clients or several HOSTs");
	rule_add(rules, BW, test->reversed && params->spec.bidirectional, "",
		 "--reversed has no effect with -b, where both sides send");
}
