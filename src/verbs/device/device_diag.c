// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "verbs/device/device_diag.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

#include "verbs/device/device.h"
#include "verbs/device/mtu.h"
#include "verbs/device/port_speed.h"

static void device_diag_ask(struct device_diag *diag, struct ibv_context *context, unsigned port)
{
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	int err = ibv_query_device(context, &attr);

	if (err) {
		diag->error = -err;
		return;
	}
	diag->is_software = device_is_software(&attr);
	diag->num_ports = attr.phys_port_cnt;
	if (port < 1 || port > diag->num_ports)
		return;
	err = ibv_query_port(context, (uint8_t)port, &port_attr);
	if (err) {
		diag->error = -err;
		return;
	}
	diag->port_known = true;
	diag->active_mtu = mtu_bytes(port_attr.active_mtu);
	diag->max_mtu = mtu_bytes(port_attr.max_mtu);
	diag->speed_gbits = port_speed_gbits(context, port);
}

void device_diag_open(struct device_diag *diag, const char *name, unsigned port)
{
	struct ibv_context *context;
	struct ibv_device **list;
	int count = 0;

	memset(diag, 0, sizeof(*diag));
	list = ibv_get_device_list(&count);
	if (!list) {
		diag->error = errno && errno != ENOSYS ? -errno : 0;
		return;
	}
	for (int i = 0; i < count; i++) {
		const char *found = ibv_get_device_name(list[i]);

		if (diag->num_devices < DIAG_DEVICES)
			snprintf(diag->devices[diag->num_devices++], DIAG_NAME, "%s", found);
		if (!name || strcmp(found, name) != 0)
			continue;
		diag->listed = true;
		context = ibv_open_device(list[i]);
		if (!context) {
			diag->error = errno ? -errno : -EIO;
			continue;
		}
		diag->opened = true;
		device_diag_ask(diag, context, port);
		ibv_close_device(context);
	}
	ibv_free_device_list(list);
}
