// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See steps.h. */
#include "session/steps.h"

#include "params/options.h"
#include "report/payload_share.h"
#include "session/measure/measurement.h"

/* In one direction, in bytes or messages per second; a device limits each queue pair. */
static double asked_rate(const struct params *params)
{
	const uint32_t count = params->rate.limit_type == RATE_LIMIT_SW ? 1 : params->queues.num_qps;

	return params->rate.limit * count *
	       (params->rate.units == RATE_UNITS_MEBIBYTES  ? 1048576
		: params->rate.units == RATE_UNITS_GIGABITS ? 125e6
							    : 1);
}

int payload_path_find(struct payload_path *path, const struct params *params, const struct device *device, uint32_t mtu)
{
	const struct verbs_config *config = &params->verbs;
	const struct traffic *traffic = &config->traffic;

	*path = (struct payload_path){
		.verb = traffic->verb,
		.transport = config->transport,
		.with_imm = params->spec.with_imm,
		.bidirectional = params->spec.bidirectional,
		.sums = params->spec.bidirectional && !params_is_silent(params),
		.paced = asked_rate(params),
		.paces_messages = params->rate.units == RATE_UNITS_PACKETS,
		.mtu = mtu,
		.pcie_writes = traffic->sink,
	};
	device_payload_path(device, path);
	return payload_share_check_limits(path, &params_options, params, params->limits.bw_unit,
					  params->limits.msgrate_unit, device->name);
}
