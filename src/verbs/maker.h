/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs that verbs has not: a provider's library makes them, and has its own way to say where a request goes. One
 * struct qp_maker for each provider, in the file of its transport.
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
	/* Has the device what the test is made of? 0 or -errno, reported. */
	int (*check)(const struct device *device, const struct verbs_config *config);
	/* The largest message to or from memory, bytes; 0: the device has none, reported. NULL: the port's largest. */
	uint64_t (*memory_limit)(const struct device *device);
	/* What its on-demand paging can, enum ibv_odp_transport_cap_bits. NULL: verbs says so. */
	uint32_t (*paging)(const struct device *device);
	/* READs and atomics in flight on a queue pair of its; 0, or NULL: as many as verbs says. */
	uint32_t (*most_outs)(const struct device *device);
	/* Attributes of RTS that the device takes beyond what its kind always takes. NULL: none. */
	int (*rts_mask)(const struct device *device);
	/* As ibv_create_qp_ex(). */
	struct ibv_qp *(*create)(const struct resources *resources, struct ibv_qp_init_attr_ex *attr, bool is_target);
	/* What the provider has of the queue pair beside ibv_qp_ex; NULL: nothing. */
	void *(*extension)(struct ibv_qp_ex *qpx);
	/* Of the request that is being built. */
	void (*set_address)(struct ibv_qp_ex *qpx, const struct wr_address *address);
	uint64_t key; /* that requests name */
};

extern const struct qp_maker maker_mlx5; /* dc.c */
extern const struct qp_maker maker_efa;	 /* srd.c */

/* NULL: verbs makes them. */
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
