// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interposes ibv_qp_to_qp_ex(): a provider that ignores the request for ibv_wr_*(), and creates plain queue pairs. Its
 * vendor's others have them.
 */
#include "as_vendor.c"

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	(void)qp;
	return NULL;
}
