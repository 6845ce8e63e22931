// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded: makes every device an iWARP one, on which a message without a posted receive is not retransmitted. For the
 * programs under test, and for librdmacm.
 */
#include "as_vendor.c"

struct ibv_device **ibv_get_device_list(int *count)
{
	struct ibv_device **list;

	NEXT(ibv_get_device_list);
	list = next(count);
	for (unsigned i = 0; list && list[i]; i++)
		list[i]->transport_type = IBV_TRANSPORT_IWARP;
	return list;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct ibv_qp_attr without = *attr;

	NEXT(ibv_modify_qp);
	without.rnr_retry = 0;
	return next(qp, &without, mask);
}
