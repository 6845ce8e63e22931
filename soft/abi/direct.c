// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * SRD and DC queue pairs, which plain verbs cannot create: libefa and libmlx5 have their own calls for them. This
 * library interposes the calls needed to create and use them, as export.c does for libibverbs. libmlx5's mkeys are not
 * among them.
 *
 * Enabled only by PERFTEST_SOFT_DIRECT. A program that learns from efadv_query_device() that a device is an EFA
 * (libfabric), or from mlx5dv_is_supported() that it is a ConnectX (UCX), then expects every feature of the adapter.
 */
#define _GNU_SOURCE
#include "config.h"

#include <infiniband/efadv.h>
#include <infiniband/mlx5dv.h>

#include "abi/abi.h"
#include "host/core.h"
#include "host/next.h"
#include "host/profile.h"

#define EFA_CAPS_RDMA_WRITE (1u << 3)  /* since rdma-core 47 */
#define INLINE_WRITE	    (1u << 1)  /* EFADV_QP_FLAGS_INLINE_WRITE, since rdma-core 63 */
#define MAX_DC_RD_ATOM	    (1u << 14) /* MLX5DV_CONTEXT_MASK_MAX_DC_RD_ATOM: like the following, not in old headers */
#define MAX_DC_RD_ATOM_AT   152	       /* of max_dc_rd_atom and max_dc_init_rd_atom */
#define DC_RD_ATOM	    8	       /* fewer than for RC, as on some adapters */
#define OOO_RECV_WRS	    (1u << 16) /* MLX5DV_CONTEXT_MASK_OOO_RECV_WRS */
#define OOO_RECV_WRS_AT	    176	       /* of struct mlx5dv_context's ooo_recv_wrs_caps, one uint32_t each ... */
#define OOO_RECV_WRS_TYPES  5	       /* ... of RC, XRC, DCT, UD and UC */
#define CREATE_OOO_DP	    (1u << 7)  /* MLX5DV_QP_CREATE_OOO_DP */
#define MAX_STREAMS_LOG	    7	       /* of a DCI: all are equivalent, since nothing is ever in flight */

#define MESSAGES		 (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)
#define ACCESSES		 (IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ)
#define ATOMICS			 (IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
#define SIZE_UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

/* Do we answer for this device, instead of the real library? */
static inline bool direct_answers_for(const struct ibv_device *device)
{
	return soft_is_direct() && soft_owns_device(device);
}

/* What the real library answers; `otherwise`: there is none. */
#define REAL(name, node, arguments, otherwise)                                                                         \
	({                                                                                                             \
		__typeof__(&name) real = SOFT_FOUND(__typeof__(&name), dlvsym(RTLD_NEXT, #name, node));                \
		real ? real arguments : (otherwise);                                                                   \
	})

/* Returned by mlx5dv_qp_ex_from_ibv_qp_ex() for a DCI. */
struct direct_qp {
	struct mlx5dv_qp_ex dv;
	struct ibv_qp_ex *qp;
};

/* --- EFA --- */

SOFT_EXPORT int efadv_query_device(struct ibv_context *context, struct efadv_device_attr *attr, uint32_t inlen)
{
	const struct soft_profile *profile = soft_profile();
	struct efadv_device_attr known = {
		.max_sq_wr = profile->max_qp_wr,
		.max_rq_wr = profile->max_recv_wr ? profile->max_recv_wr : profile->max_qp_wr,
		.max_sq_sge = (uint16_t)profile->max_send_sge,
		.max_rq_sge = (uint16_t)profile->max_recv_sge,
		.inline_buf_size = (uint16_t)profile->max_inline,
		.device_caps =
			EFADV_DEVICE_ATTR_CAPS_RDMA_READ | EFADV_DEVICE_ATTR_CAPS_RNR_RETRY | EFA_CAPS_RDMA_WRITE,
		.max_rdma_size = SOFT_MAX_MSG_SIZE,
	};

	if (!direct_answers_for(context->device))
		return REAL(efadv_query_device, "EFA_1.1", (context, attr, inlen), EOPNOTSUPP);
	if (!(profile->types & QP_SRD))
		return EOPNOTSUPP;
	if (inlen < SIZE_UP_TO(struct efadv_device_attr, inline_buf_size))
		return EINVAL;
	memset(attr, 0, inlen);
	memcpy(attr, &known, inlen < sizeof(known) ? inlen : sizeof(known));
	return 0;
}

static bool is_zero(const void *bytes, size_t from, size_t to)
{
	while (from < to && !((const uint8_t *)bytes)[from])
		from++;
	return from >= to;
}

SOFT_EXPORT struct ibv_qp *efadv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
					      struct efadv_qp_init_attr *efa, uint32_t inlen)
{
	const size_t known = SIZE_UP_TO(struct efadv_qp_init_attr, driver_qp_type);
	const size_t sl = known + 2; /* of rdma-core 55, 8 bits, behind the flags; all are as good */
	const uint32_t most = soft_profile()->max_wide_wr;
	uint16_t flags = 0;
	struct ibv_qp *qp;

	if (!direct_answers_for(context->device))
		return REAL(efadv_create_qp_ex, "EFA_1.1", (context, attr, efa, inlen), soft_refuse(EOPNOTSUPP));
	if (soft_owns(context) == OWNER_PARENT)
		return soft_refuse(EOPNOTSUPP);
	if (inlen >= sl)
		memcpy(&flags, (const uint8_t *)efa + known, sizeof(flags));
	if (inlen < known || efa->comp_mask || flags & ~INLINE_WRITE || !is_zero(efa, sl + 1, inlen))
		return soft_refuse(EINVAL);
	if (efa->driver_qp_type != EFADV_QP_DRIVER_TYPE_SRD)
		return soft_refuse(EOPNOTSUPP);
	if (most && flags & INLINE_WRITE && attr->cap.max_send_wr > most)
		return soft_refuse(EINVAL);
	qp = soft_create_direct_qp_ex(attr, SOFT_SRD, 0 /* key */, MESSAGES | ACCESSES);
	if (qp)
		core_qp_of(qp)->writes_inline = !most || flags & INLINE_WRITE;
	return qp;
}

/* --- mlx5 --- */

SOFT_EXPORT bool mlx5dv_is_supported(struct ibv_device *device)
{
	if (direct_answers_for(device))
		return soft_profile()->types & QP_DC;
	return REAL(mlx5dv_is_supported, "MLX5_1.8", (device), false);
}

SOFT_EXPORT int mlx5dv_query_device(struct ibv_context *context, struct mlx5dv_context *attr)
{
	struct ibv_device_attr_ex device = {0};
	uint64_t asked = attr->comp_mask;

	if (!direct_answers_for(context->device))
		return REAL(mlx5dv_query_device, "MLX5_1.0", (context, attr), EOPNOTSUPP);
	if (!(soft_profile()->types & QP_DC))
		return EOPNOTSUPP;
	attr->version = 0;
	attr->flags = 0;
	attr->comp_mask = 0;
	if (asked & MLX5DV_CONTEXT_MASK_DC_ODP_CAPS && !soft_query_device_ex(context, NULL, &device, sizeof(device))) {
		attr->dc_odp_caps = device.odp_caps.per_transport_caps.rc_odp_caps;
		attr->comp_mask |= MLX5DV_CONTEXT_MASK_DC_ODP_CAPS;
	}
	if (asked & MAX_DC_RD_ATOM) {
		const uint64_t most[2] = {DC_RD_ATOM, DC_RD_ATOM};

		memcpy((uint8_t *)attr + MAX_DC_RD_ATOM_AT, most, sizeof(most));
		attr->comp_mask |= MAX_DC_RD_ATOM;
	}
	if (asked & OOO_RECV_WRS) {
		const uint32_t most[OOO_RECV_WRS_TYPES] = {SOFT_MAX_QP_WR, SOFT_MAX_QP_WR, SOFT_MAX_QP_WR,
							   SOFT_MAX_QP_WR, SOFT_MAX_QP_WR};

		memcpy((uint8_t *)attr + OOO_RECV_WRS_AT, most, sizeof(most));
		attr->comp_mask |= OOO_RECV_WRS;
	}
#ifdef HAVE_STRUCT_MLX5DV_QP_EX_WR_SET_DC_ADDR_STREAM
	if (asked & MLX5DV_CONTEXT_MASK_DCI_STREAMS) {
		attr->dci_streams_caps = (struct mlx5dv_dci_streams_caps){.max_log_num_concurent = MAX_STREAMS_LOG};
		attr->comp_mask |= MLX5DV_CONTEXT_MASK_DCI_STREAMS;
	}
#endif
	return 0;
}

static void set_dc_addr(struct mlx5dv_qp_ex *dv, struct ibv_ah *ah, uint32_t number, uint64_t key)
{
	soft_wr_set_address(((struct direct_qp *)dv)->qp, ah, number, key);
}

#ifdef HAVE_STRUCT_MLX5DV_QP_EX_WR_SET_DC_ADDR_STREAM
/* Requests of a stream are executed in order, as all are. */
static void set_dc_addr_stream(struct mlx5dv_qp_ex *dv, struct ibv_ah *ah, uint32_t number, uint64_t key,
			       uint16_t stream)
{
	(void)stream;
	set_dc_addr(dv, ah, number, key);
}

static int streams_check(const struct mlx5dv_qp_init_attr *mlx5)
{
	const struct mlx5dv_dci_streams *streams = &mlx5->dc_init_attr.dci_streams;

	if (!(mlx5->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS))
		return 0;
	if (mlx5->dc_init_attr.dc_type != MLX5DV_DCTYPE_DCI || streams->log_num_concurent > MAX_STREAMS_LOG)
		return EINVAL;
	return streams->log_num_errored ? EOPNOTSUPP : 0;
}
#define KNOWN_STREAMS MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS
#else
#define KNOWN_STREAMS 0
static int streams_check(const struct mlx5dv_qp_init_attr *mlx5)
{
	(void)mlx5;
	return 0;
}
#endif

static int mlx5_attr_check(const struct mlx5dv_qp_init_attr *mlx5)
{
	const uint64_t known = MLX5DV_QP_INIT_ATTR_MASK_DC | MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS |
			       MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS | KNOWN_STREAMS;

	if (mlx5->comp_mask & ~known)
		return EOPNOTSUPP;
	if (mlx5->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS && mlx5->send_ops_flags)
		return EOPNOTSUPP;
	/* Completions never contain received data in any case. */
	if (mlx5->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS &&
	    mlx5->create_flags & ~((uint32_t)MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE | CREATE_OOO_DP))
		return EOPNOTSUPP;
	if (!(mlx5->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DC))
		return 0;
	if (mlx5->dc_init_attr.dc_type != MLX5DV_DCTYPE_DCI && mlx5->dc_init_attr.dc_type != MLX5DV_DCTYPE_DCT)
		return EINVAL;
	return streams_check(mlx5);
}

/* Adds what mlx5dv_qp_ex_from_ibv_qp_ex() returns for it. NULL: no memory; the queue pair is then destroyed. */
static struct direct_qp *direct_qp_give(struct ibv_qp *qp)
{
	struct direct_qp *direct = calloc(1, sizeof(*direct));

	if (!direct) {
		soft_qp_ex_destroy(qp);
		return soft_refuse(ENOMEM);
	}
	direct->qp = &((struct soft_qp *)qp)->base;
	((struct soft_qp *)qp)->direct = direct;
	return direct;
}

static struct ibv_qp *dci_create(struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp *qp = soft_create_direct_qp_ex(attr, SOFT_DCI, 0 /* key */, MESSAGES | ACCESSES | ATOMICS);
	struct direct_qp *dc = qp ? direct_qp_give(qp) : NULL;

	if (!dc)
		return NULL;
	dc->dv.wr_set_dc_addr = set_dc_addr;
#ifdef HAVE_STRUCT_MLX5DV_QP_EX_WR_SET_DC_ADDR_STREAM
	dc->dv.wr_set_dc_addr_stream = set_dc_addr_stream;
#endif
	return qp;
}

/* Without a profile, data that may arrive out of order arrives in order. */
static struct ibv_qp *plain_create(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
				   const struct mlx5dv_qp_init_attr *mlx5)
{
	struct ibv_qp *qp = soft_create_qp_ex(context, attr);

	if (qp && attr->qp_type == IBV_QPT_RC && soft_profile()->reverses &&
	    mlx5->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS && mlx5->create_flags & CREATE_OOO_DP)
		soft_qp_give_up_order(qp);
	return qp;
}

SOFT_EXPORT struct ibv_qp *mlx5dv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
					    struct mlx5dv_qp_init_attr *mlx5)
{
	int err;

	if (!direct_answers_for(context->device))
		return REAL(mlx5dv_create_qp, "MLX5_1.3", (context, attr, mlx5), soft_refuse(EOPNOTSUPP));
	err = mlx5 && soft_owns(context) != OWNER_PARENT ? mlx5_attr_check(mlx5) : EOPNOTSUPP;
	if (err)
		return soft_refuse(err);
	if (!(mlx5->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DC))
		return attr->qp_type == IBV_QPT_DRIVER ? soft_refuse(EINVAL) : plain_create(context, attr, mlx5);
	if (mlx5->dc_init_attr.dc_type == MLX5DV_DCTYPE_DCI)
		return dci_create(attr);
	return soft_create_direct_qp_ex(attr, SOFT_DCT, mlx5->dc_init_attr.dct_access_key, 0 /* operations */);
}

SOFT_EXPORT struct mlx5dv_qp_ex *mlx5dv_qp_ex_from_ibv_qp_ex(struct ibv_qp_ex *qp)
{
	/* libmlx5 does not check for NULL; linux-rdma perftest passes it for a DCT, which has no struct ibv_qp_ex. */
	if (!qp)
		return NULL;
	if (direct_answers_for(qp->qp_base.context->device))
		return ((struct soft_qp *)qp)->direct;
	return REAL(mlx5dv_qp_ex_from_ibv_qp_ex, "MLX5_1.10", (qp), NULL);
}
