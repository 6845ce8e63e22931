// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sends datagrams to a multicast group, and joins it (-g). Called through connector_group.
 *
 * A receiving side joins a group before the endpoints are exchanged, attaches all of its QPs, and sends the group
 * instead of a QP number. On Ethernet a group is identified only by its GID, and any host may send to it; joining with
 * rdma_cm notifies the switches by IGMP. On InfiniBand the subnet administrator assigns the LID and the
 * Q_Key of a group, and its messages are routed from those that have joined as senders (sa_member.c).
 */
#include <errno.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "verbs/connect/cm.h"
#include "verbs/connect/sa_member.h"
#include "verbs/device/device.h"
#include "verbs/device/gid_form.h"
#include "verbs/device/route.h"
#include "verbs/qp/qp.h"
#include "verbs/qp/qp_attr.h"
#include "verbs/resources.h"

#define GID_SIZE 64   /* as text */
#define JOIN_MS	 5000 /* the kernel sends an IGMP report, and does not wait for a reply */

/* --- Ethernet --- */

struct group_cm {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct sockaddr_storage address; /* of the group; AF_UNSPEC: not requested */
};

/* 0, or -errno of the call that failed. */
static int call(int result)
{
	return !result ? 0 : errno ? -errno : -EIO;
}

static int bind_to(struct group_cm *group, const struct device *device)
{
	struct sockaddr_storage local;
	int err;

	gid_to_address(&device->gid, device->gid_ifindex, 0, &local);
	errno = 0;
	err = call(rdma_create_id(group->channel, &group->id, NULL, RDMA_PS_UDP));
	err = err ?: call(rdma_bind_addr(group->id, (struct sockaddr *)&local));
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

static void group_cm_leave(struct group_cm *group)
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

/*
 * Joins from the address of the device's GID. *joined: the group's GID, as rdma_cm derives it from the address. 0 or
 * -errno, not reported; -ENODEV if rdma_cm does not associate that address with the device.
 */
static int group_cm_join(const struct device *device, const union ibv_gid *wanted, union ibv_gid *joined,
			 struct group_cm **made)
{
	struct group_cm *group = calloc(1, sizeof(*group));
	int err;

	if (!group)
		return -ENOMEM;
	err = cm_open_channel(&group->channel);
	err = err ?: bind_to(group, device);
	if (!err) {
		gid_to_address(wanted, device->gid_ifindex, 0, &group->address);
		errno = 0;
		err = call(rdma_join_multicast(group->id, (struct sockaddr *)&group->address, NULL));
		if (err)
			group->address.ss_family = AF_UNSPEC;
	}
	err = err ?: await_join(group, joined);
	if (err) {
		group_cm_leave(group);
		return err;
	}
	*made = group;
	return 0;
}

/* --- any link --- */

struct group {
	union ibv_gid gid; /* that this side has joined, if it receives */
	unsigned attached; /* QPs [0, attached) are attached */
	struct group_cm *cm;
	struct sa_member *receiver, *sender; /* InfiniBand */
	uint32_t qkey;			     /* for all messages */
};

static const char *text_of(const union ibv_gid *gid, char *text)
{
	return gid_text(gid, text, GID_SIZE);
}

/*
 * The kernel only joins RoCE v2 groups with IPv4 addresses. Without joining, datagrams still arrive if no switch on the
 * way restricts them to members.
 */
static int join_ethernet(struct resources *resources)
{
	struct group *group = resources->group;
	const union ibv_gid wanted = group->gid;
	char text[GID_SIZE];
	int err = group_cm_join(resources->device, &wanted, &group->gid, &group->cm);

	if (!err)
		log_detail("multicast: joined %s with rdma_cm", text_of(&group->gid, text));
	else if (err == -EINTR)
		return err;
	else if (gid_is_ipv4(&wanted) && !resources->device->is_software)
		log_warning("rdma_cm could not join the group %s (%s): a switch with IGMP snooping may not forward it "
			    "to this port",
			    text_of(&wanted, text), strerror(-err));
	else
		log_detail("multicast: %s is not joined with rdma_cm (%s); its datagrams are received where they come",
			   text_of(&wanted, text), strerror(-err));
	return 0;
}

/* The subnet administrator determines the attributes of the group's messages. */
static int join_subnet(struct resources *resources, const uint8_t gid[16], bool sends_only, struct sa_member **member,
		       struct sa_answer *answer)
{
	struct sa_group wanted = {.device = resources->device->name,
				  .port = resources->device->port,
				  .pkey_index = resources->config->pkey_index,
				  .sends_only = sends_only,
				  .qkey = QP_KEY};
	int err;

	memcpy(wanted.gid, gid, sizeof(wanted.gid));
	err = sa_ops.join(&wanted, answer, member);
	if (err)
		return err;
	resources->group->qkey = answer->qkey;
	if (answer->mtu && answer->mtu < resources->mtu) {
		resources->mtu = answer->mtu;
		resources->local[0].mtu = answer->mtu;
	}
	log_detail("multicast: joined %s with the subnet administrator, LID 0x%x, Q_Key 0x%08x, MTU %u, SL %u",
		   sends_only ? "to send" : "to receive", answer->lid, answer->qkey, answer->mtu, answer->sl);
	return 0;
}

static int join_to_receive(struct resources *resources)
{
	struct sa_answer answer;
	int err;

	if (resources->device->ethernet)
		return join_ethernet(resources);
	err = join_subnet(resources, resources->config->group.gid, false /* sends only */, &resources->group->receiver,
			  &answer);
	if (!err)
		resources->local[0].lid = answer.lid;
	return err;
}

static int attach_all(struct resources *resources)
{
	struct group *group = resources->group;
	char text[GID_SIZE];

	for (; group->attached < resources->num_qps; group->attached++) {
		const int err =
			ibv_attach_mcast(resources->tx[group->attached].qp, &group->gid, resources->local[0].lid);

		if (!err)
			continue;
		return log_fail(-err, "%s cannot attach queue pair %u to the multicast group %s: %s%s",
				resources->device->name, group->attached + 1, text_of(&group->gid, text), strerror(err),
				group->attached ? "; lower --qp" : "");
	}
	return 0;
}

static int open_group(struct resources *resources)
{
	struct endpoint *local = &resources->local[0];
	struct group *group = calloc(1, sizeof(*group));
	int err;

	resources->group = group; /* closed with the resources */
	if (!group)
		return log_fail(-ENOMEM, "no memory for a multicast group");
	group->qkey = QP_KEY;
	if (!resources->traffic.receives)
		return 0;
	memcpy(group->gid.raw, resources->config->group.gid, sizeof(group->gid.raw));
	err = join_to_receive(resources);
	if (err)
		return err;
	memcpy(local->gid, group->gid.raw, sizeof(local->gid));
	local->qpn = ENDPOINT_GROUP_QPN;
	return attach_all(resources);
}

static int open_addresses(struct resources *resources)
{
	const struct endpoint *remote = &resources->remote[0];
	struct sa_answer answer = {.lid = remote->lid, .sl = resources->config->sl};
	struct ibv_ah_attr attr;
	int err = 0;

	if (remote->qpn != ENDPOINT_GROUP_QPN)
		return log_fail(-EPROTO, "the peer does not use a multicast group: give -g to both sides");
	if (!resources->device->ethernet)
		err = join_subnet(resources, remote->gid, true /* sends only */, &resources->group->sender, &answer);
	for (unsigned i = 0; !err && i < resources->num_qps; i++) {
		qp_fill_address(resources, i, remote, IBV_RATE_MAX, &attr);
		attr.dlid = answer.lid;
		attr.sl = answer.sl;
		err = qp_open_address(resources, i, &attr, ENDPOINT_GROUP_QPN, resources->group->qkey);
	}
	return err;
}

static int connect_group(struct resources *resources)
{
	int err = resources->traffic.posts ? open_addresses(resources) : 0;

	for (unsigned i = 0; !err && i < resources->num_qps; i++)
		err = qp_move_datagrams(resources, 0, resources->tx[i].qp, &resources->group->qkey);
	return err;
}

static void close_group(struct resources *resources)
{
	struct group *group = resources->group;

	if (!group)
		return;
	while (group->attached)
		ibv_detach_mcast(resources->tx[--group->attached].qp, &group->gid, resources->local[0].lid);
	group_cm_leave(group->cm);
	sa_ops.leave(group->sender);
	sa_ops.leave(group->receiver);
	free(group);
	resources->group = NULL;
}

const struct connector connector_group = {.open = open_group, .connect = connect_group, .close = close_group};
