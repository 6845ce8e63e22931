// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Joins and leaves a multicast group with rdma_cm. See group_cm.h. */
#include "verbs/connect/group_cm.h"

#include <errno.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "verbs/connect/cm.h"
#include "verbs/device/device.h"
#include "verbs/device/gid_form.h"

#define JOIN_MS 5000 /* the kernel sends an IGMP report, and does not wait for a reply */

struct group_cm {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct sockaddr_storage address; /* of the group; AF_UNSPEC: not requested */
};

/* ifindex: for link-local IPv6 addresses. */
static void to_address(const union ibv_gid *gid, unsigned ifindex, struct sockaddr_storage *address)
{
	struct sockaddr_in *in = (struct sockaddr_in *)address;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;

	*address = (struct sockaddr_storage){0};
	if (gid_is_ipv4(gid)) {
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, gid->raw + 12, sizeof(in->sin_addr));
		return;
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_scope_id = gid_is_link_local(gid) ? ifindex : 0;
	memcpy(&in6->sin6_addr, gid->raw, sizeof(in6->sin6_addr));
}

/* 0, or -errno of the call that failed. */
static int call(int result)
{
	return !result ? 0 : errno ? -errno : -EIO;
}

static int bind_to(struct group_cm *group, const struct device *device)
{
	struct sockaddr_storage local;
	int err;

	to_address(&device->gid, device->gid_ifindex, &local);
	errno = 0;
	err = call(rdma_create_id(group->channel, &group->id, NULL, RDMA_PS_UDP));
	if (!err)
		err = call(rdma_bind_addr(group->id, (struct sockaddr *)&local));
	if (!err && (!group->id->verbs || strcmp(ibv_get_device_name(group->id->verbs->device), device->name) != 0 ||
		     group->id->port_num != device->port))
		err = -ENODEV;
	return err;
}

static int await_join(struct group_cm *group, union ibv_gid *joined)
{
	struct rdma_cm_event *event;
	int err = cm_wait_event(group->channel, deadline_in_ms(JOIN_MS), &event);

	if (err)
		return err;
	if (event->event == RDMA_CM_EVENT_MULTICAST_JOIN)
		*joined = event->param.ud.ah_attr.grh.dgid;
	else
		err = event->status < 0 ? event->status : -EIO;
	rdma_ack_cm_event(event);
	return err;
}

int group_cm_join(const struct device *device, const union ibv_gid *wanted, union ibv_gid *joined,
		  struct group_cm **made)
{
	struct group_cm *group = calloc(1, sizeof(*group));
	int err;

	if (!group)
		return -ENOMEM;
	err = cm_open_channel(&group->channel);
	if (!err)
		err = bind_to(group, device);
	if (!err) {
		to_address(wanted, device->gid_ifindex, &group->address);
		errno = 0;
		err = call(rdma_join_multicast(group->id, (struct sockaddr *)&group->address, NULL));
		if (err)
			group->address.ss_family = AF_UNSPEC;
	}
	if (!err)
		err = await_join(group, joined);
	if (err) {
		group_cm_leave(group);
		return err;
	}
	*made = group;
	return 0;
}

void group_cm_leave(struct group_cm *group)
{
	if (!group)
		return;
	if (group->address.ss_family != AF_UNSPEC)
		rdma_leave_multicast(group->id, (struct sockaddr *)&group->address);
	if (group->id)
		rdma_destroy_id(group->id);
	if (group->channel)
		rdma_destroy_event_channel(group->channel);
	free(group);
}
