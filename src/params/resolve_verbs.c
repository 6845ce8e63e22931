// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The values of struct verbs_config that follow from several options; the others are stored straight into it. */
#include <stdio.h>
#include <string.h>

#include "params/engine/checks.h"
#include "params/engine/sizes.h"
#include "params/resolve.h"

#define ALL_SIZES "2:8M:*2" /* of -a */

_Static_assert(CONFIG_AUTO == PARAMS_AUTO, "what is left to be chosen is passed on");

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
	size_t used = 0;

	for (unsigned i = 0; i < TRANSPORT_COUNT; i++) {
		const struct transport_traits *traits = transport_traits((enum transport)i);

		if (program->transports & TRANSPORT_BIT(i) && traits->datagram)
			used += (size_t)snprintf(hint + used, sizeof(hint) - used, "%s -c %s", used ? " or" : "; use",
						 traits->name);
	}
	return used ? hint : ", which this test can't use; the others can";
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

void resolve_values(struct params *params)
{
	struct verbs_config *verbs = &params->verbs;

	resolve_options(params);
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
	verbs->flow_control = params_needs_credits(params);
	verbs->rx_depth_is_given = params->asked.rx_depth != PARAMS_AUTO;
	resolve_group(params);
	verbs->size_is_given = params_given(params, "size");
	sizes_parse(strcmp(params->test.sizes, "off") ? params->test.sizes : ALL_SIZES, &verbs->sweep);
	verbs->messages = params_by_time(params) ? 0 : params->test.iters;
	verbs->takes_turns = verbs->traffic.ping_pong && params->rate.latency_gap_us;
	verbs->dmabuf = needs_dmabuf(params);
	verbs->hints.is_used = verbs->hints.ph != PARAMS_AUTO;
	resolve_report(params);
}
