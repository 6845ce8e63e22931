// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values that follow from other options, as in the classic suite, derived from params->asked each time, so that a
 * server may resolve before and after it has adopted its client's requests. verbs determines what depends on a device
 * (MTU, granted inline size, outstanding reads).
 */
#include "params/perftest_parameters.h"

#include <stdio.h>
#include <string.h>

#include "params/engine/checks.h"
#include "params/options.h"
#include "params/programs.h"
#include "util/arith.h"
#include "util/terminal.h"

#define INFINITE_INTERVAL_S 5
#define USUAL_DEPTH	    128
#define RECEIVES	    512	  /* default depth if messages consume receives */
#define MAX_UNRELIABLE	    16000 /* receives posted if messages may be lost, so that a whole run fits if possible */
#define MODERATION	    100
#define MODERATED_BYTES	    8192 /* above this each message is signalled */
#define POLL_BATCH	    16
/* of a rate limit: short compared to the shortest run by time, long compared to a wakeup */
#define BURST_S	  1e-3
#define ALL_SIZES "2:8M:*2" /* of -a */

static int margin_s(const struct params *params)
{
	if (params->test.run_infinitely)
		return 0; /* every interval is shown, including the first */
	if (params->asked.margin_s != CONFIG_AUTO)
		return params->asked.margin_s;
	return (int)(params->test.duration_s / 4);
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
		params->asked.tx_depth == CONFIG_AUTO ? usual_depth(params) : (uint32_t)params->asked.tx_depth;

	return params_by_time(params) ? asked : (uint32_t)arith_smaller(asked, params->test.iters);
}

/* Messages of a queue pair that a receiver may find there: without a side channel those of all sizes follow each other.
 */
static uint64_t messages_in_a_row(const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;

	return params->test.iters *
	       (params_is_silent(params) && verbs->all_sizes ? sweep_count(&verbs->sweep, verbs->sweep.last) : 1);
}

/* An odd depth is increased by one, as scripts that read the header expect; not in a sweep or a run without end. */
static uint32_t rx_depth(const struct params *params)
{
	const struct traffic traffic = params_traffic(params, SIDE_CLIENT);
	const uint64_t sharers = params->verbs.shares_receives ? params->queues.num_qps : 1;
	const uint64_t messages = messages_in_a_row(params) * sharers;
	uint64_t depth = sharers > RECEIVES ? sharers : RECEIVES;

	if (traffic.open_loop && depth < params->verbs.tx_depth)
		depth = params->verbs.tx_depth;
	if (!traffic.arrivals)
		return 1;
	if (params->asked.rx_depth != CONFIG_AUTO)
		depth = (uint64_t)params->asked.rx_depth;
	else if (!traffic.transport->reliable && !params_by_time(params) &&
		 (!traffic.transport->frames || params->program->metric == METRIC_BW))
		depth = arith_smaller(messages, MAX_UNRELIABLE);
	if (!params_by_time(params))
		depth = arith_smaller(depth, messages);
	if (depth % 2 && !params->verbs.all_sizes && !params->test.run_infinitely)
		depth++;
	return (uint32_t)depth;
}

static uint32_t cq_mod(const struct params *params, uint64_t size)
{
	const struct transport_traits *transport = transport_traits(params->verbs.transport);

	if (params->program->metric == METRIC_LAT && !params->program->bursts)
		return 1;
	if (params->asked.cq_mod != CONFIG_AUTO)
		return (uint32_t)params->asked.cq_mod;
	if (params->verbs.post_list > 1)
		return params->verbs.post_list;
	/*
	 * A message of one packet is small; an event per message would measure wakeups. With frames linux-rdma perftest
	 * uses the requested size, before it reduces that to the MTU.
	 */
	if (transport->frames && !params->verbs.all_sizes)
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
	spec->reversed = params->test.reversed && !params_is_silent(params);
	spec->forwards = params->ethernet.mac_fwd;
	spec->bursts = params->program->bursts;
	spec->open_loop = params_is_open_loop(params);
}

static void resolve_options(struct params *params)
{
	const struct params_asked *asked = &params->asked;

	resolve_spec(params);
	params->verbs.all_sizes |= strcmp(params->test.sizes, "off") != 0;
	sizes_parse(strcmp(params->test.sizes, "off") ? params->test.sizes : ALL_SIZES, &params->verbs.sweep);
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
	params->queues.cqe_poll = asked->cqe_poll == CONFIG_AUTO ? POLL_BATCH : (uint32_t)asked->cqe_poll;
	params->queues.disable_dynamic_polling = asked->disable_dynamic_polling || asked->cqe_poll != CONFIG_AUTO;
	params->rate.limit_type = rate_limit_type(params);
}

/* --- for verbs --- */

/* The path MTU, or that of frames; a number that is no path MTU stands for the port's active one. */
static uint32_t path_mtu(const struct params *params)
{
	const uint32_t mtu = params->asked.mtu;
	const bool is_of_path = mtu >= 256 && mtu <= 4096 && !(mtu & (mtu - 1));

	return is_of_path || transport_traits(params->verbs.transport)->frames ? mtu : 0;
}

/* --rate_limit by the device, which has no rates in messages per second. 0: not of that type */
static double rate_gbits(const struct params *params, enum rate_limit_type type)
{
	const double mebibyte_bits = 8.0 * 1024 * 1024;

	if (params->rate.limit_type != type)
		return 0;
	return params->rate.units == RATE_UNITS_MEBIBYTES ? params->rate.limit * mebibyte_bits / 1e9
							  : params->rate.limit;
}

static void resolve_pace(struct params *params)
{
	const double kbps = rate_gbits(params, RATE_LIMIT_PP) * 1e6;
	struct pace_config *pace = &params->verbs.pace;

	pace->kbps = kbps < UINT32_MAX ? (uint32_t)kbps : UINT32_MAX;
	if (kbps > 0 && !pace->kbps)
		pace->kbps = 1;
	pace->burst = params->rate.burst_size;
	pace->typical = params->rate.typical_size;
}

/* The transports of this program that a device with only datagrams can use. */
static const char *datagram_hint(const struct program *program)
{
	static char hint[64];

	hint[0] = '\0';
	for (unsigned i = 0; i < TRANSPORT_COUNT; i++) {
		const struct transport_traits *traits = transport_traits((enum transport)i);

		if (program->transports & TRANSPORT_BIT(i) && traits->datagram)
			text_add(hint, sizeof(hint), "%s -c %s", hint[0] ? " or" : "; use", traits->name);
	}
	return hint[0] ? hint : ", which this test can't use; the others can";
}

/*
 * -g: the group that this side receives from. In a ping-pong each side has its own, or it would receive its own
 * messages: that of the side which begins is one higher.
 */
static void resolve_group(struct params *params)
{
	struct verbs_config *verbs = &params->verbs;

	if (!verbs->group.is_used)
		return;
	group_gid_read(params->test.mgid, verbs->group.gid);
	if ((verbs->traffic.ping_pong || verbs->traffic.echoes) && verbs->traffic.active)
		verbs->group.gid[15]++;
}

static bool needs_dmabuf(const struct params *params)
{
	const enum gpu_type which = params_accelerator(params);
	const struct gpu_config *accelerator = &params->memory.gpu[which];

	return which != GPU_TYPES &&
	       (which == GPU_HABANA || accelerator->dmabuf || accelerator->pcie_mapping || params->verbs.data_direct);
}

/* Does the receiver limit the sender if the device is an iWARP one? */
static bool needs_credits(const struct params *params)
{
	return params->program->metric == METRIC_BW && !params->verbs.shares_receives &&
	       (params->program->verb == VERB_SEND || params->spec.with_imm);
}

static void resolve_verbs(struct params *params)
{
	struct verbs_config *verbs = &params->verbs;

	verbs->port_is_given = params_given(params, "ib-port");
	verbs->mtu = path_mtu(params);
	verbs->cm_hint = "; use -R on both sides";
	verbs->rate_gbits = rate_gbits(params, RATE_LIMIT_HW);
	resolve_pace(params);
	verbs->rate_hint = "; use --rate_limit_type=SW";
	verbs->num_flow_labels = flow_labels_read(params->asked.flow_label, verbs->flow_labels);
	verbs->datagram_hint = datagram_hint(params->program);
	verbs->traffic = params_traffic(params, params_is_client(params) ? SIDE_CLIENT : SIDE_SERVER);
	verbs->num_qps = verbs->group.is_used && !verbs->traffic.receives ? 1 : params->queues.num_qps;
	verbs->flow_control = needs_credits(params);
	verbs->rx_depth_is_given = params->asked.rx_depth != CONFIG_AUTO;
	resolve_group(params);
	verbs->size_is_given = params_given(params, "size");
	verbs->messages = params_by_time(params) ? 0 : params->test.iters;
	verbs->takes_turns = verbs->traffic.ping_pong && params->rate.latency_gap_us;
	verbs->dmabuf = needs_dmabuf(params);
	verbs->hints.is_used = verbs->hints.ph != CONFIG_AUTO;
}

/* --- for the report --- */

void resolve_report(struct params *params)
{
	struct report_config *report = &params->report;
	struct load load;

	report->options = &params_options;
	report->programs = program_bit(params->program);
	report->program = params->program->name;
	report->is_client = params_is_client(params);
	report->intervals = params->test.interval_s > 0 || params->test.run_infinitely;
	report->load_steps =
		params->spec.open_loop && !load_parse(params->rate.open_rate, &load) && load_is_shares(&load);
	report->repeats = params_repeats(params);
	report->until = params->repeat.until_percent > 0;
	report->steady = params->repeat.steady;
	report->peers = params_gathers(params);
	report->poll_batch = params->queues.disable_dynamic_polling ? params->queues.cqe_poll : 0;
	report->each_alone = report->both || (report->peers && params->verbs.group.is_used);
	report->out_json = params->asked.out_json || params_given(params, "out_json_file");
	snprintf(report->json_path, sizeof(report->json_path), "%s",
		 !report->out_json	    ? ""
		 : report->out_json_file[0] ? report->out_json_file
					    : "perftest_out.json");
}

void resolve_values(struct params *params)
{
	resolve_options(params);
	resolve_verbs(params);
	resolve_report(params);
}
