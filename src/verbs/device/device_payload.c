// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The link and PCIe of a device as facts of traffic/payload_limit.h. See device.h. */
#include "traffic/payload_limit.h"
#include "verbs/device/device.h"
#include "verbs/device/gid_form.h"
#include "verbs/device/hardware.h"

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

static double slot_gbits(const struct hardware *hardware)
{
	return pcie_gbits(hardware->least.rate, hardware->least.lanes);
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
			slot_gbits(&second) > 0 && path->pcie_gbits > 0 ? path->pcie_gbits + slot_gbits(&second) : 0;
}

void device_payload_path(const struct device *device, struct payload_path *path)
{
	const struct transport_traits *transport = transport_traits(path->transport);
	struct hardware hardware;

	device_hardware(device, &hardware);
	path->link_gbits = data_gbits(&hardware);
	path->num_links = 1;
	path->wire = wire_of(device, transport);
	path->vlan = hardware.vlan;
	path->pcie_rate = hardware.least.rate;
	path->pcie_lanes = hardware.least.lanes;
	path->pcie_gbits = slot_gbits(&hardware);
	path->pcie_bytes = hardware.pcie_payload;
	path->copies = device->is_software && !(transport->frames && software_interface());
	if (device->second)
		join_second(path, device->second, &hardware);
}
