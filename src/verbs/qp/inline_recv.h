/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inline receives: the device puts the data of a short message into the CQE, and the library copies it into the buffer
 * when the CQE is polled, which saves a separate PCIe write. This is mlx5's "scatter to CQE" of RC QPs, not an option
 * of verbs: CQs are created here, QPs in mlx5_qp.c. Whether the device does it cannot be queried; if the CQE is too
 * small, it writes into the buffer as usual. Called by cq.c and mlx5_qp.c. Never run on such an adapter.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

struct device;
struct transport_traits;

struct inline_recv_ops {
	/* Before any queue is created. 0, or -errno, reported. */
	int (*check)(const struct device *device, const struct transport_traits *transport);
	/* ibv_create_cq_ex() for messages of up to `bytes`, at most 64. */
	struct ibv_cq_ex *(*create_cq)(const struct device *device, struct ibv_cq_init_attr_ex *attr, uint32_t bytes);
};

extern const struct inline_recv_ops inline_recv_ops;
