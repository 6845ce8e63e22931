// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that cannot be combined with a test of two ports. See rules.h. */
#include <string.h>

#include "params/engine/checks.h"
#include "params/masks.h"
#include "params/rules/rules.h"

#define MOST_QUEUE_PAIRS 8192 /* per port: both sides exchange at most 16384 */

CONDITION(two_devices, strchr(params->verbs.device_name, ','))
/* A server may still get -O from its client. */
CONDITION(two_devices_for_one_port, two_devices(params) && !params->verbs.dual_port && params_is_client(params))
CONDITION(doctor_of_two_devices, two_devices(params) && params->general.doctor)
CONDITION(ports_of_rdma_cm, params->verbs.dual_port && params->verbs.rdma_cm)
CONDITION(ports_of_group, params->verbs.dual_port && params->verbs.group.is_used)
CONDITION(too_many_for_two_ports, params->verbs.dual_port && params->asked.num_qps > MOST_QUEUE_PAIRS)
CONDITION(shared_by_two_devices, (params->verbs.dual_port && two_devices(params) && params->verbs.shares_receives))
CONDITION(memory_of_one_device,
	  (params->verbs.dual_port && two_devices(params) && params->memory.device_memory && !params->verbs.mr_per_qp))
CONDITION(per_port_of_one, params->verbs.per_port && (!params->verbs.dual_port || !params->asked.duration_s ||
						      params->test.run_infinitely))
CONDITION(per_port_in_parts, params->verbs.per_port && (params->test.interval_s > 0 || params_repeats(params)))
CONDITION(per_port_in_rounds, params->verbs.per_port && params->verbs.data_validation)

static const struct rule rows[] = {
	{ALL, two_devices_for_one_port, "-d names two devices, which needs -O", {"ib-dev"}},
	{ALL, doctor_of_two_devices, "--doctor examines one device: name only one with -d", {"ib-dev"}},
	{BW & ~RAW,
	 ports_of_rdma_cm,
	 "-O cannot be combined with -R: rdma_cm selects the port by the IP address",
	 {NULL}},
	{BW & SEND, ports_of_group, "-O cannot be combined with -g: a group is joined on one port", {NULL}},
	{BW & ~RAW, too_many_for_two_ports, "with -O, -q is the number for each port, at most 8192", {"qp"}},
	{BW & ~RAW,
	 shared_by_two_devices,
	 "-O with two devices cannot be combined with --use-srq, -c XRC or -c DC: receives are shared on one device",
	 {"ib-dev"}},
	{BW & ~RAW,
	 memory_of_one_device,
	 "--use_ib_dm is memory of only one of the two devices of -O: give --mr_per_qp as well",
	 {"ib-dev"}},
	{BW & ~RAW, per_port_of_one, "--report-per-port works only with -O and -D", {NULL}},
	{BW & ~RAW,
	 per_port_in_parts,
	 "--report-per-port covers the whole run: omit --report_interval, --repeat and --until",
	 {NULL}},
	{BW & ~RAW,
	 per_port_in_rounds,
	 "--data_validation measures in rounds, which --report-per-port does not support: give one of them",
	 {NULL}},
};

const struct rule_set rules_ports = {rows, sizeof(rows) / sizeof(rows[0])};
