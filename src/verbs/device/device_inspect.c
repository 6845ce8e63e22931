// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queries an open device, also one of librdmacm. See device.h; called by session and cmtime. */
#include "verbs/device/device.h"

#include <net/if.h>
#include <stdio.h>

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

void device_hardware(const struct device *device, struct hardware *hardware)
{
	char netdev[IF_NAMESIZE] = "";
	double effective;

	if (device->ethernet)
		if_indextoname(device->gid_ifindex, netdev);
	hardware_find(hardware, sysfs_root(), device->name, device->port, netdev, device->is_software);
	effective = device->is_software ? 0 : port_speed_gbits(device->context, device->port);
	if (effective > 0 &&
	    !hardware_rate_is_made_up(device->attr.vendor_id, device->port_attr.link_layer == IBV_LINK_LAYER_INFINIBAND,
				      effective))
		hardware->link_gbits = effective;
}
