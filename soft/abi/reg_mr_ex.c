// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory registration for programs built for rdma-core 59 or later, with all parameters in one structure. */
#include "config.h"

#include <errno.h>

#include "abi/abi.h"
#include "abi/verbs_later.h"

struct ibv_mr *soft_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr)
{
	const uint64_t known = IBV_REG_MR_MASK_IOVA | IBV_REG_MR_MASK_ADDR | SOFT_REG_MR_MASK_BUF;
	uint64_t iova;

	/* dma-buf memory, cache steering hints, and what later versions add, are not supported. */
	if (attr->comp_mask & ~known)
		return soft_refuse(EOPNOTSUPP);
	if (!(attr->comp_mask & IBV_REG_MR_MASK_ADDR))
		return soft_refuse(EINVAL);
	iova = attr->comp_mask & IBV_REG_MR_MASK_IOVA ? attr->iova : (uintptr_t)attr->addr;
	if (attr->comp_mask & SOFT_REG_MR_MASK_BUF)
		return soft_reg_mr_of_buf(pd, ((const struct soft_mr_init_attr_later *)attr)->buf, attr->addr,
					  attr->length, iova, (unsigned int)attr->access);
	return soft_reg_mr(pd, attr->addr, attr->length, iova, (unsigned int)attr->access);
}
