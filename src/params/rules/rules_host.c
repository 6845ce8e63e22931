// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of rdma_cm, of the output and of one host that cannot be combined. See rules.h. */
#include "params/engine/checks.h"
#include "params/masks.h"
#include "params/rules/rules.h"

void rules_host(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct report_config *report = &params->report;
	const struct params_channel *channel = &params->channel;
	const struct params_cpus *cpus = &params->cpus;

	rule_add(rules, IB, verbs->rdma_cm && !transport_traits(verbs->transport)->rdma_cm, "",
		 "rdma_cm connects only RC and UD queue pairs: -R cannot be combined with another -c");
	rule_add(rules, BW & ~RAW, verbs->rdma_cm && params->asked.rate_limit_type == RATE_LIMIT_HW, "",
		 "--rate_limit_type=HW sets the rate of the address handle, which rdma_cm chooses: use SW with -R");
	rule_add(rules, IB, verbs->tos != CONFIG_AUTO && !verbs->rdma_cm, "tos",
		 "--tos is for queue pairs connected with rdma_cm: give -R as well, or use --tclass");
	rule_add(rules, ALL, report->output != OUTPUT_ALL && report->format != FORMAT_TEXT, "output output_format",
		 "--output prints a bare number, so it cannot be combined with --output_format");
	rule_add(rules, MOVES, channel->retry_s && !params->host[0], "retry",
		 "--retry is for the client, which a HOST makes of this side");
	rule_add(rules, MOVES, channel->keep_serving && params->host[0], "",
		 "--keep_serving is for the server, and a HOST makes this side the client");
	rule_add(rules, MOVES, verbs->max_memory && params->host[0], "",
		 "--max_memory is for the server, and a HOST makes this side the client");
	rule_add(rules, MOVES, channel->max_duration_s && params->host[0], "",
		 "--max_duration is for the server, and a HOST makes this side the client");
	rule_add(rules, MOVES, params->general.doctor && params->host[0], "",
		 "--doctor examines this host only: omit HOST, and run it on the other host too");
	rule_add(rules, ALL,
		 params->general.doctor && (report->output != OUTPUT_ALL || report->format == FORMAT_CSV ||
					    report->format == FORMAT_OPENMETRICS),
		 "output output_format",
		 "--doctor prints a page or a JSON document, but no single figure, no CSV and no metrics");
	rule_add(rules, IB,
		 channel->ipv6_addr && channel->bind_source_ip[0] && !ip_address_is_v6(channel->bind_source_ip),
		 "bind_source_ip", "--ipv6-addr needs an IPv6 address in --bind_source_ip");
	rule_add(rules, ALL, cpus->pin_cores[0] && cpus->numa_node != CONFIG_AUTO, "pin_cores numa_node",
		 "--pin_cores and --numa_node both choose the CPUs: give one of them");
	rule_add(rules, ALL, cpus->disable_numa && cpus->numa_node != CONFIG_AUTO, "numa_node",
		 "--disable_numa leaves CPUs and memory to the kernel, --numa_node does not");
}
