// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The types of queue pairs. See objects.h. */
#include "objects/objects.h"

#include "data/execute.h"
#include "host/profile.h"
#include "packet/raw_packet.h"

/* Of one type: its functions, and what else it has. */
#define OPS(bit, executes, connects, fails, ...)                                                                       \
	{                                                                                                              \
		.type = (bit), .execute = (executes), .connect = (connects), .send_error = (fails), __VA_ARGS__        \
	}
#define RELIABLE    .is_reliable = true
#define NAMED(kind) RELIABLE, .named = ACCEPTS_##kind

/* clang-format off */
/* By enum ibv_qp_type. XRC_RECV, a DCT and RSS take no requests: the table of opcodes has none for them. */
static const struct qp_ops types[] = {
	[IBV_QPT_RC] = OPS(QP_RC, soft_execute, soft_qp_connect_peer, soft_qp_error, RELIABLE,
			   .direct = DIRECT_WRITE | DIRECT_READ | DIRECT_SEND | DIRECT_ATOMIC),
	[IBV_QPT_UC] = OPS(QP_UC, soft_execute, soft_qp_connect_peer, soft_qp_send_error,
			   .direct = DIRECT_WRITE | DIRECT_SEND),
	[IBV_QPT_UD] = OPS(QP_UD, soft_execute_datagram, soft_qp_connect_none, soft_qp_send_error, .named = 0),
	[IBV_QPT_XRC_SEND] = OPS(QP_XRC_SEND, soft_execute_xrc, soft_qp_connect_peer, soft_qp_error, RELIABLE),
	[IBV_QPT_XRC_RECV] = OPS(QP_XRC_RECV, soft_execute_xrc, soft_qp_connect_peer, soft_qp_error, RELIABLE),
	[IBV_QPT_RAW_PACKET] = OPS(QP_RAW, soft_execute_frame, soft_qp_connect_frames, soft_qp_send_error, .named = 0),
};

const struct qp_ops soft_qp_unordered_ops =
	OPS(QP_RC, soft_execute_unordered, soft_qp_connect_peer, soft_qp_error, RELIABLE);
const struct qp_ops soft_qp_rss_ops =
	OPS(QP_RSS, soft_execute_frame, soft_qp_connect_frames, soft_qp_send_error, .named = 0);

/* Types of provider libraries, by enum soft_direct. */
static const struct qp_ops direct_ops[] = {
	[SOFT_SRD] = OPS(QP_SRD, soft_execute_named, soft_qp_connect_named, soft_qp_send_error_pass, NAMED(SRD)),
	[SOFT_DCI] = OPS(QP_DCI, soft_execute_named, soft_qp_connect_named, soft_qp_error, NAMED(DC)),
	[SOFT_DCT] = OPS(QP_DCT, soft_execute_named, soft_qp_connect_named, soft_qp_error, NAMED(DC)),
};
static const struct qp_ops unordered_srd_ops =
	OPS(QP_SRD, soft_execute_unordered, soft_qp_connect_named, soft_qp_send_error_pass, NAMED(SRD));
/* clang-format on */

const struct qp_ops *soft_qp_direct_ops(enum soft_direct type)
{
	return type == SOFT_SRD && soft_profile()->reverses ? &unordered_srd_ops : &direct_ops[type];
}

const struct qp_ops *soft_qp_ops_of(enum ibv_qp_type type)
{
	return (size_t)type < sizeof(types) / sizeof(types[0]) && types[type].type ? &types[type] : NULL;
}

bool soft_qp_type_has_calls(enum ibv_qp_type type)
{
	const struct qp_ops *ops = soft_qp_ops_of(type);

	return !ops || ops->type & soft_profile()->calls;
}

static bool cap_fits(const struct soft_profile *profile, const struct ibv_qp_cap *cap)
{
	const uint64_t receives =
		profile->max_recv_wr ? (uint64_t)cap->max_recv_wr * cap->max_recv_sge : cap->max_recv_wr;

	return cap->max_send_wr <= profile->max_qp_wr &&
	       receives <= (profile->max_recv_wr ? profile->max_recv_wr : profile->max_qp_wr) &&
	       cap->max_recv_wr >= profile->min_recv_wr && cap->max_recv_sge >= profile->min_recv_sge &&
	       cap->max_send_sge <= profile->max_send_sge && cap->max_recv_sge <= profile->max_recv_sge &&
	       (cap->max_inline_data <= profile->max_inline || profile->grants_less);
}

static int refusal(const struct soft_profile *profile, int err)
{
	return profile->refuses_silently ? PROFILE_SILENT : err;
}

int soft_qp_init_attr_check(const struct ibv_pd *pd, const struct core_xrcd *xrcd, struct ibv_qp_init_attr *attr,
			    const struct qp_ops *ops)
{
	const struct soft_profile *profile = soft_profile();

	if (!ops || !(ops->type & profile->types))
		return refusal(profile, EOPNOTSUPP);
	if (ops->type == QP_XRC_RECV) {
		attr->send_cq = attr->recv_cq = NULL;
		attr->cap = (struct ibv_qp_cap){0};
		return xrcd && !attr->srq ? 0 : EINVAL;
	}
	if (ops->type == QP_XRC_SEND)
		attr->recv_cq = NULL;
	if (ops->type == QP_XRC_SEND && attr->srq)
		return EINVAL;
	if (!pd || !attr->send_cq || (!attr->recv_cq && ops->type != QP_XRC_SEND))
		return EINVAL;
	if (!cap_fits(profile, &attr->cap))
		return refusal(profile, EINVAL);
	if (attr->cap.max_inline_data > profile->max_inline)
		attr->cap.max_inline_data = profile->max_inline;
	/* A DCT always uses a shared receive queue, SRD never. */
	if (ops->type == QP_DCI)
		attr->srq = NULL;
	if ((ops->type == QP_DCT && !attr->srq) || (ops->type == QP_SRD && attr->srq))
		return EINVAL;
	return attr->srq && ((struct core_srq *)attr->srq)->xrcd ? EINVAL : 0;
}

bool soft_qp_has_interface(const struct qp_ops *ops)
{
	return ops->type & (QP_RAW | QP_RSS);
}
