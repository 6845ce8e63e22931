/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Raw packets: what the other rooms call besides interface.h and rss.h. */
#pragma once

#include "host/core.h"

/* send.c: executes a request on a raw packet queue pair. */
int soft_execute_frame(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		       uint32_t *byte_len);
void soft_steering_reset(void); /* steering.c, in a forked child */
