// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options that cannot be combined with multicast groups. See rules.h. */
#include "params/masks.h"
#include "params/rules/rules.h"

void rules_multicast(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct params_channel *channel = &params->channel;

	rule_add(rules, SEND, params_given(params, "MGID") && !verbs->group.is_used, "MGID",
		 "-M selects the multicast group of -g: give -g as well");
	rule_add(rules, SEND & BW, verbs->group.is_used && params->spec.bidirectional, "",
		 "-g works in one direction only: omit -b");
	rule_add(rules, SEND, verbs->group.is_used && verbs->rdma_cm, "",
		 "-R connects pairs of QPs, -g uses a multicast group: omit -R; -z uses rdma_cm for the side channel "
		 "only");
	/* Every queue pair of the receiver gets each message, but its slots are for messages of its own. */
	rule_add(rules, SEND & BW, verbs->group.is_used && verbs->data_validation && params->queues.num_qps > 1, "qp",
		 "--data_validation with -g checks what arrives at one queue pair: omit -q");
	rule_add(rules, SEND & BW, channel->connectionless && !verbs->group.is_used, "",
		 "--connectionless is for a further receiver of a multicast group: give -g as well");
	rule_add(rules, SEND & BW, channel->connectionless && params->host[0], "",
		 "--connectionless is for a receiver that connects to no peer, and a HOST makes this side the client");
	/* What both sides agree on during a run. */
	rule_add(rules, SEND & BW,
		 channel->connectionless && (verbs->all_sizes || verbs->data_validation || params->test.reversed ||
					     channel->keep_serving || params_repeats(params)),
		 "",
		 "-a, --data_validation, --reversed, --keep_serving, --repeat and --until must be negotiated with a "
		 "peer, which --connectionless does not have");
}
