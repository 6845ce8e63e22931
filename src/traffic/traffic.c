// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who does what in a test; see traffic.h. */
#include "traffic/traffic.h"

static enum ibv_wr_opcode opcode_of(const struct traffic_spec *spec)
{
	switch (spec->verb) {
	case VERB_WRITE:
		return spec->with_imm ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
	case VERB_READ:
		return IBV_WR_RDMA_READ;
	case VERB_ATOMIC:
		return spec->atomic_type == ATOMIC_CMP_AND_SWAP ? IBV_WR_ATOMIC_CMP_AND_SWP
								: IBV_WR_ATOMIC_FETCH_AND_ADD;
	default:
		return spec->with_imm ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
	}
}

struct traffic traffic_of(const struct traffic_spec *spec, enum side side)
{
	const bool latency = spec->metric == METRIC_LAT;
	struct traffic traffic = {
		.verb = spec->verb,
		.metric = spec->metric,
		.transport = transport_traits(spec->transport),
		.opcode = opcode_of(spec),
		.pulls = spec->verb == VERB_READ || spec->verb == VERB_ATOMIC,
		.arrivals = spec->verb == VERB_SEND || spec->with_imm,
		.active = (side == SIDE_CLIENT) != spec->reversed,
	};

	traffic.ping_pong = latency && !traffic.pulls;
	traffic.polls_memory = traffic.ping_pong && !traffic.arrivals;

	traffic.initiator = traffic.active || spec->bidirectional;
	traffic.target = !traffic.active || spec->bidirectional;
	traffic.posts = traffic.initiator || traffic.ping_pong;
	traffic.peer_posts = traffic.target || traffic.ping_pong;
	traffic.receives = traffic.arrivals && traffic.peer_posts;
	/* By memory the server begins, as every perftest has it. */
	traffic.begins = traffic.polls_memory ? !traffic.active : traffic.initiator;

	/* What is sent without the CPU of the target, only its initiator can measure. */
	traffic.measures = traffic.posts || traffic.receives;
	traffic.reports = traffic.active || traffic.arrivals || traffic.ping_pong;
	traffic.peer_measures = traffic.peer_posts || traffic.arrivals;

	/* The queue pairs take what the rules bring, and nothing is sent. */
	if (spec->metric == METRIC_STEERING) {
		traffic.posts = traffic.initiator = traffic.begins = traffic.measures = false;
		traffic.receives = traffic.target = traffic.peer_posts = traffic.reports = true;
	}

	traffic.splits =
		traffic.transport->initiator_qp != traffic.transport->target_qp && (latency || spec->bidirectional);
	traffic.source = traffic.pulls ? traffic.peer_posts : traffic.posts;
	traffic.sink = traffic.pulls ? traffic.posts : traffic.peer_posts;
	return traffic;
}
