/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The types of queue pairs: their operations, and the attributes for creating them. Called by qp.c. */
#pragma once

#include "host/core.h"

extern const struct qp_ops soft_qp_rss_ops SOFT_HIDDEN;
extern const struct qp_ops soft_qp_unordered_ops SOFT_HIDDEN; /* RC */

const struct qp_ops *soft_qp_ops_of(enum ibv_qp_type type); /* NULL: no such queue pairs here */
const struct qp_ops *soft_qp_direct_ops(enum soft_direct type);
/* Checks that the attributes suit the type. 0 or an errno. */
int soft_qp_init_attr_check(const struct ibv_pd *pd, const struct core_xrcd *xrcd, struct ibv_qp_init_attr *attr,
			    const struct qp_ops *ops);
/* Raw packet queue pairs use a network interface, which the first of them opens. */
bool soft_qp_has_interface(const struct qp_ops *ops);
