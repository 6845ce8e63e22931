/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inline receives: a device that has them puts what arrives into the completion, and the library copies it into the
 * buffer when that is polled, which spares a short message a write of its own over PCIe. They are mlx5's "scatter to
 * CQE", of RC queue pairs, and no option of verbs: completion queues are made here, queue pairs in mlx5_qp.c. Whether
 * the device does it is not to be asked; one that has no room for so much writes into the buffer as ever. Called by
 * cq.c and mlx5_qp.c. Never run on such an adapter.
 */
#ifndef VERBS_INLINE_RECV_H
#define VERBS_INLINE_RECV_H

#include <infiniband/verbs.h>
#include <stdint.h>

struct device;
struct transport_traits;

struct inline_recv_ops {
	/* Before any queue is made. 0, or -errno, reported. */
	int (*check)(const struct device *device, const struct transport_traits *transport);
	/* For messages of up to so many bytes, at most 64. As ibv_create_cq_ex(). */
	struct ibv_cq_ex *(*create_cq)(const struct device *device, struct ibv_cq_init_attr_ex *attr, uint32_t bytes);
};

extern const struct inline_recv_ops inline_recv_ops;

#endif
