/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory windows: functions other than verbs. See mw.c. */
#pragma once

#include "host/core.h"

/* Executes IBV_WR_BIND_MW and IBV_WR_LOCAL_INV; returns an enum ibv_wc_status. */
int soft_mw_execute(struct core_qp *qp, const struct ibv_send_wr *wr);
/* Releases windows whose last binding a peer has invalidated. True: others are still bound. soft_self.lock is held. */
bool soft_mw_bound_to(struct core_mr *mr);
