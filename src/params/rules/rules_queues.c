// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of queues, events and data validation that cannot be combined. See rules.h. */
#include "params/masks.h"
#include "params/perftest_parameters.h"
#include "params/rules/rules.h"

void rules_queues(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct params_test *test = &params->test;
	const struct params_rate *rate = &params->rate;
	const struct params_queues *queues = &params->queues;
	const struct traffic traffic = params_traffic(params, SIDE_CLIENT);
	const bool is_empty = !verbs->size && !verbs->all_sizes;

	rule_add(rules, BW, !params_by_time(params) && test->iters % verbs->post_list, "post_list iters",
		 "-n must be a multiple of -l, or the last list would not be full");
	rule_add(rules, BW | BURST, verbs->post_list > verbs->tx_depth, "post_list tx-depth",
		 "-l must not exceed -t, or a list could never be posted");
	rule_add(rules, BW, verbs->post_list > 1 && verbs->post_list % verbs->cq_mod, "post_list cq-mod",
		 "-l must be a multiple of -Q, so that every list ends with a completion");
	rule_add(rules, BW & RECEIVES,
		 traffic.arrivals && !params_by_time(params) && test->iters % verbs->recv_post_list,
		 "recv_post_list iters",
		 "-n must be a multiple of --recv_post_list, or the last list would not be full");
	rule_add(rules, BW & RECEIVES, traffic.arrivals && verbs->recv_post_list > verbs->rx_depth,
		 "recv_post_list rx-depth", "--recv_post_list must not exceed -r, or a list could never be posted");
	rule_add(rules, TWO_WAY, queues->use_srq && !traffic.arrivals, "use-srq",
		 "--use-srq needs messages that consume receives: a plain RDMA WRITE does not, --write_with_imm does");
	rule_add(rules, TWO_WAY, queues->use_srq && traffic.transport->own_receives, "use-srq",
		 "SRD has no shared receive queues: omit --use-srq, or use another -c");
	/* Every queue pair has a message in flight; with fewer receives some would never find one. */
	rule_add(rules, TWO_WAY, verbs->shares_receives && traffic.arrivals && verbs->rx_depth < queues->num_qps,
		 "rx-depth qp use-srq",
		 "with --use-srq, -c XRC and -c DC all queue pairs share the receives, so -r must be at least -q");
	rule_add(rules, TWO_WAY,
		 verbs->shares_receives && traffic.arrivals && verbs->mr_per_qp && verbs->data_validation, "mr_per_qp",
		 "with --use-srq, -c XRC and -c DC --data_validation checks the receives in one memory region: omit "
		 "--mr_per_qp");
	/* Requests that contain remote memory besides their destination; datagram sends only have the destination. */
	rule_add(rules, IB,
		 verbs->use_old_post_send && traffic.transport->names_both &&
			 !(traffic.transport->datagram && traffic.verb == VERB_SEND),
		 "", "ibv_post_send() cannot address -c DC, nor -c SRD except for SEND: omit --use_old_post_send");
	rule_add(rules, IB, verbs->use_old_post_send && verbs->use_wr_api, "",
		 "--use_old_post_send and --use_wr_api exclude each other");
	rule_add(rules, IB, verbs->log_dci_streams && traffic.transport->maker != MADE_BY_MLX5, "log_dci_streams",
		 "--log_dci_streams is for DC initiators: give -c DC");
	rule_add(rules, IB,
		 verbs->log_active_dci_streams != CONFIG_AUTO && verbs->log_active_dci_streams > verbs->log_dci_streams,
		 "log_active_dci_streams log_dci_streams",
		 "--log_active_dci_streams must not exceed --log_dci_streams");
	/* Messages of different streams overtake each other, and so do those that are placed out of order. */
	rule_add(rules, IB,
		 (verbs->log_dci_streams || verbs->out_of_order) && traffic.arrivals &&
			 (verbs->data_validation || params_is_open_loop(params)),
		 "log_dci_streams use_ooo",
		 "with --log_dci_streams and --use_ooo messages arrive in no particular order, but --data_validation "
		 "and --rate identify them by their order: omit one of them");
	rule_add(rules, IB, verbs->out_of_order && traffic.transport->maker == MADE_BY_EFA, "",
		 "-c SRD always places data and consumes receives out of order: omit --use_ooo");
	rule_add(rules, WRITE & LAT, verbs->out_of_order && traffic.polls_memory, "",
		 "the other side polls the last byte of a plain RDMA WRITE, which with --use_ooo may not be the last "
		 "to arrive: give --write_with_imm");
	rule_add(rules, IB, verbs->congestion && traffic.transport->maker != MADE_BY_VERBS, "congest_type",
		 "--congest_type is for adapters that have neither DC nor SRD: use another -c");
	rule_add(rules, IB, verbs->congestion && (verbs->out_of_order || verbs->inline_recv), "congest_type",
		 "--congest_type is for HiSilicon adapters, --use_ooo and --inline_recv are for mlx5 adapters: give "
		 "those of one kind");
	rule_add(
		rules, WRITE, verbs->unsolicited && !(traffic.transport->maker == MADE_BY_EFA && params->spec.with_imm),
		"",
		"--unsolicited_write is for RDMA WRITE with immediate data over SRD: give -c SRD and --write_with_imm");
	/* The other side polls the last byte. */
	rule_add(rules, LAT & WRITE, verbs->data_validation && traffic.polls_memory && !traffic.transport->ordered, "",
		 "--data_validation polls the last byte of a plain RDMA WRITE, which with -c SRD may not be the last "
		 "to arrive: give --write_with_imm");
	rule_add(rules, LAT & WRITE, is_empty && traffic.polls_memory, "size",
		 "-s 0 has no last byte, which the other side polls of a plain RDMA WRITE: give --write_with_imm");
	rule_add(rules, IB & ~ATOMIC, is_empty && (verbs->data_validation || verbs->crypto.is_used), "size",
		 "messages of -s 0 have no payload to check or encrypt: omit --data_validation and --aes_xts");
	rule_add(rules, BW & ~ATOMIC, is_empty && rate->limit > 0 && rate->units != RATE_UNITS_PACKETS, "size",
		 "messages of -s 0 have no bytes to limit: give --rate_units=p");
	rule_add(rules, WRITE, verbs->events && !traffic.arrivals, "",
		 "-e needs completions on both sides: a plain RDMA WRITE generates none at the server, "
		 "--write_with_imm does");
	rule_add(rules, MOVES, params_given(params, "vector") && !verbs->events, "vector",
		 "-X selects the completion vector of -e: give -e as well");
	rule_add(rules, BW & WRITE, rate->warm_up && traffic.arrivals, "",
		 "the other side would count the messages of --perform_warm_up as part of the test if messages consume "
		 "receives");
	rule_add(rules, IB, verbs->data_validation && test->run_infinitely, "",
		 "--data_validation runs in rounds, so it cannot print a row every few seconds: use -D, not "
		 "--run_infinitely");
	rule_add(rules, IB, verbs->data_validation && verbs->payload_file[0], "payload_file_path",
		 "--data_validation sends its own pattern, --payload_file_path the bytes of a file: give one of them");
	rule_add(rules, IB, verbs->data_validation && test->interval_s > 0, "report_interval",
		 "--data_validation runs in rounds, so the rows of --report_interval would be meaningless");
}
