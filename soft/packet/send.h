/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Executes requests on raw packet queue pairs. See send.c. */
#pragma once

#include "host/core.h"

int soft_execute_frame(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		       uint32_t *byte_len);
