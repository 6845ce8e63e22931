// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of queues, events and data validation that cannot be combined. See rules.h. */
#include "params/engine/checks.h"
#include "params/load.h"
#include "params/masks.h"
#include "params/rules/rules.h"

/* --- queues --- */

CONDITION(post_list_above_depth, params->verbs.post_list > params->verbs.tx_depth)
CONDITION(post_list_leaves_rest, !params_by_time(params) && params->test.iters % params->verbs.post_list)
CONDITION(post_list_against_cq_mod, params->verbs.post_list > 1 && params->verbs.post_list % params->verbs.cq_mod)
CONDITION(recv_post_list_above_depth,
	  params_has_arrivals(params) && params->verbs.recv_post_list > params->verbs.rx_depth)
CONDITION(recv_post_list_leaves_rest,
	  params_has_arrivals(params) && !params_by_time(params) && params->test.iters % params->verbs.recv_post_list)
CONDITION(srq_without_receives, params->queues.use_srq && !params_traffic(params, SIDE_CLIENT).arrivals)
CONDITION(srq_of_own_receives, (params->queues.use_srq && transport_traits(params->verbs.transport)->own_receives))
/* Every queue pair has a message in flight; with fewer receives some would never find one. */
CONDITION(srq_below_queue_pairs, params->verbs.shares_receives &&params_traffic(params, SIDE_CLIENT).arrivals &&
					 params->verbs.rx_depth < params->queues.num_qps)
CONDITION(srq_of_many_regions, params->verbs.shares_receives &&params_traffic(params, SIDE_CLIENT).arrivals &&
				       params->verbs.mr_per_qp && params->verbs.data_validation)

/* Requests that contain remote memory besides their destination; datagram sends only have the destination. */
static bool old_post_of_both(const struct params *params)
{
	const struct transport_traits *transport = transport_traits(params->verbs.transport);

	return params->verbs.use_old_post_send && transport->names_both &&
	       !(transport->datagram && params->program->verb == VERB_SEND);
}

CONDITION(both_ways_to_post, params->verbs.use_old_post_send && params->verbs.use_wr_api)
CONDITION(streams_of_transport,
	  (params->verbs.log_dci_streams && transport_traits(params->verbs.transport)->maker != MADE_BY_MLX5))
CONDITION(more_active_streams, params->verbs.log_active_dci_streams != PARAMS_AUTO &&
				       params->verbs.log_active_dci_streams > params->verbs.log_dci_streams)
/* Messages of different streams overtake each other, and so do those that are placed out of order. */
CONDITION(order_of_streams, (params->verbs.log_dci_streams || params->verbs.out_of_order) &&
				    params_has_arrivals(params) &&
				    (params->verbs.data_validation || params_is_open_loop(params)))
CONDITION(order_of_datagrams,
	  (params->verbs.out_of_order && transport_traits(params->verbs.transport)->maker == MADE_BY_EFA))
CONDITION(order_of_last_byte, (params->verbs.out_of_order && params_traffic(params, SIDE_CLIENT).polls_memory))
CONDITION(control_of_others,
	  (params->verbs.congestion && transport_traits(params->verbs.transport)->maker != MADE_BY_VERBS))
CONDITION(two_providers, params->verbs.congestion && (params->verbs.out_of_order || params->verbs.inline_recv))
CONDITION(unsolicited_of_other,
	  params->verbs.unsolicited &&
		  !(transport_traits(params->verbs.transport)->maker == MADE_BY_EFA && params->spec.with_imm))
/* The other side polls the last byte. */
CONDITION(unordered_bytes, (params->verbs.data_validation && params_traffic(params, SIDE_CLIENT).polls_memory &&
			    !transport_traits(params->verbs.transport)->ordered))
CONDITION(nothing_to_poll,
	  !params->verbs.size && !params->verbs.all_sizes && params_traffic(params, SIDE_CLIENT).polls_memory)
CONDITION(nothing_to_look_at,
	  !params->verbs.size && !params->verbs.all_sizes &&
		  (params->verbs.data_validation || params->verbs.signs || params->verbs.crypto.is_used))
CONDITION(nothing_per_second, !params->verbs.size && !params->verbs.all_sizes && params->rate.limit > 0 &&
				      params->rate.units != RATE_UNITS_PACKETS)
CONDITION(events_of_plain_write, params->verbs.events && !params_has_arrivals(params))
CONDITION(vector_without_events, params_given(params, "vector") && !params->verbs.events)
CONDITION(warm_up_of_arrivals, (params->rate.warm_up && params_has_arrivals(params)))

/* --- validation --- */

CONDITION(validation_without_end, params->verbs.data_validation && params->test.run_infinitely)
CONDITION(validation_of_payload, params->verbs.data_validation && params->verbs.payload_file[0])
CONDITION(validation_in_intervals, params->verbs.data_validation && params->test.interval_s > 0)

static const struct rule rows[] = {
	{BW,
	 post_list_leaves_rest,
	 "-n must be a multiple of -l, or the last list would not be full",
	 {"post_list", "iters"}},
	{BW | BURST,
	 post_list_above_depth,
	 "-l must not exceed -t, or a list could never be posted",
	 {"post_list", "tx-depth"}},
	{BW,
	 post_list_against_cq_mod,
	 "-l must be a multiple of -Q, so that every list ends with a completion",
	 {"post_list", "cq-mod"}},
	{BW & RECEIVES,
	 recv_post_list_leaves_rest,
	 "-n must be a multiple of --recv_post_list, or the last list would not be full",
	 {"recv_post_list", "iters"}},
	{BW & RECEIVES,
	 recv_post_list_above_depth,
	 "--recv_post_list must not exceed -r, or a list could never be posted",
	 {"recv_post_list", "rx-depth"}},
	{TWO_WAY,
	 srq_without_receives,
	 "--use-srq needs messages that consume receives: a plain RDMA WRITE does not, --write_with_imm does",
	 {"use-srq"}},
	{TWO_WAY,
	 srq_of_own_receives,
	 "SRD has no shared receive queues: omit --use-srq, or use another -c",
	 {"use-srq"}},
	{TWO_WAY,
	 srq_below_queue_pairs,
	 "with --use-srq, -c XRC and -c DC all queue pairs share the receives, so -r must be at least -q",
	 {"rx-depth", "qp", "use-srq"}},
	{TWO_WAY,
	 srq_of_many_regions,
	 "with --use-srq, -c XRC and -c DC --data_validation checks the receives in one memory region: omit "
	 "--mr_per_qp",
	 {"mr_per_qp"}},
	{IB,
	 old_post_of_both,
	 "ibv_post_send() cannot address -c DC, nor -c SRD except for SEND: omit --use_old_post_send",
	 {NULL}},
	{IB, both_ways_to_post, "--use_old_post_send and --use_wr_api exclude each other", {NULL}},
	{IB, streams_of_transport, "--log_dci_streams is for DC initiators: give -c DC", {"log_dci_streams"}},
	{IB,
	 more_active_streams,
	 "--log_active_dci_streams must not exceed --log_dci_streams",
	 {"log_active_dci_streams", "log_dci_streams"}},
	{IB,
	 order_of_streams,
	 "with --log_dci_streams and --use_ooo messages arrive in no particular order, but --data_validation and "
	 "--rate identify them by their order: omit one of them",
	 {"log_dci_streams", "use_ooo"}},
	{IB,
	 order_of_datagrams,
	 "-c SRD always places data and consumes receives out of order: omit --use_ooo",
	 {NULL}},
	{WRITE & LAT,
	 order_of_last_byte,
	 "the other side polls the last byte of a plain RDMA WRITE, which with --use_ooo may not be the last to "
	 "arrive: give --write_with_imm",
	 {NULL}},
	{IB,
	 control_of_others,
	 "--congest_type is for adapters that have neither DC nor SRD: use another -c",
	 {"congest_type"}},
	{IB,
	 two_providers,
	 "--congest_type is for HiSilicon adapters, --use_ooo and --inline_recv are for mlx5 adapters: give those of "
	 "one kind",
	 {"congest_type"}},
	{WRITE,
	 unsolicited_of_other,
	 "--unsolicited_write is for RDMA WRITE with immediate data over SRD: give -c SRD and --write_with_imm",
	 {NULL}},
	{LAT & WRITE,
	 unordered_bytes,
	 "--data_validation polls the last byte of a plain RDMA WRITE, which with -c SRD may not be the last to "
	 "arrive: give --write_with_imm",
	 {NULL}},
	{LAT & WRITE,
	 nothing_to_poll,
	 "-s 0 has no last byte, which the other side polls of a plain RDMA WRITE: give --write_with_imm",
	 {"size"}},
	{IB & ~ATOMIC,
	 nothing_to_look_at,
	 "messages of -s 0 have no payload to check, sign or encrypt: omit --data_validation, --sig_offload and "
	 "--aes_xts",
	 {"size"}},
	{BW & ~ATOMIC, nothing_per_second, "messages of -s 0 have no bytes to limit: give --rate_units=p", {"size"}},
	{WRITE,
	 events_of_plain_write,
	 "-e needs completions on both sides: a plain RDMA WRITE generates none at the server, --write_with_imm does",
	 {NULL}},
	{MOVES, vector_without_events, "-X selects the completion vector of -e: give -e as well", {"vector"}},
	{BW & WRITE,
	 warm_up_of_arrivals,
	 "the other side would count the messages of --perform_warm_up as part of the test if messages consume "
	 "receives",
	 {NULL}},
	{IB,
	 validation_without_end,
	 "--data_validation runs in rounds, so it cannot print a row every few seconds: use -D, not --run_infinitely",
	 {NULL}},
	{IB,
	 validation_of_payload,
	 "--data_validation sends its own pattern, --payload_file_path the bytes of a file: give one of them",
	 {"payload_file_path"}},
	{IB,
	 validation_in_intervals,
	 "--data_validation runs in rounds, so the rows of --report_interval would be meaningless",
	 {"report_interval"}},
};

const struct rule_set rules_queues = {rows, sizeof(rows) / sizeof(rows[0])};
