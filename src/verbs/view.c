// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "verbs/view.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

#include "verbs/device.h"
#include "verbs/mtu.h"

static void ask(struct device_view *view, struct ibv_context *context, unsigned port)
{
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	int err = ibv_query_device(context, &attr);

	if (err) {
		view->error = -err;
		return;
	}
	view->is_software = device_is_software(&attr);
	view->num_ports = attr.phys_port_cnt;
	if (port < 1 || port > view->num_ports)
		return;
	err = ibv_query_port(context, (uint8_t)port, &port_attr);
	if (err) {
		view->error = -err;
		return;
	}
	view->port_known = true;
	view->active_mtu = mtu_bytes(port_attr.active_mtu);
	view->max_mtu = mtu_bytes(port_attr.max_mtu);
}

static void look(struct device_view *view, const char *name, unsigned port)
{
	struct ibv_context *context;
	struct ibv_device **list;
	int count = 0;

	memset(view, 0, sizeof(*view));
	list = ibv_get_device_list(&count);
	if (!list) {
		view->error = errno && errno != ENOSYS ? -errno : 0;
		return;
	}
	for (int i = 0; i < count; i++) {
		const char *found = ibv_get_device_name(list[i]);

		if (view->num_devices < VIEW_DEVICES)
			snprintf(view->devices[view->num_devices++], VIEW_NAME, "%s", found);
		if (!name || strcmp(found, name) != 0)
			continue;
		view->listed = true;
		context = ibv_open_device(list[i]);
		if (!context) {
			view->error = errno ? -errno : -EIO;
			continue;
		}
		view->opened = true;
		ask(view, context, port);
		ibv_close_device(context);
	}
	ibv_free_device_list(list);
}

void device_view_list(struct device_view *view)
{
	look(view, NULL, 0);
}

void device_view_open(struct device_view *view, const char *name, unsigned port)
{
	look(view, name, port);
}
