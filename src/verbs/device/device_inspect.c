// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queries an open device, also one of librdmacm. See device.h; called by session, cmtime and qperf. */
#include "verbs/device/device.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "util/device_identity.h"
#include "util/library.h"
#include "util/sysfs.h"
#include "verbs/device/device_diag.h"
#include "verbs/device/hardware.h"

void device_inspect(struct device *device, struct ibv_context *context, uint8_t port)
{
	*device = (struct device){.context = context, .port = port, .gid_index = -1};
	snprintf(device->name, sizeof(device->name), "%s", ibv_get_device_name(context->device));
	if (ibv_query_device(context, &device->attr))
		device->attr = (struct ibv_device_attr){0};
	if (ibv_query_port(context, port, &device->port_attr))
		device->port_attr = (struct ibv_port_attr){0};
	device->is_software = device_is_software(&device->attr);
	device->numa_node = hardware_numa_node(sysfs_root(), device->name);
}

const char *device_netdev(const struct device *device, char name[IF_NAMESIZE])
{
	if (!device->ethernet || !if_indextoname(device->gid_ifindex, name))
		name[0] = '\0';
	return name;
}

void device_hardware(const struct device *device, struct hardware *hardware)
{
	char netdev[IF_NAMESIZE];
	double effective;

	hardware_find(hardware, sysfs_root(), device->name, device->port, device_netdev(device, netdev),
		      device->is_software);
	effective = device->is_software ? 0 : port_speed_gbits(device->context, device->port);
	if (effective > 0 &&
	    !hardware_rate_is_made_up(hardware->vendor ? hardware->vendor : device->attr.vendor_id,
				      device->port_attr.link_layer == IBV_LINK_LAYER_INFINIBAND, effective))
		hardware->link_gbits = effective;
}

/* A machine with one node is that node; with more of them a device may belong to none. */
static int identified_node(int node)
{
	char nodes[32];

	sysfs_line(nodes, sizeof(nodes), "%s/devices/system/node/online", sysfs_root());
	return node < 0 && (!nodes[0] || strcmp(nodes, "0") == 0) ? 0 : node;
}

void device_identify(const struct device *device, struct device_identity *identity)
{
	const bool two = device->second && device->second->context != device->context;
	struct hardware hardware;

	device_hardware(device, &hardware);
	*identity = (struct device_identity){
		.is_software = device->is_software,
		.numa_node = identified_node(device->numa_node),
		.link_gbits = hardware.link_gbits,
		.link_lanes = hardware.link_lanes,
		.pcie_rate = hardware.pcie_rate,
		.pcie_lanes = hardware.pcie_lanes,
	};
	snprintf(identity->name, sizeof(identity->name), "%s%s%s", device->name, two ? "," : "",
		 two ? device->second->name : "");
	strcpy(identity->driver, hardware.driver);
	strcpy(identity->pci_address, hardware.address);
	snprintf(identity->firmware, sizeof(identity->firmware), "%s", device->attr.fw_ver);
	/* the provider's own, since no data moves without it */
	library_file_at(identity->provider, sizeof(identity->provider), (const void *)device->context->ops.poll_cq);
}
