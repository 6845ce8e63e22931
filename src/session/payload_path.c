// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See steps.h. */
#include "session/steps.h"

#include <errno.h>
#include <string.h>

#include "session/measure/measurement.h"
#include "util/log.h"
#include "verbs/device/gid_form.h"
#include "verbs/device/hardware.h"
#include "verbs/device/software.h"

static enum wire wire_of(const struct device *device, const struct transport_traits *transport)
{
	if (transport->unpublished || device_is_iwarp(device))
		return WIRE_UNKNOWN;
	if (transport->frames)
		return WIRE_ETHERNET;
	if (device->port_attr.link_layer == IBV_LINK_LAYER_UNSPECIFIED) /* EFA */
		return WIRE_UNKNOWN;
	if (!device->ethernet)
		return device->gid_index < 0 ? WIRE_INFINIBAND : WIRE_INFINIBAND_GLOBAL;
	if (device->gid_kind == GID_ROCE_V2)
		return gid_is_ipv4(&device->gid) ? WIRE_ROCE_V2_IPV4 : WIRE_ROCE_V2_IPV6;
	return device->gid_kind == GID_ROCE_V1 ? WIRE_ROCE_V1 : WIRE_UNKNOWN;
}

static double pcie_gbits(const struct hardware *hardware)
{
	return hardware_pcie_gbits(hardware->least.rate, hardware->least.lanes);
}

/* rxe and siw have a rate, but no link of their own. */
static double data_gbits(const struct hardware *hardware)
{
	return hardware->kind == HARDWARE_NONE ? 0 : hardware->link_gbits * hardware->link_share;
}

static void join_second(struct payload_path *path, const struct device *device, const struct hardware *first)
{
	struct hardware second;

	device_hardware(device, &second);
	path->num_links = 2;
	path->link_gbits = data_gbits(&second) > 0 && path->link_gbits > 0 ? path->link_gbits + data_gbits(&second) : 0;
	if (!hardware_shares_link(first, &second))
		path->pcie_gbits =
			pcie_gbits(&second) > 0 && path->pcie_gbits > 0 ? path->pcie_gbits + pcie_gbits(&second) : 0;
}

static int refuse_share(const struct payload_path *path, const struct params *params, const struct device *device)
{
	char option[LIMIT_TEXT_SIZE];

	return log_fail(-EOPNOTSUPP,
			"%s compares with what is possible, which is unknown on %s: %s; give a limit without %%",
			session_limit_title(params->limits.bw_unit ? "limit_bw" : "limit_msgrate", params, option),
			device->name, payload_limit_lacks(path));
}

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
	struct hardware hardware;

	device_hardware(device, &hardware);
	*path = (struct payload_path){
		.verb = traffic->verb,
		.transport = config->transport,
		.with_imm = params->spec.with_imm,
		.bidirectional = params->spec.bidirectional,
		.sums = params->spec.bidirectional && !params_is_silent(params),
		.paced = asked_rate(params),
		.paces_messages = params->rate.units == RATE_UNITS_PACKETS,
		.link_gbits = data_gbits(&hardware),
		.num_links = 1,
		.wire = wire_of(device, traffic->transport),
		.vlan = hardware.vlan,
		.mtu = mtu,
		.pcie_rate = hardware.least.rate,
		.pcie_lanes = hardware.least.lanes,
		.pcie_gbits = pcie_gbits(&hardware),
		.pcie_bytes = hardware.pcie_payload,
		.pcie_writes = traffic->sink,
		.copies = device->is_software && !(traffic->transport->frames && software_interface()),
	};
	if (device->second)
		join_second(path, device->second, &hardware);
	return params_has_share(params) && payload_limit_lacks(path) ? refuse_share(path, params, device) : 0;
}
