// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The path to the other end of an id, as the ABI reports it: it consists only of the GIDs of both devices. */
#include "config.h"

#include <string.h>

#include "abi/abi.h"
#include "cm/cm.h"
#include "host/core.h"

#define HOP_LIMIT      64
#define PATH_EXACTLY   2  /* selector of mtu, rate and life time: IBTA 15.2.5.16 */
#define PATH_RATE      18 /* enum ibv_rate: 200 Gb/s, the highest that older readers of this byte know */
#define PATH_LIFE_TIME 16 /* 4.096 us * 2^16 */

static void gid_write(int device, uint8_t raw[16])
{
	union ibv_gid gid;

	soft_device_gid((unsigned int)device, SOFT_PORT, CM_GID_INDEX_IPV4, &gid);
	memcpy(raw, gid.raw, sizeof(gid.raw));
}

/* The GIDs of both ends; on RoCE the kernel reports them as soon as there is a device, before there is a route. */
void cm_query_route(const struct cm_id *id, struct rdma_ucm_query_route_resp *route)
{
	struct ib_user_path_rec *path = &route->ib_route[0];

	memset(route, 0, sizeof(*route));
	memcpy(&route->src_addr, &id->source, cm_address_size(&id->source));
	memcpy(&route->dst_addr, &id->destination, cm_address_size(&id->destination));
	route->ibdev_index = UINT32_MAX;
	if (id->device < 0)
		return;
	route->node_guid = soft_device_guid((unsigned int)id->device);
	route->port_num = SOFT_PORT;
	gid_write(id->device, path->sgid);
	gid_write(id->peer_device, path->dgid);
	path->pkey = htons(SOFT_PKEY);
	if (id->state < CM_ROUTE || id->state == CM_LISTENS)
		return;
	route->num_paths = 1;
	path->reversible = 1;
	path->hop_limit = HOP_LIMIT;
	path->mtu = CM_MTU;
	path->mtu_selector = PATH_EXACTLY;
	path->rate = PATH_RATE;
	path->rate_selector = PATH_EXACTLY;
	path->packet_life_time = PATH_LIFE_TIME;
	path->packet_life_time_selector = PATH_EXACTLY;
}

void cm_fill_path(const struct cm_id *id, struct ib_uverbs_ah_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	gid_write(id->peer_device, attr->grh.dgid);
	attr->grh.sgid_index = CM_GID_INDEX_IPV4;
	attr->grh.hop_limit = HOP_LIMIT;
	attr->is_global = 1;
	attr->port_num = SOFT_PORT;
}
