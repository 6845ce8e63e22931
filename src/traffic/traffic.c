// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which side does what in a test; see traffic.h. */
#include "traffic/traffic.h"

#define SLOT_BYTES 64U	       /* minimum: no two messages share a cache line */
#define SLOTS	   256U	       /* maximum, so that those of small messages stay in the L1 cache */
#define SLOTS_ALL  (16U << 20) /* bytes of all slots; large messages have two in any case */

/* What may be lost or overtaken is identified by numbers; a plain RDMA WRITE has no place for one. */
static bool is_numbered(const struct traffic_spec *spec)
{
	return spec->open_loop && (spec->verb != VERB_WRITE || spec->with_imm) &&
	       !transport_counts(transport_traits(spec->transport));
}

static enum ibv_wr_opcode opcode_of(const struct traffic_spec *spec)
{
	const bool with_imm = spec->with_imm || is_numbered(spec);

	switch (spec->verb) {
	case VERB_WRITE:
		return with_imm ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
	case VERB_READ:
		return IBV_WR_RDMA_READ;
	case VERB_ATOMIC:
		return spec->atomic_type == ATOMIC_CMP_AND_SWAP ? IBV_WR_ATOMIC_CMP_AND_SWP
								: IBV_WR_ATOMIC_FETCH_AND_ADD;
	default:
		return with_imm ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
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

	traffic.bursts = latency && spec->bursts;
	traffic.open_loop = latency && spec->open_loop;
	traffic.echoes = traffic.open_loop && !traffic.pulls;
	traffic.numbered = traffic.open_loop && is_numbered(spec);
	traffic.ping_pong = latency && !traffic.pulls && !traffic.bursts && !traffic.open_loop;
	traffic.round_trips = traffic.ping_pong || traffic.bursts;
	traffic.polls_memory = (traffic.ping_pong || traffic.echoes) && !traffic.arrivals;

	traffic.initiator = traffic.active || spec->bidirectional;
	traffic.target = !traffic.active || spec->bidirectional;
	traffic.posts = traffic.initiator || traffic.round_trips || traffic.echoes;
	traffic.peer_posts = traffic.target || traffic.round_trips || traffic.echoes;
	traffic.receives = traffic.arrivals && traffic.peer_posts;
	traffic.forwards = spec->forwards && !traffic.active;
	/* The server begins a ping-pong of writes, even with immediate data, as in every perftest. */
	traffic.begins = traffic.ping_pong && spec->verb == VERB_WRITE ? !traffic.active
								       : traffic.initiator && !traffic.forwards;

	/* Only the initiator can measure messages that do not involve the target's CPU. */
	traffic.measures = traffic.posts || traffic.receives;
	traffic.samples = latency && (traffic.initiator || traffic.ping_pong);
	/* The answering side of bursts, or of an open loop, measures no times. */
	traffic.reports =
		traffic.active || traffic.ping_pong || (traffic.arrivals && !traffic.bursts && !traffic.open_loop);
	traffic.peer_measures = traffic.peer_posts || traffic.arrivals;

	/* The queue pairs receive what the rules direct to them, and nothing is sent. */
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

uint32_t traffic_slots(uint64_t size, uint32_t *step)
{
	uint32_t bytes = SLOT_BYTES, count = SLOTS;

	while (bytes < size)
		bytes *= 2;
	while (count > 2 && (uint64_t)count * bytes > SLOTS_ALL)
		count /= 2;
	*step = bytes;
	return count;
}
