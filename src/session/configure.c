// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What do the options ask of verbs and memory? The only place that turns parameters into their configuration. */
#include "memory/memory.h"
#include "session/state.h"

_Static_assert(CONFIG_AUTO == PARAMS_AUTO, "what is left to be chosen is passed on");

static enum config_link link_of(const struct params *params)
{
	switch (params->force_link) {
	case LINK_IB:
		return CONFIG_LINK_IB;
	case LINK_ETHERNET:
		return CONFIG_LINK_ETHERNET;
	default:
		return CONFIG_LINK_OF_PORT;
	}
}

/* --rate_limit by the device; it has no rates in messages a second. */
static double rate_gbits(const struct params *params)
{
	const double mebibyte_bits = 8.0 * 1024 * 1024;

	if (params->rate_limit_type != RATE_LIMIT_HW)
		return 0;
	return params->rate_units == RATE_UNITS_MEBIBYTES ? params->rate_limit * mebibyte_bits / 1e9
							  : params->rate_limit;
}

void session_configure(const struct params *params, enum side side, struct verbs_config *config)
{
	*config = (struct verbs_config){
		.device_name = params->ib_dev,
		.port = params->ib_port,
		.port_is_given = params_given(params, "ib-port"),
		.link = link_of(params),
		.gid_index = params->gid_index,
		.ipv6 = params->ipv6,
		.mtu = params->mtu,
		.pkey_index = params->pkey_index,
		.sl = params->sl,
		.tclass = params->tclass,
		.dlid = params->dlid,
		.qp_timeout = params->qp_timeout,
		.rdma_cm = params->rdma_cm,
		.tos = params->tos,
		.retry_count = params->retry_count,
		.rate_gbits = rate_gbits(params),
		.transport = params->transport,
		.traffic = params_traffic(params, side),
		.num_qps = params->num_qps,
		.tx_depth = params->tx_depth,
		.rx_depth = params->rx_depth,
		.rx_depth_is_given = params->asked.rx_depth != PARAMS_AUTO,
		.post_list = params->post_list,
		.recv_post_list = params->recv_post_list,
		.inline_size = params->inline_size,
		.outs = params->outs,
		.events = params->events,
		.comp_vector = params->comp_vector,
		.use_old_post_send = params->use_old_post_send,
		.size = params->size,
		.size_is_given = params_given(params, "size"),
		.all_sizes = params->all_sizes,
		.data_validation = params->data_validation,
		.takes_turns = params_takes_turns(params),
		.mr_per_qp = params->mr_per_qp,
		.disable_relaxed = params->disable_pcie_relaxed,
		.memory = params->use_hugepages ? &memory_hugepages : &memory_host,
		.payload_file = params->payload_file_path,
		.max_memory = params->max_memory,
	};
}
