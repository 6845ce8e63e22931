// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that cannot be combined with a test of two ports. See rules.h. */
#include <string.h>

#include "params/masks.h"
#include "params/rules/rules.h"

#define MOST_QUEUE_PAIRS 8192 /* per port: both sides exchange at most 16384 */

void rules_ports(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const bool two_devices = strchr(verbs->device_name, ',');

	/* A server may still get -O from its client. */
	rule_add(rules, ALL, two_devices && !verbs->dual_port && params_is_client(params), "ib-dev",
		 "-d names two devices, which needs -O");
	rule_add(rules, ALL, two_devices && params->general.doctor, "ib-dev",
		 "--doctor examines one device: name only one with -d");
	rule_add(rules, BW & ~RAW, verbs->dual_port && verbs->rdma_cm, "",
		 "-O cannot be combined with -R: rdma_cm selects the port by the IP address");
	rule_add(rules, BW & SEND, verbs->dual_port && verbs->group.is_used, "",
		 "-O cannot be combined with -g: a group is joined on one port");
	rule_add(rules, BW & ~RAW, verbs->dual_port && params->asked.num_qps > MOST_QUEUE_PAIRS, "qp",
		 "with -O, -q is the number for each port, at most 8192");
	rule_add(rules, BW & ~RAW, verbs->dual_port && two_devices && verbs->shares_receives, "ib-dev",
		 "-O with two devices cannot be combined with --use-srq, -c XRC or -c DC: receives are shared on one "
		 "device");
	rule_add(rules, BW & ~RAW, verbs->dual_port && two_devices && params->memory.device_memory && !verbs->mr_per_qp,
		 "ib-dev", "--use_ib_dm is memory of only one of the two devices of -O: give --mr_per_qp as well");
	rule_add(rules, BW & ~RAW,
		 verbs->per_port && (!verbs->dual_port || !params->asked.duration_s || params->test.run_infinitely), "",
		 "--report-per-port works only with -O and -D");
	rule_add(rules, BW & ~RAW, verbs->per_port && (params->test.interval_s > 0 || params_repeats(params)), "",
		 "--report-per-port covers the whole run: omit --report_interval, --repeat and --until");
	rule_add(rules, BW & ~RAW, verbs->per_port && verbs->data_validation, "",
		 "--data_validation measures in rounds, which --report-per-port does not support: give one of them");
}
