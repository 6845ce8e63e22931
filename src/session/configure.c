// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The configuration of verbs, memory and report. The only file that derives it from the parameters. */
#include "session/configure.h"

#include <stdio.h>

#include "memory/memory.h"
#include "params/checks.h"
#include "params/load.h"
#include "params/options.h"
#include "params/programs.h"
#include "session/frames.h"
#include "session/memory_kind.h"
#include "util/arith.h"

_Static_assert(CONFIG_AUTO == PARAMS_AUTO, "what is left to be chosen is passed on");
_Static_assert((int)CONGESTION_DIP == (int)CONGEST_DIP, "one is the other");

static enum config_link params_link_type(const struct params *params)
{
	switch (params->device.force_link) {
	case LINK_IB:
		return CONFIG_LINK_IB;
	case LINK_ETHERNET:
		return CONFIG_LINK_ETHERNET;
	default:
		return CONFIG_LINK_OF_PORT;
	}
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

static struct pace_config pace_of(const struct params *params)
{
	const double kbps = rate_gbits(params, RATE_LIMIT_PP) * 1e6;

	if (!(kbps > 0))
		return (struct pace_config){0};
	return (struct pace_config){
		.kbps = kbps < 1	    ? 1
			: kbps < UINT32_MAX ? (uint32_t)kbps
					    : UINT32_MAX,
		.burst = params->rate.burst_size,
		.typical = params->rate.typical_size,
	};
}

/* The transports of this program that a device with only datagrams can use. */
static const char *datagram_hint(const struct program *program)
{
	static char hint[64];
	size_t used = 0;

	for (unsigned i = 0; i < TRANSPORT_COUNT; i++) {
		const struct transport_traits *traits = transport_traits((enum transport)i);

		if (program->transports & TRANSPORT_BIT(i) && traits->datagram)
			used += (size_t)snprintf(hint + used, sizeof(hint) - used, "%s -c %s", used ? " or" : "; use",
						 traits->name);
	}
	return used ? hint : ", which this test can't use; the others can";
}

static struct hint_config hints_of(const struct params *params)
{
	const struct params_memory *memory = &params->memory;

	if (memory->ph == PARAMS_AUTO)
		return (struct hint_config){0};
	return (struct hint_config){
		.is_used = true,
		.ph = (uint8_t)memory->ph,
		.names_cpu = memory->cpu_id != PARAMS_AUTO,
		.cpu_id = memory->cpu_id == PARAMS_AUTO ? 0 : (uint32_t)memory->cpu_id,
		.mem_type = memory->tph_mem == TPH_MEM_PM,
	};
}

static void configure_path(const struct params *params, struct verbs_config *config)
{
	config->device_name = params->device.name;
	config->port = params->device.port;
	config->port_is_given = params_given(params, "ib-port");
	config->dual_port = params->device.dual_port;
	config->per_port = params->report.per_port;
	config->link = params_link_type(params);
	config->gid_index = params->device.gid_index;
	config->ipv6 = params->device.ipv6;
	config->mtu = params_mtu(params);
	config->pkey_index = params->device.pkey_index;
	config->sl = params->device.sl;
	config->tclass = params->device.tclass;
	config->dlid = params->device.dlid;
	config->qp_timeout = params->device.qp_timeout;
	config->rdma_cm = params->device.rdma_cm;
	config->cm_hint = "; use -R on both sides";
	config->tos = params->device.tos;
	config->retry_count = params->device.retry_count;
	config->rate_gbits = rate_gbits(params, RATE_LIMIT_HW);
	config->pace = pace_of(params);
	config->rate_hint = "; use --rate_limit_type=SW";
	if (params->device.flow_label[0])
		config->num_flow_labels = flow_label_count(params->device.flow_label);
	for (unsigned i = 0; i < config->num_flow_labels; i++)
		config->flow_labels[i] = flow_label_at(params->device.flow_label, i);
}

static void configure_queues(const struct params *params, enum side side, struct verbs_config *config)
{
	config->transport = params->device.transport;
	config->datagram_hint = datagram_hint(params->program);
	config->traffic = params_traffic(params, side);
	config->num_qps = params_num_qps(params, side);
	config->num_threads = params->queues.num_threads;
	config->tx_depth = params->queues.tx_depth;
	config->rx_depth = params->queues.rx_depth;
	config->shares_receives = params_shares_receives(params);
	config->flow_control = params_needs_credits(params);
	config->rx_depth_is_given = params->asked.rx_depth != PARAMS_AUTO;
	config->post_list = params->queues.post_list;
	config->recv_post_list = params->queues.recv_post_list;
	config->inline_size = params->test.inline_size;
	config->outs = params->queues.outs;
	config->dci_streams = params_has_dci_streams(params);
	config->log_dci_streams = params->queues.log_dci_streams;
	config->log_active_dci_streams = params->queues.log_active_dci_streams == PARAMS_AUTO
						 ? params->queues.log_dci_streams
						 : (uint8_t)params->queues.log_active_dci_streams;
	config->events = params->queues.events;
	config->comp_vector = params->queues.comp_vector;
	config->inline_recv = params->queues.inline_recv;
	config->out_of_order = params->queues.out_of_order;
	config->unsolicited = params->test.unsolicited;
	config->congestion = (enum config_congestion)params->queues.congestion;
	config->no_lock = params->queues.no_lock;
	config->use_old_post_send = params->queues.use_old_post_send;
	config->use_wr_api = params->queues.use_wr_api;
	if (params->test.mcast) {
		config->group.is_used = true;
		params_group(params, side, config->group.gid);
	}
	if (config->traffic.transport->frames)
		session_configure_frames(params, &config->frames);
}

static void configure_messages(const struct params *params, struct verbs_config *config)
{
	config->size = params->test.size;
	config->size_is_given = params_given(params, "size");
	config->all_sizes = params->test.all_sizes;
	config->sweep = params_sweep(params);
	config->data_validation = params->test.data_validation;
	config->messages = params_by_time(params) ? 0 : params->test.iters;
	config->takes_turns = params_takes_turns(params);
	config->payload_file = params->memory.payload_file_path;
}

static void configure_regions(const struct params *params, struct verbs_config *config)
{
	config->mr_per_qp = params->memory.mr_per_qp;
	config->disable_relaxed = params->memory.disable_pcie_relaxed;
	config->memory = memory_kind_of(params);
	config->odp = params->memory.odp;
	config->dmabuf = memory_kind_needs_dmabuf(params);
	config->data_direct = params->memory.data_direct;
	config->null = params->memory.null_mr;
	config->hints = hints_of(params);
	config->crypto = (struct crypto_config){
		.is_used = params->memory.aes_xts,
		.encrypt_on_tx = params->memory.encrypt_on_tx,
		.signature_first = params->memory.sig_before,
		.block_bytes = params->memory.aes_block_size,
		.num_keys = params->memory.data_enc_keys,
		.kek_path = params->memory.kek_path,
		.credentials_path = params->memory.credentials_path,
		.key_program = params->memory.key_program,
	};
	config->signs = params->memory.sig_offload;
	config->max_memory = params->channel.max_memory;
	config->num_clients = params->channel.clients;
}

void session_configure(const struct params *params, enum side side, struct verbs_config *config)
{
	*config = (struct verbs_config){0};
	configure_path(params, config);
	configure_queues(params, side, config);
	configure_messages(params, config);
	configure_regions(params, config);
}

void session_configure_memory(struct verbs_config *config, const struct device *device)
{
	const struct memory_ops *memory = config->memory;

	config->memory_bytes = memory->supply ? memory->supply(device->context) : 0;
	if (memory->supply && device->second)
		config->memory_bytes = arith_smaller(config->memory_bytes, memory->supply(device->second->context));
}

/* 0: the loop chooses how many completions it polls at once, and the header says so. */
static uint32_t poll_batch(const struct params *params)
{
	const bool fixed = params->queues.disable_dynamic_polling || params_given(params, "cqe_poll");

	return fixed ? params->queues.cqe_poll : 0;
}

void session_configure_report(const struct params *params, struct report_config *config)
{
	const struct program *program = params->program;
	const char *path = params_json_path(params);
	struct load load;
	const bool is_load = params_is_open_loop(params) && !load_parse(params->rate.open_rate, &load);

	_Static_assert(sizeof(config->json_path) >= sizeof(params->report.out_json_file), "a path is copied whole");
	*config = (struct report_config){
		.program = program->name,
		.is_client = params_is_client(params),
		.verb = program->verb,
		.metric = program->metric,
		.transport = params->device.transport,
		.atomic_type = params->test.atomic_type,
		.with_imm = params->test.with_imm,
		.bidirectional = params->test.bidirectional,
		.has_sl = program->silent && params_given(params, "sl"),
		.bursts = program->bursts,
		.by_time = params_by_time(params),
		.open_loop = params_is_open_loop(params),
		.intervals = params->report.interval_s > 0 || params->test.run_infinitely,
		.load_steps = is_load && load_is_shares(&load),
		.dual_port = params->device.dual_port,
		.per_port = params->report.per_port,
		.data_validation = params->test.data_validation,
		.repeats = params_repeats(params),
		.until = params->repeat.until_percent > 0,
		.steady = params->repeat.steady,
		.peers = params_gathers(params),
		.rdma_cm = params->device.rdma_cm,
		.tos = params->device.tos,
		.num_qps = params_num_qps(params, params_is_client(params) ? SIDE_CLIENT : SIDE_SERVER)
			   << params_traffic(params, SIDE_CLIENT).splits,
		.num_threads = params->queues.num_threads,
		.each_alone = params->report.both || (params_gathers(params) && params->test.mcast),
		.mcast = params->test.mcast,
		.shares_receives = params_shares_receives(params),
		.spreads = params->ethernet.use_rss,
		.tx_depth = params->queues.tx_depth,
		.rx_depth = params->queues.rx_depth,
		.post_list = params->queues.post_list,
		.recv_post_list = params->queues.recv_post_list,
		.cq_mod = params->queues.cq_mod,
		.poll_batch = poll_batch(params),
		.events = params->queues.events,
		.comp_vector = params->queues.comp_vector,
		.out_of_order = params->queues.out_of_order,
		.no_lock = params->queues.no_lock,
		.options = &params_options,
		.programs = program_bit(program),
		.values = params,
		.format = params->report.output_format,
		.output = params->report.output,
		.every_endpoint = params->general.verbose,
		.gbits = params->report.gbits,
		.cycles = params->report.cycles,
		.histogram = params->report.histogram,
		.unsorted = params->report.unsorted,
		.cpu_util = params->report.cpu_util,
		.possible = params->report.possible,
		.timestamps = params->report.timestamps,
		.percentiles = params->report.percentiles,
		.num_percentiles = params->report.num_percentiles,
		.counters = params->report.counters,
		.labels = params->report.labels,
	};
	if (path)
		snprintf(config->json_path, sizeof(config->json_path), "%s", path);
}
