/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * QPs of transports that verbs cannot create: a provider's library creates them, and has its own call to set the
 * destination of a request. One struct qp_maker for each provider, in the file of its transport.
 */
#ifndef VERBS_MAKER_H
#define VERBS_MAKER_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "traffic/transport.h"

struct device;
struct resources;
struct verbs_config;
struct wr_address; /* verbs/queue.h */

struct qp_maker {
	/* Does the device support what the test needs? 0 or -errno, reported. */
	int (*check)(const struct device *device, const struct verbs_config *config);
	/* The largest RDMA transfer in bytes; 0: not supported, reported. NULL: the port's largest message. */
	uint64_t (*memory_limit)(const struct device *device);
	/* On-demand paging capabilities, enum ibv_odp_transport_cap_bits. NULL: query verbs. */
	uint32_t (*paging)(const struct device *device);
	/* Receives of a QP. NULL, or 0 returned: what verbs says. */
	uint32_t (*most_receives)(const struct device *device);
	/* READs and atomics in flight on a QP. NULL, or 0 returned: what verbs says. */
	uint32_t (*most_outs)(const struct device *device);
	/* Attributes that the device needs in RTS in addition to those of the QP type. NULL: none. */
	int (*rts_mask)(const struct device *device);
	/* As ibv_create_qp_ex(). */
	struct ibv_qp *(*create)(const struct resources *resources, struct ibv_qp_init_attr_ex *attr, bool is_target);
	/* The provider's counterpart of ibv_qp_ex for this QP; NULL: none. */
	void *(*extension)(struct ibv_qp_ex *qpx);
	/* Sets the destination of the request that is being built. */
	void (*set_address)(struct ibv_qp_ex *qpx, const struct wr_address *address);
	uint64_t key; /* access key that requests carry */
};

extern const struct qp_maker maker_mlx5; /* dc.c */
extern const struct qp_maker maker_efa;	 /* srd.c */

/* NULL: verbs creates them. */
static inline const struct qp_maker *qp_maker_of(const struct transport_traits *transport)
{
	switch (transport->maker) {
	case MADE_BY_MLX5:
		return &maker_mlx5;
	case MADE_BY_EFA:
		return &maker_efa;
	default:
		return NULL;
	}
}

#endif
