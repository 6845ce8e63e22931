// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See cm_qp.h. */
#include "verbs/connect/cm_qp.h"

#include <errno.h>

static bool is_unknown(int err)
{
	return err == EOPNOTSUPP || err == ENOSYS;
}

/* Vendor 0, which is not assigned, means no ECE. */
int cm_ece_agreed(struct ibv_qp *qp, struct ibv_ece *agreed)
{
	int err;

	*agreed = (struct ibv_ece){.vendor_id = 0};
	err = ibv_query_ece(qp, agreed);
	if (err)
		*agreed = (struct ibv_ece){.vendor_id = 0};
	return is_unknown(err) ? 0 : -err;
}

int cm_ece_offer(struct rdma_cm_id *id, struct ibv_qp *qp)
{
	struct ibv_ece ece;
	int err = cm_ece_agreed(qp, &ece);

	if (err || !ece.vendor_id)
		return err;
	ece.comp_mask = 0;
	errno = 0;
	return rdma_set_local_ece(id, &ece) ? (errno ? -errno : -EIO) : 0;
}

int cm_ece_apply(struct rdma_cm_id *id, struct ibv_qp *qp, bool *taken)
{
	struct ibv_ece own, theirs = {.vendor_id = 0};
	int err;

	*taken = false;
	errno = 0;
	if (rdma_get_remote_ece(id, &theirs))
		return errno ? -errno : -EIO;
	if (!theirs.vendor_id)
		return 0;
	err = cm_ece_agreed(qp, &own);
	/* The options of another vendor's device mean nothing here. */
	if (err || own.vendor_id != theirs.vendor_id)
		return err;
	theirs.comp_mask = 0;
	err = ibv_set_ece(qp, &theirs);
	*taken = !err;
	return is_unknown(err) ? 0 : -err;
}
