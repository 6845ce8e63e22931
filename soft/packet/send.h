/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Executes requests on raw packet queue pairs. See send.c. */
#ifndef SOFT_SEND_H
#define SOFT_SEND_H

#include "host/core.h"

int soft_execute_frame(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		       uint32_t *byte_len);

#endif
