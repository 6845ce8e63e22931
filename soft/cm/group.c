// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Multicast groups of cm ids. On RoCE no subnet manager is involved: the group's GID is derived from its IP address and
 * reported by an event, and librdmacm attaches the id's queue pair to it (ibv_attach_mcast()) when it returns that
 * event.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "cm/cm.h"

#define MULTICAST_QPN 0xffffffu
#define HOP_LIMIT     1 /* as in the kernel's cma_iboe_join_multicast() */

static uint32_t last_number;

int cm_group_join(struct cm_id *id, const union cm_address *address, uint64_t uid, uint32_t *number)
{
	struct rdma_ucm_event_resp details = {.param = {{0}}};
	struct ib_uverbs_ah_attr *path = &details.param.ud.ah_attr;
	struct cm_group *group;
	int err;

	if (!cm_id_is_datagram(id) || id->device < 0 || !cm_address_is_multicast(address) ||
	    (id->state != CM_BOUND && id->state != CM_ADDRESS && id->state != CM_ROUTE))
		return -EINVAL;
	group = calloc(1, sizeof(*group));
	if (!group)
		return -ENOMEM;
	group->number = ++last_number ? last_number : ++last_number;
	group->uid = uid;
	cm_fill_path(id, path);
	path->grh.hop_limit = HOP_LIMIT;
	memcpy(path->grh.dgid, cm_address_gid(address).raw, sizeof(path->grh.dgid));
	details.param.ud.qp_num = MULTICAST_QPN;
	details.param.ud.qkey = id->qkey ? id->qkey : CM_UDP_QKEY;
	err = cm_event_raise_join(id, group, &details);
	if (err) {
		free(group);
		return err;
	}
	group->next = id->groups;
	id->groups = group;
	*number = group->number;
	return 0;
}

static void group_end(struct cm_id *id, struct cm_group **link)
{
	struct cm_group *group = *link;

	cm_event_drop(id, group);
	*link = group->next;
	free(group);
}

int cm_group_leave(struct cm_id *id, uint32_t number, uint32_t *events_reported)
{
	for (struct cm_group **link = &id->groups; *link; link = &(*link)->next) {
		if ((*link)->number != number)
			continue;
		*events_reported = (*link)->events_reported;
		group_end(id, link);
		return 0;
	}
	return -ENOENT;
}

void cm_group_leave_all(struct cm_id *id)
{
	while (id->groups) {
		struct cm_group *group = id->groups;

		id->groups = group->next;
		free(group);
	}
}
