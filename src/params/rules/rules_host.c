// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of rdma_cm, of the output and of one host that cannot be combined. See rules.h. */
#include "params/engine/checks.h"
#include "params/masks.h"
#include "params/rules/rules.h"

/* --- rdma_cm --- */

CONDITION(rdma_cm_of_transport, params->verbs.rdma_cm && !transport_traits(params->verbs.transport)->rdma_cm)
CONDITION(rdma_cm_with_hardware_rate, params->verbs.rdma_cm && params->asked.rate_limit_type == RATE_LIMIT_HW)
CONDITION(tos_without_rdma_cm, params->verbs.tos != PARAMS_AUTO && !params->verbs.rdma_cm)

/* --- output --- */

CONDITION(figure_in_a_format, params->report.output != OUTPUT_ALL && params->report.format != FORMAT_TEXT)

/* --- one host --- */

CONDITION(server_retries, params->channel.retry_s && !params->host[0])
CONDITION(client_keeps_serving, params->channel.keep_serving && params->host[0])
CONDITION(client_limits_memory, params->verbs.max_memory && params->host[0])
CONDITION(client_bounds_duration, params->channel.max_duration_s && params->host[0])
CONDITION(doctor_of_another_host, params->general.doctor && params->host[0])
CONDITION(doctor_as_rows,
	  params->general.doctor && (params->report.output != OUTPUT_ALL || params->report.format == FORMAT_CSV ||
				     params->report.format == FORMAT_OPENMETRICS))
CONDITION(ipv4_source_over_ipv6, params->channel.ipv6_addr && params->channel.bind_source_ip[0] &&
					 !ip_address_is_v6(params->channel.bind_source_ip))
CONDITION(pinned_twice, params->cpus.pin_cores[0] && params->cpus.numa_node != PARAMS_AUTO)
CONDITION(numa_off_and_chosen, params->cpus.disable_numa && params->cpus.numa_node != PARAMS_AUTO)

static const struct rule rows[] = {
	{IB,
	 rdma_cm_of_transport,
	 "rdma_cm connects only RC and UD queue pairs: -R cannot be combined with another -c",
	 {NULL}},
	{BW & ~RAW,
	 rdma_cm_with_hardware_rate,
	 "--rate_limit_type=HW sets the rate of the address handle, which rdma_cm chooses: use SW with -R",
	 {NULL}},
	{IB,
	 tos_without_rdma_cm,
	 "--tos is for queue pairs connected with rdma_cm: give -R as well, or use --tclass",
	 {"tos"}},
	{ALL,
	 figure_in_a_format,
	 "--output prints a bare number, so it cannot be combined with --output_format",
	 {"output", "output_format"}},
	{IB, server_retries, "--retry is for the client, which a HOST makes of this side", {"retry"}},
	{IB, client_keeps_serving, "--keep_serving is for the server, and a HOST makes this side the client", {NULL}},
	{IB, client_limits_memory, "--max_memory is for the server, and a HOST makes this side the client", {NULL}},
	{IB, client_bounds_duration, "--max_duration is for the server, and a HOST makes this side the client", {NULL}},
	{IB,
	 doctor_of_another_host,
	 "--doctor examines this host only: omit HOST, and run it on the other host too",
	 {NULL}},
	{ALL,
	 doctor_as_rows,
	 "--doctor prints a page or a JSON document, but no single figure, no CSV and no metrics",
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

const struct rule_set rules_host = {rows, sizeof(rows) / sizeof(rows[0])};
