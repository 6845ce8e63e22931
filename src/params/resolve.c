// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values that follow from other options, as in the classic suite, derived from params->asked each time, so that a
 * server may resolve before and after it has adopted its client's requests. verbs determines what depends on a device
 * (MTU, granted inline size, outstanding reads).
 */
#include "params/resolve.h"

#include "params/load.h"
#include "params/options.h"
#include "util/arith.h"

#define INFINITE_INTERVAL_S 5
#define USUAL_DEPTH	    128
#define RECEIVES	    512	  /* default depth if messages consume receives */
#define MAX_UNRELIABLE	    16000 /* receives posted if messages may be lost, so that a whole run fits if possible */
#define MODERATION	    100
#define MODERATED_BYTES	    8192 /* above this each message is signalled */
#define POLL_BATCH	    16
/* of a rate limit: short compared to the shortest run by time, long compared to a wakeup */
#define BURST_S 1e-3

bool params_given(const struct params *params, const char *long_name)
{
	return params->given[params_option_index(long_name)];
}

static int margin_s(const struct params *params)
{
	if (params->test.run_infinitely)
		return 0; /* every interval is shown, including the first */
	if (params->asked.margin_s != PARAMS_AUTO)
		return params->asked.margin_s;
	return (int)(params->test.duration_s / 4);
}

/* When memory is polled an open loop has a slot for each message in flight; a higher depth is refused. */
uint32_t params_open_slots(const struct params *params)
{
	uint32_t step;

	return traffic_slots(params->verbs.size, &step);
}

static uint32_t usual_depth(const struct params *params)
{
	if (params->program->metric == METRIC_LAT && !params_is_open_loop(params))
		return 1;
	if (params_traffic(params, SIDE_CLIENT).polls_memory)
		return (uint32_t)arith_smaller(USUAL_DEPTH, params_open_slots(params));
	return USUAL_DEPTH;
}

static uint32_t tx_depth(const struct params *params)
{
	const uint32_t asked =
		params->asked.tx_depth == PARAMS_AUTO ? usual_depth(params) : (uint32_t)params->asked.tx_depth;

	return params_by_time(params) ? asked : (uint32_t)arith_smaller(asked, params->test.iters);
}

const char *params_local_ip(const struct params *params)
{
	const struct params_ethernet *ethernet = &params->ethernet;

	if (ethernet->local_ip[0])
		return ethernet->local_ip;
	return params_is_client(params) ? ethernet->source_ip : ethernet->dest_ip;
}

const char *params_remote_ip(const struct params *params)
{
	const struct params_ethernet *ethernet = &params->ethernet;

	if (ethernet->remote_ip[0])
		return ethernet->remote_ip;
	return params_is_client(params) ? ethernet->dest_ip : ethernet->source_ip;
}

bool params_has_ip(const struct params *params)
{
	return params_local_ip(params)[0] || params_remote_ip(params)[0];
}

uint16_t params_local_port(const struct params *params)
{
	const struct params_ethernet *ethernet = &params->ethernet;

	if (ethernet->local_port)
		return ethernet->local_port;
	return params_is_client(params) ? ethernet->source_port : ethernet->dest_port;
}

uint16_t params_remote_port(const struct params *params)
{
	const struct params_ethernet *ethernet = &params->ethernet;

	if (ethernet->remote_port)
		return ethernet->remote_port;
	return params_is_client(params) ? ethernet->dest_port : ethernet->source_port;
}

struct traffic params_traffic(const struct params *params, enum side side)
{
	return traffic_of(&params->spec, side);
}

bool params_has_arrivals(const struct params *params)
{
	return params_traffic(params, SIDE_CLIENT).arrivals;
}

bool params_needs_credits(const struct params *params)
{
	return params->program->metric == METRIC_BW && !params->verbs.shares_receives &&
	       (params->program->verb == VERB_SEND || params->spec.with_imm);
}

/* An odd depth is increased by one, as scripts that read the header expect; not in a sweep or a run without end. */
static uint32_t rx_depth(const struct params *params)
{
	const struct traffic traffic = params_traffic(params, SIDE_CLIENT);
	const uint64_t sharers = params->verbs.shares_receives ? params->queues.num_qps : 1;
	uint64_t depth = sharers > RECEIVES ? sharers : RECEIVES;

	if (traffic.open_loop && depth < params->verbs.tx_depth)
		depth = params->verbs.tx_depth;
	if (!traffic.arrivals)
		return 1;
	if (params->asked.rx_depth != PARAMS_AUTO)
		depth = (uint64_t)params->asked.rx_depth;
	else if (!traffic.transport->reliable && !params_by_time(params) &&
		 (!traffic.transport->frames || params->program->metric == METRIC_BW))
		depth = arith_smaller(params->test.iters * sharers, MAX_UNRELIABLE);
	if (!params_by_time(params))
		depth = arith_smaller(depth, params->test.iters * sharers);
	if (depth % 2 && !params->verbs.all_sizes && !params->test.run_infinitely)
		depth++;
	return (uint32_t)depth;
}

static uint32_t cq_mod(const struct params *params, uint64_t size)
{
	const struct transport_traits *transport = transport_traits(params->verbs.transport);

	if (params->program->metric == METRIC_LAT && !params->program->bursts)
		return 1;
	if (params->asked.cq_mod != PARAMS_AUTO)
		return (uint32_t)params->asked.cq_mod;
	if (params->verbs.post_list > 1)
		return params->verbs.post_list;
	/*
	 * A message of one packet is small; an event per message would measure wakeups. With frames linux-rdma perftest
	 * uses the requested size, before it reduces that to the MTU.
	 */
	if (transport->frames)
		size = params->verbs.size;
	if (size > MODERATED_BYTES && (!transport->one_packet || transport->frames) && !params->verbs.events)
		return 1;
	return MODERATION;
}

double params_message_limit(const struct params *params, uint64_t size)
{
	const double bytes = size ? (double)size : 1;

	if (!(params->rate.limit > 0) || params->asked.rate_limit_type == RATE_LIMIT_HW ||
	    params->asked.rate_limit_type == RATE_LIMIT_PP)
		return 0;
	switch (params->rate.units) {
	case RATE_UNITS_MEBIBYTES:
		return params->rate.limit * 1048576 / bytes;
	case RATE_UNITS_GIGABITS:
		return params->rate.limit * 1e9 / 8 / bytes;
	default:
		return params->rate.limit;
	}
}

uint32_t params_burst(const struct params *params, uint64_t size)
{
	const double messages = params_message_limit(params, size) * BURST_S;

	if (params->rate.burst_size)
		return params->rate.burst_size;
	if (params->program->bursts)
		return params->verbs.tx_depth;
	if (messages >= params->verbs.tx_depth)
		return params->verbs.tx_depth;
	return messages > 1 ? (uint32_t)messages : 1;
}

/* The largest divisor of a burst up to this: unsignalled messages at a burst's end wait for the next. */
static uint32_t divisor(uint32_t burst, uint32_t most)
{
	if (most >= burst)
		return burst;
	while (burst % most)
		most--;
	return most;
}

uint32_t params_cq_mod(const struct params *params, uint64_t size)
{
	const uint32_t most = (uint32_t)arith_smaller(cq_mod(params, size), params->verbs.tx_depth);

	/* The last message of a list is always signalled. */
	if (params->verbs.post_list > 1 || !(params_message_limit(params, size) > 0))
		return most;
	return divisor(params_burst(params, size), most);
}

static enum rate_limit_type rate_limit_type(const struct params *params)
{
	if (!(params->rate.limit > 0))
		return RATE_LIMIT_NONE;
	/* The classic suite tries the device first and falls back; the program can limit on every device. */
	return params->asked.rate_limit_type ? params->asked.rate_limit_type : RATE_LIMIT_SW;
}

static void resolve_spec(struct params *params)
{
	struct traffic_spec *spec = &params->spec;

	spec->verb = params->program->verb;
	spec->metric = params->program->metric;
	/* Only datagrams can go to several receivers; linux-rdma perftest also accepts any -c. */
	spec->transport = params->verbs.group.is_used ? transport_of_groups() : params->asked.transport;
	spec->bidirectional |= params->ethernet.mac_fwd;
	spec->reversed = params->test.reversed && !params->program->silent;
	spec->forwards = params->ethernet.mac_fwd;
	spec->bursts = params->program->bursts;
	spec->open_loop = params_is_open_loop(params);
}

void resolve_options(struct params *params)
{
	const struct params_asked *asked = &params->asked;

	resolve_spec(params);
	params->verbs.transport = params->spec.transport;
	params->test.duration_s = asked->duration_s;
	if (!params->test.duration_s && params->test.run_infinitely)
		params->test.duration_s = INFINITE_INTERVAL_S;
	params->test.margin_s = margin_s(params);
	params->queues.num_qps = asked->num_qps << params->verbs.dual_port;
	/* It has no -q. */
	if (params->program->metric == METRIC_LAT)
		params->queues.num_qps = params->verbs.num_threads;
	params->verbs.shares_receives = params->queues.use_srq || transport_traits(params->verbs.transport)->needs_srq;
	params->verbs.tx_depth = tx_depth(params);
	params->verbs.rx_depth = rx_depth(params);
	/* a sweep begins with small messages, which the header describes then */
	params->verbs.cq_mod = params_cq_mod(params, params->verbs.all_sizes ? 0 : params->verbs.size);
	params->queues.cqe_poll = asked->cqe_poll == PARAMS_AUTO ? POLL_BATCH : (uint32_t)asked->cqe_poll;
	params->queues.disable_dynamic_polling = asked->disable_dynamic_polling || asked->cqe_poll != PARAMS_AUTO;
	params->rate.limit_type = rate_limit_type(params);
}
