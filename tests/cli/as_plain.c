// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interposes ibv_qp_to_qp_ex(): a provider that ignores the request for ibv_wr_*(), and creates plain queue pairs. Its
 * vendor's others have them. With REFUSES=ERRNO it refuses the request with that errno.
 */
#include "as_vendor.c"

#include <errno.h>

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	(void)qp;
	return NULL;
}

static struct ibv_qp *(*create)(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);

static struct ibv_qp *refuse(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return create(context, attr);
	errno = atoi(getenv("REFUSES"));
	return NULL;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct verbs_context *verbs;
	struct ibv_context *context;

	NEXT(ibv_open_device);
	context = next(device);
	verbs = context && getenv("REFUSES") ? verbs_get_ctx(context) : NULL;
	if (verbs && verbs->create_qp_ex != refuse) {
		create = verbs->create_qp_ex;
		verbs->create_qp_ex = refuse;
	}
	return context;
}
