// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The path to the other end of an id, as the ABI reports it: it consists only of the GIDs of both devices. And the
 * attributes that move an id's queue pair to INIT, RTR or RTS, which librdmacm requests before each ibv_modify_qp():
 * the masks are those of the kernel's ib_cm_init_qp_attr() and rdma_init_qp_attr().
 */
#include "config.h"

#include "abi/abi.h"
#include "cm/cm.h"

#define HOP_LIMIT      64
#define PATH_EXACTLY   2  /* selector of mtu, rate and life time: IBTA 15.2.5.16 */
#define PATH_RATE      18 /* enum ibv_rate: 200 Gb/s, the highest that older readers of this byte know */
#define PATH_LIFE_TIME 16 /* 4.096 us * 2^16 */
#define REMOTE_ACCESS  (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

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
	route->node_guid = soft_device_guid((unsigned int)id->device, SOFT_PORT);
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

/* The responder is set up in RTR, the requester in RTS; in XRC these are two queue pairs. */
static bool is_one_of(const struct cm_id *id, enum ibv_qp_type both, enum ibv_qp_type half)
{
	return id->qp_type == both || id->qp_type == half;
}

static void init_attr(const struct cm_id *id, struct ib_uverbs_qp_attr *attr)
{
	attr->qp_attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	attr->port_num = SOFT_PORT;
	if (id->qp_type == IBV_QPT_UD) {
		attr->qp_attr_mask |= IBV_QP_QKEY;
		attr->qkey = id->qkey ? id->qkey : CM_UDP_QKEY;
		return;
	}
	attr->qp_attr_mask |= IBV_QP_ACCESS_FLAGS;
	if (id->state >= CM_GREETED)
		attr->qp_access_flags = id->responder_resources ? REMOTE_ACCESS : IBV_ACCESS_REMOTE_WRITE;
}

static void rtr_attr(const struct cm_id *id, struct ib_uverbs_qp_attr *attr)
{
	attr->qp_attr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	cm_fill_path(id, &attr->ah_attr);
	attr->path_mtu = CM_MTU;
	attr->dest_qp_num = id->peer_qpn;
	attr->rq_psn = id->psn;
	if (!is_one_of(id, IBV_QPT_RC, IBV_QPT_XRC_RECV))
		return;
	attr->qp_attr_mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	attr->max_dest_rd_atomic = id->responder_resources;
}

static void rts_attr(const struct cm_id *id, struct ib_uverbs_qp_attr *attr)
{
	attr->qp_attr_mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	attr->sq_psn = id->psn;
	if (id->qp_type == IBV_QPT_UC)
		return;
	attr->qp_attr_mask |= IBV_QP_TIMEOUT;
	attr->timeout = id->has_ack_timeout ? id->ack_timeout : CM_LOCAL_ACK_TIME;
	if (!is_one_of(id, IBV_QPT_RC, IBV_QPT_XRC_SEND))
		return;
	attr->qp_attr_mask |= IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	attr->retry_cnt = id->retry_count;
	attr->rnr_retry = id->rnr_retry_count;
	attr->max_rd_atomic = id->initiator_depth;
}

int cm_init_qp_attr(const struct cm_id *id, uint32_t state, struct ib_uverbs_qp_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->qp_state = state;
	if (state == IBV_QPS_INIT && id->device >= 0) {
		init_attr(id, attr);
		return 0;
	}
	/* RTR and RTS need the peer's attributes. */
	if (id->qp_type == IBV_QPT_UD || id->state < CM_ASKED || id->state == CM_ASKING)
		return -EINVAL;
	if (cm_id_is_stream(id))
		return 0; /* there is nothing to modify: see cm_establish() */
	if (state == IBV_QPS_RTR)
		rtr_attr(id, attr);
	else if (state == IBV_QPS_RTS)
		rts_attr(id, attr);
	else
		return -EINVAL;
	return 0;
}
