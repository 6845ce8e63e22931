/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * QPs of ordinary transports with features that verbs lacks: created with a provider's library, which is opened at run
 * time. Options select them: --inline_recv, --use_ooo, --aes_xts and --sig_offload of libmlx5, --congest_type of
 * libhns. Called by qp.c and perftest_resources.c; maker.h has the transports that only a provider supports.
 */
#ifndef VERBS_PROVIDER_QP_H
#define VERBS_PROVIDER_QP_H

#include <infiniband/verbs.h>

#include "verbs/mkey.h"
#include "verbs/verbs_config.h"

struct device;

struct provider_qp_ops {
	/* Before any queue is created. 0, or -errno, reported. */
	int (*check)(const struct device *device, const struct verbs_config *config);
	/* As ibv_create_qp_ex(). */
	struct ibv_qp *(*create)(const struct device *device, const struct verbs_config *config,
				 struct ibv_qp_init_attr_ex *attr);
};

extern const struct provider_qp_ops provider_qp_mlx5; /* mlx5_qp.c */
extern const struct provider_qp_ops provider_qp_hns;  /* hns_qp.c */

/* NULL: verbs creates them. */
static inline const struct provider_qp_ops *provider_qp_of(const struct verbs_config *config)
{
	if (config->congestion)
		return &provider_qp_hns;
	return config->inline_recv || config->out_of_order || mkey_is_used(config) ? &provider_qp_mlx5 : NULL;
}

#endif
