// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that cannot be combined with multicast groups. See rules.h. */
#include "params/masks.h"
#include "params/rules/rules.h"

CONDITION(group_without_multicast, params_given(params, "MGID") && !params->verbs.group.is_used)
CONDITION(multicast_both_ways, params->verbs.group.is_used && params->spec.bidirectional)
CONDITION(multicast_by_rdma_cm, params->verbs.group.is_used && params->verbs.rdma_cm)
/* Every queue pair of the receiver gets each message, but its slots are for messages of its own. */
CONDITION(validation_of_copies,
	  params->verbs.group.is_used && params->verbs.data_validation && params->queues.num_qps > 1)
CONDITION(connectionless_without_multicast, params->channel.connectionless && !params->verbs.group.is_used)
CONDITION(connectionless_to_host, params->channel.connectionless && params->host[0])
/* What both sides agree on during a run. */
CONDITION(connectionless_by_agreement,
	  params->channel.connectionless &&
		  (params->verbs.all_sizes || params->verbs.data_validation || params->test.reversed ||
		   params->channel.keep_serving || params_repeats(params)))

static const struct rule rows[] = {
	{SEND, group_without_multicast, "-M selects the multicast group of -g: give -g as well", {"MGID"}},
	{SEND & BW, multicast_both_ways, "-g works in one direction only: omit -b", {NULL}},
	{SEND,
	 multicast_by_rdma_cm,
	 "-R connects pairs of QPs, -g uses a multicast group: omit -R; -z uses rdma_cm for the side channel only",
	 {NULL}},
	{SEND & BW,
	 validation_of_copies,
	 "--data_validation with -g checks what arrives at one queue pair: omit -q",
	 {"qp"}},
	{SEND & BW,
	 connectionless_without_multicast,
	 "--connectionless is for a further receiver of a multicast group: give -g as well",
	 {NULL}},
	{SEND & BW,
	 connectionless_to_host,
	 "--connectionless is for a receiver that connects to no peer, and a HOST makes this side the client",
	 {NULL}},
	{SEND & BW,
	 connectionless_by_agreement,
	 "-a, --data_validation, --reversed, --keep_serving, --repeat and --until must be negotiated with a peer, "
	 "which --connectionless does not have",
	 {NULL}},
};

const struct rule_set rules_multicast = {rows, sizeof(rows) / sizeof(rows[0])};
